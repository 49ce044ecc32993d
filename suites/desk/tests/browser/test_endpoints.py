"""Chromium in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Enter, Fill, Move, Press, Seat, Tap, open_seat, resolve
from fairground_desk.browser.inspector import BROWSER, PROFILE
from fairground_desk.browser.person import person
from fairground_desk.browser.scenarios.asking import LastVisited
from fairground_desk.browser.scenarios.browser_task import (
    address_bar,
    choose,
    go,
    in_manager,
    in_settings,
    save_as,
    typed,
)
from fairground_desk.browser.waiting import page, saved, shown, titled

HANA = person("hana")
LIBRARY, SHOP, NEWS = HANA.host("library"), HANA.host("shop"), HANA.host("news")
PAPER = HANA.url("library", "/articles/2")
EXPORTED, PRINTED = "~/Documents/links.html", "~/Documents/paper.pdf"
TABLE = HANA.url("catalogue", "/downloads/all.csv")

pytestmark = pytest.mark.slow


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/browser/bookmark-page/paper@hana/light/start", unproven=True)) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat, before: State) -> State:
    """A bookmark, a permission, a zoom, an address, a file, a comment; then two tabs, and the browser is closed."""
    world = seat.world
    play(seat, *in_manager(before, "bar/Lab"), Tap("Old phone list", role="table row"), Press("delete"))
    play(seat, *go(PAPER), Press("ctrl+d"), Enter("Orbit"), Tap("Done", role="push button"), Press("ctrl+plus"))
    play(seat, *in_settings(world, "content/popups"), Tap("Add site to allowed list"), Tap("Site", role="entry"))
    play(seat, Enter(HANA.url("shop").rstrip("/")), Tap("Add", role="push button", within="Add a site"))
    play(seat, *in_settings(world, "contactInfo"), Tap("Add address"))
    play(
        seat,
        *choose("Country / Region", "Portugal"),
        Press("tab"),
        Enter("Rui Matos\tACME\tRua Nova 1\t4050-253\tPorto"),
    )
    play(seat, Tap("Save", role="push button"))
    play(seat, *go(HANA.url("news", "/1")), Fill("Your name", "Hana\tGood.\t"), Press("enter"), titled("Comment"))
    play(seat, *go(HANA.url("library", "/articles/7")), Tap("Full text (PDF)"), saved("~/Downloads/paper-7.pdf"))
    play(seat, *address_bar(), *typed(TABLE), saved("~/Downloads/all.csv"))
    play(seat, *in_manager(before, "bar"), Tap("Organize", role="push button"), Tap("Export bookmarks"))
    play(seat, *save_as(EXPORTED))
    play(seat, *go(PAPER), Press("ctrl+p"), shown("Save", "push button"), Tap("Save", role="push button"))
    play(seat, *save_as(PRINTED))
    play(seat, Press("ctrl+t"), *address_bar(), *typed(HANA.url("shop")), page(HANA.url("shop")))
    return seat.finish()


def ask(state: State, name: str, /, **arguments: Any) -> Any:
    answer = BROWSER.ask(state, name, arguments)
    assert json.dumps(answer) is not None
    return answer


def test_an_answer_with_a_title_of_another_site_is_none(before: State) -> None:
    asked, names = LastVisited(), ("article", "event")
    worlds = [resolve(f"desk/browser/last-visited/{name}@hana/light/start", unproven=True) for name in names]
    article, event = (asked.solution(world, before)[0] for world in worlds)
    for answer, right in ((article, True), (f"{article}, {event}", False), (event, False), (None, False)):
        (check,) = asked.judge(worlds[0], before, before, answer)
        assert check.passed is right, answer


def test_it_opens_at_the_start_page_and_asks_nothing(seat: Seat, before: State) -> None:
    assert [window.title for window in seat.screen.windows()] == [f"{HANA.titles['intranet']} - Chromium"]
    assert not {"dialog", "alert", "info bar"} & {node.role for node in seat.screen.tree().walk()}
    assert len(before.files) > 30 and "live" not in before.data


def test_a_pdf_that_is_clicked_is_downloaded_without_a_question(after: State) -> None:
    assert after.file("~/Downloads/paper-7.pdf").startswith(b"%PDF-")
    assert not [one for one in after.get("files") if one["path"].endswith(".crdownload")]


@pytest.mark.endpoint("bookmarks", "positive")
@pytest.mark.endpoint("bookmark-folder", "positive")
@pytest.mark.endpoint("bookmark-places", "positive")
@pytest.mark.endpoint("bookmark-order", "positive")
@pytest.mark.endpoint("check-bookmark", "positive")
@pytest.mark.endpoint("check-no-bookmark", "positive")
@pytest.mark.endpoint("profile-facts", "positive")
def test_bookmarks_are_those_that_the_browser_wrote(after: State) -> None:
    assert ask(after, "bookmark-places", url=PAPER) == ["other/Orbit"]
    assert ask(after, "bookmark-folder", path="other")[-1]["url"] == PAPER
    assert ask(after, "bookmark-order", path="bar/Lab") == ["Staff directory", "Programme of courses", "My tickets"]
    assert ask(after, "check-bookmark", folder="other", title="Orbit", url=PAPER)["passed"]
    assert ask(after, "check-no-bookmark", url="http://phones.old-server.example/list")["passed"]
    assert ask(after, "bookmarks")["genuine"]
    assert ask(after, "profile-facts")["exit"] == "Normal" and ask(after, "profile-facts")["bookmarks genuine"]


@pytest.mark.endpoint("bookmarks", "negative")
@pytest.mark.endpoint("bookmark-folder", "negative")
@pytest.mark.endpoint("bookmark-places", "negative")
@pytest.mark.endpoint("bookmark-order", "negative")
@pytest.mark.endpoint("check-bookmark", "negative")
@pytest.mark.endpoint("check-no-bookmark", "negative")
@pytest.mark.endpoint("profile-facts", "negative")
def test_bookmarks_that_are_not_there_or_were_written_by_hand(before: State, after: State) -> None:
    assert ask(before, "bookmark-places", url=PAPER) == []
    assert "Old phone list" in ask(before, "bookmark-order", path="bar/Lab")
    assert not ask(after, "check-bookmark", folder="other", title="Orbit", url=PAPER + "0")["passed"]
    assert not ask(before, "check-no-bookmark", url="http://phones.old-server.example/list")["passed"]
    with pytest.raises(StateError, match="0 folders"):
        ask(after, "bookmark-folder", path="bar/Nowhere")
    path = f"{PROFILE}/Bookmarks"
    forged = State({**after.files, path: after.files[path].replace(b"Orbit", b"Comet")}, after.data)
    assert not ask(forged, "bookmarks")["genuine"] and not ask(forged, "profile-facts")["bookmarks genuine"]
    with pytest.raises(StateError):
        ask(State({path: b"[1"}), "bookmarks")


@pytest.mark.endpoint("settings", "positive")
@pytest.mark.endpoint("setting", "positive")
@pytest.mark.endpoint("check-setting", "positive")
@pytest.mark.endpoint("site-permissions", "positive")
@pytest.mark.endpoint("check-site-permission", "positive")
@pytest.mark.endpoint("site-zoom", "positive")
@pytest.mark.endpoint("addresses", "positive")
@pytest.mark.endpoint("check-address", "positive")
@pytest.mark.endpoint("search-engines", "positive")
def test_settings_are_read_from_the_profile(after: State) -> None:
    assert ask(after, "settings")["startup"] == "new tab"
    assert ask(after, "setting", path="profile.name") == "Hana"
    assert ask(after, "check-setting", name="do_not_track", value="false")["passed"]
    assert list(ask(after, "site-permissions", kind="popups").values()) == ["allow"]
    assert ask(after, "check-site-permission", kind="popups", host=SHOP, rule="allow")["passed"]
    assert ask(after, "site-zoom", host=LIBRARY) == 1.1
    assert ask(after, "addresses")[0]["organisation"] == "ACME"
    assert ask(after, "check-address", name="Rui Matos", city="Porto", postcode="4050-253")["passed"]
    assert "DuckDuckGo" in {one["name"] for one in ask(after, "search-engines")}


@pytest.mark.endpoint("settings", "negative")
@pytest.mark.endpoint("setting", "negative")
@pytest.mark.endpoint("check-setting", "negative")
@pytest.mark.endpoint("site-permissions", "negative")
@pytest.mark.endpoint("check-site-permission", "negative")
@pytest.mark.endpoint("site-zoom", "negative")
@pytest.mark.endpoint("addresses", "negative")
@pytest.mark.endpoint("check-address", "negative")
@pytest.mark.endpoint("search-engines", "negative")
def test_settings_that_nobody_made(before: State, after: State) -> None:
    assert ask(after, "setting", path="no.such.thing") is None
    assert not ask(after, "check-setting", name="do_not_track", value="true")["passed"]
    assert ask(before, "site-permissions", kind="popups") == {} and ask(before, "addresses") == []
    assert not ask(after, "check-site-permission", kind="popups", host=NEWS, rule="allow")["passed"]
    assert not ask(after, "check-site-permission", kind="popups", host=SHOP, rule="block")["passed"]
    assert ask(after, "site-zoom", host=SHOP) == 1.0 == ask(before, "site-zoom", host=LIBRARY)
    assert not ask(after, "check-address", name="Rui Matos", city="Porto", postcode="1")["passed"]
    with pytest.raises(StateError):
        ask(State({f"{PROFILE}/Preferences": b"nothing"}), "settings")
    with pytest.raises(StateError):
        ask(State({f"{PROFILE}/Web Data": b"SQLite format 3\0 and no more"}), "search-engines")


@pytest.mark.endpoint("history", "positive")
@pytest.mark.endpoint("check-visited", "positive")
@pytest.mark.endpoint("check-not-visited", "positive")
@pytest.mark.endpoint("downloads", "positive")
@pytest.mark.endpoint("cookies", "positive")
@pytest.mark.endpoint("check-downloaded", "positive")
@pytest.mark.endpoint("files", "positive")
def test_history_and_downloads_are_complete(after: State) -> None:
    assert PAPER in {one["url"] for one in ask(after, "history", host=LIBRARY)}
    assert ask(after, "check-visited", url=PAPER)["passed"]
    assert ask(after, "check-not-visited", host="elsewhere.example")["passed"]
    assert ask(after, "downloads")[-1]["url"] == TABLE
    assert ask(after, "cookies", host=SHOP) == [f"{SHOP} shop_visit"]
    assert ask(after, "check-downloaded", path="~/Downloads/all.csv", url=TABLE)["passed"]
    assert "~/Downloads/all.csv" in ask(after, "files")


@pytest.mark.endpoint("history", "negative")
@pytest.mark.endpoint("check-visited", "negative")
@pytest.mark.endpoint("check-not-visited", "negative")
@pytest.mark.endpoint("downloads", "negative")
@pytest.mark.endpoint("cookies", "negative")
@pytest.mark.endpoint("check-downloaded", "negative")
@pytest.mark.endpoint("files", "negative")
def test_history_that_is_not_there(before: State, after: State) -> None:
    assert ask(after, "history", host="elsewhere.example") == []
    assert not ask(after, "check-visited", url=PAPER + "?")["passed"]
    assert not ask(after, "check-not-visited", host=LIBRARY)["passed"]
    assert TABLE not in {one["url"] for one in ask(before, "downloads")}
    assert ask(after, "cookies", host="elsewhere.example") == []
    assert not ask(after, "check-downloaded", path="~/Downloads/all.csv", url=TABLE + "x")["passed"]
    with pytest.raises(StateError):
        ask(before, "check-downloaded", path="~/Downloads/all.csv", url=TABLE)
    assert "~/Downloads/all.csv" not in ask(before, "files")
    with pytest.raises(StateError):
        ask(State({f"{PROFILE}/History": after.files[f"{PROFILE}/History"][:5000]}), "history")


@pytest.mark.endpoint("pdf", "positive")
@pytest.mark.endpoint("exported-bookmarks", "positive")
def test_what_the_browser_wrote_for_people_to_take_along(after: State) -> None:
    found = ask(after, "pdf", path=PRINTED)
    assert found["producer"].startswith("Skia/PDF") and found["title"].startswith(HANA.papers[1].title)
    assert any(HANA.papers[1].title in line for line in found["pages"][0]["lines"])
    assert HANA.url("library") in found["pages"][0]["links"]
    exported = ask(after, "exported-bookmarks", path=EXPORTED)
    assert exported[0]["bar"] and "Lab" in {one["title"] for one in exported if one["depth"] == 1}
    assert ("Orbit", PAPER) in {(one["title"], one["url"]) for one in exported}


@pytest.mark.endpoint("pdf", "negative")
@pytest.mark.endpoint("exported-bookmarks", "negative")
def test_files_that_the_browser_did_not_write(before: State, after: State) -> None:
    for name, path, old, new in (
        ("pdf", PRINTED, b"/Type /Catalog", b"/Type /Catalox"),
        ("exported-bookmarks", EXPORTED, b"<DT><H3", b"<DT><H4"),
    ):
        with pytest.raises(StateError):
            ask(before, name, path=path)
        for damaged in (after.files[path][:-200], after.files[path].replace(old, new, 1), b"", b"hello"):
            with pytest.raises(StateError):
                ask(State({path: damaged}), name, path=path)


@pytest.mark.endpoint("tabs", "positive")
@pytest.mark.endpoint("check-tabs", "positive")
@pytest.mark.endpoint("pinned-tabs", "positive")
@pytest.mark.endpoint("sites", "positive")
@pytest.mark.endpoint("check-received", "positive")
def test_tabs_and_what_the_sites_received(after: State) -> None:
    urls = [one["url"] for one in ask(after, "tabs")]
    assert HANA.url("shop") in urls and len(urls) == 2
    assert ask(after, "check-tabs", urls=urls)["passed"]
    assert ask(after, "pinned-tabs") == []
    assert ask(after, "sites", part="comments")[-1]["text"] == "Good."
    assert ask(after, "check-received", part="comments", field="name", value="Hana")["passed"]


@pytest.mark.endpoint("tabs", "negative")
@pytest.mark.endpoint("check-tabs", "negative")
@pytest.mark.endpoint("pinned-tabs", "negative")
@pytest.mark.endpoint("sites", "negative")
@pytest.mark.endpoint("check-received", "negative")
def test_tabs_that_nobody_asked_for(before: State, after: State) -> None:
    with pytest.raises(StateError):
        ask(before, "tabs")
    assert not ask(after, "check-tabs", urls=[HANA.url("shop")])["passed"]
    assert not ask(after, "check-received", part="comments", field="name", value="Kenji")["passed"]
    assert not ask(before, "check-received", part="comments", field="name", value="Hana")["passed"]
    with pytest.raises(StateError, match="no 'mails'"):
        ask(after, "sites", part="mails")
    with pytest.raises(StateError):
        ask(State(), "pinned-tabs")
    with pytest.raises(InvalidInput):
        ask(after, "tabz")
