"""Dialogs that are open when a world begins: errors are told from questions, and from what is meant."""

from __future__ import annotations

import pytest

from fairground.core import Node, Window
from fairground.worlds.dialogs import open_dialogs

MAIN = Window("~/note.txt - Mousepad", (0, 0, 640, 500))
FRAME = Node("frame", MAIN.title, bounds=MAIN.bounds)
BOX = (90, 200, 460, 100)


def dialog(role: str, name: str, *texts: str) -> Node:
    return Node(role, name, bounds=BOX, children=(Node("panel", children=tuple(Node("label", t) for t in texts)),))


def found(*nodes: Node, windows: tuple[Window, ...] = (MAIN,), meant: tuple[str, ...] = ()) -> list[tuple[str, bool]]:
    tree = Node("desktop", children=(Node("application", "mousepad", children=(FRAME, *nodes)),))
    return [(str(one), one.is_error) for one in open_dialogs(tree, windows, "Mousepad", meant)]


@pytest.mark.parametrize(
    ("role", "name", "text", "is_error"),
    [
        ("alert", "Error", "Failed to open the document.", True),
        ("dialog", "", "The file could not be found.", True),
        ("alert", "Warning", "Permission denied", True),
        ("dialog", "Fehler", "Datei fehlt", True),
        ("dialog", "Tip of the day", "Press F1 for help.", False),
        ("file chooser", "Open File", "Name", False),
        ("alert", "Question", "Save changes before closing?", False),
    ],
)
def test_a_dialog_is_found_with_its_text(role: str, name: str, text: str, is_error: bool) -> None:
    assert found(dialog(role, name, text)) == [(f"{name!r}: {text}", is_error)]


def test_a_dialog_that_is_meant_to_be_there_is_not_told() -> None:
    shown = dialog("alert", "Error", "No printer.")
    assert found(shown, meant=("No printer",)) == found(shown, meant=("^Error$|^Error\n",)) == []
    assert found(shown, meant=("No scanner",))


def test_windows_of_programs_without_a_tree_are_told_by_their_titles() -> None:
    others = (MAIN, Window("xmessage", (500, 300, 160, 90)), Window("Crash Reporter", (0, 0, 300, 100)))
    assert found(windows=others) == [("'xmessage'", True), ("'Crash Reporter'", True)]
    assert found(windows=(MAIN, Window("Toolbox", (700, 0, 200, 400)))) == []


def test_one_dialog_is_told_once_and_the_main_window_never() -> None:
    shown = dialog("alert", "Error", "Failed.")
    assert len(found(shown, windows=(MAIN, Window("Mousepad", (92, 219, 460, 97))))) == 1
    main = Window("Mousepad: an error log", (0, 0, 640, 500))
    tree = Node(
        "desktop", children=(Node("dialog", main.title, bounds=main.bounds, children=(Node("label", "failed"),)),)
    )
    assert open_dialogs(tree, (main,), "Mousepad") == []
