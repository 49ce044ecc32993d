"""Dialogs that are open when a world begins: an unexpected error, or a question that its author overlooked."""

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
        title: Title of its window, or its accessible name.
        text: Its text; empty if the program has no accessibility tree.
        is_error: Whether it reports an error.
    """

    title: str
    text: str
    is_error: bool

    def __str__(self) -> str:
        suffix = f": {self.text}" if self.text else "" if self.title else ": it has no readable text"
        return f"{self.title!r}{suffix}"


def open_dialogs(tree: Node, windows: Iterable[Window], main: str, meant: Iterable[str] = ()) -> list[Dialog]:
    """Return the unexpected dialogs, errors first.

    Args:
        tree: The screen's accessibility tree.
        windows: The open windows, for programs without an accessibility tree.
        main: Pattern of the title of the app's own window, which may itself be a dialog.
        meant: Patterns of titles and texts of expected dialogs.
    """
    shown = list(windows)
    own = [window for window in shown if re.search(main, window.title)]
    nodes = list(_dialogs(tree))
    dialogs = []
    for node in nodes:
        alone = not any(_differs(window.bounds, node.bounds) for window in own)
        if not (alone and own and re.search(main, _title(node, shown))):
            text = _text(node)
            dialogs.append(Dialog(_title(node, shown), text, bool(_ERROR.search(f"{node.name}\n{text}"))))
    for window in shown:
        covered = window in own or not all(_differs(window.bounds, node.bounds) for node in nodes)
        if not covered and (_REPORTERS.match(window.title) or _ERROR.search(window.title)):
            dialogs.append(Dialog(window.title, "", True))
    patterns = list(meant)
    unmeant = [
        dialog for dialog in dialogs if not any(re.search(it, f"{dialog.title}\n{dialog.text}") for it in patterns)
    ]
    return sorted(unmeant, key=lambda dialog: not dialog.is_error)


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


def _differs(first: tuple[int, int, int, int], second: tuple[int, int, int, int] | None) -> bool:
    """Whether two boxes belong to different windows. A frame may make one of them a little larger."""
    return second is None or any(abs(a - b) > 40 for a, b in zip(first, second, strict=True))
