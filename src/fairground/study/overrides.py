"""Overrides: what a person decided about pairs and sides, in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from fairground.core import InvalidInput, Record, unknown
from fairground.study.grouping import Side
from fairground.study.similarity import HIGHEST, LOWEST, Pair

_MAX_FILE = 8 << 20


class PairOverride(Record):
    """A person's judgement of two scenarios."""

    first: str = Field(description="suite/app/scenario")
    second: str
    judgement: Literal["same", "different"] = Field(description="whether they belong to the same side")
    reason: str = ""


class Overrides(Record):
    """What a person decided. It takes precedence over the computed similarity."""

    pair: tuple[PairOverride, ...] = ()
    sides: dict[str, Side] = Field({}, description="suite/app/scenario -> train or test")

    def check(self, names: Collection[str]) -> None:
        """Raises `UnknownName` if a scenario does not exist, and `InvalidInput` if two overrides contradict."""
        seen: dict[frozenset[str], str] = {}
        for number, each in enumerate(self.pair):
            for name in (each.first, each.second):
                if name not in names:
                    raise unknown(f"scenario in pair[{number}]", name, names)
            if each.first == each.second:
                raise InvalidInput(f"pair[{number}]: {each.first} is paired with itself")
            key = frozenset((each.first, each.second))
            if seen.setdefault(key, each.judgement) != each.judgement:
                raise InvalidInput(f"pair[{number}]: {each.first} and {each.second} are both same and different")
        for name in self.sides:
            if name not in names:
                raise unknown("scenario in sides", name, names)

    def apply(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs with the judgements as their scores: 8 for same, 1 for different."""
        decided = {
            (min(each.first, each.second), max(each.first, each.second)): HIGHEST
            if each.judgement == "same"
            else LOWEST
            for each in self.pair
        }
        kept = [pair for pair in pairs if (pair.first, pair.second) not in decided]
        return kept + [Pair(*names, score, {}) for names, score in decided.items()]


def read_overrides(path: Path) -> Overrides:
    """Read an override file.

    Raises:
        InvalidInput: The file is missing or malformed. The message names the path to the fault.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise InvalidInput(f"{path} is larger than {_MAX_FILE >> 20} MB")
        return Overrides.parse(tomllib.loads(data.decode("utf-8")), where=str(path))
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}", fix="give a TOML file with overrides") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from None
