"""The accessibility tree of a desktop, read over AT-SPI from outside the sandbox.

Reads only visible nodes: an office program has a thousand closed menu items, and a sheet a thousand million cells. Each
visible node is read once, level by level, with all requests of a level sent together. All answers are untrusted: the
depth, the number of nodes and requests, and the length of every text are limited. An object that appears twice is read
once. A program that does not answer does not delay the others.

Two states are Fairground's own and mark incomplete results: `cut` on a node whose children were not all read, and
`unresponsive` on an application that did not answer in time.
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

MAX_TEXT = 2_000  # maximum characters of a name or value
MAX_CHILDREN = 400  # above this number, only the visible children are read
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
_ON_SCREEN = 0  # coordinates relative to the screen, not to the window


def read_tree(
    connect: Callable[[str], socket], bus_address: str, *, depth: int = 64, limit: int = 5_000, timeout: float = 5.0
) -> Node:
    """Read what every program on the desktop shows.

    Args:
        connect: Connects to a Unix socket by its path (`@name` for an abstract one), like `Sandbox.connect`.
        bus_address: Address of the accessibility bus, as returned by `org.a11y.Bus.GetAddress`:
            `unix:path=...,guid=...`.
        depth: Maximum number of levels below the root.
        limit: Maximum number of nodes, including the root.
        timeout: Seconds. Nodes not read by then are left out, and the result is marked.

    Returns:
        The desktop. Its children are the applications, and theirs the windows.

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
            # An application that hangs or never ends may use up to half of the remaining budget, so that the others get
            # some.
            share = 1.0 if number == len(applications) - 1 else 0.5
            left = max(deadline - time.monotonic(), 0.0)
            wire.deadline = time.monotonic() + left * share
            budget -= _Walk(wire, min(depth, MAX_DEPTH), math.ceil(budget * share)).read(desktop, application)
        return desktop.node()


def find_bus(connect: Callable[[str], socket], session_address: str, *, timeout: float = 10.0) -> str:
    """Return the address of a session's accessibility bus. The request starts the bus if necessary.

    Args:
        connect: As for `read_tree`.
        session_address: The programs' DBUS_SESSION_BUS_ADDRESS.
        timeout: Seconds. Long, because the bus may have to start.

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
    """Reads trees of one session repeatedly. Sends nothing before the first read.

    Args:
        connect: As for `read_tree`.
        session_address: As for `find_bus`.
    """

    def __init__(self, connect: Callable[[str], socket], session_address: str) -> None:
        self._connect = connect
        self._session_address = session_address
        self._bus_address: str | None = None

    def __call__(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """Return the current tree."""
        if self._bus_address is None:
            self._bus_address = find_bus(self._connect, self._session_address)
        return read_tree(self._connect, self._bus_address, depth=depth, limit=limit)


@dataclass(slots=True)
class _Element:
    """A node that is being read."""

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
    """Correction to add to the coordinates that this node and its descendants report."""
    cut: bool = False

    def node(self) -> Node:
        states = (*self.states, "cut") if self.cut else self.states
        # An element without a size and without children is not visible.
        children = tuple(child.node() for child in self.children if child.children or not child.empty)
        return Node(self.role, self.name, self.value, self.bounds, states, children)

    @property
    def empty(self) -> bool:
        return self.bounds is not None and 0 in self.bounds[2:]


class _Walk:
    """Reads one application, with limits on nodes and requests."""

    def __init__(self, wire: Wire, depth: int, limit: int) -> None:
        self._wire = wire
        self._depth = depth
        self._nodes_left = limit
        # A program may have any number of invisible objects, so the number of inspected ones is limited too.
        self._looks_left = 4 * max(limit, 0) + 1_000
        self._seen: set[Reference] = {_REGISTRY}

    def read(self, desktop: _Element, reference: Reference) -> int:
        """Add the application to the desktop. Returns the number of nodes used."""
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
        """Read role, name, value, bounds and number of children. States are known already."""
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
                element.child_count = 0  # LibreOffice has its own invisible one below the one that GTK draws
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
        # A text can be very long, so only its beginning is requested.
        lengths = [min(_one(reply, int) or 0, MAX_TEXT) for reply in replies[len(numbers) :]]
        written = [(element, length) for element, length in zip(texts, lengths, strict=True) if length > 0]
        calls = [_call(element, _TEXT, "GetText", "s", "ii", 0, length) for element, length in written]
        for (element, _), reply in zip(written, self._wire.ask_all(calls), strict=True):
            element.value = (_one(reply, str) or "")[:MAX_TEXT]

    def _children(self, parents: Sequence[_Element]) -> list[_Element]:
        """Find the visible children and add them to their parents, with their states."""
        plain = [parent for parent in parents if parent.child_count <= MAX_CHILDREN]
        crowded = [parent for parent in parents if parent.child_count > MAX_CHILDREN]
        calls = [_call(parent, _ACCESSIBLE, "GetChildren", "a(so)") for parent in plain]
        families = list(zip(plain, map(_references, self._wire.ask_all(calls)), strict=True))
        families += [(parent, self._in_sight(parent)) for parent in crowded]

        candidates: list[tuple[_Element, _Element]] = []
        for parent, references in families:
            for reference in references:
                if reference in self._seen:
                    continue
                if self._looks_left < 1:
                    parent.cut = True
                    break
                self._looks_left -= 1
                self._seen.add(reference)
                candidates.append((parent, _Element(reference)))
        states = self._wire.ask_all([_call(element, _ACCESSIBLE, "GetState", "au") for _, element in candidates])
        showing: list[_Element] = []
        for (parent, element), reply in zip(candidates, states, strict=True):
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
            showing.append(element)
        return showing

    def _in_sight(self, parent: _Element) -> list[Reference]:
        """The visible children of an element with too many children, found by asking what is at its corners."""
        parent.cut = True
        if parent.bounds is None or parent.empty:
            return []
        left, top, width, height = parent.bounds
        left, top = left - parent.shift[0], top - parent.shift[1]
        inset = 2  # pixels, to hit the outermost children and not a border
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
    match = re.match(r"unix:(path|abstract)=([^,;]+)", bus_address)
    if match is None:
        raise ScreenError(f"{bus_address[:200]!r} is not the address of a D-Bus on a Unix socket", fix=_FIX)
    place = match[2] if match[1] == "path" else f"@{match[2]}"
    try:
        return connect(place)
    except (OSError, InfrastructureError) as error:
        raise ScreenError(f"no D-Bus at {place}: {error}", fix=_FIX) from error


def _call(element: _Element, interface: str, member: str, returns: str, signature: str = "", *args: str | int) -> Call:
    return Call(*element.reference, interface, member, returns, signature, args)


_BUS_NAME = re.compile(r":[0-9]{1,10}\.[0-9]{1,10}")
_PATH = re.compile(r"(/[A-Za-z0-9_]+)+")


def _references(reply: Reply) -> list[Reference]:
    """The objects in an answer. Invalid names are dropped, because the bus would disconnect us for them."""
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
    """Set the bounds of an element, with a correction for LibreOffice.

    Its GTK 3 windows report their own elements as if the menu bar had no height, but report GTK widgets in between
    correctly. The outermost element of either kind fills its container, so the container's position gives the
    correction.
    """
    parent = element.parent
    element.shift = (0, 0) if parent is None else parent.shift
    if isinstance(extents, Refusal):
        return
    left, top, width, height = extents[0]
    # Toolkits report "nowhere" as the smallest integer, or as a negative size.
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
    """The single value of an answer, if it has this type."""
    return reply[0] if not isinstance(reply, Refusal) and type(reply[0]) is kind else None
