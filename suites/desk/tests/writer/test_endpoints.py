"""Writer in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import Configuration, InvalidInput, State, StateError
from fairground.worlds import Enter, Move, Press, Seat, Suite, World, open_seat
from fairground_desk.tasks import save, uno
from fairground_desk.writer import SCENARIOS, Writer
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import LEASE, MINUTES, REPORT
from fairground_desk.writer.inspector import WRITER

SUITE = Suite("desk", "Desk", "0", (Writer(),), SCENARIOS)
COPY = "~/Documents/report.docx"

pytestmark = pytest.mark.slow


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    named = {"scenario": "total-formula", "instance": "budget", "profile": "fjord-museum"}
    where = Configuration(suite="desk", app="writer", theme="light", ui_state="top", **named)
    with open_seat(World.of(SUITE, where)) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat, before: State) -> State:
    """Much was changed and saved in the report, a copy was made, and one word was typed that nobody saved."""
    style = {"Style": "Heading 2", "FamilyName": "ParagraphStyles"}
    play(
        seat,
        writer(
            ("formula", "Budget", "C8", "sum(<C2:C7>)"),
            ("format-all", "board", {"CharWeight": 150.0}),
            ("contents", "Contents", 1),
            ("page", {"Width": 14800, "Height": 21000}),
            ("metadata", {"Title": "Our year", "Keywords": ["one", "two"]}),
            ("picture", "Picture 1", {"Title": "Hills"}),
            ("find", "Three things come first"),
            ("do", "InsertBookmark", {"Bookmark": "first-things"}),
            ("do", "StyleApply", style),
            ("find", "Three things come first in the year ahead:"),
            ("section", "Aims", 2, False),
            ("find", "Three things come first"),
            ("do", "InsertAnnotation", {"Text": "Which things?"}),
        ),
        Press("escape"),  # out of the comment
        writer(("do", "TrackChanges", {"TrackChanges": True}), ("find", "What was not spent")),
        Enter("What remains"),
        writer(("do", "TrackChanges", {"TrackChanges": False}), ("find", "what we know"), ("do", "InsertFootnote")),
        Enter("A note."),
        save(),
        writer(("save-copy", COPY, "MS Word 2007 XML"), ("find", "Thanks", 1)),
        Press("right"),
        Enter(" to all"),
        uno("SelectAll"),
    )
    return seat.finish()


def ask(state: State, name: str, /, **arguments: Any) -> Any:
    answer = WRITER.ask(state, name, arguments)
    assert json.dumps(answer)
    return answer


def test_it_opens_the_report_and_asks_nothing(seat: Seat, before: State) -> None:
    assert [window.title for window in seat.screen.windows()] == ["report.odt - LibreOffice Writer"]
    assert not {"dialog", "alert", "info bar", "notification"} & {node.role for node in seat.screen.tree().walk()}
    assert len(before.files) >= 25


@pytest.mark.endpoint("text", "positive")
@pytest.mark.endpoint("paragraph", "positive")
@pytest.mark.endpoint("find", "positive")
@pytest.mark.endpoint("check-text", "positive")
@pytest.mark.endpoint("table", "positive")
@pytest.mark.endpoint("check-cell", "positive")
def test_what_was_saved_is_read(after: State) -> None:
    assert "What remains is kept for the same programme" in ask(after, "text", path=REPORT)
    assert ask(after, "paragraph", path=REPORT, number=0)["text"] == "Report to the Nordic Heritage Fund"
    assert [one["times"] for one in ask(after, "find", path=REPORT, wanted="What remains")] == [1]
    assert ask(after, "check-text", path=REPORT, wanted="What remains", times=1)["passed"]
    table = ask(after, "table", path=REPORT, name="Budget")
    assert table["rows"][7][2] == "1599000" and "C2:C7" in table["formulas"]["C8"] and table["header_rows"] == 1
    assert ask(after, "check-cell", path=REPORT, name="Budget", row=7, column=2, wanted="1599000")["passed"]


@pytest.mark.endpoint("text", "negative")
@pytest.mark.endpoint("paragraph", "negative")
@pytest.mark.endpoint("find", "negative")
@pytest.mark.endpoint("check-text", "negative")
@pytest.mark.endpoint("table", "negative")
@pytest.mark.endpoint("check-cell", "negative")
def test_what_was_not_saved_is_not_in_the_files(before: State, after: State) -> None:
    assert "Thanks to all" not in ask(after, "text", path=REPORT)
    assert "What remains" not in ask(before, "text", path=REPORT)
    assert ask(before, "find", path=REPORT, wanted="What remains") == []
    assert not ask(before, "check-text", path=REPORT, wanted="What remains")["passed"]
    assert ask(before, "table", path=REPORT, name="Budget")["formulas"] == {}
    assert not ask(before, "check-cell", path=REPORT, name="Budget", row=7, column=2, wanted="1599000")["passed"]
    for name, more in (("paragraph", {"number": 9999}), ("table", {"name": "No such"})):
        with pytest.raises(StateError):
            ask(after, name, path=REPORT, **more)
    with pytest.raises(StateError):
        ask(after, "text", path="~/Documents/none.odt")


@pytest.mark.endpoint("looks", "positive")
@pytest.mark.endpoint("styles", "positive")
@pytest.mark.endpoint("check-style", "positive")
@pytest.mark.endpoint("check-look", "positive")
@pytest.mark.endpoint("outline", "positive")
@pytest.mark.endpoint("lists", "positive")
@pytest.mark.endpoint("check-heading", "positive")
def test_how_it_looks_and_is_built(before: State, after: State) -> None:
    assert all(one["bold"] for one in ask(after, "looks", path=REPORT, wanted="board"))
    assert ask(after, "styles", path=REPORT)["Heading 2"] == ask(before, "styles", path=REPORT)["Heading 2"] + 1
    line = "Three things come first in the year ahead:"
    assert ask(after, "check-style", path=REPORT, line=line, style="Heading 2")["passed"]
    assert ask(after, "check-look", path=REPORT, wanted="board", name="bold", value="true")["passed"]
    assert {"text": "Summary", "level": 1, "page_break": False} in ask(after, "outline", path=REPORT)
    assert [one["list"] for one in ask(after, "lists", path=REPORT)].count("number") == 3
    assert ask(after, "check-heading", path=REPORT, line=line, level=2)["passed"]


@pytest.mark.endpoint("looks", "negative")
@pytest.mark.endpoint("styles", "negative")
@pytest.mark.endpoint("check-style", "negative")
@pytest.mark.endpoint("check-look", "negative")
@pytest.mark.endpoint("outline", "negative")
@pytest.mark.endpoint("lists", "negative")
@pytest.mark.endpoint("check-heading", "negative")
def test_it_did_not_look_so_before(before: State) -> None:
    assert not any(one["bold"] for one in ask(before, "looks", path=REPORT, wanted="board"))
    assert "Quotations" not in ask(before, "styles", path=REPORT)
    line = "Three things come first in the year ahead:"
    assert not ask(before, "check-style", path=REPORT, line=line, style="Heading 2")["passed"]
    assert not ask(before, "check-look", path=REPORT, wanted="board", name="bold", value="true")["passed"]
    assert not ask(before, "check-look", path=REPORT, wanted="no such words", name="bold", value="false")["passed"]
    assert line not in {one["text"] for one in ask(before, "outline", path=REPORT)}
    assert ask(before, "lists", path=LEASE) == []
    assert not ask(before, "check-heading", path=REPORT, line=line, level=2)["passed"]
    with pytest.raises(StateError, match="no 'weight'"):
        ask(before, "check-look", path=REPORT, wanted="board", name="weight", value="1")


@pytest.mark.endpoint("notes", "positive")
@pytest.mark.endpoint("comments", "positive")
@pytest.mark.endpoint("contents", "positive")
@pytest.mark.endpoint("sections", "positive")
@pytest.mark.endpoint("images", "positive")
@pytest.mark.endpoint("bookmarks", "positive")
@pytest.mark.endpoint("changes", "positive")
def test_what_stands_beside_the_text(after: State) -> None:
    assert "A note." in {one["text"] for one in ask(after, "notes", path=REPORT)}
    (remark,) = [one for one in ask(after, "comments", path=REPORT) if one["text"] == "Which things?"]
    assert remark["author"] == "Ingrid Solheim" and remark["on"] == "Three things come first"
    (index,) = ask(after, "contents", path=REPORT)
    assert index["title"] == "Contents" and index["entries"][0].startswith("Summary")
    assert ask(after, "sections", path=REPORT) == [{"name": "Aims", "columns": 2, "protected": False, "hidden": False}]
    assert [one["title"] for one in ask(after, "images", path=REPORT)] == ["Hills", ""]
    assert "first-things" in {one["name"] for one in ask(after, "bookmarks", path=REPORT)}
    found = ask(after, "changes", path=REPORT)
    assert {one["kind"] for one in found["changes"]} >= {"insert", "delete"} and not found["recording"]


@pytest.mark.endpoint("notes", "negative")
@pytest.mark.endpoint("comments", "negative")
@pytest.mark.endpoint("contents", "negative")
@pytest.mark.endpoint("sections", "negative")
@pytest.mark.endpoint("images", "negative")
@pytest.mark.endpoint("bookmarks", "negative")
@pytest.mark.endpoint("changes", "negative")
def test_it_did_not_stand_there_before(before: State) -> None:
    assert len(ask(before, "notes", path=REPORT)) == 3 and ask(before, "notes", path=LEASE) == []
    assert "Ingrid Solheim" not in {one["author"] for one in ask(before, "comments", path=REPORT)}
    assert ask(before, "contents", path=REPORT) == [] == ask(before, "sections", path=REPORT)
    assert [one["title"] for one in ask(before, "images", path=REPORT)] == ["", ""]
    assert ask(before, "bookmarks", path=LEASE) == []
    assert ask(before, "changes", path=REPORT)["changes"] == []
    assert len(ask(before, "changes", path=MINUTES)["changes"]) == 7


@pytest.mark.endpoint("page", "positive")
@pytest.mark.endpoint("check-page", "positive")
@pytest.mark.endpoint("setting", "positive")
@pytest.mark.endpoint("metadata", "positive")
@pytest.mark.endpoint("check-metadata", "positive")
@pytest.mark.endpoint("files", "positive")
@pytest.mark.endpoint("check-file", "positive")
@pytest.mark.endpoint("recent", "positive")
@pytest.mark.endpoint("unsaved", "positive")
@pytest.mark.endpoint("view", "positive")
def test_what_surrounds_it(after: State) -> None:
    assert ask(after, "page", path=REPORT)[0]["header"].startswith("Havnes Coastal Museum")
    assert ask(after, "check-page", path=REPORT, width=148.0, height=210.0)["passed"]
    assert ask(after, "setting", name="/org.openoffice.UserProfile/Data/sn") == "Solheim"
    assert ask(after, "metadata", path=REPORT)["keywords"] == ["one", "two"]
    assert ask(after, "check-metadata", path=REPORT, name="title", value="Our year")["passed"]
    assert COPY in ask(after, "files") and ask(after, "check-file", path=COPY)["passed"]
    assert "Summary" in ask(after, "text", path=COPY)
    assert any(one.endswith("/report.odt") for one in ask(after, "recent"))
    assert ask(after, "unsaved") == [REPORT]
    (shown,) = ask(after, "view")
    assert shown["path"] == REPORT and shown["page"] >= 1 and shown["selection"]


@pytest.mark.endpoint("page", "negative")
@pytest.mark.endpoint("check-page", "negative")
@pytest.mark.endpoint("setting", "negative")
@pytest.mark.endpoint("metadata", "negative")
@pytest.mark.endpoint("check-metadata", "negative")
@pytest.mark.endpoint("files", "negative")
@pytest.mark.endpoint("check-file", "negative")
@pytest.mark.endpoint("recent", "negative")
@pytest.mark.endpoint("unsaved", "negative")
@pytest.mark.endpoint("view", "negative")
def test_it_did_not_surround_it_before(before: State) -> None:
    assert ask(before, "page", path=LEASE)[0]["header"] == ""
    assert not ask(before, "check-page", path=REPORT, width=148.0, height=210.0)["passed"]
    assert ask(before, "setting", name="/org.openoffice.No/Such") is None
    assert ask(before, "metadata", path=REPORT)["keywords"] == []
    assert not ask(before, "check-metadata", path=REPORT, name="title", value="Our year")["passed"]
    assert COPY not in ask(before, "files") and not ask(before, "check-file", path=COPY)["passed"]
    assert ask(State(files={}, data={}, missing={}), "recent") == []
    for name in ("unsaved", "view"):
        with pytest.raises(StateError):
            ask(State(files={}, data={"live": {"error": "it is gone"}}, missing={}), name)
    with pytest.raises(InvalidInput):
        ask(before, "page")
