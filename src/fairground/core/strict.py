"""Data at a border: strict, frozen, and an error that names the path to the fault."""

from __future__ import annotations

import json
from typing import Any, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema

from fairground.core.errors import FairgroundError, InvalidInput


def _relax(schema: Any, handler: GetCoreSchemaHandler) -> None:
    """Lets lists pass for tuples and names for members, wherever they are in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "definition-ref":
            target = handler.resolve_ref_schema(cast(CoreSchema, schema))
            if target["type"] == "enum":  # records relax themselves; an enumeration that is used often is a definition
                cast(dict[str, Any], target)["strict"] = False
        elif schema.get("type") in ("tuple", "enum"):
            schema["strict"] = False
        for part in schema.values():
            _relax(part, handler)
    elif isinstance(schema, list):
        for part in schema:
            _relax(part, handler)


class Record(BaseModel):
    """Base of everything that is written to, or read from, outside.

    Strict as JSON is: text is never taken for a number, nor a number for a truth; but a list will do for a tuple
    and a name for a member of an enumeration, because JSON has no other way to say these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _relax(schema, handler)
        return schema

    @classmethod
    def parse(cls, data: Any, *, where: str = "") -> Self:
        """Reads plain data (dicts, lists, strings) strictly; `where` prefixes the path to a fault."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidInput(explain(error, where or cls.__name__.lower(), data)) from None

    def plain(self) -> dict[str, Any]:
        """The record as JSON-ready data, which `parse` reads back."""
        return self.model_dump(mode="json")


T = TypeVar("T")


def parse_as(kind: TypeAdapter[T], data: Any, *, where: str) -> T:
    """Like `Record.parse`, for unions and other types that are not a single record."""
    try:
        return kind.validate_python(data)
    except ValidationError as error:
        raise InvalidInput(explain(error, where, data)) from None


def parse_json(text: str | bytes, *, where: str) -> Any:
    """Parses JSON, and says the line and column of what is wrong with it; NaN and infinity are not JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twice)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: not valid JSON: {error}") from None


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def explain(error: ValidationError, where: str, data: Any = None) -> str:
    """One line a fault: `steps[2].action.x: expected a number, got 'abc'`.

    Args:
        error: What Pydantic found.
        where: How the path begins.
        data: What was read; lets the path go without the names of a union's members, which nobody wrote.
    """
    faults = error.errors(include_url=False)
    places = [fault["loc"] for fault in faults]
    lines = []
    for fault in faults:
        inner = any(place[: len(fault["loc"])] == fault["loc"] and place != fault["loc"] for place in places)
        if fault["type"] == "too_short" and inner:
            continue  # short only because what is wrong with an item was left out
        lines.append(f"{_path(fault['loc'], where, data)}{_complaint(fault)}")
    return "\n".join(lines)


def _path(place: tuple[int | str, ...], where: str, data: Any) -> str:
    path, here = where, data
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
        elif isinstance(here, dict) and part not in here and here.get("kind") == part:
            continue
        else:
            path += f".{part}" if path else part
            here = here.get(part) if isinstance(here, dict) else None
    return path


def _complaint(fault: Any) -> str:
    cause = fault.get("ctx", {}).get("error")
    message = fault["msg"].removeprefix("Value error, ")
    found = repr(fault.get("input"))
    match fault["type"]:
        case "missing":
            return ": required, and missing"
        case "union_tag_not_found":
            return ".kind: required, and missing"
        case "extra_forbidden":
            return ": unknown field"
    if isinstance(cause, FairgroundError):
        return f": {cause.message}" + (f" ({cause.fix})" if cause.fix else "")
    return f": {message[:1].lower()}{message[1:]}, got {found if len(found) <= 60 else found[:57] + '...'}"
