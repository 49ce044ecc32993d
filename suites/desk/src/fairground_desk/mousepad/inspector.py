"""What can be asked about Mousepad and the text files on its desk."""

from __future__ import annotations

import re
from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import contains, equal, holds
from fairground.verify.reading.keyfile import read_keyfile
from fairground.verify.reading.settings import read_recent_files
from fairground.verify.reading.textfile import TextFile, read_text
from fairground.worlds import Inspector

SETTINGS = "~/.config/glib-2.0/settings/keyfile"

MOUSEPAD = Inspector(
    "mousepad",
    channels={
        "files": "every file in `~/Documents`, to the byte",
        "settings": f"`{SETTINGS}`, where GLib's key file backend keeps what differs from the defaults",
        "recent": "`~/.local/share/recently-used.xbel`",
        "live": "windows, and accessibility (AT-SPI): tabs, and the text in front as it is on the screen",
    },
)

PREFERENCES = {
    "view/show-line-numbers": "false", "view/show-whitespace": "false", "view/show-line-endings": "false",
    "view/show-right-margin": "false", "view/right-margin-position": "80", "view/highlight-current-line": "false",
    "view/match-braces": "false", "view/word-wrap": "false", "view/auto-indent": "false",
    "view/insert-spaces": "false", "view/tab-width": "8", "view/color-scheme": "none",
    "view/use-default-monospace-font": "true", "view/font-name": "Monospace 10", "view/indent-on-tab": "true",
    "view/smart-backspace": "false", "view/smart-home-end": "disabled",
    "window/always-show-tabs": "false", "window/toolbar-visible": "false", "window/statusbar-visible": "false",
    "window/menubar-visible": "true", "window/path-in-title": "true", "window/cycle-tabs": "false",
    "window/recent-menu-items": "10", "window/opening-mode": "tab", "window/expand-tabs": "true",
    "file/add-last-end-of-line": "false", "file/make-backup": "false", "file/session-restore": "after-a-crash",
    "file/default-encoding": "UTF-8", "file/monitor-changes": "true", "file/auto-reload": "false",
}  # fmt: skip
"""Preferences with their defaults, by group and name."""

_INCIDENTAL = ("org/xfce/mousepad/state/", "org/gtk/settings/")
"""Groups that programs write by themselves: the last search, window sizes, the state of file dialogs."""


def text_of(state: State, path: str, encoding: str = "") -> TextFile:
    """A recorded text file."""
    return read_text(state.file(path), encoding=encoding or None, what=path)


def preferences_of(state: State) -> dict[str, str]:
    """Every preference, as it is set or by default; texts without their quotes.

    Keys that Mousepad does not know are included, so that guards notice them.
    """
    groups = read_keyfile(state.file(SETTINGS), what="settings of Mousepad").groups
    preferences = dict(PREFERENCES)
    for group, keys in groups.items():
        if not group.startswith(_INCIDENTAL):
            name = group.removeprefix("org/xfce/mousepad/preferences/")
            preferences |= {f"{name}/{key}": _plain(value) for key, value in keys.items()}
    return preferences


@MOUSEPAD.query("content")
def text(state: State, path: str, encoding: str = "") -> dict[str, Any]:
    """A text file: its lines, and how it is written.

    Args:
        path: Such as `~/Documents/todo.txt`.
        encoding: Where it is not UTF-8: `latin-1`, `cp1252`, `utf-16-le` or `utf-16-be`.
    """
    return text_of(state, path, encoding).to_json()


@MOUSEPAD.query("content")
def line(state: State, path: str, number: int) -> str:
    """One line of a text file.

    Args:
        path: Of the file.
        number: From 1.
    """
    lines = text_of(state, path).lines
    if not 1 <= number <= len(lines):
        raise StateError(f"{path}: {len(lines)} lines, and no line {number}")
    return lines[number - 1]


@MOUSEPAD.query("content")
def matches(state: State, path: str, word: str, whole: bool = True) -> list[int]:
    """Numbers of the lines in which a word stands, case as given.

    Args:
        path: Of the file.
        word: What is looked for, as it is.
        whole: Whether parts of longer words do not count.
    """
    pattern = re.compile(rf"\b{re.escape(word)}\b" if whole else re.escape(word))
    return [number for number, line in enumerate(text_of(state, path).lines, 1) if pattern.search(line)]


@MOUSEPAD.check("content")
def check_line(state: State, path: str, number: int, expected: str) -> Check:
    """Whether a line says exactly this.

    Args:
        path: Of the file.
        number: From 1.
        expected: The line, without its end.
    """
    lines = text_of(state, path).lines
    line = lines[number - 1] if 1 <= number <= len(lines) else None
    return equal(f"line {number} of {path}", expected, line)


@MOUSEPAD.check("content")
def check_contains(state: State, path: str, expected: str) -> Check:
    """Whether a text holds another, which may run over several lines.

    Args:
        path: Of the file.
        expected: What it should hold, with newlines between lines.
    """
    return contains(f"{path} holds the text", expected, text_of(state, path).text)


@MOUSEPAD.query("formatting")
def form(state: State, path: str, encoding: str = "") -> dict[str, Any]:
    """How a file is written: encoding, byte order mark, line ends, indentation, lines with spaces at their end.

    Args:
        path: Of the file.
        encoding: Where it is not UTF-8.
    """
    file = text_of(state, path, encoding)
    facts = {key: value for key, value in file.to_json().items() if key not in ("lines", "words")}
    return {**facts, "trailing_space": list(file.trailing_space)}


@MOUSEPAD.check("formatting")
def check_form(state: State, path: str, line_end: str = "", encoding: str = "", indentation: str = "") -> Check:
    """Whether a file is written in a certain way; what is left empty is not asked.

    Args:
        path: Of the file.
        line_end: `lf`, `crlf` or `cr`.
        encoding: `ascii`, `utf-8`, or another that it is read in.
        indentation: `tabs`, `spaces`, `mixed` or `none`.
    """
    file = text_of(state, path, encoding if encoding in ("latin-1", "cp1252") else "")
    asked = {"line_end": line_end, "encoding": encoding, "indentation": indentation}
    wanted = {key: value for key, value in asked.items() if value}
    written = {key: getattr(file, key) for key in wanted}
    return equal(f"how {path} is written", wanted, written)


@MOUSEPAD.query("structure")
def headings(state: State, path: str) -> list[str]:
    """Headings of a Markdown file, or section names of a settings file, in order.

    Args:
        path: Of the file.
    """
    candidates = (re.fullmatch(r"(#{1,6} .*)|\[([^\]]+)\]", line) for line in text_of(state, path).lines)
    return [(match[1] or match[2]).strip() for match in candidates if match]


@MOUSEPAD.query("structure")
def entry(state: State, path: str, section: str, key: str) -> str:
    """A value of a settings file with `[sections]`.

    Args:
        path: Of the file.
        section: Name of the section.
        key: What the value is of.
    """
    keys = read_keyfile(state.file(path), what=path).groups.get(section, {})
    if key not in keys:
        raise StateError(f"{path}: no {key!r} in [{section}]; it has {', '.join(keys) or 'nothing'}")
    return keys[key]


@MOUSEPAD.query("settings")
def preferences(state: State) -> dict[str, str]:
    """All preferences, as set or by default."""
    return preferences_of(state)


@MOUSEPAD.check("settings")
def check_preference(state: State, name: str, expected: str) -> Check:
    """Whether a preference has this value.

    Args:
        name: Group and name, such as `view/tab-width`.
        expected: As text, such as `4` or `true`.
    """
    return equal(f"preference {name}", expected, preferences_of(state).get(name))


@MOUSEPAD.query("history")
def searches(state: State) -> dict[str, Any]:
    """What was searched for and replaced with lately, and how."""
    groups = read_keyfile(state.file(SETTINGS), what="settings of Mousepad").groups
    return {key: _plain(value) for key, value in groups.get("org/xfce/mousepad/state/search", {}).items()}


@MOUSEPAD.query("history")
def recent(state: State) -> list[str]:
    """Paths of recently used files."""
    return [entry.path for entry in read_recent_files(state.file("~/.local/share/recently-used.xbel"))]


@MOUSEPAD.query("files")
def files(state: State, under: str = "~/Documents") -> list[str]:
    """Paths of all files in a folder and below it.

    Args:
        under: The folder.
    """
    return [
        entry["path"]
        for entry in state.get("files")
        if entry["kind"] == "file" and entry["path"].startswith(f"{under}/")
    ]


@MOUSEPAD.query("metadata")
def size(state: State, path: str) -> dict[str, int]:
    """How large a file is: bytes, lines, words, letters.

    Args:
        path: Of the file.
    """
    file = text_of(state, path)
    return {
        "bytes": len(state.file(path)), "lines": len(file.lines), "words": len(file.words), "letters": len(file.text),
    }  # fmt: skip


@MOUSEPAD.query("live")
def tabs(state: State) -> dict[str, Any]:
    """The open tabs, and which one is in front."""
    live = state.get("live")
    return {"tabs": live["tabs"], "front": live["front"]}


@MOUSEPAD.query("live")
def screen_text(state: State) -> dict[str, Any]:
    """The text in front as it is on the screen, saved or not; of a long one only its beginning."""
    live = state.get("live")
    return {"text": live["text"], "whole": live["whole"]}


@MOUSEPAD.check("live")
def check_saved(state: State) -> Check:
    """Whether the text in front of every window is saved, and no dialog is open."""
    live = state.get("live")
    facts = {"modified": live["modified"], "dialogs": live["dialogs"]}
    return holds("nothing in front is unsaved", not any(facts.values()), expected="all saved", found=facts)


def _plain(value: str) -> str:
    """A setting without its type and quotes."""
    value = re.sub(r"^(uint32|int32|byte|@as) ", "", value.strip())
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
