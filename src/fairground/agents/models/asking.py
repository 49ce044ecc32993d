"""Asking a model a question, with pictures if there are any: for judges, planners, auditors and user simulators.

Nothing here acts. `ModelAgent` is for models that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fairground.agents.models.usage import Usage
from fairground.core import Frame


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
            ModelUnavailable: The server does not answer, or answers nothing usable, within the retries.
        """

    def close(self) -> None:
        """Lets go of connections."""
