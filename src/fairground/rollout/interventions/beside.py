"""A companion as the episode loop deals with it: shown every frame, its time not the agent's, and perhaps not there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fairground.agents.models import Usage
from fairground.core import Action, Frame, Verdict
from fairground.rollout.interventions.companion import Album, Companion, Ending, Scene


class Beside:
    """Wraps a companion for one episode; without one, nothing is changed and nothing is kept.

    Attributes:
        excuse: Told how many seconds the companion took, after each time that it was asked.
    """

    def __init__(self, companion: Companion | None) -> None:
        self._companion = companion
        self._album = Album()
        self.excuse: Callable[[float], None] = lambda seconds: None

    @property
    def user(self) -> Callable[[str], str] | None:
        """Who answers `call_user`, if anybody does."""
        reply = self._companion.user if self._companion is not None else None
        if reply is None:
            return None

        def answer(question: str) -> str:
            with self._timed():
                return reply(question, self._album.frames)

        return answer

    def see(self, frame: Frame) -> None:
        """Shows a frame."""
        if self._companion is not None:
            self._album.add(frame)

    def brief(self, scene: Scene) -> str:
        """The instruction for the agent."""
        if self._companion is None:
            return scene.world.instruction
        with self._timed():
            return self._companion.brief(scene)

    def audit(self, action: Action, step: int) -> str:
        """An objection to an end that has not been judged; empty when there is none."""
        if self._companion is None:
            return ""
        with self._timed():
            return self._companion.audit(Ending(action, step, self._album.frames)) or ""

    def review(self, action: Action, step: int, verdict: Verdict | None) -> str:
        """A message with which a judged episode goes on; empty when it does not."""
        if self._companion is None:
            return ""
        with self._timed():
            return self._companion.review(Ending(action, step, self._album.frames, verdict)) or ""

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """What the episode's record gains."""
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
