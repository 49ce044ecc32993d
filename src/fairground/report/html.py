"""Building HTML so that nothing untrusted can become markup: text is escaped unless it was built here."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

VOID = frozenset({"img", "input", "meta", "br", "hr", "link", "source"})


class Html(str):
    """Markup that was built by `tag`, and may stand in a page as it is."""

    __slots__ = ()


Child: TypeAlias = "str | Html | Iterable[Child] | None"


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """An element. Children that are plain text are escaped; None is left out.

    Attribute names are written with `_` for `-`, and `class_` for `class`; True stands alone, None and False are
    left out.
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
    """Pieces one after the other, each escaped unless it is `Html`."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return text(children)
    return Html("".join(join(child) for child in children))


def text(value: str) -> Html:
    """Plain text as markup. Control characters, which HTML cannot hold, become their visible signs."""
    return Html(html.escape(value.translate(_SIGNS), quote=True))


_SIGNS = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t\r"}
# What turns the direction of a line could make a value read as another one.
_SIGNS |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "·")
