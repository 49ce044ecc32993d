"""Ask a model a question, optionally with images: for judges, planners, auditors and user simulators.

These models do not act. `ModelAgent` is for models that act.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from fairground.agents.models.asking_chats import MAKERS, Toolless
from fairground.agents.models.calling import (
    AnswerUnusable,
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

_TRIES = 3  # maximum number of consecutive empty or truncated answers
_UNUSABLE = {"cut": "cut off at its length limit", "paused": "a call of a tool that does not exist"}


class Asker(Protocol):
    """A model that answers questions.

    Attributes:
        name: Name in reports: `vendor:MODEL`.
        usage: Total usage of all answers so far.
    """

    name: str
    usage: Usage

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the vendor's SDK or an API key is missing. Makes no request."""

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """Return the model's answer. Requests are retried as for a `ModelAgent`.

        Args:
            text: The question.
            frames: Images, shown in order before the question.
            system: The system prompt.

        Raises:
            ModelRefused: If the model refuses.
            Unusable: If the server is unreachable, or rejects the key or the model's name.
            ModelUnavailable: If the server gives no usable answer within the retries.
        """

    def close(self) -> None:
        """Close connections."""


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
    """Create an asker for a model, by the same name as its agent.

    Makes no request and looks for no key before `check` or `ask`. An asker answers one question at a time. Create one
    per thread.

    Args:
        name: `anthropic:MODEL`, `openai:MODEL`, `gemini:MODEL` or `compatible:MODEL@URL`.
        temperature: Sampling temperature. Some models reject any value; then `ask` raises `RequestRefused`.
        seed: Sampling seed, for servers that support it (Gemini and compatible ones). Ignored by others.
        retries: Retry policy per question.
        prices: Price table that extends the built-in one.
        pace: Clock and randomness, for tests.
        base_url: Address of another server with the same protocol.
        api_key: API key. Default: as for the vendor's agent.
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
    """Asks each question in a new conversation, so that answers do not depend on earlier questions."""

    def __init__(
        self, chat: Toolless, *, name: str, limits: ImageLimits, price: Price | None, retries: RetryPolicy, pace: Pace
    ) -> None:
        self.name = name
        self.usage = Usage(dollars=None if price is None else 0.0)
        self._chat, self._limits, self._price = chat, limits, price
        self._caller = Caller(retries, pace, model=chat.model)

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the vendor's SDK or an API key is missing. Makes no request."""
        self._chat.check()

    def close(self) -> None:
        """Close connections. The next question opens new ones."""
        self._chat.close()

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """Return the model's answer. Raises the errors listed in `Asker.ask`."""
        pictures = _Pictures(frames, self._limits)

        def send() -> Reply:
            # Starts over each time: a failed attempt may have left something in the conversation.
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
            f"{self.name} gave {_TRIES} unusable answers in a row; the last was {why}",
            fix="use another model, or ask for less at once",
        )

    def _reply(self, send: Callable[[], Reply], pictures: _Pictures) -> Reply:
        """Return one reply. Images are reduced once if they are too large or too many."""
        shrunk = False
        while True:
            try:
                reply = self._caller.call(send, self._count_failure)
                self._count(reply.tokens)
                if reply.stop == "full":
                    raise ContextTooLong(f"the question and its answer exceed the context window of {self.name}")
                return reply
            except AnswerUnusable as error:
                raise ModelUnavailable(error.message, fix="use another model, or ask for less at once") from None
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
    """The images of one question. None is forgotten, and they may differ in size."""

    def __init__(self, frames: Sequence[Frame], limits: ImageLimits) -> None:
        largest = max((frame.size for frame in frames), key=lambda size: size[0] * size[1], default=(1, 1))
        super().__init__(largest, limits, ContextPolicy())
        self.all = [Seen(frame) for frame in frames]

    def shrink(self) -> bool:
        """Halve the sides of the images. Each question starts a new conversation, so nothing sent before is edited."""
        possible = super().shrink()
        self.edited = False
        return possible

    def image(self, seen: Seen) -> Image | None:
        """Return an image to send, at its own size if the limits allow that."""
        if seen.frame is None:
            return None
        size = fit(seen.frame.size, self.limits)
        return Image(f"image/{self.policy.format}", seen.encoded(seen.frame, size, self.policy), size)
