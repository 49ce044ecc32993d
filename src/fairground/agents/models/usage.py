"""What a model has cost so far: requests, tokens, dollars."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from fairground.core import Record


@dataclass(frozen=True)
class Tokens:
    """The tokens of one request, each counted once.

    Attributes:
        input: Read by the model at full price.
        output: Written by it, thinking included.
        cached: Read from the server's cache.
        stored: Read, and stored in the cache for the next request.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    stored: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.input + self.output + self.cached + self.stored


class Usage(Record):
    """What an episode has used of a model; an agent that has one shows it as its attribute `usage`."""

    requests: int = Field(0, ge=0, description="answers begun; one that broke off midway counts")
    failures: int = Field(0, ge=0, description="attempts that failed at the server or on the way")
    input_tokens: int = Field(0, ge=0, description="read at full price")
    output_tokens: int = Field(0, ge=0, description="written, thinking included")
    cached_tokens: int = Field(0, ge=0, description="read from the server's cache")
    stored_tokens: int = Field(0, ge=0, description="read, and stored in the server's cache")
    tokens: int = Field(0, ge=0, description="the sum of the four")
    dollars: float | None = Field(0.0, ge=0, description="null when the price of the model is not known")

    def plus(self, tokens: Tokens, dollars: float | None) -> Usage:
        """With one request more; once a price was not known, the sum is not known either."""
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
