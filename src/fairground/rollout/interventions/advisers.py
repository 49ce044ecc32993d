"""The models that interventions ask (advisers): requests, cost, and parsing of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Protocol, TypeVar

from fairground.agents.models import (
    Asker,
    ModelRefused,
    Price,
    Tokens,
    UnreadableAnswer,
    Usage,
    make_asker,
    price_of,
    read_json_answer,
)
from fairground.core import Frame, InfrastructureError, InvalidInput, MissingPrerequisite, Record

ASKS = 3
"""Maximum number of requests to an adviser for one usable answer."""

T = TypeVar("T")
R = TypeVar("R", bound=Record)


class AdviserFault(InfrastructureError):
    """An adviser gave no usable answer. The episode is errored: a missing answer is neither consent nor objection."""


class Ask(Protocol):
    """Asks one model. The cost counts towards the episode."""

    def __call__(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """Return the model's answer. Raises the same errors as `Asker.ask`."""


class Advisers:
    """The adviser models of a run, each created once per worker.

    Args:
        make: Creates an asker for a model name.
        prices: Prices of models, overriding those that the askers know.
    """

    def __init__(self, make: Callable[[str], Asker] = make_asker, prices: Mapping[str, Price] | None = None) -> None:
        self._make, self._prices = make, prices or {}
        self._askers: dict[str, Asker] = {}
        self._before: dict[str, Usage] = {}

    def begin(self) -> None:
        """Start counting usage for a new episode."""
        self._before = {name: asker.usage for name, asker in self._askers.items()}

    def ask(self, model: str) -> Ask:
        """Return a function that asks this model."""
        return self._asker(model).ask

    def check(self, models: Sequence[str]) -> None:
        """Raise `MissingPrerequisite` if an SDK or API key is missing. Makes no request."""
        for model in models:
            self._asker(model).check()

    @property
    def used(self) -> dict[str, Usage]:
        """Usage of each model since the episode began, without models that were not asked."""
        spent = {
            name: self._priced(name, _since(asker.usage, self._before.get(name)))
            for name, asker in self._askers.items()
        }
        return {name: usage for name, usage in spent.items() if usage.requests or usage.failures}

    def close(self) -> None:
        """Close connections."""
        for asker in self._askers.values():
            asker.close()

    def _priced(self, name: str, usage: Usage) -> Usage:
        price = price_of(name.partition(":")[2].partition("@")[0], self._prices)
        if price is None:
            return usage
        tokens = Tokens(usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.stored_tokens)
        return usage.model_copy(update={"dollars": price.dollars(tokens)})

    def _asker(self, model: str) -> Asker:
        if model not in self._askers:
            self._askers[model] = self._make(model)
        return self._askers[model]


def ask_until(
    ask: Ask, read: Callable[[str], T], text: str, frames: Sequence[Frame] = (), *, system: str, times: int = ASKS
) -> T:
    """Ask until `read` accepts the answer. The message of its `InvalidInput` is sent back to the model.

    Raises:
        AdviserFault: After `times` unusable answers, or if the model refuses.
    """
    message = text
    for _ in range(times):
        try:
            answer = ask(message, frames, system=system)
        except ModelRefused as error:
            raise AdviserFault(f"an adviser refused to answer: {error.message}") from None
        try:
            return read(answer)
        except InvalidInput as error:
            why = error.message
            message = f"{text}\n\n{filled('again', answer=answer.strip()[:4000], why=why[:1000])}"
    raise AdviserFault(f"an adviser gave {times} unusable answers; the last: {why}")


def read_answer(kind: type[R], answer: str, *, renamed: Mapping[str, str] | None = None) -> R:
    """Parse a model's JSON answer as a record. Raises `InvalidInput` that says what is wrong with it."""
    try:
        fields = read_json_answer(answer)
    except UnreadableAnswer as error:
        raise InvalidInput(error.message) from None
    return kind.parse({(renamed or {}).get(name, name): value for name, value in fields.items()}, where="answer")


def total(own: Usage | None, advisers: Mapping[str, Usage]) -> tuple[Usage | None, tuple[str, ...]]:
    """Return the total usage of an episode, and notes on models that are not included for lack of a price."""
    parts = [*([] if own is None else [("the agent", own)]), *advisers.items()]
    if not parts:
        return None, ()
    known = [usage.dollars for _, usage in parts if usage.dollars is not None]
    unknown = [name for name, usage in parts if usage.dollars is None]
    counts = {name: sum(getattr(usage, name) for _, usage in parts) for name in Usage.model_fields if name != "dollars"}
    notes = (f"dollars do not include {', '.join(unknown)}: no price is known",) if known and unknown else ()
    return Usage.parse({**counts, "dollars": sum(known) if known else None}), notes


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt file, stripped."""
    file = resources.files("fairground.rollout").joinpath("prompts", f"{name}.md")
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise MissingPrerequisite(f"the prompt {name}.md is not installed", fix="install fairground again") from None


def filled(name: str, **values: str) -> str:
    """Fill the placeholders of a prompt in one pass, so that a value cannot introduce another placeholder."""
    pieces: list[str] = []
    for place, part in enumerate(prompt(name).split("{{")):
        if place == 0:
            pieces.append(part)
            continue
        gap, _, rest = part.partition("}}")
        pieces += [values[gap], rest]
    return "".join(pieces)


def _since(now: Usage, before: Usage | None) -> Usage:
    if before is None:
        return now
    spent: dict[str, Any] = {
        name: getattr(now, name) - getattr(before, name) for name in Usage.model_fields if name != "dollars"
    }
    known = now.dollars is not None and before.dollars is not None
    spent["dollars"] = max(now.dollars - before.dollars, 0.0) if known else None  # type: ignore[operator]
    return Usage.parse(spent)
