"""Text form of interventions: `NAME` or `NAME:VALUE`, followed by any number of `,field=value`.

The value without a field name is the main one: the model, or for `retry` the kind of feedback. Model names contain
colons, slashes and `@`, so a value ends only at a comma that is followed by a word and `=`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

from fairground.core import InvalidInput, Record, unknown
from fairground.rollout.interventions.spec import Intervention

_KINDS: dict[str, type[Record]] = {
    kind.model_fields["name"].default: kind for kind in get_args(get_args(Intervention)[0])
}
_MAIN = {"retry": "feedback"}
_FIELDS = {"from": "learn_from"}  # `from` is a Python keyword
_NEXT = re.compile(r",(?=[a-z][a-z_-]*=)")
_MAX_WORDS = 4_000


def parse_intervention(text: str) -> Intervention:
    """Parse the text form of an intervention.

    Examples: `deterministic`, `perturbed`, `fixed-plan:MODEL`, `clarified:MODEL,auditor=MODEL`, `retry`,
    `retry:simulator,model=MODEL,rounds=3`, `learned-plan:MODEL,from=failures,runs=DIR;DIR`, `audited:MODEL,rounds=2`. A
    MODEL is `vendor:NAME`, or `compatible:NAME@URL`.

    Raises:
        InvalidInput: If something is missing or unknown. The message says how to write it.
    """
    if len(text) > _MAX_WORDS:
        raise InvalidInput(f"intervention has {len(text)} characters; expected at most {_MAX_WORDS}")
    name, _, rest = text.strip().partition(":")
    if name not in _KINDS:
        raise unknown("intervention", name, _KINDS)
    kind = _KINDS[name]
    values: dict[str, Any] = {}
    for place, part in enumerate(_NEXT.split(rest) if rest else ()):
        key, equals, value = part.partition("=")
        if place == 0 and not (equals and _field(key) in kind.model_fields):
            key, value = _main(name, kind), part
        _put(values, kind, name, key, value)
    missing = [
        required for required, field in kind.model_fields.items() if field.is_required() and not values.get(required)
    ]
    if missing:
        raise InvalidInput(
            f"{name} needs a {missing[0]}", fix=f"write {name}:VENDOR:MODEL, such as {name}:openai:gpt-5"
        )
    intervention: Any = kind.parse(values, where=name)
    return intervention  # type: ignore[no-any-return]


def condition_of(interventions: Sequence[Intervention]) -> str:
    """Return the default name of a run's condition."""
    return "+".join(intervention.name for intervention in interventions)


def _main(name: str, kind: type[Record]) -> str:
    main = _MAIN.get(name, "model")
    if main not in kind.model_fields:
        raise InvalidInput(f"{name} takes no value", fix=f"write {name} alone")
    return main


def _put(values: dict[str, Any], kind: type[Record], name: str, key: str, value: str) -> None:
    field = _field(key)
    known = [option for option in kind.model_fields if option != "name"]
    if field not in known:
        raise unknown(f"field of {name}", key, known)
    if field in values:
        raise InvalidInput(f"{name}: {key} is given twice")
    if not value:
        raise InvalidInput(f"{name}: {key} is empty", fix=f"write {key}=VALUE, or leave it out")
    wanted = kind.model_fields[field].annotation
    if wanted is int:
        if not re.fullmatch(r"\d{1,9}", value):
            raise InvalidInput(f"{name}: {key} must be a whole number, got {value[:60]!r}")
        values[field] = int(value)
    elif wanted is str or field in ("feedback", "learn_from"):
        values[field] = value
    else:
        values[field] = tuple(part for part in value.split(";") if part)


def _field(key: str) -> str:
    return _FIELDS.get(key, key)
