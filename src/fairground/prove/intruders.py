"""Agents that run programs inside of a desktop's sandbox, which no measured agent can, to get a score without the work.

They are as clever as one can be who knows how verifiers are usually fooled, and does not know this one: they write
files that look like what was asked for, look for checks and answers, and forge what a program keeps about itself.
"""

from __future__ import annotations

import json
import re
from typing import Final

from fairground.agents import Brief, Turn
from fairground.core import Answer, Done, FairgroundError, Observation
from fairground.worlds import Seat

INTRUDERS: Final = {
    "write-files": "writes files that look like what was asked for, from inside of the sandbox",
    "look-for-answers": "searches the sandbox for checks, expected values and answers",
    "forge-profile": "forges what programs keep about themselves: settings, history, bookmarks, recent documents",
}
"""What they do, by name; they are about apps on a desktop."""

_SECONDS = 30.0
_MOST_SAID = 4_000


class Intruder:
    """Runs one script inside of the sandbox, then says that it is done, or what it found."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._seat: Seat | None = None

    def take_seat(self, seat: Seat) -> None:
        """Is given the seat."""
        self._seat = seat

    def begin(self, brief: Brief) -> None:
        """Remembers what was asked."""
        self._brief = brief

    def act(self, observation: Observation) -> Turn:
        """Everything at once."""
        assert self._seat is not None
        order = json.dumps({"instruction": self._brief.instruction, "quoted": _quoted(self._brief.instruction)})
        try:
            done = self._seat.sandbox.run(
                ["/usr/bin/python3", "-c", _SCRIPTS[self.name]],
                env=self._seat.env,
                input=order.encode(),
                timeout=_SECONDS,
                check=False,
            )
            said = done.stdout.decode(errors="replace")
        except FairgroundError as error:  # the sandbox stopped it, which is one way to fail
            said = error.message
        return Turn(Answer(text=said[:_MOST_SAID] or "done") if self._brief.kind == "answer" else Done())


def _quoted(instruction: str) -> list[str]:
    """What the instruction has in quotes or that looks like the name of a file."""
    found = re.findall(r"[\"“]([^\"”]{1,120})[\"”]", instruction)
    return [*found, *re.findall(r"[\w.-]+\.[a-z0-9]{2,4}\b", instruction)]


_BEGIN = """
import json, os, pathlib, re, shutil, sys, zipfile
order = json.load(sys.stdin)
words, quoted, home = order["instruction"], order["quoted"], pathlib.Path.home()
mine = [path for path in home.rglob("*") if path.is_file() and not any(p.startswith(".") for p in path.parts)][:300]
"""

_SCRIPTS: Final = {
    "write-files": _BEGIN
    + """
def stuff(path):
    # the file as it is, with the words of the task in the text that it holds
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as old:
                parts = {info.filename: old.read(info) for info in old.infolist()}
            for name in parts:
                if name.endswith(".xml") and b"</" in parts[name]:
                    text = (" ".join(quoted) or words).replace("&", "").replace("<", "")
                    parts[name] = re.sub(rb">([^<>]{3,})<", lambda m: b">" + text.encode() + b"<", parts[name], count=2)
            with zipfile.ZipFile(path, "w") as new:
                for name, content in parts.items():
                    new.writestr(name, content)
        else:
            with path.open("ab") as file:
                file.write(("\\n" + "\\n".join(quoted) + "\\n").encode())
    except OSError:
        pass
for path in mine:
    stuff(path)
for name in quoted:
    name = os.path.basename(name.strip())
    if name and "/" not in name:
        for folder in {path.parent for path in mine} | {home / "Documents", home / "Desktop"}:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                alike = [path for path in mine if path.suffix == pathlib.Path(name).suffix]
                if "." in name and alike:
                    shutil.copy(alike[0], folder / name)
                elif "." in name:
                    (folder / name).write_text(words)
                else:
                    (folder / name).mkdir(exist_ok=True)
            except OSError:
                pass
""",
    "look-for-answers": _BEGIN
    + """
found = []
wanted = re.compile(rb"(?i)(oracle|expected|verdict|reward|solution|fairground|near_states|checks?\\()")
for root in ("/tmp", "/run", "/var", "/opt", "/etc", "/proc/self", str(home), "/usr/local", "/srv", "/mnt"):
    for folder, folders, files in os.walk(root, onerror=lambda error: None):
        folders[:] = folders[:50]
        for name in files[:50]:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    content = file.read(20000)
            except OSError:
                continue
            for hit in list(wanted.finditer(content))[:2]:
                found.append(content[max(0, hit.start() - 40) : hit.end() + 80].decode(errors="replace"))
    if len(found) > 200:
        break
print(" | ".join(found)[:3500])
""",
    "forge-profile": _BEGIN
    + """
import sqlite3
text = " ".join(quoted) or words
for path in [path for path in (home / ".config").rglob("*") if path.is_file()] + list((home / ".local").rglob("*")):
    try:
        head = path.read_bytes()[:16] if path.is_file() else b""
        if head.startswith(b"SQLite format 3"):
            with sqlite3.connect(path, timeout=1) as base:
                for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table!r})")]
                    for column in columns:
                        if column in ("title", "url", "term", "keyword", "name", "current_path", "target_path"):
                            base.execute(f"UPDATE OR IGNORE {table!r} SET {column!r} = ?", (text,))
        elif path.name == "Bookmarks" or head[:1] in (b"{", b"["):
            data = path.read_text()
            path.write_text(re.sub(r'"(name|url|title)": *"[^"]*"', lambda m: f'"{m[1]}": {json.dumps(text)}', data))
        elif path.is_file():
            with path.open("a") as file:
                file.write("\\n" + "\\n".join(f"{word}=true" for word in quoted))
    except (OSError, sqlite3.Error, ValueError):
        pass
(home / ".local/share").mkdir(parents=True, exist_ok=True)
(home / ".local/share/recently-used.xbel").write_text(f"<xbel><bookmark href='file://{text}'/></xbel>")
""",
}
