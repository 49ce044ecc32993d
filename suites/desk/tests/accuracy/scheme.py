"""One GIMP in a sandbox, asked in Scheme."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from fairground.core import AppError
from fairground.sandbox import Sandbox
from fairground.worlds import Seat
from fairground_desk.gimp.scriptfu import SERVE, evaluate, quoted

PLUG_INS = ("script-fu", "file-png", "file-jpeg")
SECONDS = 60.0


class Gimp:
    """A GIMP without a screen that runs on from image to image."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        # Looking for all plug-ins takes longer than all the rest.
        sandbox.write_file("~/profile/gimprc", f'(plug-in-path "{sandbox.home}/plug-ins")'.encode())
        sandbox.run(["mkdir", "-p", "plug-ins", "made"])
        roots = list(Path("/usr/lib").glob("**/gimp/2.0/plug-ins"))
        found = [root / name for root in roots for name in PLUG_INS if (root / name).exists()]
        sandbox.run(["ln", "-sf", *map(str, found), "plug-ins/"])
        argv = ["gimp-console-2.10", "-i", "-d", "-s", "--batch-interpreter=plug-in-script-fu-eval", "-b", SERVE]
        self._process = sandbox.start(argv, env={"GIMP2_DIRECTORY": f"{sandbox.home}/profile", "LC_ALL": "C.UTF-8"})
        # All that the suite's own line to GIMP needs of a seat is its sandbox.
        self._seat = cast(Seat, SimpleNamespace(sandbox=sandbox))
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                self.ask("1")
                return
            except AppError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AppError(f"{error.message}\n{self._process.output(3000)}") from None
                time.sleep(0.05)  # between two looks at a condition

    def ask(self, code: str) -> Any:
        """What a program in Scheme gives, as Python data."""
        return parsed(evaluate(self._seat, code))


def parsed(said: str) -> Any:
    """Data as Scheme writes it: lists, texts and numbers."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r'"(?:[^"\\]|\\.)*"|#?\(|\)|[^\s()"]+', said, re.DOTALL):
        if word in ("(", "#("):
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif word.startswith('"'):
            stack[-1].append(re.sub(r"\\(x[0-9a-fA-F]{2}|.)", _letter, word[1:-1], flags=re.DOTALL))
        else:
            stack[-1].append(float(word) if re.fullmatch(r"[-+.0-9e]+", word) else word)
    assert len(stack) == 1 and stack[0], f"GIMP said {said[:300]!r}"
    return stack[0][-1]


def _letter(found: re.Match[str]) -> str:
    name = found[1]
    return chr(int(name[1:], 16)) if len(name) == 3 else {"n": "\n", "t": "\t", "r": "\r"}.get(name, name)


def text(value: str) -> str:
    """A text in Scheme, line breaks and all."""
    return quoted(value).replace("\n", "\\n").replace("\t", "\\t")
