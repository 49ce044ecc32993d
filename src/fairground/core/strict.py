"""Strict, frozen data for files and APIs, with errors that contain the path to the fault."""

from __future__ import annotations

import json
from typing import Any, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema

from fairground.core.errors import FairgroundError, InvalidInput


def _relax(schema: Any, handler: GetCoreSchemaHandler) -> None:
    """Accept lists as tuples and names as enum members, anywhere in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "definition-ref":
            target = handler.resolve_ref_schema(cast(CoreSchema, schema))
            if target["type"] == "enum":  # records relax themselves; an enum that occurs more than once is a definition
                cast(dict[str, Any], target)["strict"] = False
        elif schema.get("type") in ("tuple", "enum"):
            schema["strict"] = False
        for part in schema.values():
            _relax(part, handler)
    elif isinstance(schema, list):
        for part in schema:
            _relax(part, handler)


class Record(BaseModel):
    """Base class of data that Fairground reads or writes.

    Strict as JSON is: text is never converted to a number, nor a number to a boolean. A list is accepted as a tuple and
    a name as an enum member, because JSON cannot express these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _relax(schema, handler)
        return schema

    @classmethod
    def parse(cls, data: Any, *, where: str = "") -> Self:
        """Parse plain data (dicts, lists, strings) strictly. `where` prefixes the path in error messages."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidInput(explain(error, where or cls.__name__.lower(), data)) from None

    def plain(self) -> dict[str, Any]:
        """Return JSON-serializable data that `parse` accepts."""
        return self.model_dump(mode="json")


T = TypeVar("T")


def parse_as(kind: TypeAdapter[T], data: Any, *, where: str) -> T:
    """Like `Record.parse`, for unions and other types that are not a single record."""
    try:
        return kind.validate_python(data)
    except ValidationError as error:
        raise InvalidInput(explain(error, where, data)) from None


def parse_json(text: str | bytes, *, where: str) -> Any:
    """Parse JSON. NaN, infinity and duplicate keys are errors.

    Raises:
        InvalidInput: The text is not valid JSON. The message contains line and column.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twice)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: not valid JSON: {error}") from None


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} appears twice")
    return unique


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def explain(error: ValidationError, where: str, data: Any = None) -> str:
    """Return one line per fault: `steps[2].action.x: expected a number, got 'abc'`.

    Args:
        error: The validation error.
        where: Prefix of each path.
        data: The input. With it, paths omit the names of union members, which do not occur in the input.
    """
    faults = error.errors(include_url=False)
    places = [fault["loc"] for fault in faults]
    lines = []
    for fault in faults:
        inner = any(place[: len(fault["loc"])] == fault["loc"] and place != fault["loc"] for place in places)
        if fault["type"] == "too_short" and inner:
            continue  # it is only too short because faulty items were left out
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
    received = repr(fault.get("input"))
    match fault["type"]:
        case "missing":
            return ": required, but missing"
        case "union_tag_not_found":
            return ".kind: required, but missing"
        case "extra_forbidden":
            return ": unknown field"
    if isinstance(cause, FairgroundError):
        return f": {cause.message}" + (f" ({cause.fix})" if cause.fix else "")
    return f": {message[:1].lower()}{message[1:]}, got {received if len(received) <= 60 else received[:57] + '...'}"
