"""The oracle of a folder world: the moves in `world.toml`, parsed strictly, with the parameters filled in.

    [[scenario.oracle]]
    tap = "File"
    [[scenario.oracle]]
    press = "ctrl+s"

Each entry is one move, named by its key. Errors contain the file, the entry and the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from fairground.core import (
    AXES,
    Action,
    Configuration,
    FairgroundError,
    InvalidInput,
    Key,
    Parameter,
    Record,
    Type,
    parse_action,
    unknown,
)
from fairground.worlds.oracle import Act, Enter, Fill, Move, Point, Press, Say, Tap
from fairground.worlds.placeholders import fill

MAX_TIMES = 200
"""Maximum value of `times`."""

_Name = Annotated[str, Field(min_length=1)]
_Pixel = tuple[int, int]


class _Tap(Record):
    tap: _Name
    role: str = ""
    within: str = ""
    count: int = Field(1, ge=1, le=3)

    def move(self, where: str) -> Move:
        return Tap(self.tap, self.role, self.within, self.count)


class _Fill(Record):
    fill: _Name
    text: str
    within: str = ""

    def move(self, where: str) -> Move:
        if self.text:
            _typed(self.text, f"{where}.text")
        return Fill(self.fill, self.text, self.within)


class _Press(Record):
    press: _Name

    def move(self, where: str) -> Move:
        try:
            Key.parse({"keys": self.press.split("+")}, where=where)
        except InvalidInput as error:
            raise InvalidInput(
                f"{where}.press = {self.press!r}: {error.message.rpartition(': ')[2]}",
                fix='keys are joined by +, such as "ctrl+shift+s"; the key + itself is "plus"',
            ) from None
        return Press(self.press)


class _Enter(Record):
    enter: _Name

    def move(self, where: str) -> Move:
        _typed(self.enter, f"{where}.enter")
        return Enter(self.enter)


class _Point(Record):
    point: _Pixel
    to: _Pixel | None = None
    button: Literal["left", "middle", "right"] = "left"
    count: int = Field(1, ge=1, le=3)

    def move(self, where: str) -> Move:
        return Point(self.point, self.to, self.button, self.count)


class _Say(Record):
    say: str

    def move(self, where: str) -> Move:
        return Say(self.say)


class _Act(Record):
    action: dict[str, Any]

    def move(self, where: str) -> Move:
        action: Action = parse_action(self.action, where=f"{where}.action")
        if action.ends:
            raise InvalidInput(
                f"{where}.action: {action.kind} ends the episode; an oracle ends after its last move",
                fix='leave it out; an answer is given with say = "..."',
            )
        return Act(action)


_MOVES: dict[str, type[_Tap | _Fill | _Press | _Enter | _Point | _Say | _Act]] = {
    "tap": _Tap,
    "fill": _Fill,
    "press": _Press,
    "enter": _Enter,
    "point": _Point,
    "say": _Say,
    "action": _Act,
}
_ANY = ("times", "when")


def read_moves(
    entries: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Parameter],
    where: str,
    at: Configuration | None = None,
) -> list[Move]:
    """Parse the moves of `world.toml`.

    Args:
        entries: The parsed TOML entries.
        parameters: Values of `{placeholders}` in texts.
        where: Path of the entries, for errors.
        at: The configuration. Entries whose `when` does not match it are skipped. None keeps all.

    Raises:
        InvalidInput: An entry is not a move, or has an invalid key or value.
    """
    moves: list[Move] = []
    for number, entry in enumerate(entries):
        place = f"{where}[{number}]"
        move, times = _read(entry, parameters, place)
        if at is None or all(getattr(at, axis) in _listed(value) for axis, value in entry.get("when", {}).items()):
            moves += [move] * times
    return moves


def check_conditions(entries: Sequence[Mapping[str, Any]], axes: Mapping[str, Sequence[str]], where: str) -> None:
    """Check the `when` conditions of moves.

    Raises:
        InvalidInput: A condition names an axis, or a value of one, that the world does not have.
    """
    for number, entry in enumerate(entries):
        place = f"{where}[{number}].when"
        for axis, value in _table(entry.get("when", {}), place).items():
            if axis not in axes:
                raise _at(place, unknown("axis", str(axis), AXES))
            for name in _listed(value):
                if name not in axes[axis]:
                    raise _at(f"{place}.{axis}", unknown(axis, str(name), axes[axis]))


def _read(entry: Mapping[str, Any], parameters: Mapping[str, Parameter], where: str) -> tuple[Move, int]:
    kinds = [key for key in entry if key in _MOVES]
    if len(kinds) != 1:
        unknown_keys = [key for key in entry if key not in _ANY]
        if kinds or not unknown_keys:
            listed = " and ".join(kinds) or "none"
            raise InvalidInput(
                f"{where}: expected one move, got {listed}", fix=f"one of {', '.join(_MOVES)}, per entry"
            )
        raise _at(where, unknown("move", unknown_keys[0], _MOVES))
    kind = _MOVES[kinds[0]]
    for key in entry:
        if key not in kind.model_fields and key not in _ANY:
            raise _at(where, unknown(f"key of the move {kinds[0]}", key, (*kind.model_fields, *_ANY)))
    filled = {key: _filled(value, parameters, f"{where}.{key}") for key, value in entry.items() if key != "when"}
    times = filled.pop("times", 1)
    if isinstance(times, str) and times.isdecimal():  # from a parameter
        times = int(times)
    if not isinstance(times, int) or isinstance(times, bool) or not 0 <= times <= MAX_TIMES:
        raise InvalidInput(f"{where}.times: expected a whole number from 0 to {MAX_TIMES}, got {times!r}")
    return kind.parse(filled, where=where).move(where), times


def _filled(value: Any, parameters: Mapping[str, Parameter], where: str) -> Any:
    """The value with all placeholders in its texts filled in."""
    if isinstance(value, str):
        return fill(value, parameters, where)
    if isinstance(value, Mapping):
        return {key: _filled(entry, parameters, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(entry, parameters, where) for entry in value]
    return value


def _typed(text: str, where: str) -> None:
    try:
        Type.parse({"text": text}, where=where)
    except InvalidInput as error:
        raise InvalidInput(error.message.replace(f"{where}.text", where)) from None


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f'{where}: expected a table, such as {{ ui_state = "maximized" }}, got {value!r}')
    return value


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _at(where: str, error: FairgroundError) -> InvalidInput:
    return InvalidInput(f"{where}: {error.message}", fix=error.fix)
