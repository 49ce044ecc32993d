"""Calc in a real seat: it opens without a question, and the task can be done in it and is judged by what was saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairground.core import Key, StageError, Type, Window
from fairground.sandbox import LayerStore
from fairground.verify import judge, read_ods
from fairground.worlds import Seat, World, open_seat, resolve
from fairground_desk.calc.app import WORKBOOK
from fairground_desk.calc.sales import PROFILES, build
from fairground_desk.office import REGISTRY
from fairground_desk.office.office_app import finish_profile, is_drawn

DEADLINE = 60.0


@pytest.fixture(scope="module")
def world() -> World:
    return resolve("desk/calc/region-total/south@outdoor-shop/light/sales")


@pytest.fixture(scope="module")
def seat(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with open_seat(world, store=LayerStore(tmp_path_factory.mktemp("layers"))) as opened:
        yield opened


def keys(seat: Seat, *chord: str) -> None:
    seat.screen.act(Key(keys=chord))
    seat.screen.settle()


def wait_until(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"no {what} in time"
        time.sleep(0.02)


@pytest.mark.process
def test_it_opens_the_workbook_maximised_and_asks_nothing(seat: Seat) -> None:
    assert [window.title for window in seat.screen.windows()] == ["sales.ods - LibreOffice Calc"]
    (window,) = seat.screen.windows()
    assert window.bounds == (0, 0, *seat.screen.size)
    assert is_drawn(seat.screen.grab().pixels, window)
    assert read_ods(seat.before.file(WORKBOOK)) == read_ods(build(PROFILES["outdoor-shop"]))


@pytest.mark.process
def test_no_notice_stands_between_the_menus_and_the_sheet(seat: Seat) -> None:
    tree = seat.screen.tree()
    roles = {node.role for node in tree.walk()}
    assert "document spreadsheet" in roles
    assert not roles & {"dialog", "alert", "info bar", "notification"}
    (application,) = tree.children
    assert len(application.children) == 1, "one window, no dialog"


@pytest.mark.process
def test_what_the_program_notes_of_itself_is_no_part_of_the_start(seat: Seat) -> None:
    wait_until(lambda: b"ooLocale" in seat.sandbox.read_file(REGISTRY), "note of the program's own")
    assert b"ooLocale" not in seat.before.file(REGISTRY) and b"MacroSecurityLevel" in seat.before.file(REGISTRY)
    assert b"ooLocale" in seat.capture().file(REGISTRY), "what is there later is recorded as it is"


@pytest.mark.slow
def test_the_task_done_by_keyboard_and_saved_is_a_success(seat: Seat, world: World) -> None:
    keys(seat, "ctrl", "pagedown")
    keys(seat, "ctrl", "pagedown")
    keys(seat, "ctrl", "home")
    for _ in range(5):
        keys(seat, "down")
    seat.screen.act(Type(text='Revenue South\t=SUMIF($Sales.B1:B300;"South";$Sales.F1:F300)\n'))
    seat.screen.settle()
    assert judge(world, seat.before, seat.capture()).reward == 0, "what was not saved does not count"
    keys(seat, "ctrl", "s")
    wait_until(lambda: seat.capture().file(WORKBOOK) != seat.before.file(WORKBOOK), "saved file")
    seat.screen.settle()
    verdict = judge(world, seat.before, seat.finish())
    assert verdict.success, verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ui_state", "sheet", "first_cell"),
    [("scrolled", "Sales", "A177"), pytest.param("summary", "Summary", "A1", marks=pytest.mark.slow)],
)
def test_a_ui_state_is_where_the_workbook_opens(ui_state: str, sheet: str, first_cell: str) -> None:
    with open_seat(resolve(f"desk/calc/region-total/west@kitchen-supplies/light/{ui_state}")) as seat:
        nodes = list(seat.screen.tree().walk())
    assert [node.name for node in nodes if node.role == "page tab" and "selected" in node.states] == [sheet]
    assert next(node.name for node in nodes if node.role == "table cell") == first_cell


@pytest.mark.slow
def test_themes_change_how_it_looks_and_nothing_else() -> None:
    pictures, states = [], []
    for theme in ("light", "dark", "large"):
        with open_seat(resolve(f"desk/calc/region-total/west@outdoor-shop/{theme}/sales")) as seat:
            pictures.append(seat.screen.grab().digest)
            states.append((seat.before.file(WORKBOOK), seat.before.get("files")))
    assert len(set(pictures)) == 3
    assert all(state == states[0] for state in states)


def test_an_unfinished_first_run_is_an_error_of_the_stage() -> None:
    with pytest.raises(StageError, match="first run"):
        finish_profile("<oor:items></oor:items>", "<oor:items></oor:items>")


def test_an_empty_window_is_not_taken_for_a_drawn_one() -> None:
    pixels = np.full((720, 300, 3), 246, np.uint8)
    pixels[:20] = np.arange(20, dtype=np.uint8)[:, None, None] * 5
    assert not is_drawn(pixels, Window(title="", bounds=(0, 0, 300, 720)))


def test_the_profile_is_small_text() -> None:
    folder = Path(__file__).parents[1] / "src/fairground_desk/office"
    for path in folder.glob("*.xcu"):
        assert path.stat().st_size < 20_000 and path.read_text(encoding="utf-8")
