"""Agents without a model: baselines (do nothing, random) and scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fairground.agents.driven import HUMAN, nobody_to_drive
from fairground.agents.greedy import greedy_options
from fairground.agents.oracle import oracle_from
from fairground.agents.program import program_agent
from fairground.agents.protocol import Agent, Brief, Turn, turn_of
from fairground.agents.python import is_python_agent, published_agents, python_agent
from fairground.core import Action, Done, InvalidInput, Observation, parse_json, unknown
from fairground.env import action_space, decode_action

_ENDING = ("answer", "done", "fail", "call_user")
_PLAIN = 0.9  # share of random actions without modifier keys: users rarely hold any
_MAX_SCRIPT = 16 << 20
MODELS = {
    "anthropic": "anthropic_agent",
    "openai": "openai_agent",
    "gemini": "gemini_agent",
    "compatible": "compatible_from",
}
"""Prefixes of model agents, and the functions that create them."""


class DoNothing:
    """Declares immediately that it is done."""

    name = "do-nothing"

    def begin(self, brief: Brief) -> None:
        """Do nothing."""

    def act(self, observation: Observation) -> Turn:
        """Return `Done`."""
        return Turn(Done(), "Nothing needs to be done.")


class RandomAgent:
    """Draws random actions from the action space, and declares it is done when its budget ends."""

    name = "random"

    def begin(self, brief: Brief) -> None:
        """Seed the random generator."""
        self._left = brief.step_budget
        self._space = action_space()
        self._space.seed(brief.seed)

    def act(self, observation: Observation) -> Turn:
        """Return a random valid action."""
        self._left -= 1
        if self._left <= 0:
            return Turn(Done(), "That was my budget.")
        while True:
            sample = self._space.sample()
            if self._space.np_random.random() < _PLAIN:
                sample["modifiers"][:] = 0
            action = decode_action(sample)
            if action.kind not in _ENDING:
                return Turn(action)


class Scripted:
    """Plays a list of actions, then declares it is done."""

    def __init__(self, actions: Iterable[Action | Turn | dict[str, Any]], name: str = "scripted") -> None:
        self.name = name
        self._turns = [turn_of(item, where=f"actions[{number}]") for number, item in enumerate(actions)]
        self._next = 0

    @classmethod
    def read(cls, path: Path) -> Scripted:
        """Read actions from a file, one JSON object per line. A `thought` may be added to the action's fields."""
        try:
            if path.stat().st_size > _MAX_SCRIPT:
                raise InvalidInput(f"{path} is larger than {_MAX_SCRIPT >> 20} MB")
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise InvalidInput(f"script {path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise InvalidInput(f"script {path} is not UTF-8: {error}") from None
        rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        turns = [turn_of(parse_json(line, where=f"{path}:{number}"), where=f"{path}:{number}") for number, line in rows]
        return cls(turns, name=f"script:{path.stem}")

    def begin(self, brief: Brief) -> None:
        """Go back to the first action."""
        self._next = 0

    def act(self, observation: Observation) -> Turn:
        """Return the next action of the script."""
        if self._next >= len(self._turns):
            return Turn(Done())
        turn = self._turns[self._next]
        self._next += 1
        return turn


def make_agent(name: str, *, deterministic: bool = False, home: Path | None = None) -> Agent:
    """Create an agent by name.

    Built-in agents: `do-nothing`, `random`, `oracle`, `oracle:slip=CHANCE`, `script:FILE`, `program:COMMAND`. Models:
    `anthropic:MODEL`, `openai:MODEL`, `gemini:MODEL`, `compatible:MODEL@URL`. Python classes: `MODULE:CLASS`,
    `FILE.py:CLASS`, or the name under which a package published one.

    Args:
        name: The agent's name.
        deterministic: Whether a model decodes greedily, as far as its vendor supports it (see `greedy_note`).
        home: Folder to search for files and modules of Python classes. Default: the current folder.
    """
    if name == HUMAN:
        raise nobody_to_drive()
    if name.startswith("script:"):
        return Scripted.read(Path(name.removeprefix("script:")))
    if name.startswith("program:"):
        return program_agent(name)
    if name == "oracle" or name.startswith("oracle:"):
        return oracle_from(name)
    vendor, colon, rest = name.partition(":")
    if colon and vendor in MODELS:
        from fairground.agents import models  # whose SDKs are loaded later still

        make: Callable[..., Agent] = getattr(models, MODELS[vendor])
        return make(rest, **(greedy_options(name) if deterministic else {}))
    known: dict[str, type[DoNothing] | type[RandomAgent]] = {"do-nothing": DoNothing, "random": RandomAgent}
    if name in known:
        return known[name]()
    if is_python_agent(name):
        return python_agent(name, home=home)
    if name.endswith(".py"):
        raise InvalidInput(f"agent {name!r} names a file, but no class", fix=f"add the class: {name}:CLASS")
    forms = ["oracle", "script:FILE", "program:COMMAND", *(f"{vendor}:MODEL" for vendor in MODELS)]
    raise unknown("agent", name, [*known, *forms, *published_agents(), "MODULE:CLASS", "FILE.py:CLASS"])
