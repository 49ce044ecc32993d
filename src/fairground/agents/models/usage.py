"""Model usage: requests, tokens, dollars."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from fairground.core import Record


@dataclass(frozen=True)
class Tokens:
    """The tokens of one request, each counted once.

    Attributes:
        input: Read by the model at full price.
        output: Written by the model, including thinking.
        cached: Read from the server's cache.
        stored: Read, and stored in the cache for the next request.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    stored: int = 0

    @property
    def total(self) -> int:
        """Sum of all four."""
        return self.input + self.output + self.cached + self.stored


class Usage(Record):
    """Model usage of an episode. Agents with a model have it as attribute `usage`."""

    requests: int = Field(0, ge=0, description="answers begun, including incomplete ones")
    failures: int = Field(0, ge=0, description="failed attempts")
    input_tokens: int = Field(0, ge=0, description="read at full price")
    output_tokens: int = Field(0, ge=0, description="written, including thinking")
    cached_tokens: int = Field(0, ge=0, description="read from the server's cache")
    stored_tokens: int = Field(0, ge=0, description="read and stored in the server's cache")
    tokens: int = Field(0, ge=0, description="sum of the four")
    dollars: float | None = Field(0.0, ge=0, description="null if the price of the model is unknown")

    def plus(self, tokens: Tokens, dollars: float | None) -> Usage:
        """Return the usage with one more request. Once a price is unknown, the sum is unknown too."""
        return self.model_copy(
            update={
                "requests": self.requests + 1,
                "input_tokens": self.input_tokens + tokens.input,
                "output_tokens": self.output_tokens + tokens.output,
                "cached_tokens": self.cached_tokens + tokens.cached,
                "stored_tokens": self.stored_tokens + tokens.stored,
                "tokens": self.tokens + tokens.total,
                "dollars": None if dollars is None or self.dollars is None else self.dollars + dollars,
            }
        )
