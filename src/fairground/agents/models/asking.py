"""Asking a model a question, with pictures if there are any: for judges, planners, auditors and user simulators.

Nothing here acts. `ModelAgent` is for models that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from fairground.agents.models.asking_chats import MAKERS, Toolless
from fairground.agents.models.calling import (
    Caller,
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    Pace,
    RetryPolicy,
    Transient,
)
from fairground.agents.models.chat import Reply
from fairground.agents.models.context import Context, ContextPolicy, Image, ImageLimits, Seen, fit
from fairground.agents.models.prices import Price, load_prices, price_of
from fairground.agents.models.prompting import prompt
from fairground.agents.models.usage import Tokens, Usage
from fairground.core import Frame, unknown

_TRIES = 3  # answers in a row that may be empty or cut off before the question is given up
_UNUSABLE = {"cut": "cut off at the limit of its length", "paused": "a call of a tool that it does not have"}


class Asker(Protocol):
    """A model that answers questions.

    Attributes:
        name: How reports call it: `vendor:MODEL`.
        usage: What all its answers have taken so far.
    """

    name: str
    usage: Usage

    def check(self) -> None:
        """Raises `MissingPrerequisite` when the vendor's SDK or a key is missing; makes no request."""

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """The model's answer, retried as a `ModelAgent`'s requests are.

        Args:
            text: The question.
            frames: Pictures, shown before it in their order.
            system: What the model is told about its part.

        Raises:
            ModelRefused: The model declines.
            Unusable: The server cannot be reached, or refuses the key or the name of the model.
            ModelUnavailable: The server does not answer, or answers nothing usable, within the retries.
        """

    def close(self) -> None:
        """Lets go of connections."""


def make_asker(
    name: str,
    *,
    temperature: float | None = None,
    seed: int | None = None,
    retries: RetryPolicy | None = None,
    prices: Path | None = None,
    pace: Pace | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
) -> Asker:
    """A model to ask, by the name that its agent has.

    Args:
        name: `anthropic:MODEL`, `openai:MODEL`, `gemini:MODEL` or `compatible:MODEL@URL`.
        temperature: Of its sampling; some models refuse any, and then `ask` raises `RequestRefused`.
        seed: Of its sampling, for servers that take one (Gemini's and compatible ones); others are not told.
        retries: How often and how long one question is tried.
        prices: A price table to complete the package's.
        pace: Time and chance, for tests.
        base_url: Of another server that speaks the same protocol.
        api_key: By default what the vendor's agent takes.

    Nothing is asked of the server, and no key is looked for, before `check` or `ask`. An asker answers one question at
    a time; for several threads, make several.
    """
    vendor, _, model = name.partition(":")
    if vendor not in MAKERS or not model:
        raise unknown("model", name, [f"{known}:MODEL" for known in MAKERS])
    pace = pace or Pace()
    made = MAKERS[vendor](model, temperature=temperature, seed=seed, pace=pace, base_url=base_url, api_key=api_key)
    return _ChatAsker(
        made.chat,
        name=f"{vendor}:{made.chat.model}",
        limits=made.limits,
        price=price_of(made.chat.model, load_prices(prices)),
        retries=retries or RetryPolicy(),
        pace=pace,
    )


class _ChatAsker:
    """Asks each question in a conversation of its own, so that no answer depends on what was asked before."""

    def __init__(
        self, chat: Toolless, *, name: str, limits: ImageLimits, price: Price | None, retries: RetryPolicy, pace: Pace
    ) -> None:
        self.name = name
        self.usage = Usage(dollars=None if price is None else 0.0)
        self._chat, self._limits, self._price = chat, limits, price
        self._caller = Caller(retries, pace, model=chat.model)

    def check(self) -> None:
        """Raises `MissingPrerequisite` when the vendor's SDK or a key is missing; makes no request."""
        self._chat.check()

    def close(self) -> None:
        """Lets go of connections; the next question makes new ones."""
        self._chat.close()

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """The model's answer; what it raises, `Asker` says."""
        pictures = _Pictures(frames, self._limits)

        def send() -> Reply:
            # From the beginning each time: an attempt that failed may have left something in the conversation.
            self._chat.begin(system or prompt("asked"), (), pictures)
            for number, seen in enumerate(pictures.all, 1):
                self._chat.tell(f"Picture {number} of {len(pictures.all)}:", seen)
            self._chat.tell(text)
            return self._chat.ask()

        why = ""
        for _ in range(_TRIES):
            reply = self._reply(send, pictures)
            if reply.stop == "refused":
                raise ModelRefused(f"{self.name} refused: {reply.text or 'it gave no reason'}")
            if reply.stop == "complete" and reply.text.strip():
                return reply.text
            why = _UNUSABLE.get(reply.stop, "empty")
        raise ModelUnavailable(
            f"{self.name} gave {_TRIES} answers in a row that cannot be used; the last was {why}",
            fix="ask another model, or ask for less at once",
        )

    def _reply(self, send: Callable[[], Reply], pictures: _Pictures) -> Reply:
        """One reply; pictures that are too large, or too much to read, are shrunk once."""
        shrunk = False
        while True:
            try:
                reply = self._caller.call(send, self._count_failure)
                self._count(reply.tokens)
                if reply.stop == "full":
                    raise ContextTooLong(f"the question and its answer are more than {self.name} can hold")
                return reply
            except (ContextTooLong, ImageRefused):
                if shrunk or not pictures.shrink():
                    raise
                shrunk = True

    def _count(self, tokens: Tokens | None) -> None:
        dollars = None if tokens is None or self._price is None else self._price.dollars(tokens)
        self.usage = self.usage.plus(tokens or Tokens(), dollars)

    def _count_failure(self, failure: Transient) -> None:
        self.usage = self.usage.model_copy(update={"failures": self.usage.failures + 1})
        if failure.tokens is not None:
            self._count(failure.tokens)


class _Pictures(Context):
    """The pictures of one question: none is forgotten, and they may be of several sizes."""

    def __init__(self, frames: Sequence[Frame], limits: ImageLimits) -> None:
        largest = max((frame.size for frame in frames), key=lambda size: size[0] * size[1], default=(1, 1))
        super().__init__(largest, limits, ContextPolicy())
        self.all = [Seen(frame) for frame in frames]

    def shrink(self) -> bool:
        """Halves the sides of the pictures; each question begins anew, so nothing that was sent is edited."""
        possible = super().shrink()
        self.edited = False
        return possible

    def image(self, seen: Seen) -> Image | None:
        """A picture as it goes out, at its own size where the limits allow that."""
        if seen.frame is None:
            return None
        size = fit(seen.frame.size, self.limits)
        return Image(f"image/{self.policy.format}", seen.encoded(seen.frame, size, self.policy), size)
