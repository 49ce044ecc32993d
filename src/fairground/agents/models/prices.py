"""Token prices: a built-in table that a user's file extends or corrects."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from pydantic import Field

from fairground.agents.models.usage import Tokens
from fairground.core import InvalidInput, Record

PRICES_VARIABLE = "FAIRGROUND_PRICES"
_DATED = re.compile(r"-20\d{2}-?\d{2}-?\d{2}$")  # vendors append a date to the name of a model snapshot
_MAX_FILE = 1 << 20


class Price(Record):
    """Dollars per million tokens of one model."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0, description="read from the cache; default: as input")
    stored: float | None = Field(None, ge=0, description="read and stored in the cache; default: as input")

    def dollars(self, tokens: Tokens) -> float:
        """Return the cost of one request."""
        cached = self.input if self.cached is None else self.cached
        stored = self.input if self.stored is None else self.stored
        return (
            tokens.input * self.input + tokens.output * self.output + tokens.cached * cached + tokens.stored * stored
        ) / 1e6


def load_prices(path: Path | None = None) -> dict[str, Price]:
    """Return the built-in prices, overridden by those of a file.

    Args:
        path: A file in the format of the built-in `prices.toml`. Default: the file in FAIRGROUND_PRICES, if set.
    """
    ours = resources.files("fairground.agents.models").joinpath("prices.toml").read_text(encoding="utf-8")
    prices = _parse(ours, "prices.toml")
    if path is None and (named := os.environ.get(PRICES_VARIABLE)):
        path = Path(named)
    if path is not None:
        prices |= read_prices(path)
    return prices


def read_prices(path: Path) -> dict[str, Price]:
    """Return the prices of one file.

    Raises:
        InvalidInput: If it is not a price table.
    """
    return _parse(_read(path), str(path))


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model by its exact name, or its name without a snapshot date. None if unknown."""
    return prices.get(model) or prices.get(_DATED.sub("", model))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_FILE:
            raise InvalidInput(f"price table {path} is larger than {_MAX_FILE >> 20} MB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"price table {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"price table {path} is not UTF-8: {error}") from None


def _parse(text: str, where: str) -> dict[str, Price]:
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"price table {where} is not valid TOML: {error}") from None
    return {model: Price.parse(table, where=f"{where}: {model}") for model, table in tables.items()}
