"""Dialogs that are open when a world begins: an error that nobody meant, or a question that its author forgot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fairground.core import Node, Window

_ROLES = frozenset({"dialog", "alert", "alertdialog", "file chooser", "color chooser", "font chooser"})
_TEXTS = frozenset({"label", "text", "static", "paragraph", "heading", "statictext"})
_ERROR = re.compile(
    r"\b(?:errors?|fail(?:ed|s|ure)?|fatal|crash(?:ed)?|exception|traceback|abort(?:ed)?|cannot|can't|could ?n[o']t|"
    r"unable to|not found|no such|denied|not permitted|corrupt(?:ed)?|invalid|unexpectedly|stopped working|"
    r"not responding|segmentation fault|problem report|crash report(?:er)?|"
    r"fehler|fehlgeschlagen|erreur|échec|error(?:e|es)?|erro|fallo|fout|ошибка)\b|错误|エラー|오류",
    re.IGNORECASE,
)
_REPORTERS = re.compile(r"^(?:g?xmessage|apport.*|drkonqi|abrt.*|bug-buddy|whoopsie)$", re.IGNORECASE)
_MOST_TEXT = 1_000


@dataclass(frozen=True)
class Dialog:
    """A dialog on the screen.

    Attributes:
        title: Of its window, or its accessible name.
        text: What it says; empty where the program has no accessibility tree.
        is_error: Whether it says that something went wrong.
    """

    title: str
    text: str
    is_error: bool

    def __str__(self) -> str:
        said = f": {self.text}" if self.text else "" if self.title else ": it says nothing that can be read"
        return f"{self.title!r}{said}"


def open_dialogs(tree: Node, windows: Iterable[Window], main: str, meant: Iterable[str] = ()) -> list[Dialog]:
    """The dialogs that nobody meant, errors first.

    Args:
        tree: What the screen's programs say of themselves.
        windows: What is open; for programs that say nothing.
        main: Pattern of the title of the app's own window, which may itself be a dialog.
        meant: Patterns of titles and texts of dialogs that are meant to be there.
    """
    shown = list(windows)
    others = [window for window in shown if re.search(main, window.title)]
    nodes = list(_dialogs(tree))
    found = []
    for node in nodes:
        alone = not any(_differs(window.bounds, node.bounds) for window in others)
        if not (alone and others and re.search(main, _title(node, shown))):
            text = _text(node)
            found.append(Dialog(_title(node, shown), text, bool(_ERROR.search(f"{node.name}\n{text}"))))
    for window in shown:
        told = window in others or not all(_differs(window.bounds, node.bounds) for node in nodes)
        if not told and (_REPORTERS.match(window.title) or _ERROR.search(window.title)):
            found.append(Dialog(window.title, "", True))
    patterns = list(meant)
    unmeant = [one for one in found if not any(re.search(it, f"{one.title}\n{one.text}") for it in patterns)]
    return sorted(unmeant, key=lambda one: not one.is_error)


def _dialogs(tree: Node) -> Iterator[Node]:
    """The outermost dialogs."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.role in _ROLES:
            yield node
        else:
            stack.extend(reversed(node.children))


def _title(node: Node, windows: list[Window]) -> str:
    if node.name:
        return node.name
    return next((window.title for window in windows if not _differs(window.bounds, node.bounds)), "")


def _text(dialog: Node) -> str:
    parts = [part for node in dialog.walk() if node.role in _TEXTS for part in (node.name, node.value) if part]
    return " ".join(" ".join(dict.fromkeys(parts)).replace("\u2019", "'").split())[:_MOST_TEXT]


def _differs(one: tuple[int, int, int, int], other: tuple[int, int, int, int] | None) -> bool:
    """Whether two boxes are not those of one window; a frame around it may make one a little larger."""
    return other is None or any(abs(a - b) > 40 for a, b in zip(one, other, strict=True))
