"""Text of strangers in every place that has room for it, shown by a real browser on every page that shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from fairground.arena import add_agents, import_votes, invite
from fairground.arena.battles import ask, retire
from fairground.arena.schema import battles
from fairground.core import Outcome
from fairground.rollout import Finished, Planned, RunSpec, RunStore
from fairground.web import Site
from tests.recordings import CONFIGURATION, EVIL, hostile
from tests.web.arena_stage import Client
from tests.web.attacks.stage import Crowd, cookie_of, fought

pytestmark = pytest.mark.process

SHORT = "<img src=x onerror=window.pwned=8>\"'><svg/onload=window.pwned=9>"
"""For names, which may be less long than `EVIL`."""


@pytest.fixture(scope="module")
def poisoned(site: Site, url: str, recording: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crowd, str, str]:
    """Everybody has said the worst they can; who they are, a battle to judge and one that was judged."""
    crowd = Crowd.at(url, site)
    add_agents(site.store, [SHORT])
    retire(site.store, SHORT, EVIL)
    for role in ("judge", "admin"):
        invite(site.store, role, note=EVIL)
    table = tmp_path_factory.mktemp("csv") / "votes.csv"
    quoted = '"' + SHORT.replace('"', '""') + '"'
    table.write_text(f"left,right,winner,task,category,voter\n{quoted},other,left,{quoted},{quoted},{quoted}\n")
    import_votes(site.store, table, name=EVIL[:100])
    place = site.runs[0] / SHORT.replace("/", "_")
    planned = [Planned(number=0, configuration=CONFIGURATION.id, rollout=0, seed=0)]
    with RunStore.create(place, RunSpec(worlds=(SHORT,), agent=SHORT, condition=SHORT), planned) as store:
        done = Finished(Outcome.ERRORED, ended_by="error", error=EVIL, folder="episodes/000000")
        store.finish(0, done)
    hostile(place / "episodes" / "000000")
    sent = b'--x\r\nContent-Disposition: form-data; name="files"; filename="' + SHORT.replace('"', "%22").encode()
    body = sent + b'"\r\n\r\nhello\r\n--x--\r\n'
    kept = crowd.owner.send("POST", "/api/uploads", body, {"Content-Type": "multipart/form-data; boundary=x"})
    assert kept.status == 201, kept.text
    ids = []
    for _ in range(2):
        battle = fought(site, crowd.owner, text=EVIL, shared=True, recording=recording)
        asked = {"files": [kept.json["files"][0]["id"]], "pages": [f"https://x.org/{SHORT}"], "repository": SHORT}
        with site.store.write() as connection:
            mine = battles.update().where(battles.c.id == battle)
            connection.execute(
                mine.values(category=SHORT, platform=SHORT[:40], preparation=json.dumps(asked), why=EVIL)
            )
        for side in ("a", "b"):
            ask(site.store, battle, side, EVIL)  # type: ignore[arg-type]
        said = {"side": "a", "number": 0, "text": EVIL}
        assert crowd.owner.post(f"/api/battles/{battle}/answers", said).status == 200
        ids.append(battle)
    mark = {"side": "a", "step": 0, "mark": "other", "note": EVIL[:400]}
    for judge in (crowd.owner, crowd.other):
        vote = {"winner": "a", "comment": EVIL, "marks": [mark]}
        answer = judge.send(
            "PUT", f"/api/battles/{ids[1]}/vote", json.dumps(vote).encode(), {"Content-Type": "application/json"}
        )
        assert answer.status == 200, answer.text
    assert crowd.admin.post("/api/admin/filters").status == 200
    return crowd, ids[0], ids[1]


@pytest.fixture
def opened(browser: Browser, site: Site, url: str) -> Iterator[Callable[[Client, str], Page]]:
    """Opens pages, in none of which a stranger's word may be more than a word."""
    contexts: dict[str, BrowserContext] = {}
    pages: list[Page] = []
    faults: list[str] = []

    def open_page(client: Client, path: str) -> Page:
        cookie = cookie_of(site, client)
        if cookie not in contexts:
            contexts[cookie] = browser.new_context(viewport={"width": 1280, "height": 900})
            name, _, value = cookie.partition("=")
            contexts[cookie].add_cookies([{"name": name, "value": value, "url": url}])
        page = contexts[cookie].new_page()
        pages.append(page)
        page.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: faults.append(f"{path}: {error}"))
        page.on("console", lambda said: faults.append(f"{path}: {said.text}") if said.type == "error" else None)
        page.goto(url.rstrip("/") + path, wait_until="load")
        return page

    yield open_page
    for page in pages:
        assert page.evaluate("window.pwned") is None, page.url
        strange = page.evaluate(
            "document.querySelectorAll('img[src=x], svg[onload], [onerror], [onfocus], [onmouseover]').length"
        )
        assert not strange, page.url
    for context in contexts.values():
        context.close()
    # What is not there is told as an error by the browser, too.
    assert [fault for fault in faults if "Failed to load resource" not in fault] == []


BY_ADMIN = ("/admin", "/admin/invitations", "/admin/agents", "/admin/battles", "/admin/votes", "/admin/data")
BY_ALL = ("/", "/arena", "/arena/new?world=EVIL", "/leaderboard", "/leaderboard?category=EVIL", "/runs", "/runs/RUN",
          "/runs/RUN/episodes", "/runs/RUN/episodes?text=EVIL", "/runs/compare?a=RUN&b=first", "/replay/RUN/000000",
          "/replay/compare?a=RUN/000000", "/replay/compare?a=RUN/000000&b=first/000001", "/live", "/live/new?app=EVIL",
          "/nowhere/EVIL", "/enter/EVIL", "/catalogue/EVIL", "/catalogue/pocket/EVIL", "/catalogue?text=EVIL",
          "/arena/battles/JUDGED", "/arena/battles/OPEN")  # fmt: skip


def address(path: str, crowd: tuple[Crowd, str, str]) -> str:
    holes = {
        "EVIL": quote(SHORT, safe=""),
        "RUN": quote(SHORT.replace("/", "_"), safe=""),
        "OPEN": crowd[1],
        "JUDGED": crowd[2],
    }
    return re.sub("|".join(holes), lambda hole: holes[hole[0]], path)


def test_no_page_has_a_strangers_markup_in_its_source(poisoned: tuple[Crowd, str, str]) -> None:
    crowd = poisoned[0]
    for client, paths in ((crowd.admin, BY_ADMIN), (crowd.owner, BY_ALL)):
        for path in paths:
            answer = client.get(address(path, poisoned))
            assert answer.status < 500 and answer.headers["Content-Type"].startswith("text/html"), path
            reader = Reader()
            reader.feed(answer.text)
            assert reader.found == [], path


class Reader(HTMLParser):
    """Finds what no page of ours has: handlers, scripts of its own, addresses that are scripts, pictures of nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        handler = any(name.startswith("on") or name in ("style", "srcdoc") for name in said)
        script = tag == "script" and not (said.get("src") or "").startswith("/static/")
        address = any(
            (said.get(name) or "").strip().lower().startswith("javascript:") for name in ("href", "src", "action")
        )
        if handler or script or address or said.get("src") == "x":
            self.found.append(self.get_starttag_text() or tag)


SHOWN = ("/admin/invitations", "/admin/agents", "/admin/battles", "/admin/votes", "/leaderboard", "/runs", "/runs/RUN",
         "/runs/RUN/episodes", "/replay/RUN/000000",
         "/arena/battles/JUDGED", "/arena/battles/OPEN")  # fmt: skip
"""Pages on which a stranger's words stand for all to read, as words."""


@pytest.mark.process
@pytest.mark.parametrize(
    ("who", "paths"),
    [
        ("admin", [path for path in BY_ADMIN if path in SHOWN]),
        pytest.param("owner", [path for path in BY_ALL if path in SHOWN], marks=pytest.mark.slow),
        pytest.param("admin", [path for path in BY_ADMIN if path not in SHOWN], marks=pytest.mark.slow),
        pytest.param("owner", [path for path in BY_ALL if path not in SHOWN], marks=pytest.mark.slow),
    ],
    ids=["admin", "owner", "admin-others", "owner-others"],
)
def test_no_page_runs_what_a_stranger_wrote(
    poisoned: tuple[Crowd, str, str], opened: Callable[[Client, str], Page], who: str, paths: list[str]
) -> None:
    # All of them are opened first: that a page has come to rest takes half a second of each, but not one by one.
    pages = {path: opened(getattr(poisoned[0], who), address(path, poisoned)) for path in paths}
    for path, page in pages.items():
        for summary in page.locator("summary").all():
            if summary.is_visible():
                summary.click()
        page.wait_for_load_state("networkidle")
        if path in SHOWN:
            page.get_by_text("window.pwned").first.wait_for(state="attached")


@pytest.mark.process
def test_a_table_that_is_looked_at_before_it_is_taken_in_runs_nothing(
    poisoned: tuple[Crowd, str, str], opened: Callable[[Client, str], Page]
) -> None:
    page = opened(poisoned[0].admin, "/admin/data")
    quoted = '"' + SHORT.replace('"', '""') + '"'
    table = f"left,right,winner,task,{quoted}\n{quoted},other,left,{quoted},x\n{quoted},other,{quoted},x,x\n"
    page.locator("#file").set_input_files({"name": f"{SHORT}.csv", "mimeType": "text/csv", "buffer": table.encode()})
    page.locator("#upload button").click()
    page.locator("#preview").get_by_text("window.pwned").first.wait_for(state="attached")
