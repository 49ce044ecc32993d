"""Data at a border: strict, frozen, and an error that names the path to the fault."""

from __future__ import annotations

import json
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from fairground.core.errors import FairgroundError, InvalidInput


class Record(BaseModel):
    """Base of everything that is written to, or read from, outside."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, data: Any, *, where: str = "") -> Self:
        """Reads plain data (dicts, lists, strings) strictly; `where` prefixes the path to a fault."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidInput(explain(error, where or cls.__name__.lower())) from None

    def plain(self) -> dict[str, Any]:
        """The record as JSON-ready data, without what was left at its default."""
        return self.model_dump(mode="json", exclude_defaults=True)


T = TypeVar("T")


def parse_as(kind: TypeAdapter[T], data: Any, *, where: str) -> T:
    """Like `Record.parse`, for unions and other types that are not a single record."""
    try:
        return kind.validate_python(data)
    except ValidationError as error:
        raise InvalidInput(explain(error, where)) from None


def parse_json(text: str | bytes, *, where: str) -> Any:
    """Parses JSON, and says the line and column of what is wrong with it."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{where}: not valid JSON: {error}") from None


def explain(error: ValidationError, where: str) -> str:
    """One line a fault: `steps[2].action.x: expected a number, got 'abc'`."""
    lines = []
    for fault in error.errors(include_url=False):
        path = where
        for part in fault["loc"]:
            if isinstance(part, int):
                path += f"[{part}]"
            else:
                path += f".{part}" if path else str(part)
        cause = fault.get("ctx", {}).get("error")
        message = fault["msg"].removeprefix("Value error, ")
        found = repr(fault.get("input"))
        if fault["type"] == "missing":
            lines.append(f"{path}: required, and missing")
        elif fault["type"] == "extra_forbidden":
            lines.append(f"{path}: unknown field")
        elif isinstance(cause, FairgroundError):
            lines.append(f"{path}: {cause.message}" + (f" ({cause.fix})" if cause.fix else ""))
        elif len(found) <= 60:
            lines.append(f"{path}: {message[:1].lower()}{message[1:]}, got {found}")
        else:
            lines.append(f"{path}: {message[:1].lower()}{message[1:]}, got {found[:57]}...")
    return "\n".join(lines)
