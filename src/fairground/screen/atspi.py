"""The accessibility tree of a desktop, read over AT-SPI from outside of the sandbox.

Only what is showing is read: an office program keeps a thousand closed menu items, and a sheet a thousand million
cells. Of the nodes that show, the reader gets each one once, level by level, all questions of a level at once.
Whatever answers is untrusted: the depth, the number of nodes and of questions, and the length of every text are
bounded, an object that shows up twice is read once, and a program that does not answer costs the others nothing.

Two states are ours, so that nobody takes a part for the whole: `cut` is on a node whose children were not all
read, `unresponsive` on an application that did not answer in time.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from socket import socket
from typing import TypeVar

from fairground.core import InfrastructureError, Node, ScreenError
from fairground.screen.atspi_names import DEFUNCT, ROLES, SHOWING, STATES, TEXT_ROLES, VALUE_ROLES
from fairground.screen.dbuswire import UNANSWERED, Call, Refusal, Reply, Wire

MAX_TEXT = 2_000  # characters of one name or value
MAX_CHILDREN = 400  # asked for whole; of more children, only those in sight
MAX_APPLICATIONS = 64
MAX_DEPTH = 256

Bounds = tuple[int, int, int, int]
Reference = tuple[str, str]

_FIX = (
    "start the desktop with accessibility on: package at-spi2-core, a session D-Bus, and programs without NO_AT_BRIDGE"
)
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_COMPONENT = "org.a11y.atspi.Component"
_TABLE = "org.a11y.atspi.Table"
_TEXT = "org.a11y.atspi.Text"
_VALUE = "org.a11y.atspi.Value"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_ON_SCREEN = 0  # coordinates from the screen's corner, not the window's


def read_tree(
    connect: Callable[[str], socket], bus_address: str, *, depth: int = 64, limit: int = 5_000, timeout: float = 5.0
) -> Node:
    """Reads what every program on the desktop shows.

    Args:
        connect: Connects to a unix socket by its path (`@name` for an abstract one), as `Sandbox.connect` does.
        bus_address: Of the accessibility bus, as `org.a11y.Bus.GetAddress` says it: `unix:path=...,guid=...`.
        depth: Levels below the root that are read.
        limit: Nodes at most, the root included.
        timeout: Seconds; what has not been read by then is left out, and marked.

    Returns:
        The desktop; its children are the applications, theirs the windows.

    Raises:
        ScreenError: There is no such bus, it does not answer, or it does not speak D-Bus.
    """
    deadline = time.monotonic() + timeout
    with Wire(_connect(connect, bus_address), deadline) as wire:
        reply = wire.ask(Call(*_REGISTRY, _ACCESSIBLE, "GetChildren", "a(so)"))
        if isinstance(reply, Refusal):
            raise ScreenError(f"the accessibility registry does not answer: {reply.reason}", fix=_FIX)
        applications = _references(reply)
        desktop = _Element(_REGISTRY, role="desktop frame", name="main")
        desktop.cut = len(applications) > MAX_APPLICATIONS
        budget = limit - 1
        for number, application in enumerate(applications[:MAX_APPLICATIONS]):
            # One that hangs, or never ends, may use up half of what is left, never all that the others need.
            share = 1.0 if number == len(applications) - 1 else 0.5
            left = max(deadline - time.monotonic(), 0.0)
            wire.deadline = time.monotonic() + left * share
            budget -= _Walk(wire, min(depth, MAX_DEPTH), math.ceil(budget * share)).read(desktop, application)
        return desktop.node()


def find_bus(connect: Callable[[str], socket], session_address: str, *, timeout: float = 10.0) -> str:
    """The address of a session's accessibility bus, which is started by being asked for.

    Args:
        connect: As for `read_tree`.
        session_address: What the programs have as DBUS_SESSION_BUS_ADDRESS.
        timeout: Seconds; long, because it may have to be started.

    Raises:
        ScreenError: The session has no such service (package at-spi2-core), or no D-Bus.
    """
    with Wire(_connect(connect, session_address), time.monotonic() + timeout) as wire:
        reply = wire.ask(Call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", "s"))
    address = _one(reply, str)
    if address is None:
        reason = reply.reason if isinstance(reply, Refusal) else "nothing"
        raise ScreenError(f"the session has no accessibility bus: {reason}", fix=_FIX)
    return address


class TreeReader:
    """Reads trees of one session again and again; nothing is asked before the first one is wanted.

    Args:
        connect: As for `read_tree`.
        session_address: As for `find_bus`.
    """

    def __init__(self, connect: Callable[[str], socket], session_address: str) -> None:
        self._connect = connect
        self._session_address = session_address
        self._bus_address: str | None = None

    def __call__(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """The tree as it is now."""
        if self._bus_address is None:
            self._bus_address = find_bus(self._connect, self._session_address)
        return read_tree(self._connect, self._bus_address, depth=depth, limit=limit)


@dataclass(slots=True)
class _Element:
    """A node while it is being read."""

    reference: Reference
    role: str = ""
    name: str = ""
    value: str = ""
    bounds: Bounds | None = None
    states: tuple[str, ...] = ()
    children: list[_Element] = field(default_factory=list)
    child_count: int = 0
    parent: _Element | None = None
    shift: tuple[int, int] = (0, 0)
    """What must be added to the coordinates that it and what is below it report."""
    cut: bool = False

    def node(self) -> Node:
        states = (*self.states, "cut") if self.cut else self.states
        # Without a size and without anything in it, nobody can see it.
        children = tuple(child.node() for child in self.children if child.children or not child.empty)
        return Node(self.role, self.name, self.value, self.bounds, states, children)

    @property
    def empty(self) -> bool:
        return self.bounds is not None and 0 in self.bounds[2:]


class _Walk:
    """Reads one application, within a budget of nodes and of questions."""

    def __init__(self, wire: Wire, depth: int, limit: int) -> None:
        self._wire = wire
        self._depth = depth
        self._nodes_left = limit
        # A program may have any number of objects that do not show; looking at them must end as well.
        self._looks_left = 4 * max(limit, 0) + 1_000
        self._seen: set[Reference] = {_REGISTRY}

    def read(self, desktop: _Element, reference: Reference) -> int:
        """Puts the application into the desktop; returns the number of nodes that took."""
        if self._depth < 1 or self._nodes_left < 1:
            desktop.cut = True
            return 0
        budget = self._nodes_left
        self._seen.add(reference)
        application = _Element(reference, role="application")
        desktop.children.append(application)
        self._nodes_left -= 1
        level = [application]
        for below in range(1, self._depth + 1):
            self._describe(level)
            level = [element for element in level if element.child_count > 0]
            if below == self._depth:
                for element in level:
                    element.cut = True
                break
            level = self._children(level)
            if not level:
                break
        if time.monotonic() >= self._wire.deadline:
            application.states = (*application.states, "unresponsive")
        return budget - self._nodes_left

    def _describe(self, level: Sequence[_Element]) -> None:
        """Fills in role, name, value, bounds and number of children; states are known."""
        calls: list[Call] = []
        for element in level:
            calls.append(_call(element, _ACCESSIBLE, "GetRole", "u"))
            calls.append(_call(element, _PROPERTIES, "GetAll", "a{sv}", "s", _ACCESSIBLE))
            calls.append(_call(element, _COMPONENT, "GetExtents", "(iiii)", "u", _ON_SCREEN))
        replies = self._wire.ask_all(calls)
        for number, element in enumerate(level):
            role, properties, extents = replies[3 * number : 3 * number + 3]
            if not element.role:
                code = _one(role, int)
                element.role = ROLES[code] if code is not None and code < len(ROLES) else "unknown"
            element.name, element.child_count = _name_and_children(properties)
            _place(element, extents)
            if element.role == "menu bar" and element.empty:
                element.child_count = 0  # LibreOffice keeps its own, unseen, under the one that GTK draws
        self._fill_in_values(level)

    def _fill_in_values(self, level: Sequence[_Element]) -> None:
        numbers = [element for element in level if element.role in VALUE_ROLES]
        calls = [_call(element, _PROPERTIES, "Get", "v", "ss", _VALUE, "CurrentValue") for element in numbers]
        texts = [element for element in level if element.role in TEXT_ROLES]
        calls += [_call(element, _PROPERTIES, "Get", "v", "ss", _TEXT, "CharacterCount") for element in texts]
        replies = self._wire.ask_all(calls)
        for element, reply in zip(numbers, replies, strict=False):
            number = _one(reply, float)
            element.value = "" if number is None else f"{number:g}"
        # A text can be a whole book: only its beginning is asked for.
        lengths = [min(_one(reply, int) or 0, MAX_TEXT) for reply in replies[len(numbers) :]]
        written = [(element, length) for element, length in zip(texts, lengths, strict=True) if length > 0]
        calls = [_call(element, _TEXT, "GetText", "s", "ii", 0, length) for element, length in written]
        for (element, _), reply in zip(written, self._wire.ask_all(calls), strict=True):
            element.value = (_one(reply, str) or "")[:MAX_TEXT]

    def _children(self, parents: Sequence[_Element]) -> list[_Element]:
        """The elements below that show, put into their parents; their states filled in."""
        plain = [parent for parent in parents if parent.child_count <= MAX_CHILDREN]
        crowded = [parent for parent in parents if parent.child_count > MAX_CHILDREN]
        calls = [_call(parent, _ACCESSIBLE, "GetChildren", "a(so)") for parent in plain]
        families = list(zip(plain, map(_references, self._wire.ask_all(calls)), strict=True))
        families += [(parent, self._in_sight(parent)) for parent in crowded]

        found: list[tuple[_Element, _Element]] = []
        for parent, references in families:
            for reference in references:
                if reference in self._seen:
                    continue
                if self._looks_left < 1:
                    parent.cut = True
                    break
                self._looks_left -= 1
                self._seen.add(reference)
                found.append((parent, _Element(reference)))
        states = self._wire.ask_all([_call(element, _ACCESSIBLE, "GetState", "au") for _, element in found])
        kept: list[_Element] = []
        for (parent, element), reply in zip(found, states, strict=True):
            if reply is UNANSWERED:
                parent.cut = True
                continue
            bits = _bits(reply)
            if not bits >> SHOWING & 1 or bits >> DEFUNCT & 1:
                continue
            if self._nodes_left < 1:
                parent.cut = True
                continue
            self._nodes_left -= 1
            element.states = tuple(name for bit, name in STATES.items() if bits >> bit & 1)
            element.parent = parent
            parent.children.append(element)
            kept.append(element)
        return kept

    def _in_sight(self, parent: _Element) -> list[Reference]:
        """The children in the visible part of one that has too many; found by asking what is at its corners."""
        parent.cut = True
        if parent.bounds is None or parent.empty:
            return []
        left, top, width, height = parent.bounds
        left, top = left - parent.shift[0], top - parent.shift[1]
        inset = 2  # pixels, to be inside of the outermost children and not on a border
        corners = [
            (x, y)
            for x in (left + inset, left + width - 1 - inset)
            for y in (top + inset, top + height - 1 - inset)
        ]  # fmt: skip
        if not all(abs(number) < 1 << 30 for corner in corners for number in corner):
            return []
        replies = self._wire.ask_all(
            [_call(parent, _COMPONENT, "GetAccessibleAtPoint", "(so)", "iiu", x, y, _ON_SCREEN) for x, y in corners]
            + [_call(parent, _PROPERTIES, "Get", "v", "ss", _TABLE, "NColumns")]
        )
        columns = _one(replies[-1], int) or 0
        cells = [reference for reply in replies[:-1] for reference in _references(reply)]
        calls = [Call(*cell, _ACCESSIBLE, "GetIndexInParent", "i") for cell in cells]
        indices = [index for index in (_one(reply, int) for reply in self._wire.ask_all(calls)) if index is not None]
        indices = [index for index in indices if 0 <= index < parent.child_count]
        if not indices:
            return []
        most = max(self._nodes_left, 0)
        if columns < 1:
            first = min(indices)
            wanted = range(first, min(max(indices) + 1, first + most))
            calls = [_call(parent, _ACCESSIBLE, "GetChildAtIndex", "(so)", "i", index) for index in wanted]
        else:
            rows = range(min(indices) // columns, max(indices) // columns + 1)
            across = [index % columns for index in indices]
            first, last = min(across), max(across)
            last = min(last, first + most)
            rows = rows[: most // (last - first + 1)]
            calls = [
                _call(parent, _TABLE, "GetAccessibleAt", "(so)", "ii", row, column)
                for row in rows
                for column in range(first, last + 1)
            ]
        return [reference for reply in self._wire.ask_all(calls) for reference in _references(reply)]


def _connect(connect: Callable[[str], socket], bus_address: str) -> socket:
    found = re.match(r"unix:(path|abstract)=([^,;]+)", bus_address)
    if found is None:
        raise ScreenError(f"{bus_address[:200]!r} is not the address of a D-Bus on a unix socket", fix=_FIX)
    place = found[2] if found[1] == "path" else f"@{found[2]}"
    try:
        return connect(place)
    except (OSError, InfrastructureError) as error:
        raise ScreenError(f"no D-Bus at {place}: {error}", fix=_FIX) from error


def _call(element: _Element, interface: str, member: str, returns: str, signature: str = "", *args: str | int) -> Call:
    return Call(*element.reference, interface, member, returns, signature, args)


_BUS_NAME = re.compile(r":[0-9]{1,10}\.[0-9]{1,10}")
_PATH = re.compile(r"(/[A-Za-z0-9_]+)+")


def _references(reply: Reply) -> list[Reference]:
    """The objects that an answer names; those that could not exist would make the bus hang up on us."""
    if isinstance(reply, Refusal):
        return []
    named = reply[0] if isinstance(reply[0], list) else [reply[0]]
    return [
        (bus, path)
        for bus, path in named
        if _BUS_NAME.fullmatch(bus) and len(path) <= 500 and _PATH.fullmatch(path) and not path.endswith("/null")
    ]


def _name_and_children(reply: Reply) -> tuple[str, int]:
    if isinstance(reply, Refusal):
        return "", 0
    properties = dict(reply[0])
    name, count = properties.get("Name"), properties.get("ChildCount")
    return name[:MAX_TEXT] if isinstance(name, str) else "", count if isinstance(count, int) else 0


def _place(element: _Element, extents: Reply) -> None:
    """Gives an element its bounds, and corrects those of LibreOffice.

    Its GTK 3 windows report what they draw themselves as if the menu bar above took no room, but GTK's own widgets
    in between as they are. The outermost of either kind fills what holds it, so what holds it says where it is.
    """
    parent = element.parent
    element.shift = (0, 0) if parent is None else parent.shift
    if isinstance(extents, Refusal):
        return
    left, top, width, height = extents[0]
    # Toolkits say "nowhere" with the smallest integer, or with a negative size.
    if min(left, top) < -(1 << 20) or max(left, top, width, height) > 1 << 20 or min(width, height) < 0:
        return
    suspect = element.role == "root pane" or element.shift != (0, 0)
    if suspect and parent is not None and parent.bounds is not None and parent.bounds[2:] == (width, height):
        element.shift = (parent.bounds[0] - left, parent.bounds[1] - top)
    element.bounds = (left + element.shift[0], top + element.shift[1], width, height)


def _bits(reply: Reply) -> int:
    words = [] if isinstance(reply, Refusal) else reply[0][:2]
    return sum(word << (32 * place) for place, word in enumerate(words))


_T = TypeVar("_T", int, float, str)


def _one(reply: Reply, kind: type[_T]) -> _T | None:
    """The one value of an answer, if it is of this type."""
    return reply[0] if not isinstance(reply, Refusal) and type(reply[0]) is kind else None
