"""The report of results, in a real Chromium: offline, legible at any width, safe with any name, ready for a paper."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from fairground.report.plots.bars import contrast
from fairground.report.plots.svg import WIDE
from fairground.report.statistics_page import figures, statistics_page, write_report
from fairground.report.statistics_words import rank_range
from fairground.stats import Table, read_table, table_of
from fairground.stats.summary import Summary, summarise
from fairground.stats.votes.ranking import rank
from fairground.stats.votes.votes import Votes
from fairground.stats.votes.win_rates import observed_win_rates
from tests.chromium import open_browser

ROOT = Path(__file__).resolve().parents[2]
EVIL = (
    '</script></style></title></svg>--><script>window.pwned=1</script><img src=x onerror="window.pwned=2">'
    "<svg onload='window.pwned=3'>' onmouseover=window.pwned=4 \" autofocus onfocus=window.pwned=5 javascript:alert(1) "
    "${window.pwned=6} &lt;b&gt; \u202e\u2066 \u2028 var(--card) 😀"
)


def a_table(
    agents: Sequence[str] = ("ada", "bob"),
    apps: Sequence[str] = ("mail", "maps", "notes"),
    *,
    conditions: Sequence[str] = ("",),
    scenarios: int = 3,
    themes: int = 2,
    rollouts: int = 3,
    chance: float | None = None,
    errors: float = 0.03,
    costs: bool = True,
    task: str = "task",
) -> Table:
    rng = np.random.default_rng(5)
    hard = rng.normal(0, 2, (len(apps), scenarios))
    rows: list[dict[str, Any]] = []
    for place, agent in enumerate(agents):
        for condition in conditions:
            for a, app in enumerate(apps):
                for s in range(scenarios):
                    success = 1 / (1 + np.exp(0.4 * place - 0.8 - hard[a, s])) if chance is None else chance
                    for theme in range(themes):
                        for rollout in range(rollouts):
                            outcome = "passed" if rng.random() < success else "failed"
                            rows.append({
                                "agent": agent, "condition": condition, "app": app, "scenario": f"{task} {s}",
                                "theme": f"theme {theme}", "rollout": str(rollout),
                                "outcome": "errored" if rng.random() < errors else outcome,
                                "steps": int(rng.integers(3, 30)), "cost": float(rng.random() * (place + 1)),
                            })  # fmt: skip
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if not costs:
        del columns["steps"], columns["cost"]
    return table_of(columns)


def a_summary(table: Table, **more: Any) -> Summary:
    return summarise(table, seed=1, resamples=200, **more)


@pytest.fixture(scope="module")
def usual() -> Summary:
    return summarise(read_table(ROOT / "examples/results.csv"), seed=1, resamples=200)


@pytest.fixture(scope="module")
def hostile() -> Summary:
    agents = (EVIL, "x" * 300, "שלום مرحبا" + "😀中文" * 30)
    apps = (EVIL, "y" * 300, "e\u0301" * 150)
    return a_summary(a_table(agents, apps, conditions=("", EVIL), task=EVIL, errors=0.1))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def wide(browser: Browser) -> BrowserContext:
    """What most pages are opened in: they leave nothing behind, and a context of their own takes longer than they."""
    return browser.new_context(viewport={"width": 1280, "height": 900})


@pytest.fixture(scope="module")
def usual_report(usual: Summary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(usual, tmp_path_factory.mktemp("usual") / "report.html")


@pytest.fixture(scope="module")
def opened(wide: BrowserContext, usual_report: Path) -> Page:
    """The report of the usual summary, for tests that only read it: they leave it as it was."""
    page = wide.new_page()
    page.goto(usual_report.as_uri())
    return page


@pytest.fixture
def show(
    browser: Browser, wide: BrowserContext, usual: Summary, usual_report: Path, tmp_path: Path
) -> Iterator[Callable[..., Page]]:
    """Opens a report as a file; no script may fail, nothing may be asked for from outside, nothing be complained of."""
    pages: list[Page] = []
    faults: list[str] = []
    asked: list[str] = []

    def open_page(report: Summary | Path, **options: Any) -> Page:
        if isinstance(report, Path):
            path = report
        elif report is usual:
            path = usual_report
        else:
            path = write_report(report, tmp_path / "report.html")
        own = {"viewport": {"width": 1280, "height": 900}, **options}
        page: Page = browser.new_page(**own) if options else wide.new_page()
        pages.append(page)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda message: faults.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not faults
    own = ("data:", "blob:", tmp_path.as_uri(), usual_report.as_uri())
    assert [url for url in asked if not url.startswith(own)] == []


def texts(page: Page, selector: str) -> list[str]:
    return [one.strip() for one in page.locator(selector).all_text_contents()]


# ---- what it says ----


@pytest.mark.process
def test_the_page_has_its_sections_in_order(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    assert texts(page, "main > section > h2") == [
        "Summary", "Leaderboard", "Pairwise comparison", "Results by app", "Performance profiles", "Reliability",
        "Sensitivity to each axis", "Sources of variance", "Cost and steps", "Errors and denominators",
    ]  # fmt: skip
    assert "Errored and invalid episodes are not scored" in page.locator("header").inner_text()
    facts = dict(zip(texts(page, ".facts dt"), texts(page, ".facts dd"), strict=True))
    scored = sum(standing.episodes for standing in usual.standings)
    assert facts["Episodes"] == f"{usual.episodes:,}" and facts["Scored"] == f"{scored:,}"
    assert int(facts["Errored"]) + int(facts["Invalid"]) == usual.episodes - scored > 0
    footer = page.locator("footer").inner_text()
    assert "Resamples\n200" in footer and "Seed\n1" in footer and "Fairground 0." in footer


@pytest.mark.process
def test_every_figure_says_what_it_means_and_what_it_does_not(usual: Summary, opened: Page) -> None:
    page = opened
    for exhibit in page.locator(".exhibit").all():
        assert len(exhibit.locator(".says p").first.inner_text()) > 40
        assert exhibit.locator(".not b").inner_text() == "What this does not show"
        assert len(exhibit.locator(".not").inner_text()) > 60
    drawings = page.locator("figure svg")
    assert drawings.count() > 30
    assert drawings.evaluate_all(
        "all => all.every(one => one.getAttribute('role') === 'img' && one.querySelector(':scope > title').textContent"
        " && one.querySelector(':scope > desc').textContent)"
    )
    identities = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(identities) == len(set(identities))
    assert page.evaluate("[...document.querySelectorAll('nav a')].every(one => document.querySelector(one.hash))")


def test_the_verdict_tells_decided_from_open(usual: Summary) -> None:
    page = statistics_page(usual)
    leader, second = usual.standings[:2]
    first = next(
        duel for duel in usual.duels if {duel.comparison.a, duel.comparison.b} == {leader.contender, second.contender}
    )
    assert first.better is None
    verdict = page.split('id="verdict"')[1].split("</section>")[0]
    assert f">{leader.contender}</bdi> has the highest score" in verdict
    assert "the lead is not significant" in verdict and "neither a difference nor equality" in verdict
    clear = sum(duel.better is not None for duel in usual.duels)
    assert f"{clear} of {len(usual.duels)} differences" in verdict


def test_a_clear_lead_is_said_plainly() -> None:
    good, bad = (a_table([name], chance=chance, errors=0.0) for name, chance in (("ada", 0.97), ("bob", 0.03)))
    from fairground.stats import join_tables

    page = statistics_page(a_summary(join_tables([good, bad])))
    assert re.search(r">ada</bdi> leads with 9\d\.\d% \[[\d., ]+\], and is better than every other contender", page)
    assert "The difference between the two contenders is significant" in page


def test_a_rank_is_the_range_that_decisions_leave_open(usual: Summary) -> None:
    ranks = [rank_range(usual, standing) for standing in usual.standings]
    assert ranks[0] == (1, 2) and all(best <= place <= worst for place, (best, worst) in enumerate(ranks, 1))


@pytest.mark.process
def test_numbers_in_tables_are_those_of_the_summary(usual: Summary, opened: Page) -> None:
    page = opened
    scores = texts(page, "#leaderboard-table td.score")
    assert scores == [f"{standing.score.estimate * 100:.1f}" for standing in usual.standings]
    shown = texts(page, "#apps-numbers tbody tr:first-child td")
    for text, standing in zip(shown[1:], usual.standings, strict=True):
        assert text.startswith(f"{standing.apps[shown[0]].estimate * 100:.1f} [")
    flow = usual.duels[0].transitions
    assert flow is not None and sum(map(sum, flow.flow)) == flow.tasks


# ---- bad and odd input ----


@pytest.mark.process
def test_nothing_that_anyone_named_becomes_markup(hostile: Summary, show: Callable[..., Page], tmp_path: Path) -> None:
    path = write_report(hostile, tmp_path / "hostile.html", title=EVIL)
    text = path.read_text()
    assert text.count("http-equiv") == 1
    path.write_text(re.sub(r'<meta http-equiv="[^>]*>', "", text))  # escaping must hold without the policy
    page = show(path)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.locator(".drawn svg.wide").first.scroll_into_view_if_needed()
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.evaluate("document.scripts.length") == 1 and page.evaluate("document.images.length") == 0
    names = set(
        page.evaluate("[...document.querySelectorAll('*')].flatMap(one => [...one.attributes].map(a => a.name))")
    )
    assert not {name for name in names if name.startswith("on")} and "autofocus" not in names and "src" not in names
    shown = page.evaluate("document.body.textContent")
    assert shown.count("<script>window.pwned=1</script>") > 20, "a name is shown as it is"
    assert "\u202e" not in shown and "\u2066" not in shown
    for name, svg in figures(hostile).items():
        assert re.fullmatch(r"[a-z0-9-]+", name)
        ElementTree.fromstring(svg.encode())


@pytest.mark.process
@pytest.mark.parametrize("phone", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["hostile", pytest.param("usual", marks=pytest.mark.slow)])
def test_nothing_sticks_out_at_any_width(
    kind: str, phone: bool, show: Callable[..., Page], request: pytest.FixtureRequest
) -> None:
    page = show(request.getfixturevalue(kind), is_mobile=phone)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for width in (320, 390) if phone else (800, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        visible = page.locator("figure svg.narrow").first.is_visible()
        assert visible == (width < 640)


@pytest.mark.process
@pytest.mark.parametrize("width", [390, 1280])
def test_words_in_figures_are_legible_not_cut_at_the_edges_and_do_not_overlap(opened: Page, width: int) -> None:
    page = opened
    page.set_viewport_size({"width": width, "height": 900})
    found = page.evaluate(
        """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
          if (!svg.getBoundingClientRect().width) return [];
          const box = svg.getBoundingClientRect();
          const scale = box.width / svg.viewBox.baseVal.width;
          return [...svg.querySelectorAll("text")].map((one) => {
            const at = one.getBoundingClientRect();
            return [one.textContent, at.left - box.left, box.right - at.right, at.top - box.top, box.bottom - at.bottom,
              parseFloat(getComputedStyle(one).fontSize) * scale, svg.dataset.name];
          });
        })"""
    )
    assert len(found) > 300
    for text, left, right, top, bottom, size, name in found:
        assert min(left, right, top, bottom) > -3, (name, text, left, right, top, bottom)
        assert size >= 8.5, (name, text, size)
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
          if (!svg.getBoundingClientRect().width) return [];
          const words = [...svg.querySelectorAll("text")];
          const boxes = words.map((one) => [one.textContent, one.getBoundingClientRect()]);
          const bad = [];
          boxes.forEach(([text, a], place) => boxes.slice(place + 1).forEach(([other, b]) => {
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 1.5 && high > 4.5) bad.push([svg.dataset.name, text, other]);
          }));
          return bad;
        })"""
    )
    # Slanted names of columns have boxes that overlap where the words do not.
    assert [one for one in overlaps if one[0] != "broken"] == []


ODD: dict[str, Callable[[], Table]] = {
    "one agent": lambda: a_table(["solo"]),
    "twelve agents": lambda: a_table([f"agent {place}" for place in range(12)]),
    "sixty apps": lambda: a_table(apps=[f"app {place}" for place in range(60)]),
    "many apps": lambda: a_table(apps=[f"app {place}" for place in range(100)], scenarios=1, themes=1),
    "one app": lambda: a_table(apps=["only"]),
    "two apps": lambda: a_table(apps=["one", "two"]),
    "all passed": lambda: a_table(chance=1.0, errors=0.0),
    "all failed": lambda: a_table(chance=0.0, errors=0.0),
    "one row": lambda: a_table(["solo"], ["only"], scenarios=1, themes=1, rollouts=1, errors=0.0, costs=False),
    "tried once": lambda: a_table(themes=1, rollouts=1, costs=False),
    "half broken": lambda: a_table(errors=0.5),
}
LARGE = ("twelve agents", "sixty apps")  # in slow runs; "many apps" are more, with fewer rows


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if kind in LARGE else kind for kind in ODD]
)
def test_odd_tables_make_pages_without_holes(kind: str) -> None:
    summary = a_summary(ODD[kind]())
    text = statistics_page(summary)
    assert not re.search(
        r"\bnan\b|\binf\b|None", re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.S)
    )
    assert ("80 of 100 apps" in text) == (kind == "many apps")
    for svg in figures(summary).values():
        ElementTree.fromstring(svg)


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.slow
def test_odd_tables_make_whole_pages(kind: str, show: Callable[..., Page]) -> None:
    summary = a_summary(ODD[kind]())
    page = show(summary)
    shown = texts(page, "main > section > h2")
    left_out = texts(page, ".absent b")
    assert len(left_out) == len(set(left_out)) and not {one.removesuffix(":") for one in left_out} & set(shown)
    for line in texts(page, ".absent"):
        assert len(line) > 30 and line.endswith("."), "what is left out says why"
    if kind == "one agent":
        assert "Pairwise comparison:" in left_out
    if kind == "one row":
        assert shown == ["Summary", "Leaderboard", "Omitted sections"]
    if kind == "many apps":
        assert page.locator("#apps-numbers tbody tr").count() == 100


def test_scores_alone_make_a_page_too(usual: Summary) -> None:
    page = statistics_page(a_summary(a_table(), depth="scores"))
    assert "Sensitivity to each axis: " in page and 'id="sensitivity"' not in page


def test_agents_without_a_score_are_named() -> None:
    table = a_table(["ada", "bob"])
    broken = replace(table, outcome=np.where(table.rows_of(table.contenders[1]), 2, table.outcome).astype(np.int8))
    page = statistics_page(a_summary(broken))
    assert "Without scored episodes, and therefore not ranked: " in page and ">bob</bdi>" in page


@pytest.mark.slow
def test_votes_have_a_section_of_their_own(usual: Summary, show: Callable[..., Page], tmp_path: Path) -> None:
    left, right = ["ada", "bob", "cyd", EVIL] * 30, ["bob", "cyd", "ada", "ada"] * 30
    votes = Votes.of(left, right, (["left"] * 5 + ["right"] * 3 + ["tie", "both_bad"]) * 12)
    ranking = rank(votes, rng=np.random.default_rng(0), resamples=100)
    path = write_report(usual, tmp_path / "v.html", ranking=ranking, observed=observed_win_rates(votes))
    page = show(path)
    assert texts(page, "main > section > h2")[-1] == "Votes"
    assert texts(page, "#votes h3") == [
        "Ratings with intervals",
        "Win rates predicted by the ratings",
        "Observed win rates",
    ]
    assert page.locator("#ratings-numbers tbody tr").count() == 4
    assert {"ratings", "win-rates-predicted", "win-rates-observed"} <= figures(
        usual, ranking=ranking, observed=observed_win_rates(votes)
    ).keys()


def test_sections_that_would_only_repeat_the_score_say_so_in_a_line() -> None:
    solo = a_table(["solo"], ["only"], chance=0.0, errors=0.0)
    page = statistics_page(a_summary(solo))
    assert not re.search('<section id="(apps|reliability|sensitivity|costs|outcomes|differences)"', page)
    for said in ("There is only one app", "Every scored episode failed", "only one contender", "all scored"):
        assert said in page
    other = statistics_page(a_summary(a_table(["solo", "duo"], errors=0.3)))
    for name in ("apps", "reliability", "costs", "outcomes", "differences"):
        assert f'<section id="{name}"' in other


def test_the_same_summary_gives_the_same_page(usual: Summary) -> None:
    assert statistics_page(usual) == statistics_page(usual)
    assert len(statistics_page(usual)) < 450_000


# ---- what it does ----


def download(page: Page, name: str, kind: str) -> bytes:
    with page.expect_download() as found:
        page.locator(f'button[data-figure="{name}"][data-export={kind}]').click()
    assert found.value.suggested_filename == f"{name}.{kind}"
    return Path(found.value.path()).read_bytes()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_every_figure_can_be_saved_as_a_standalone_svg(usual: Summary, show: Callable[..., Page], scheme: str) -> None:
    page = show(usual, color_scheme=scheme)
    names = page.locator("button[data-export=svg]").evaluate_all("all => all.map(one => one.dataset.figure)")
    assert sorted(names) == sorted(figures(usual))
    for place, name in enumerate(names if scheme == "light" else names[:3]):
        if place and place % 8 == 0:
            page = show(usual, color_scheme=scheme)  # a browser takes ten files a second from one page, and no more
        text = download(page, name, "svg").decode()
        root = ElementTree.fromstring(text)
        assert "var(" not in text and root.get("width") == str(WIDE)
        assert root.find("{http://www.w3.org/2000/svg}rect").get("fill") == "#ffffff"  # type: ignore[union-attr]
        assert "sans-serif" in str(root.get("font-family")) and "tabindex" not in text


@pytest.mark.slow
def test_an_exported_svg_looks_the_same_on_its_own(usual: Summary, show: Callable[..., Page], tmp_path: Path) -> None:
    page = show(usual, viewport={"width": 900, "height": 900}, color_scheme="dark")
    saved = tmp_path / "one.svg"
    saved.write_bytes(download(page, "differences", "svg"))
    mine = tmp_path / "mine.svg"
    mine.write_text(figures(usual)["differences"])
    pictures = []
    for path in (saved, mine):
        page.goto(path.as_uri())
        pictures.append(np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("L"), dtype=np.int16))
    assert pictures[0].mean() > 200, "light, whatever the page was"
    assert np.abs(pictures[0] - pictures[1]).max() <= 8, "the page and the library export the same drawing"


@pytest.mark.slow
def test_a_png_has_three_times_the_pixels(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual, color_scheme="dark", viewport={"width": 390, "height": 800})
    for name in ("apps", "standings"):
        data = download(page, name, "png")
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", data[16:24])
        svg = ElementTree.fromstring(figures(usual)[name])
        assert (width, height) == (3 * WIDE, 3 * float(str(svg.get("height"))))
        picture = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))[::5, ::5]
        assert tuple(picture[0, 0]) == (255, 255, 255), "light, with a background of its own"
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20, "something is drawn"


@pytest.mark.slow
def test_tables_sort_both_ways(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    head = page.get_by_role("button", name="Score", exact=True)
    head.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    scores = [float(one) for one in texts(page, "#leaderboard-table td.score")]
    assert scores == sorted(scores)
    assert page.locator("#leaderboard-table th[aria-sort=ascending]").inner_text().startswith("Score")
    page.locator("#leaderboard-table th button", has_text="Contender").click()
    names = texts(page, "#leaderboard-table td:nth-child(2)")
    assert names == sorted(names)


@pytest.mark.process
def test_tables_can_be_copied_as_csv_and_latex(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator('button[data-table="leaderboard-table"][data-copy=csv]').click()
    page.locator('[data-table="leaderboard-table"][data-copy=csv]', has_text="Copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == 1 + len(usual.standings)
    assert lines[0].startswith("Rank,Contender,Score,Interval,")
    leader = usual.standings[0]
    assert f',{leader.contender},{leader.score.estimate * 100:.1f},"[' in lines[1]
    page.locator("#differences summary").click()
    page.locator('button[data-table="differences-numbers"][data-copy=latex]').click()
    page.locator('[data-table="differences-numbers"][data-copy=latex]', has_text="Copied").wait_for()
    latex = page.evaluate("navigator.clipboard.readText()")
    assert "\\begin{tabular}{llrrrrllr}" in latex and "\\toprule" in latex and "\u2212" not in latex
    assert latex.count("\\\\") == 1 + len(usual.duels)


@pytest.mark.process
def test_a_mark_says_what_it_is_to_pointers_and_keys(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    drawing = page.locator('svg.wide[data-name="differences"]')
    drawing.scroll_into_view_if_needed()
    drawing.focus()
    page.keyboard.press("ArrowDown")
    first = page.locator("#tip").inner_text()
    one = usual.duels[0].comparison
    assert first.startswith(f"{one.a} minus {one.b}: ") and page.locator("#tip").is_visible()
    page.keyboard.press("ArrowDown")
    assert page.locator("#tip").inner_text() != first
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    drawing.locator(".m").nth(0).hover(force=True)
    assert page.locator("#tip").inner_text() == first
    narrow = show(usual, viewport={"width": 390, "height": 800}, has_touch=True)
    small = narrow.locator('svg.narrow[data-name="differences"]')
    small.scroll_into_view_if_needed()
    small.locator(".m").nth(0).tap(force=True)
    assert narrow.locator("#tip").inner_text() == first


@pytest.mark.process
def test_light_and_dark_follow_the_reader_and_the_switch(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual, color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('.card')).backgroundColor"
    assert page.evaluate(ground) == "rgb(28, 27, 34)"
    page.locator("#theme").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.reload()
    assert page.evaluate(ground) == "rgb(255, 255, 255)", "the choice is remembered"
    page.locator("#theme").click()
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)", "paper is white"
    assert page.locator("#theme").is_hidden() and page.locator(".tools").first.is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.slow
def test_text_has_contrast(usual: Summary, show: Callable[..., Page], scheme: str) -> None:
    page = show(usual, color_scheme=scheme)
    pairs = page.evaluate(
        """() => {
          const solid = (one) => { for (let at = one; at; at = at.parentElement) {
            const found = getComputedStyle(at).backgroundColor;
            if (found !== "rgba(0, 0, 0, 0)") return found; } return "rgb(255, 255, 255)"; };
          const seen = {};
          for (const one of document.querySelectorAll("h1,h2,h3,p,dt,dd,td,th,li,a,summary,button,.pill,small")) {
            const key = getComputedStyle(one).color + "|" + solid(one);
            seen[key] ??= one.outerHTML.slice(0, 80);
          }
          for (const one of document.querySelectorAll("figure svg.wide > text, figure svg.wide > g:not(.m) > text")) {
            seen[getComputedStyle(one).fill + "|" + solid(one)] ??= one.outerHTML.slice(0, 80);
          }
          return Object.entries(seen);
        }"""
    )
    assert len(pairs) > 4
    for key, where in pairs:
        colours = [
            "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", half)[:3]) for half in key.split("|")
        ]
        assert contrast(*colours) >= 4.5, (key, where)


@pytest.mark.process
def test_without_scripts_everything_is_there(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual, java_script_enabled=False)
    assert page.locator("figure svg.wide").nth(3).is_visible()
    assert page.locator("#leaderboard-table td.score").first.is_visible()
    assert page.locator(".tools").first.is_hidden() and page.locator("#theme").is_hidden()
    page.locator("#apps summary").click()
    assert page.locator("#apps-numbers").is_visible()


@pytest.mark.slow
def test_the_leaderboard_fits_on_paper_and_on_tablets(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    for media, width in (("print", 700), ("screen", 800), ("screen", 1280)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media=media)
        hidden = page.evaluate(
            "(one => one.scrollWidth - one.clientWidth)(document.querySelector('#leaderboard .scroll'))"
        )
        assert hidden <= 0, (media, width)


@pytest.mark.slow
def test_a_printed_page_opens_what_is_folded(usual: Summary, show: Callable[..., Page]) -> None:
    page = show(usual)
    assert len(page.pdf(format="A4")) > 50_000
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('details')].every(one => one.open)")


def test_the_example_table_is_what_its_script_makes(tmp_path: Path) -> None:
    import runpy

    made = runpy.run_path(str(ROOT / "examples/make_results.py"))
    made["main"](tmp_path / "results.csv")
    assert (tmp_path / "results.csv").read_bytes() == (ROOT / "examples/results.csv").read_bytes()
    assert (ROOT / "examples/results.csv").stat().st_size < 600_000
