"""Every endpoint of Calc's inspector, asked about a live application: before anything was done, and after a lot was."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.core import Key, State, StateError
from fairground.worlds import Seat, World, open_seat, resolve
from fairground_desk.calc.api import calc
from fairground_desk.calc.inspector import INSPECTOR
from fairground_desk.calc.workbooks import SALES

DEADLINE = 60.0

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world() -> World:
    return resolve("desk/calc/region-total/south@museum-shop/light/bare")


@pytest.fixture(scope="module")
def states(world: World) -> Iterator[tuple[State, State]]:
    with open_seat(world) as seat:
        _work(seat)
        before = seat.before
        yield before, seat.finish()


def _work(seat: Seat) -> None:
    """Uses something of everything, saves it, and then changes one more cell."""
    seat.world.app.command(
        seat,
        calc(
            ["put", "Summary", "A5", [["Region", "=SUM(B4;1)"]]],
            ["looks", "Summary", "A5:A5", {"CharWeight": 150.0}],
            ["comment", "Summary", "A5", "look here"],
            ["number_format", "Summary", "B5:B5", "0.0"],
            ["merge", "Summary", "A8:C8"],
            ["cell_style", "Loud", {"CellBackColor": 0xFF0000}],
            ["condition", "Sales", "D2:D20", "GREATER", "40", "", "Loud"],
            ["column_width", "Sales", "C1", 61],
            ["hide_columns", "Sales", "E1"],
            ["print_range", "Sales", "A1:C20"],
            ["landscape", "Sales"],
            ["chart", "Targets", [["Targets", "A1:B6"]], "bar", "Targets", "", "", [20, 60]],
            ["filter_rows", "Sales", "A1:F301", 1, "North"],
            ["insert_sheet", "Pivot", -1],
            ["pivot", "Sales", "A1:F301", "Pivot", "A1", "Table", ["Region"], [], "Units", "SUM"],
            ["name_range", "Takings", "Sales", "F2:F301"],
            ["validate", "Sales", "D2:D301", "WHOLE", "GREATER", "0", "", "Units", "More than none."],
            ["freeze", "Targets", 1, 1],
            ["protect", "Targets", ""],
            ["describe", "A year", "Sales", ["one", "two"], "none"],
        ),
    )
    seat.screen.act(Key(keys=("ctrl", "s")))
    end = time.monotonic() + DEADLINE
    while seat.capture().file(SALES) == seat.before.file(SALES):
        assert time.monotonic() < end, "it was not saved"
        seat.screen.wait_change(0.25)
    seat.screen.settle()
    seat.world.app.command(seat, calc(["put", "Summary", "A20", [["not saved"]]]))


def ask(state: State, endpoint_name: str, /, **arguments: Any) -> Any:
    return INSPECTOR.ask(state, endpoint_name, arguments)


@pytest.mark.endpoint("cell", "cells", "find", "formulas", "comments", "positive")
@pytest.mark.endpoint("cell", "cells", "find", "formulas", "comments", "negative")
def test_what_cells_hold(states: tuple[State, State]) -> None:
    before, after = states
    assert ask(after, "cell", sheet="Summary", address="A5")["value"] == "Region"
    assert ask(before, "cell", sheet="Summary", address="A5")["kind"] == "empty"
    assert ask(after, "cells", sheet="Summary", area="A4:A5") == [["Units sold, all regions"], ["Region"]]
    assert ask(before, "cells", sheet="Summary", area="A5") == [[None]]
    assert "Summary.A5" in ask(after, "find", text="region")
    assert "Summary.A5" not in ask(before, "find", text="region")
    assert ask(after, "formulas", sheet="Summary")["B5"] == "=SUM(B4;1)"
    assert "B5" not in ask(before, "formulas", sheet="Summary")
    assert ask(after, "comments", sheet="Summary") == {"A5": "look here"}
    assert ask(before, "comments", sheet="Summary") == {}
    with pytest.raises(StateError, match="no sheet"):
        ask(after, "cell", sheet="Sumary", address="A5")
    with pytest.raises(StateError, match="more than"):
        ask(after, "cells", sheet="Sales", area="A1:Z9999")


@pytest.mark.endpoint("check-cell", "check-formula", "check-bold", "check-format", "positive")
@pytest.mark.endpoint("check-cell", "check-formula", "check-bold", "check-format", "negative")
def test_checks_of_cells(states: tuple[State, State]) -> None:
    before, after = states
    at = {"sheet": "Summary", "address": "A5"}
    assert ask(after, "check-cell", value="Region", **at)["passed"]
    assert not ask(before, "check-cell", value="Region", **at)["passed"]
    units = ask(after, "cell", sheet="Summary", address="B4")["value"]
    assert ask(after, "check-cell", sheet="Summary", address="B4", value=f"{units:.0f}")["passed"]
    assert ask(after, "check-formula", sheet="Summary", address="B5", contains="sum(")["passed"]
    assert not ask(before, "check-formula", sheet="Summary", address="B5")["passed"]
    assert ask(after, "check-bold", **at)["passed"] and not ask(before, "check-bold", **at)["passed"]
    shown = {"sheet": "Summary", "address": "B5", "kind": "number"}
    assert ask(after, "check-format", decimals="1", **shown)["passed"]
    assert not ask(after, "check-format", decimals="2", **shown)["passed"]


@pytest.mark.endpoint("conditional-formats", "columns", "page", "positive")
@pytest.mark.endpoint("conditional-formats", "columns", "page", "negative")
def test_how_sheets_look(states: tuple[State, State]) -> None:
    before, after = states
    (rule,) = ask(after, "conditional-formats", sheet="Sales")
    assert (rule["range"], rule["rule"], rule["background"]) == ("D2:D20", ">40", "#ff0000")
    assert ask(before, "conditional-formats", sheet="Sales") == []
    wide = ask(after, "columns", sheet="Sales")
    assert {"first": 2, "last": 2, "width": 61, "hidden": False} in wide
    assert any(one["hidden"] and one["first"] == 4 for one in wide)
    assert not any(one["hidden"] for one in ask(before, "columns", sheet="Sales"))
    paper = ask(after, "page", sheet="Sales")
    assert paper["page"]["landscape"] and paper["print_ranges"] == ["Sales.A1:C20"]
    assert ask(before, "page", sheet="Sales")["print_ranges"] == []


@pytest.mark.endpoint("sheets", "merged", "check-sheets", "check-frozen", "check-protected", "positive")
@pytest.mark.endpoint("sheets", "merged", "check-sheets", "check-frozen", "check-protected", "negative")
def test_how_a_workbook_is_built(states: tuple[State, State]) -> None:
    before, after = states
    assert [one["name"] for one in ask(after, "sheets")] == ["Sales", "Targets", "Summary", "Pivot"]
    assert [one["protected"] for one in ask(before, "sheets")] == [False] * 3
    assert ask(after, "merged", sheet="Summary") == ["A8:C8"] and ask(before, "merged", sheet="Summary") == []
    assert ask(before, "check-sheets", names='["Sales", "Targets", "Summary"]')["passed"]
    assert not ask(after, "check-sheets", names='["Sales", "Targets", "Summary"]')["passed"]
    assert ask(after, "check-frozen", sheet="Targets", rows=1, columns=1)["passed"]
    assert not ask(before, "check-frozen", sheet="Targets", rows=1, columns=1)["passed"]
    assert ask(after, "check-protected", sheet="Targets")["passed"]
    assert not ask(after, "check-protected", sheet="Sales")["passed"]


@pytest.mark.endpoint("charts", "pivot-tables", "filters", "named-ranges", "validations", "positive")
@pytest.mark.endpoint("charts", "pivot-tables", "filters", "named-ranges", "validations", "negative")
def test_what_was_put_into_a_workbook(states: tuple[State, State]) -> None:
    before, after = states
    (chart,) = ask(after, "charts", sheet="Targets")
    assert (chart["kind"], chart["title"]) == ("bar", "Targets")
    assert [one["values"] for one in chart["series"]] == ["Targets.B2:B6"]
    (table,) = ask(after, "pivot-tables")
    assert [(one["source"], one["orientation"]) for one in table["fields"]] == [("Region", "row"), ("Units", "data")]
    (filtered,) = ask(after, "filters")["filters"]
    assert filtered["range"] == "Sales.A1:F301" and ask(after, "filters")["hidden"]["Sales"]
    assert ask(after, "named-ranges") == {"Takings": "Sales.F2:F301"}
    (rule,) = ask(after, "validations", sheet="Sales")
    assert rule["ranges"] == ["D2:D301"] and rule["title"] == "Units"
    assert ask(before, "charts", sheet="Targets") == ask(before, "pivot-tables") == []
    assert ask(before, "filters") == {"filters": [], "hidden": {}}
    assert ask(before, "named-ranges") == {} and ask(before, "validations", sheet="Sales") == []


@pytest.mark.endpoint("properties", "workbooks", "differences", "setting", "recent", "positive")
@pytest.mark.endpoint("properties", "workbooks", "differences", "setting", "recent", "negative")
def test_files_settings_and_history(states: tuple[State, State]) -> None:
    before, after = states
    assert ask(after, "properties")["title"] == "A year" and ask(before, "properties")["title"] == ""
    assert ask(after, "workbooks")[SALES] == ["Sales", "Targets", "Summary", "Pivot"]
    broken = State(files={SALES: b"PK"})
    assert "error" in ask(broken, "workbooks")[SALES]
    assert "Summary!A20.value" in ask(after, "differences", path=SALES, other=f"unsaved:{SALES}")
    assert ask(before, "differences", path=SALES, other=SALES) == []
    assert "false" in str(ask(after, "setting", name="AutoSave")).lower()
    assert ask(after, "setting", name="no such setting") == {}
    recent = State(files={"~/.local/share/recently-used.xbel": _RECENT})
    assert [one["path"] for one in ask(recent, "recent")] == ["/home/user/a.ods"]
    with pytest.raises(StateError):
        ask(State(), "recent")


@pytest.mark.endpoint("documents", "check-saved", "positive")
@pytest.mark.endpoint("documents", "check-saved", "negative")
def test_what_only_the_running_program_knows(states: tuple[State, State]) -> None:
    before, after = states
    (document,) = ask(after, "documents")
    assert document["path"] == SALES and document["modified"]
    assert not ask(after, "check-saved")["passed"], "one cell was changed after it was saved"
    assert ask(after, "check-saved", path="~/Documents/budget.ods")["passed"]
    with pytest.raises(StateError, match="nothing was asked"):
        ask(before, "documents")


_RECENT = b"""<?xml version="1.0" encoding="UTF-8"?>
<xbel version="1.0" xmlns:bookmark="http://www.freedesktop.org/standards/desktop-bookmarks"
 xmlns:mime="http://www.freedesktop.org/standards/shared-mime-info">
<bookmark href="file:///home/user/a.ods" added="2024-01-01T00:00:00Z" modified="2024-01-01T00:00:00Z"
 visited="2024-01-01T00:00:00Z"><info><metadata owner="http://freedesktop.org">
<mime:mime-type type="application/vnd.oasis.opendocument.spreadsheet"/></metadata></info></bookmark></xbel>"""
