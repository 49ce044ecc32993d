"""PCManFM in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Move, Press, Seat, open_seat, resolve
from fairground_desk.files.inspector import BOOKMARKS, FILES, LIBFM, PCMANFM, TRASH
from fairground_desk.files.scenarios.moves import (
    bookmark,
    go_to,
    link_in,
    new_folder,
    permissions,
    pick,
    pick_one,
    show,
    to_trash,
)
from fairground_desk.kit import rest

LEASE, MANUAL = "~/Documents/Contracts/lease.pdf", "~/Downloads/manual.pdf"

pytestmark = pytest.mark.slow


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/files/rename-one/folder@teacher/light/home")) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat, before: State) -> State:
    """A private lease with a link to it, archives in the trash, a new folder, a bookmark, and hidden files in sight."""
    play(seat, *pick_one(LEASE), *permissions(-2, 0, 0), *link_in("~/Desktop"))
    play(seat, *pick("~/Downloads", "*.zip"), *to_trash(), *show("*"), *new_folder("empty"))
    play(seat, *go_to("~/Documents/Notes"), *bookmark("Talks"), Press("ctrl+h"), rest())
    return seat.finish()


def ask(state: State, endpoint: str, /, **arguments: Any) -> Any:
    answer = FILES.ask(state, endpoint, arguments)
    assert json.dumps(answer) is not None
    return answer


def test_it_opens_a_folder_and_asks_nothing(seat: Seat, before: State) -> None:
    assert [window.title for window in seat.screen.windows()] == ["user"]
    assert not {"dialog", "alert"} & {node.role for node in seat.screen.tree().walk()}
    assert len(before.files) >= 60


def test_what_it_writes_into_its_settings_is_what_was_changed(before: State, after: State) -> None:
    changed = before.files[PCMANFM].replace(b"show_hidden=0", b"show_hidden=1")
    if b"libfm version 1.3.2." in after.files[LIBFM]:
        assert (after.files[LIBFM], after.files[PCMANFM]) == (before.files[LIBFM], changed)
    else:  # another version may have settings of its own, but leaves these as they are
        for path, old in ((LIBFM, before.files[LIBFM]), (PCMANFM, changed)):
            assert {line for line in old.splitlines() if b"=" in line} <= set(after.files[path].splitlines())


@pytest.mark.endpoint("tree", "positive")
@pytest.mark.endpoint("find", "positive")
@pytest.mark.endpoint("check-kind", "positive")
@pytest.mark.endpoint("digest", "positive")
@pytest.mark.endpoint("text", "positive")
@pytest.mark.endpoint("duplicates", "positive")
@pytest.mark.endpoint("sizes", "positive")
def test_what_is_in_the_folders(before: State, after: State) -> None:
    assert ask(after, "tree", folder="~/Downloads")["~/Downloads/empty"] == "folder"
    assert "~/Documents/Notes/meeting 1.md" not in ask(after, "tree", folder="~/Documents", deep=False)
    assert len(ask(before, "find", pattern="~/Downloads/*.zip")) == 2
    assert ask(after, "check-kind", path="~/Desktop/lease.pdf", kind="link")["passed"]
    assert ask(after, "digest", path=MANUAL) == ask(before, "digest", path="~/Downloads/manual (1).pdf")
    assert ask(after, "text", path="~/Desktop/read me first.txt")[0].startswith("Mele Taufa")
    assert ask(after, "duplicates", folder="~/Downloads") == [["~/Downloads/manual (1).pdf", MANUAL]]
    assert ask(after, "sizes", folder="~/Downloads")[MANUAL] == len(after.file(MANUAL))


@pytest.mark.endpoint("tree", "negative")
@pytest.mark.endpoint("find", "negative")
@pytest.mark.endpoint("check-kind", "negative")
@pytest.mark.endpoint("digest", "negative")
@pytest.mark.endpoint("text", "negative")
@pytest.mark.endpoint("duplicates", "negative")
@pytest.mark.endpoint("sizes", "negative")
def test_what_is_not_in_the_folders(before: State, after: State) -> None:
    assert "~/Downloads/empty" not in ask(before, "tree", folder="~/Downloads")
    with pytest.raises(StateError):
        ask(before, "tree", folder=TRASH)
    assert ask(after, "find", pattern="~/Downloads/*.zip") == []
    assert not ask(after, "check-kind", path="~/Downloads/fonts.zip")["passed"]
    assert not ask(before, "check-kind", path="~/Desktop/lease.pdf", kind="link")["passed"]
    for path in ("~/Downloads/fonts.zip", "~/Desktop/lease.pdf"):
        with pytest.raises(StateError):
            ask(after, "digest", path=path)
    with pytest.raises(StateError):
        ask(after, "text", path="~/Downloads/scan0001.png")
    assert ask(after, "duplicates", folder="~/Documents") == []
    assert "~/Downloads/fonts.zip" not in ask(after, "sizes", folder="~/Downloads")


@pytest.mark.endpoint("mode", "positive")
@pytest.mark.endpoint("check-mode", "positive")
@pytest.mark.endpoint("link", "positive")
@pytest.mark.endpoint("trash", "positive")
@pytest.mark.endpoint("check-trashed", "positive")
def test_permissions_links_and_trash(after: State) -> None:
    assert ask(after, "mode", path=LEASE) == "600"
    assert ask(after, "check-mode", path=LEASE, expected="600")["passed"]
    assert ask(after, "link", path="~/Desktop/lease.pdf") == LEASE
    assert set(ask(after, "trash")) == {"~/Downloads/fonts.zip", "~/Downloads/backup.zip"}
    assert ask(after, "check-trashed", path="~/Downloads/fonts.zip")["passed"]


@pytest.mark.endpoint("mode", "negative")
@pytest.mark.endpoint("check-mode", "negative")
@pytest.mark.endpoint("link", "negative")
@pytest.mark.endpoint("trash", "negative")
@pytest.mark.endpoint("check-trashed", "negative")
def test_what_was_not_done_is_not_found(before: State, after: State) -> None:
    assert ask(before, "mode", path=LEASE) == "644"
    with pytest.raises(StateError):
        ask(after, "mode", path="~/Downloads/fonts.zip")
    assert not ask(before, "check-mode", path=LEASE, expected="600")["passed"]
    assert not ask(after, "check-mode", path="~/none", expected="600")["passed"]
    with pytest.raises(StateError, match="expected a link"):
        ask(after, "link", path=LEASE)
    assert ask(before, "trash") == {}
    assert not ask(after, "check-trashed", path=MANUAL)["passed"]
    assert not ask(after, "check-trashed", path="~/Downloads/never-there.zip")["passed"]
    forged = State(files={**after.files, f"{TRASH}/info/x.trashinfo": b"no key file"}, data=after.data)
    with pytest.raises(StateError):
        ask(forged, "trash")


@pytest.mark.endpoint("bookmarks", "positive")
@pytest.mark.endpoint("settings", "positive")
@pytest.mark.endpoint("check-setting", "positive")
@pytest.mark.endpoint("location", "positive")
def test_settings_and_what_is_on_the_screen(after: State) -> None:
    assert ask(after, "bookmarks")[-1] == {"path": "~/Documents/Notes", "label": "Talks"}
    assert ask(after, "settings")["ui/show_hidden"] == "1"
    assert ask(after, "check-setting", name="ui/show_hidden", expected="1")["passed"]
    assert ask(after, "location")["location"] == "~/Documents/Notes"


@pytest.mark.endpoint("bookmarks", "negative")
@pytest.mark.endpoint("settings", "negative")
@pytest.mark.endpoint("check-setting", "negative")
@pytest.mark.endpoint("location", "negative")
def test_settings_before_anybody_changed_them(before: State, after: State) -> None:
    assert [one["label"] for one in ask(before, "bookmarks")] == ["Invoices"]
    assert ask(before, "settings")["ui/show_hidden"] == "0"
    assert not ask(after, "check-setting", name="config/single_click", expected="1")["passed"]
    assert not ask(after, "check-setting", name="config/nonsense", expected="1")["passed"]
    with pytest.raises(StateError):
        ask(before, "location")
    broken = State(files={PCMANFM: b"\xff", LIBFM: b"[config", BOOKMARKS: b"\xff\xfe"})
    for name in ("bookmarks", "settings"):
        with pytest.raises(StateError):
            ask(broken, name)
    with pytest.raises(InvalidInput):
        ask(after, "folder")
