"""Agents written as programs that read and write lines of JSON, in any language.

The protocol is in docs/command-line-agents.md. In short: the program gets `begin`, then an `observe` for every step,
and answers each with one line that contains an action. An invalid line is answered with `refused`.
"""

from __future__ import annotations

import base64
import json
import shlex
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from fairground.agents.jsonlines import MAX_LINE, OUT_OF_RESOURCES, LineProgram, find_program
from fairground.agents.protocol import Brief, Turn
from fairground.core import (
    InfrastructureError,
    InvalidInput,
    Node,
    Observation,
    Record,
    parse_action,
    parse_json,
    unknown,
)
from fairground.screen import encode_png

PROTOCOL = 1
"""Protocol version. Increased when a program for the old protocol would misread the new one."""

MAX_REFUSED = 5
"""After this many invalid lines in a row, the program is considered to speak another protocol."""

_LONGEST_WHY = 4_000  # maximum characters: a thousand bad points give a thousand errors

Screens = Literal["inline", "file"]


class ProgramAgent:
    """Asks a program for every action. Every episode has a new process.

    The program is the user's own and runs as the user on the host: it is not sandboxed. Its errors are raised as
    `ProgramFault`, and the episode counts as failed.

    Args:
        command: Program and arguments. A missing program raises an error immediately.
        name: Name of the agent in results. Default: the command line.
        screens: `inline` sends every frame as base64. `file` writes it into a folder of this agent and sends its path,
            which is faster for large screens.
        max_line: Maximum bytes of a line.
        grace: Seconds that the program has to exit by itself after an episode.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str | None = None,
        screens: Screens = "inline",
        max_line: int = MAX_LINE,
        grace: float = 2.0,
    ) -> None:
        if screens not in ("inline", "file"):
            raise unknown("way to send screens", screens, ["inline", "file"])
        self.command = find_program(command)
        self.name = name or f"program:{shlex.join(command)}"
        self._screens, self._max_line, self._grace = screens, max_line, grace
        self._program: LineProgram | None = None
        self._folder: _Folder | None = None
        self._unsaid = b""
        self._shows_screen = True

    def begin(self, brief: Brief) -> None:
        """Start the program. The process of the last episode is ended first."""
        self.close()
        if self._screens == "file":
            self._folder = _Folder()
        self._program = LineProgram(self.command, max_line=self._max_line)
        # Sent together with the first observation, where a program that cannot start is detected.
        self._unsaid = _line(
            {
                "kind": "begin",
                "protocol": PROTOCOL,
                "instruction": brief.instruction,
                "task": brief.kind,
                "size": list(brief.size),
                "step_budget": brief.step_budget,
                "seed": brief.seed,
                "observations": list(brief.observations),
            }
        )
        self._shows_screen = "screen" in brief.observations

    def act(self, observation: Observation) -> Turn:
        """Return the program's answer. An invalid answer is reported to it, and it is asked again."""
        if self._program is None:
            raise InvalidInput("the program is not running", fix="call begin first")
        program, self._unsaid, message = self._program, b"", self._unsaid + _line(self._observed(observation))
        for left in reversed(range(MAX_REFUSED)):
            answer = program.ask(message)
            try:
                return read_reply(answer)
            except InvalidInput as error:
                why = str(error)[:_LONGEST_WHY]
                message = _line({"kind": "refused", "message": why, "tries_left": left})
        what = f"gave {MAX_REFUSED} invalid answers in a row; the last was {_start(answer)}: {why}"
        fault = program.fault(what)
        program.stop(grace=0)
        raise fault

    def close(self) -> None:
        """Tell the program that the episode is over, and end it with everything it started. May be called twice.

        Called from another thread while `act` waits for the program, it ends that wait too.
        """
        program, self._program = self._program, None
        if program is not None:
            program.stop(_line({"kind": "end"}), self._grace)
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _observed(self, observation: Observation) -> dict[str, Any]:
        message: dict[str, Any] = {"kind": "observe", "step": observation.step}
        if self._shows_screen:
            message["screen"] = self._screen(observation)
        if observation.cursor is not None:
            message["cursor"] = list(observation.cursor)
        if observation.tree is not None:
            message["tree"] = _plain_tree(observation.tree)
        if observation.windows is not None:
            message["windows"] = [asdict(window) for window in observation.windows]
        return {**message, "messages": list(observation.messages)}

    def _screen(self, observation: Observation) -> dict[str, str]:
        png = encode_png(observation.frame)
        if self._folder is not None:
            return {"file": self._folder.write(f"{observation.step:06}.png", png)}
        return {"png": base64.b64encode(png).decode("ascii")}


def program_agent(text: str) -> ProgramAgent:
    """Create the agent for `program:COMMAND LINE`. Words are split like in a shell, but no shell is run.

    Args:
        text: The command line, with or without the prefix `program:`.
    """
    try:
        words = shlex.split(text.removeprefix("program:"))
    except ValueError as error:
        raise InvalidInput(f"command line {text!r} cannot be split into words: {error}") from None
    return ProgramAgent(words)


class _Reply(Record):
    action: dict[str, Any] = Field(description="a canonical action, as plain data")
    thought: str = ""


def read_reply(line: bytes) -> Turn:
    """Parse a program's answer. Raises `InvalidInput` that says what is wrong."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the answer is not UTF-8: {error}") from None
    reply = _Reply.parse(parse_json(text, where="answer"), where="answer")
    return Turn(parse_action(reply.action), reply.thought)


class _Folder:
    """A folder for frames that only this user can read. It is removed when Python exits at the latest."""

    def __init__(self) -> None:
        self._path = Path(tempfile.mkdtemp(prefix="fairground-agent-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)

    def write(self, name: str, data: bytes) -> str:
        """Write a file and return its path."""
        path = self._path / name
        try:
            path.write_bytes(data)
        except OSError as error:
            if error.errno in OUT_OF_RESOURCES:
                raise InfrastructureError(f"{path} cannot be written: {error.strerror}") from None
            raise
        return str(path)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


def _start(answer: bytes) -> str:
    return repr(answer[:200].decode("utf-8", "backslashreplace"))


def _plain_tree(root: Node) -> dict[str, Any]:
    """Return a tree as plain data without empty fields. Not recursive, because trees may be very deep."""
    plain: dict[str, Any] = {}
    stack = [(root, plain)]
    while stack:
        node, into = stack.pop()
        into["role"] = node.role
        into |= {name: value for name in ("name", "value") if (value := getattr(node, name))}
        if node.bounds is not None:
            into["bounds"] = list(node.bounds)
        if node.states:
            into["states"] = list(node.states)
        if node.children:
            below: list[dict[str, Any]] = [{} for _ in node.children]
            into["children"] = below
            stack += zip(node.children, below, strict=True)
    return plain
