"""HTML building with escaping: text is escaped unless it was built by `tag`."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

VOID = frozenset({"img", "input", "meta", "br", "hr", "link", "source"})


class Html(str):
    """Markup built by `tag`, which is inserted without escaping."""

    __slots__ = ()


Child: TypeAlias = "str | Html | Iterable[Child] | None"


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """Build an element. Plain text children are escaped; None is left out.

    In attribute names, `_` stands for `-` and `class_` for `class`. True gives an attribute without a value; None and
    False leave it out.
    """
    written = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        written += f" {key}" if value is True else f' {key}="{text(str(value))}"'
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Child) -> Html:
    """Concatenate pieces. Each is escaped unless it is `Html`."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return text(children)
    return Html("".join(join(child) for child in children))


def text(value: str) -> Html:
    """Escape plain text. Control characters, which HTML cannot contain, become visible symbols."""
    return Html(html.escape(value.translate(_SIGNS), quote=True))


_SIGNS = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t\r"}
# Bidirectional control characters could make a value look like another one.
_SIGNS |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "·")
