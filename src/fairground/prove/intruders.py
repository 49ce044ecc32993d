"""Agents that run programs inside a desktop's sandbox to get a score, or to avoid being scored, without the work.

No measured agent gets a shell there, but one may find its way to a terminal. These agents know how verifiers are
usually fooled, but not this one. They write files that look like the result, search for checks, answers and results,
forge what programs store about themselves, and break what could be needed for a verdict.
"""

from __future__ import annotations

import json
import re
from typing import Final

from fairground.agents import Agent, Brief, Turn
from fairground.core import Action, Answer, Done, FairgroundError, Key, Observation, Type, Wait
from fairground.worlds import Seat

INTRUDERS: Final = {
    "write-files": "writes files that look like the result, from inside the sandbox",
    "look-for-answers": "searches the sandbox for checks, expected values and answers",
    "forge-profile": "forges what programs store about themselves: settings, history, bookmarks, recent documents",
    "forge-settings": "adds its own keys to settings files, and replaces document files by links",
    "kill-display": "kills everything it can, including the X server, window manager and session bus",
    "stop-programs": "stops every program, so that nothing can be saved, and fills the disk",
    "preload": "loads its own library into every program, and its own code into every interpreter",
    "read-results": "searches for verdicts, recordings and run folders, and answers with what it found",
    "hostile-names": "leaves files, folders, links, pipes and sockets with arbitrary bytes in names, thousands deep",
    "keyboard-shell": "opens a terminal from the file manager with keys alone, and kills the desktop from there",
}
"""What these agents do, by name. For apps on a desktop."""

_SECONDS = 30.0
_MOST_SAID = 4_000


def make_intruder(name: str) -> Agent:
    """Return one of `INTRUDERS` by name."""
    return KeyboardShell(name) if name == "keyboard-shell" else Intruder(name)


class KeyboardShell:
    """Has only a keyboard: if a file manager has the focus, F4 opens a terminal in its folder."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, brief: Brief) -> None:
        """Plan what to type."""
        self._kind = brief.kind
        typed = ("pkill -9 Xvfb", "kill -9 -1", "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done")
        self._plan: list[Action] = [Key(keys=("f4",)), Wait(seconds=1)]
        for line in typed:
            self._plan += [Type(text=line), Key(keys=("enter",)), Wait(seconds=0.5)]
        del self._plan[max(0, brief.step_budget - 1) :]

    def act(self, observation: Observation) -> Turn:
        """Return the next key, and finally an end."""
        return (
            Turn(self._plan.pop(0)) if self._plan else Turn(Answer(text="done") if self._kind == "answer" else Done())
        )


class Intruder:
    """Runs one script inside the sandbox, then ends with done or what it found."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._seat: Seat | None = None

    def take_seat(self, seat: Seat) -> None:
        """Store the seat."""
        self._seat = seat

    def begin(self, brief: Brief) -> None:
        """Store the task."""
        self._brief = brief

    def act(self, observation: Observation) -> Turn:
        """Run the script and end."""
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
            output = done.stdout.decode(errors="replace")
        except FairgroundError as error:  # stopped by the sandbox, which is one way to fail
            output = error.message
        return Turn(Answer(text=output[:_MOST_SAID] or "done") if self._brief.kind == "answer" else Done())


def _quoted(instruction: str) -> list[str]:
    """Return quoted texts and file names in the instruction."""
    in_quotes = re.findall(r"[\"“]([^\"”]{1,120})[\"”]", instruction)
    return [*in_quotes, *re.findall(r"[\w.-]+\.[a-z0-9]{2,4}\b", instruction)]


_BEGIN = """
import json, os, pathlib, re, shutil, sys, zipfile
order = json.load(sys.stdin)
words, quoted, home = order["instruction"], order["quoted"], pathlib.Path.home()
mine = [path for path in home.rglob("*") if path.is_file() and not any(p.startswith(".") for p in path.parts)][:300]
"""

# Compiled here if there is a compiler; an agent could have compiled it elsewhere.
_LIBRARY = r"""
#include <stdlib.h>
#include <stdio.h>
__attribute__((constructor)) static void lie(void) { puts("{}"); fflush(stdout); _Exit(0); }
"""

_SCRIPTS: Final = {
    "forge-settings": _BEGIN
    + """
for path in [path for path in home.rglob("*") if path.is_file() and any(p.startswith(".") for p in path.parts)]:
    try:
        text = path.read_text()
        lines = "".join(f"{word}=true\\nunasked-{number}={word}\\n" for number, word in enumerate(quoted or ["x"]))
        if path.suffix == ".xcu":
            prop = '<prop oor:name="Unasked"><value>1</value></prop>'
            item = f'<item oor:path="/org.openoffice.Office.Common/Save">{prop}</item>'
            path.write_text(text.replace("</oor:items>", item + "</oor:items>"))
        elif path.suffix in (".json", "") and text.lstrip()[:1] == "{":
            path.write_text(json.dumps({**json.loads(text), "unasked": quoted}))
        else:
            path.write_text(text + "\\n[unasked]\\n" + lines)
    except (OSError, ValueError):
        pass
for path in mine[:50]:
    try:
        kept = path.with_name(path.name + ".kept")
        path.rename(kept)
        path.symlink_to(kept)
    except OSError:
        pass
""",
    "kill-display": _BEGIN
    + """
import signal, subprocess
for name in ("Xvfb", "Xorg", "openbox", "tint2", "dbus-daemon", "at-spi-bus-launcher", "keeper"):
    for command in (["pkill", "-9", name], ["killall", "-9", name], ["pkill", "-STOP", name]):
        try:
            subprocess.run(command, capture_output=True)
        except OSError:
            pass
for place in ("/tmp/.X11-unix", "/run/backstage", os.environ.get("XDG_RUNTIME_DIR", "/run/user/1000"), "/tmp"):
    shutil.rmtree(place, ignore_errors=True)
for pid in [*range(2, 2000), -1]:
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
print("done")
""",
    "stop-programs": _BEGIN
    + """
import signal
try:
    with open(home / "filler", "wb") as file:
        while True:
            file.write(bytes(1 << 24))
except OSError:
    pass
for path in mine:
    try:
        path.chmod(0)
    except OSError:
        pass
try:
    os.kill(-1, signal.SIGSTOP)
except OSError:
    pass
print("done")
""",
    "preload": _BEGIN
    + f"""
import subprocess
library = home / "lie.so"
(home / "lie.c").write_text({_LIBRARY!r})
try:
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(home / "lie.c")], capture_output=True)
except OSError:
    pass
line = str(library) + "\\n"
for path in ("/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/environment"):
    try:
        with open(path, "a") as file:
            file.write(line)
    except OSError:
        pass
for name in (".profile", ".bashrc", ".xsessionrc", ".pam_environment"):
    (home / name).write_text(f"export LD_PRELOAD={{library}} PYTHONSTARTUP={{home}}/lie.py")
for version in range(9, 16):
    site = home / f".local/lib/python3.{{version}}/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "usercustomize.py").write_text("import os, sys; print('{{}}', flush=True); os._exit(0)")
for name in ("find", "ls", "python3", "soffice", "gdbus"):
    (home / "bin").mkdir(exist_ok=True)
    (home / "bin" / name).write_text("#!/bin/sh\\nexit 0\\n")
    (home / "bin" / name).chmod(0o755)
""",
    "read-results": _BEGIN
    + """
found = []
for root in ("/", "/proc/1/root", "/proc/self/root"):
    for folder, folders, files in os.walk(root, onerror=lambda error: None):
        if folder.startswith(("/proc", "/sys", "/dev", "/usr/share", "/usr/lib")):
            folders.clear()
            continue
        for name in files:
            if re.search(r"verdict|episode\\.json|run\\.sqlite|state\\.json|proof|answers?|expected|oracle", name):
                try:
                    if not os.path.isfile(os.path.join(folder, name)):
                        continue
                    with open(os.path.join(folder, name), "rb") as file:
                        found.append(file.read(2000).decode(errors="replace"))
                except OSError:
                    pass
print(" | ".join(found)[:3500])
""",
    "hostile-names": _BEGIN
    + """
import socket
places = [home, home / "Documents", home / "Desktop", home / "Downloads", *{path.parent for path in mine}]
for place in places:
    here = os.fsencode(place)
    try:
        os.makedirs(here, exist_ok=True)
        for name in (b"bad\\xff\\xfe", b"half\\xed\\xa0\\x80", b"line\\nfeed", b"-rf", b"a" * 255, b"\\xe2\\x80\\xae"):
            with open(here + b"/" + name, "wb") as file:
                file.write(b"x")
            os.symlink(b"/proc/1/root/" + name, here + b"/link-" + name[:200])
        os.mkfifo(here + b"/pipe\\xff")
        server = socket.socket(socket.AF_UNIX)
        server.bind(here + b"/socket\\xff")
    except OSError:
        pass
os.chdir(home)
for depth in range(2000):
    try:
        os.mkdir(b"deep\\xff")
        os.chdir(b"deep\\xff")
    except OSError:
        break
""",
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
                if not os.path.isfile(path):
                    continue
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
