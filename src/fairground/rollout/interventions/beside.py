"""Adapter between the episode loop and an optional companion. The companion's time does not count as the agent's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fairground.agents.models import Usage
from fairground.core import Action, Frame, Verdict
from fairground.rollout.interventions.companion import Album, Companion, Ending, Scene


class Beside:
    """Wraps the companion of one episode. Without a companion, it changes and stores nothing.

    Attributes:
        excuse: Called with the seconds that each companion call took.
    """

    def __init__(self, companion: Companion | None) -> None:
        self._companion = companion
        self._album = Album()
        self.excuse: Callable[[float], None] = lambda seconds: None

    @property
    def user(self) -> Callable[[str], str] | None:
        """Function that answers `call_user`, or None."""
        reply = self._companion.user if self._companion is not None else None
        if reply is None:
            return None

        def answer(question: str) -> str:
            with self._timed():
                return reply(question, self._album.frames)

        return answer

    def see(self, frame: Frame) -> None:
        """Show a frame to the companion."""
        if self._companion is not None:
            self._album.add(frame)

    def brief(self, scene: Scene) -> str:
        """Return the instruction for the agent."""
        if self._companion is None:
            return scene.world.instruction
        with self._timed():
            return self._companion.brief(scene)

    def audit(self, action: Action, step: int) -> str:
        """Return an objection to an end that has not been judged yet; empty if there is none."""
        if self._companion is None:
            return ""
        with self._timed():
            return self._companion.audit(Ending(action, step, self._album.frames)) or ""

    def review(self, action: Action, step: int, verdict: Verdict | None) -> str:
        """Return a message with which a judged episode continues; empty if it does not."""
        if self._companion is None:
            return ""
        with self._timed():
            return self._companion.review(Ending(action, step, self._album.frames, verdict)) or ""

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """Return what to add to the episode's record."""
        if self._companion is not None:
            return self._companion.extra(own)
        return {"usage": own.plain()} if own is not None else {}

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.excuse(time.monotonic() - began)
