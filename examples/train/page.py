"""What the policy sees: the controls of the screen, read from the accessibility tree.

The policy gets no pixels, no positions and no texts that are not controls. The positions stay here, for the hand that
performs its choices.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairground.core import InfrastructureError

ROLES = ("link", "button", "checkbox", "radio", "switch", "textbox", "searchbox", "combobox", "tab", "menuitem")
FIELDS = frozenset({"textbox", "searchbox", "combobox"})
MAX_CONTROLS = 160

Box = tuple[int, int, int, int]

_STATES = "focused|disabled|readonly|required|selected|expanded|collapsed|pressed|checked|mixed|modal|busy|invalid"
_LINE = re.compile(
    r'( *)(\w+)(?: ("(?:[^"\\]|\\.)*"))?(?: = (.*?))?(?: \[(\d+), (\d+), (\d+), (\d+)\])?'
    rf"((?: (?:{_STATES}|multiselectable))*)",
    re.DOTALL,
)
_BARS = frozenset({"banner", "navigation", "contentinfo"})
_LEAST = 8  # pixels of a control that must be visible to press it


@dataclass(frozen=True)
class Control:
    """Something a user can press or type into.

    Attributes:
        states: States such as `checked` or `focused`.
        spot: Where to press it; None if it is off screen or covered.
    """

    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    spot: tuple[int, int] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it from one screen to the next."""
        return self.role, self.name

    @property
    def takes_text(self) -> bool:
        """Whether the policy types into it. It presses all other controls."""
        return self.role in FIELDS


@dataclass(frozen=True)
class Page:
    """A screen: its title, and its controls in the order of the document."""

    title: str
    controls: tuple[Control, ...]


@dataclass(frozen=True)
class _Node:
    depth: int
    role: str
    name: str
    value: str
    box: Box | None
    states: tuple[str, ...]


def read_page(tree: str, size: tuple[int, int]) -> Page:
    """Read the controls of an accessibility tree.

    Args:
        tree: The tree as indented text, as environments give it.
        size: Size of the screen in pixels.

    Raises:
        InfrastructureError: The text is not such a tree.
    """
    nodes = [_node(line) for line in _lines(tree)]
    ends = _ends(nodes)
    in_bar = _in_bars(nodes, ends)
    covering = [
        (place, node.box)
        for place, node in enumerate(nodes)
        if node.box is not None and (node.role in ROLES or node.role in _BARS)
    ]
    controls: list[Control] = []
    for place, node in enumerate(nodes):
        if node.role not in ROLES or not node.name or "disabled" in node.states or len(controls) == MAX_CONTROLS:
            continue
        others = [
            box
            for at, box in covering
            if not (place <= at < ends[place] or at <= place < ends[at]) and in_bar[at] >= in_bar[place]
        ]
        controls.append(Control(node.role, node.name, node.value, node.states, _spot(node.box, others, size)))
    return Page(nodes[0].name if nodes else "", tuple(controls))


def _lines(tree: str) -> Iterator[str]:
    """One text per node. All nodes but the first are indented, so other lines continue the value before them."""
    text = ""
    for line in tree.split("\n"):
        if text and line.startswith("  "):
            yield text
            text = line
        else:
            text = f"{text}\n{line}" if text else line
    if text:
        yield text


def _node(line: str) -> _Node:
    found = _LINE.fullmatch(line)
    if found is None:
        raise InfrastructureError(f"expected a line of an accessibility tree, got {line[:80]!r}")
    indent, role, name, value, *box, states = found.groups()
    return _Node(
        depth=len(indent),
        role=role,
        name=" ".join(str(json.loads(name)).split()) if name else "",
        value=" ".join((value or "").split()),
        box=None if box[0] is None else (int(box[0]), int(box[1]), int(box[2]), int(box[3])),
        states=tuple(states.split()),
    )


def _ends(nodes: Sequence[_Node]) -> list[int]:
    """For each node, the number of the first node that is not below it."""
    ends = [len(nodes)] * len(nodes)
    above: list[int] = []
    for place, node in enumerate(nodes):
        while above and nodes[above[-1]].depth >= node.depth:
            ends[above.pop()] = place
        above.append(place)
    return ends


def _in_bars(nodes: Sequence[_Node], ends: Sequence[int]) -> list[bool]:
    """For each node, whether it belongs to a bar. Bars stay above what is scrolled under them."""
    inside = [False] * len(nodes)
    for place, node in enumerate(nodes):
        if node.role in _BARS:
            inside[place : ends[place]] = [True] * (ends[place] - place)
    return inside


def _spot(box: Box | None, others: Sequence[Box], size: tuple[int, int]) -> tuple[int, int] | None:
    if box is None:
        return None
    left, top, width, height = box
    cut = left <= 0 or top <= 0 or left + width >= size[0] or top + height >= size[1]
    if cut and min(width, height) < _LEAST:
        return None
    for share in (0.5, 0.25, 0.75):
        x, y = int(left + width * share), int(top + height * share)
        if not any(at <= x < at + wide and up <= y < up + high for at, up, wide, high in others):
            return x, y
    return None
