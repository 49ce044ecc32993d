"""Not a test module: Python agents that end an episode in every way but by an action."""

import ctypes
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairground.agents import Brief, Turn
from fairground.agents.models import ModelUnavailable, Usage
from fairground.core import Done, InvalidConfiguration, Look, MissingPrerequisite, Observation, ScreenError
from fairground.rollout.patience import OutOfTime


class Unreadable(Exception):
    def __str__(self) -> str:
        raise KeyError("nobody may read this")


def _raise(error: BaseException) -> Any:
    raise error


def _recurse() -> Any:
    return _recurse()


def _end_with(number: int) -> Any:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class HiddenNotes(Exception):
    @property
    def __notes__(self) -> Any:  # type: ignore[override]
        raise KeyError("nobody may read this")


class HiddenTrace(Exception):
    @property
    def __traceback__(self) -> Any:  # type: ignore[override]
        raise KeyError("nobody may read this")


class HiddenClass(Exception):
    @property
    def __class__(self) -> Any:
        raise KeyError("nobody may read this")


class _NoName(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise KeyError("nobody may read this")


class HiddenName(Exception, metaclass=_NoName):
    pass


class EndsReader(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class Interrupting:
    kind = "look"

    def model_dump(self) -> Any:
        raise KeyboardInterrupt


class NoLength(str):
    def __str__(self) -> str:
        return self

    def __len__(self) -> int:
        raise KeyError("nobody may read this")


ACTS: dict[str, Callable[[], Any]] = {
    "raises": lambda: _raise(ValueError("I am not sure")),
    "exits": lambda: sys.exit(0),
    "interrupts": lambda: _raise(KeyboardInterrupt()),
    "recurses": _recurse,
    "runs out of memory": lambda: _raise(MemoryError()),
    "says nothing": lambda: None,
    "says a number": lambda: 7,
    "turns nothing": lambda: Turn(None),  # type: ignore[arg-type]
    "thinks a number": lambda: Turn(Look(), 7),  # type: ignore[arg-type]
    "acts out of form": lambda: Turn(Look.model_construct(region="everything")),  # type: ignore[arg-type]
    "blames its model": lambda: _raise(ModelUnavailable("the server does not answer")),
    "blames the machine": lambda: _raise(MissingPrerequisite("no such program")),
    "blames the scenario": lambda: _raise(InvalidConfiguration("it cannot be solved")),
    "blames the screen": lambda: _raise(ScreenError("the screen broke")),
    "blames the clock": lambda: _raise(OutOfTime()),
    "hides why": lambda: _raise(Unreadable()),
    "hides its notes": lambda: _raise(HiddenNotes()),
    "hides its traceback": lambda: _raise(HiddenTrace()),
    "hides its class": lambda: _raise(HiddenClass()),
    "hides its name": lambda: _raise(HiddenName()),
    "exits when its message is read": lambda: _raise(EndsReader()),
    "interrupts when its action is read": lambda: Turn(Interrupting()),  # type: ignore[arg-type]
    "tells too much": lambda: _raise(ValueError("\udc80" * (4 << 20))),
}
"""What `act` does at the second step."""

ENDS_WORKER: dict[str, Callable[[], Any]] = {
    "ends its process": lambda: os._exit(0),
    "aborts": os.abort,
    "crashes": lambda: ctypes.string_at(0),
    "kills itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "ends itself as a service manager would": lambda: _end_with(signal.SIGTERM),
    "kills its process group": lambda: os.killpg(0, signal.SIGKILL),
    "kills the parent of its process": lambda: (os.kill(os.getppid(), signal.SIGKILL), os._exit(0)),
    "ends its process from a thread": lambda: (threading.Thread(target=os._exit, args=(1,)).start(), Look())[1],
}
"""The same, and it takes the worker process along."""


class Quitter:
    """Looks once, then does as it is told; by a file, for the seed of its episode."""

    def __init__(self, how: str = "", roles: str = "") -> None:
        self._how, self._roles = how, roles

    def begin(self, brief: Brief) -> None:
        if self._roles:
            self._how = json.loads(Path(self._roles).read_text())[str(brief.seed)]
        if self._how == "raises at once":
            raise ValueError("I am not sure")

    def act(self, observation: Observation) -> Any:
        if observation.step == 0:
            return Look()
        quits = (ACTS | ENDS_WORKER).get(self._how)
        return Done() if quits is None else quits()

    @property
    def usage(self) -> Usage | None:
        if self._how == "cannot say what it used":
            raise ValueError("I am not sure")
        if self._how == "used too much":
            return Usage(tokens=10**30)
        return None

    def close(self) -> None:
        if self._how == "raises as it closes":
            sys.exit(1)


LATER = ("raises at once", "cannot say what it used", "used too much", "raises as it closes")
"""What it does in other methods than `act`."""
