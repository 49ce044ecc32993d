"""The accessibility tree of a browser page, with the position of each element on the screen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from fairground.core import Node, ScreenError
from fairground.screen.cdpboxes import STYLES, Box, page_boxes

_ROLES: Final = {
    "RootWebArea": "document",
    "StaticText": "text",
    "Iframe": "iframe",
    "LabelText": "label",
    "DisclosureTriangle": "button",
    "MenuListPopup": "listbox",
}
_LEFT_OUT: Final = frozenset({"InlineTextBox", "LineBreak", "ListMarker"})
# Roles without meaning for users. Their children take their place.
_TRANSPARENT: Final = frozenset(
    {"generic", "none", "presentation", "LayoutTable", "LayoutTableRow", "LayoutTableCell", ""}
)
_STATES: Final = (
    "focused", "disabled", "readonly", "required", "selected", "expanded", "pressed", "checked", "modal", "busy",
    "multiselectable", "invalid",
)  # fmt: skip
_NOT_THERE: Final = (None, False, "false", "")
_MAX_FRAMES: Final = 50
_MAX_TEXT: Final = 2_000


class Ask(Protocol):
    """Sends a command to the page and returns its answer."""

    def __call__(self, method: str, **params: Any) -> dict[str, Any]: ...


def read_tree(ask: Ask, scale: float, size: tuple[int, int], *, depth: int, limit: int) -> Node:
    """Read the tree of the page and its frames.

    Roles are ARIA roles, plus `document` and `text`. Elements without meaning are left out, and so is text that equals
    its parent's name. Bounds are clipped to the screen. Elements off screen have no bounds.

    Args:
        ask: Sends commands to the page.
        scale: Pixels of the screen per layout pixel of the page, before zooming.
        size: Size of the screen.
        depth: Maximum number of levels, including the document.
        limit: Maximum number of nodes.
    """
    view = ask("Page.getLayoutMetrics")["cssVisualViewport"]
    frames = list(_frames(ask("Page.getFrameTree")["frameTree"]))[:_MAX_FRAMES]
    owners = _owners(ask, frames[1:])
    boxes = page_boxes(ask("DOMSnapshot.captureSnapshot", computedStyles=list(STYLES)), owners)
    trees: dict[int, list[dict[str, Any]]] = {}
    for frame, (element, _) in owners.items():
        with contextlib.suppress(ScreenError):  # it disappeared meanwhile
            trees[element] = ask("Accessibility.getFullAXTree", frameId=frame, depth=depth)["nodes"]
    nodes = ask("Accessibility.getFullAXTree", frameId=frames[0], depth=depth)["nodes"]
    ratio = scale * float(view["scale"])
    origin = (float(view["offsetX"]), float(view["offsetY"]))
    return _Builder(boxes, trees, ratio, origin, size, limit).build(nodes, depth)


class _Builder:
    def __init__(
        self,
        boxes: Mapping[int, Box],
        trees: Mapping[int, list[dict[str, Any]]],
        ratio: float,
        origin: tuple[float, float],
        size: tuple[int, int],
        limit: int,
    ) -> None:
        self._boxes = boxes
        self._trees = trees
        self._ratio = ratio
        self._origin = origin
        self._size = size
        self._left = limit

    def build(self, nodes: list[dict[str, Any]], depth: int) -> Node:
        self._left -= 1
        by_id = {node["nodeId"]: node for node in nodes}
        if not nodes:
            return Node("document")
        return self._node(nodes[0], by_id, depth)

    def _node(self, ax_node: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], depth: int) -> Node:
        name = _value(ax_node.get("name"))
        children: list[Node] = []
        if depth > 1:
            self._add_children(ax_node, by_id, depth - 1, name, children)
            owner: int = ax_node.get("backendDOMNodeId", -1)
            if owner in self._trees and self._left > 0:
                children.append(self.build(self._trees[owner], depth - 1))
        return Node(
            role=_role(ax_node),
            name=name,
            value=_value(ax_node.get("value")),
            bounds=self._bounds(ax_node.get("backendDOMNodeId")),
            states=tuple(_states(ax_node.get("properties", ()))),
            children=tuple(children),
        )

    def _add_children(
        self, parent: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], depth: int, name: str, into: list[Node]
    ) -> None:
        # An explicit stack, because a page can be nested deeper than Python's recursion limit.
        stack = list(reversed(parent.get("childIds", ())))
        while stack and self._left > 0:
            child = by_id.get(stack.pop())
            if child is None:
                continue
            role = _role(child)
            if role in _LEFT_OUT:
                continue
            if child.get("ignored") or (role in _TRANSPARENT and not _value(child.get("name"))):
                stack.extend(reversed(child.get("childIds", ())))
                continue
            if role == "text" and _value(child.get("name")) == name:
                continue
            self._left -= 1
            into.append(self._node(child, by_id, depth))

    def _bounds(self, element: int | None) -> tuple[int, int, int, int] | None:
        box = self._boxes.get(element) if element is not None else None
        if box is None:
            return None
        left, top = (box[0] - self._origin[0]) * self._ratio, (box[1] - self._origin[1]) * self._ratio
        right, bottom = left + box[2] * self._ratio, top + box[3] * self._ratio
        left, top = max(0, round(left)), max(0, round(top))
        right, bottom = min(self._size[0], round(right)), min(self._size[1], round(bottom))
        return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def _owners(ask: Ask, frames: Iterable[str]) -> dict[str, tuple[int, Box]]:
    """For each frame, the element that contains it and the position of its content on the page."""
    owners: dict[str, tuple[int, Box]] = {}
    for frame in frames:
        with contextlib.suppress(ScreenError):  # not drawn, or gone
            element = ask("DOM.getFrameOwner", frameId=frame)["backendNodeId"]
            content = ask("DOM.getBoxModel", backendNodeId=element)["model"]["content"]
            owners[frame] = (element, (content[0], content[1], content[4] - content[0], content[5] - content[1]))
    return owners


def _frames(tree: Mapping[str, Any]) -> Iterable[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _frames(child)


def _role(node: Mapping[str, Any]) -> str:
    role = _value(node.get("role"))
    return _ROLES.get(role, role)


def _value(holder: Mapping[str, Any] | None) -> str:
    value = (holder or {}).get("value", "")
    return str(value)[:_MAX_TEXT] if value is not None else ""


def _states(properties: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    values = {entry["name"]: entry["value"].get("value") for entry in properties}
    for name in _STATES:
        value = values.get(name)
        if name == "expanded" and value is False:
            yield "collapsed"
        elif name in ("checked", "pressed") and value == "mixed":
            yield "mixed"
        elif value not in _NOT_THERE:
            yield name
