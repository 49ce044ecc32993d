"""Builds the instances of a task from the domains of its parameters, with readable names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from fairground.core import Parameter
from fairground_pocket.kit.cast import ascii_of

Domain: TypeAlias = Mapping[str, Sequence[Any] | Mapping[str, Any]]
"""Parameter -> its values. If the values are a mapping, its keys name the instances. A value that is itself a mapping
sets several parameters together."""


_Option: TypeAlias = tuple[str, dict[str, Parameter]]


def instances(domain: Domain, most: int) -> dict[str, dict[str, Parameter]]:
    """All combinations, or `most` of them, spread evenly. The selection is deterministic."""
    choices = [_choices(name, values) for name, values in domain.items()]
    by_name: dict[str, dict[str, Parameter]] = {}
    for combination in itertools.islice(_spread(choices), most):
        telling = [part for (part, _), options in zip(combination, choices, strict=True) if len(options) > 1]
        name = "-".join(telling)[:70].strip("-.") or "default"
        parameters: dict[str, Parameter] = {}
        for _, bound in combination:
            parameters.update(bound)
        if parameters not in by_name.values():
            unique = next(
                n for n in itertools.chain([name], (f"{name}-{k}" for k in itertools.count(2))) if n not in by_name
            )
            by_name[unique] = parameters
    return by_name


def _spread(choices: list[list[_Option]]) -> Iterator[tuple[_Option, ...]]:
    """Every combination once. The first ones cover all values of each parameter, in changing combinations."""
    seen = set()
    longest = max(map(len, choices), default=0)
    for shift, number in itertools.product(range(longest), range(longest)):
        at = tuple((number + shift * place) % len(options) for place, options in enumerate(choices))
        if at not in seen:
            seen.add(at)
            yield tuple(options[index] for options, index in zip(choices, at, strict=True))
    for at in itertools.product(*(range(len(options)) for options in choices)):
        if at not in seen:
            yield tuple(options[index] for options, index in zip(choices, at, strict=True))


def _choices(name: str, values: Sequence[Any] | Mapping[str, Any]) -> list[_Option]:
    named = values.items() if isinstance(values, Mapping) else ((_word(value), value) for value in values)
    return [(key, dict(value) if isinstance(value, Mapping) else {name: value}) for key, value in named]


def _word(value: Any) -> str:
    words = re.findall(r"[a-z0-9]+", ascii_of(str(value)))
    return "-".join(words[:4])[:32].strip("-") or "x"
