"""The catalogue: names that are nothing, tables that are broken, and what people see of suites, apps and scenarios."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from fairground.arena import Store
from fairground.cli import main
from fairground.report.html import join
from fairground.web.site import Site, serving
from fairground.web.studio.catalogue_counts import shelf
from fairground.web.studio.catalogue_looks import AXES, LookBook, Looks
from fairground.web.studio.catalogue_parts import Reader
from fairground.web.studio.catalogue_scenario import scenario_page
from fairground.worlds import MutantCount, ProofTable, ProvenInstance, ProvenScenario, read_folder, suites, write_table
from tests.chromium import note_faults
from tests.waiting import eventually

pytestmark = pytest.mark.process

Get = Callable[..., tuple[int, str]]
NONE = Looks((), making=False, fault="")
VISITOR = Reader()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@contextmanager
def served(home: Path) -> Iterator[str]:
    with Store(home / "arena.sqlite") as store, serving(Site(store, home)) as url:
        yield url


@pytest.fixture(scope="module")
def site(home: Path) -> Iterator[str]:
    with served(home) as url:
        yield url


@pytest.fixture(scope="module")
def get(site: str) -> Get:
    return asking(site)


def asking(site: str) -> Get:
    """Asks for an address as it stands."""

    def ask(path: str, accept: str = "text/html", method: str = "GET") -> tuple[int, str]:
        connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
        connection.request(method, path, headers={"Accept": accept})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status < 500, body
        return answer.status, body.decode("utf-8", "replace")

    return ask


def test_names_that_are_nothing_are_not_found(get: Get) -> None:
    for path in (
        "/catalogue/nothing",
        "/catalogue/..",
        "/catalogue/pocket/..%2f..",
        "/catalogue/pocket/%3Cscript%3E",
        "/catalogue/pocket/notes/nothing",
        "/catalogue/pocket/notes/looks/theme/..%2f..%2f..%2farena.sqlite",
        "/catalogue/pocket/notes/looks/theme/nothing",
        "/catalogue/pocket/notes/looks/instance/default",
        "/api/catalogue/pocket/nothing/looks",
        "/api/catalogue/nothing/notes/looks",
    ):
        status, body = get(path)
        assert status == 404 and "<script>" not in body, path


def test_pictures_are_made_only_for_who_has_a_page_open(tmp_path: Path) -> None:
    with served(tmp_path) as site:
        get = asking(site)
        assert get("/api/catalogue/pocket/notes/looks", "application/json", "POST")[0] == 403
        assert get("/catalogue/pocket/notes")[0] == 200
    assert not (tmp_path / "looks").exists()


def test_counts_are_those_of_the_command_line(get: Get, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = json.loads(get("/api/catalogue")[1])
    assert found["totals"]["proven_configurations"] == told["totals"]["proven_configurations"]
    assert found["totals"]["mutants_rejected"] == told["totals"]["mutants"]["share_rejected"]
    by_app = {(suite["name"], app["name"]): app for suite in found["suites"] for app in suite["apps"]}
    for one in told["apps"]:
        app = by_app[one["suite"], one["app"]]
        assert app["totals"]["configurations"] == one["totals"]["configurations"]
        assert [each["proven_configurations"] for each in app["scenarios"]] == [
            each["proven_configurations"] for each in one["scenarios"]
        ]
    body = get("/catalogue")[1]
    assert f"{found['totals']['proven_configurations']:,}" in body
    assert body.count("data-kind=") == found["totals"]["scenarios"]


@pytest.mark.parametrize("suite", ["pocket", "desk"])
def test_every_app_and_a_scenario_of_each_have_a_page(get: Get, suite: str) -> None:
    for app in suites()[suite].apps:
        scenario = next(one for one in suites()[suite].scenarios if one.app == app.name)
        status, body = get(f"/catalogue/{suite}/{app.name}")
        assert status == 200 and f"/catalogue/{suite}/{app.name}/{scenario.name}" in body
        assert all(f'data-look="theme/{name}"' in body for name in app.themes)
        if app.inspector is not None:
            assert all(f">{one.name}" in body for one in app.inspector.endpoints)
        status, body = get(f"/catalogue/{suite}/{app.name}/{scenario.name}")
        assert status == 200 and "The instruction as agents read it" in body
        found = shelf(suites()[suite], app)
        for_judges = str(join(scenario_page(found, found.find(scenario.name), Reader(opens=True), NONE)))
        assert f"/live/new?world={suite}%2F{app.name}%2F{scenario.name}%2F" in for_judges
        assert f"/arena/new?world={suite}%2F{app.name}%2F{scenario.name}%2F" in for_judges


def test_a_scenario_says_what_it_checks_where_that_is_known(get: Get) -> None:
    assert "nothing else changed" in get("/catalogue/pocket/email/delete-contact")[1]


def table(faulty: dict[str, str], infeasible: dict[str, str]) -> ProofTable:
    """A proof of one instance of a scenario of notes."""
    (instance, *_) = suites()["pocket"].scenario("notes", "count-label").instances
    row = ProvenInstance(instance=instance, proven={"student": "key"}, faulty=faulty, infeasible=infeasible)
    counts = MutantCount(rejected=3, survived=1)
    one = ProvenScenario(scenario="count-label", kind="answer", mutants=counts, instances=(row,))
    return ProofTable(suite="pocket", app="notes", scenarios=(one,))


def shown(proofs: Path, reader: Reader = VISITOR) -> str:
    """The page of that scenario."""
    suite = replace(suites()["pocket"], proofs=proofs)
    found = shelf(suite, suite.app("notes"))
    return str(join(scenario_page(found, found.find("count-label"), reader, NONE)))


def test_a_proof_says_what_failed_and_why(tmp_path: Path) -> None:
    write_table(tmp_path, table({"cafe": "the oracle <b>fails</b>"}, {"parent": "there is no such label"}))
    page = shown(tmp_path)
    assert "the oracle &lt;b&gt;fails&lt;/b&gt;" in page and "there is no such label" in page
    assert "1 faulty" in page and "75.0%" in page and "not tried" in page


def test_what_was_proven_anew_is_seen_at_once(tmp_path: Path) -> None:
    write_table(tmp_path, table({"cafe": "the oracle fails"}, {}))
    assert "the oracle fails" in shown(tmp_path)
    write_table(tmp_path, table({}, {}))
    assert "the oracle fails" not in shown(tmp_path)


def test_a_broken_table_is_told_and_shows_no_proof(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_bytes(b"\x1f\x8bnonsense")
    page = shown(tmp_path)
    assert "cannot be read" in page and str(tmp_path) not in page


def test_only_those_at_the_server_are_told_how_to_prove(tmp_path: Path) -> None:
    for broken in (False, True):
        if broken:
            (tmp_path / "notes.jsonl").write_bytes(b"\x1f\x8bnonsense")
        assert "fairground prove" not in shown(tmp_path)
        assert "fairground prove pocket/notes" in shown(tmp_path, Reader(commands=True))


@pytest.mark.process
def test_an_app_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text(
        '[app]\nname = "absent"\npackages = ["no-such-package-anywhere"]\nlaunch = ["absent"]\nwindow = "absent"\n'
        '[[scenario]]\nname = "look"\ninstruction = "Look."\n'
        '[[scenario.check]]\nname = "a note"\nfile = "~/note.txt"\nequals = "x"\n'
    )
    suite = read_folder(tmp_path)
    book = LookBook(tmp_path / "looks")
    book.ask(suite, suite.apps[0])
    found = eventually(lambda: None if (seen := book.looks(suite, suite.apps[0])).making else seen)
    assert found.ready == () and "no-such-package-anywhere" in found.said(commands=False)
    assert "apt-get" in found.said(commands=True) and "apt-get" not in found.said(commands=False)
    book.close()
    book.ask(suite, suite.apps[0])
    assert not book.looks(suite, suite.apps[0]).making


@pytest.mark.slow
def test_pictures_of_an_app_appear_on_its_page_and_are_kept(browser: Browser, site: str, home: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    faults: list[str] = []
    note_faults(page, faults)
    page.goto(f"{site}catalogue/pocket/notes")
    suite, app = suites()["pocket"], suites()["pocket"].app("notes")
    wanted = len(app.profiles) + len(app.themes) + len(app.ui_states)
    page.locator("[data-looks]").scroll_into_view_if_needed()
    expect(page.locator("[data-look] img")).to_have_count(wanted)
    expect(page.locator("[data-said]")).to_be_hidden()
    sizes = page.evaluate(
        "Promise.all([...document.querySelectorAll('[data-look] img')].map(async (one) => {"
        " one.loading = 'eager'; await one.decode(); return [one.naturalWidth, one.naturalHeight] }))"
    )
    assert sizes == [list(app.screen.size)] * wanted
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.reload()
    expect(page.locator("[data-look] img")).to_have_count(wanted)
    page.close()
    assert faults == []
    kept = LookBook(home / "looks").looks(suite, app)
    assert len(kept.ready) == wanted and {axis for axis, _ in kept.ready} == set(AXES)


@pytest.mark.slow
def test_scenarios_are_found_by_words_and_the_address_keeps_them(browser: Browser, site: str) -> None:
    page = browser.new_page()
    faults: list[str] = []
    note_faults(page, faults)
    page.goto(f"{site}catalogue")
    page.keyboard.press("Tab")
    page.get_by_label("Search").fill("delete CONTACT")
    rows = page.locator(".scenarios tbody tr:visible")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    assert "q=delete+CONTACT" in page.url
    page.get_by_label("Search").fill("")
    page.get_by_label("App").select_option("pocket/notes")
    expect(rows).to_have_count(2)
    page.get_by_label("Kind").select_option("answer")
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="count-label").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("count-label")
    page.close()
    assert faults == []
