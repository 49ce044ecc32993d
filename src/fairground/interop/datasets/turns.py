"""The turns of an episode in a dialect: what was seen, what was said, with images of the size that the model sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fairground.agents import Brief
from fairground.agents.models.context import ImageLimits, fit, resized
from fairground.agents.models.prompting import task_prompt
from fairground.agents.native import Inexpressible, rescaled
from fairground.core import Answer, InvalidAction, Step, Wait
from fairground.interop.datasets.dialects import Voice, plain_thought
from fairground.interop.datasets.reading import Attempt
from fairground.rollout.disk import read_inside
from fairground.screen import encode_png
from fairground.screen.encoding import MAX_BYTES

_KEPT = 16  # encoded images
SCREEN = "This is the screen now."


class NotExported(Exception):
    """An action cannot be written in the dialect. The text is the reason, without details of the action."""


@dataclass(frozen=True)
class Turn:
    """One step of an episode.

    Attributes:
        step: The recorded step.
        seen: Digest of the frame before it.
        heard: Text that came with that frame.
        said: What the model writes. None if `why_not` says why it cannot be written.
        why_not: The reason.
    """

    step: Step
    seen: str
    heard: str
    said: str | None
    why_not: str = ""


@dataclass(frozen=True)
class Conversation:
    """An episode as a conversation with a model.

    Attributes:
        attempt: The episode.
        voice: The dialect.
        size: Width and height of the images.
        turns: Its steps.
    """

    attempt: Attempt
    voice: Voice
    size: tuple[int, int]
    turns: tuple[Turn, ...]
    _encoded: dict[str, bytes] = field(default_factory=dict, repr=False)

    @cached_property
    def system(self) -> str:
        """The system prompt."""
        return self.voice.system(_brief(self.attempt, self.size), self.size)

    def image(self, digest: str) -> bytes:
        """Return a frame as PNG: the recorded file if its size fits, else a smaller one."""
        recorded = self.attempt.recorded
        if recorded.frame_sizes[digest] == self.size:
            return read_inside(recorded.path, *recorded.frame_path(digest).parts, limit=MAX_BYTES)
        if digest not in self._encoded:  # rows of neighbouring steps have most of their images in common
            while len(self._encoded) >= _KEPT:
                del self._encoded[next(iter(self._encoded))]
            self._encoded[digest] = encode_png(resized(recorded.frame(digest), self.size))
        return self._encoded[digest]


def converse(attempt: Attempt, voice: Voice, *, max_side: int | None = None, thoughts: bool = True) -> Conversation:
    """Return an episode as a conversation.

    Args:
        attempt: The episode.
        voice: The dialect to write.
        max_side: Shrink images so that their longer side has at most this many pixels.
        thoughts: Whether to include the agent's recorded thoughts.
    """
    limits: ImageLimits = voice.limits
    if max_side is not None:
        limits = replace(limits, side=min(limits.side, max_side))
    size = fit(attempt.size, limits)
    brief = _brief(attempt, size)
    turns = []
    for number, step in enumerate(attempt.recorded.steps):
        before = attempt.recorded.steps[number - 1].messages if number else ()
        heard = task_prompt(brief) if number == 0 else "\n".join([*before, SCREEN])
        said, why_not = None, ""
        try:
            said = _said(attempt, step, voice, size, thoughts)
        except NotExported as reason:
            why_not = str(reason)
        turns.append(Turn(step, attempt.recorded.digests[number], heard, said, why_not))
    return Conversation(attempt, voice, size, tuple(turns))


def _said(attempt: Attempt, step: Step, voice: Voice, size: tuple[int, int], thoughts: bool) -> str:
    action = step.action
    if isinstance(action, Wait) and action.seconds == 0 and attempt.ended.agent.split(":")[0] == "oracle":
        raise NotExported("a step of the oracle used the app's automation, not mouse or keyboard")
    try:
        return voice.write(rescaled(action, attempt.size, size), plain_thought(step.thought) if thoughts else "", size)
    except Inexpressible:
        raise NotExported(f"{voice.name} cannot express {action.kind}") from None
    except InvalidAction:
        raise NotExported("an action is off the screen") from None


def _brief(attempt: Attempt, size: tuple[int, int]) -> Brief:
    episode = attempt.recorded.episode
    asked = episode.answer is not None or _answered(attempt.recorded.steps)
    return Brief(episode.instruction, size, episode.step_budget, "answer" if asked else "action", episode.seed)


def _answered(steps: Sequence[Step]) -> bool:
    return bool(steps) and isinstance(steps[-1].action, Answer)
