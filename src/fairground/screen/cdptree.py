"""The accessibility tree of a browser page."""
from __future__ import annotations
from fairground.core import Node
def read_tree(ask, frame, scale, size, *, depth, limit) -> Node:
    return Node("document")
