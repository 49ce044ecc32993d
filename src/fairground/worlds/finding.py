"""Finding what a move names in an accessibility tree. The same rules apply on every screen and without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fairground.core import Node
from fairground.worlds.oracle import Fill, Stuck, Tap

TEXT_FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "text", "entry", "password text", "combo box"}
)
"""Roles that accept text. On a desktop, `text` is a field; in a page it is only text, and never editable."""

_CONTROLS = frozenset(
    {
        *("link", "button", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio"),
        *("option", "slider", "treeitem", "gridcell", "searchbox", "textbox", "combobox", "spinbutton"),
        *("push button", "toggle button", "check box", "radio button", "page tab", "menu", "menu item", "list item"),
        *(
            "check menu item",
            "radio menu item",
            "combo box",
            "table cell",
            "tree item",
            "icon",
            "entry",
            "password text",
        ),
    }
)
_ROWS = frozenset(
    {"listitem", "row", "article", "group", "dialog", "region", "form", "table row", "list item", "panel"}
)
_SHOWN = 12  # maximum number of names in an error


@dataclass(frozen=True)
class Place:
    """A node and its ancestors, the outermost first."""

    node: Node
    above: tuple[Node, ...]


def find_tap(tree: Node, move: Tap) -> Place:
    """Return the single element that a tap names.

    Raises:
        Stuck: There is none, or more than one.
    """
    wanted = move.role

    def fits(node: Node) -> bool:
        return node.role == wanted if wanted else node.role in _CONTROLS

    return _only(tree, move.name, move.within, fits, f"{wanted or 'control'} named")


def find_field(tree: Node, move: Fill) -> Place:
    """Return the single text field that a fill names.

    Raises:
        Stuck: There is none, or more than one.
    """
    return _only(tree, move.field, move.within, _takes_text, "text field named")


def walk(tree: Node) -> Iterator[Place]:
    """Iterate over every node with its ancestors, depth first."""
    stack = [Place(tree, ())]
    while stack:
        place = stack.pop()
        yield place
        above = (*place.above, place.node)
        stack.extend(Place(child, above) for child in reversed(place.node.children))


def is_control(node: Node) -> bool:
    """Whether a user could press it or type into it."""
    return node.role in _CONTROLS or _takes_text(node)


def _takes_text(node: Node) -> bool:
    return node.role in TEXT_FIELDS and (node.role != "text" or "editable" in node.states)


def _only(tree: Node, name: str, within: str, fits: Callable[[Node], bool], what: str) -> Place:
    wanted = _plain(name)
    every = [place for place in walk(tree) if fits(place.node) and "disabled" not in place.node.states]
    inside = [place for place in every if _is_within(place, _plain(within))] if within else every
    exact = [place for place in inside if _plain(place.node.name) == wanted]
    matches = exact or [place for place in inside if wanted and wanted in _plain(place.node.name)]
    if len(matches) == 1:
        return matches[0]
    where = f" within {within!r}" if within else ""
    if matches:
        rows = ", ".join(repr(_row_of(place)) for place in matches[:_SHOWN])
        raise Stuck(f"{len(matches)} {what} {name!r}{where}, in {rows}", fix="add within=... or role=...")
    names = list(dict.fromkeys(place.node.name for place in inside if place.node.name))
    shown = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    raise Stuck(f"no {what} {name!r}{where}; there are {shown or 'none'}")


def _is_within(place: Place, wanted: str) -> bool:
    """Whether an ancestor has this name, or is an unnamed row that contains an element with this name."""
    for node in place.above:
        if wanted in _plain(node.name) and node.name and node.role != "document":
            return True
        if not node.name and node.role in _ROWS and any(_plain(below.name) == wanted for below in node.walk()):
            return True
    return False


def _row_of(place: Place) -> str:
    for node in reversed(place.above):
        if node.name and node.role in _ROWS:
            return node.name[:60]
        if node.role in _ROWS and (first := next((below.name for below in node.walk() if below.name), "")):
            return first[:60]
    return place.node.role


def _plain(text: str) -> str:
    return " ".join(text.split())
