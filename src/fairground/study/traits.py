"""Traits of scenarios: what two scenarios are compared by. They are computed without a seat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fairground.core import Configuration, FairgroundError, State
from fairground.prove.pack import pack_path, read_pack
from fairground.worlds import Act, Command, Enter, Fill, Move, Point, Press, Say, Scenario, Stuck, Suite, Tap, World

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[^\W\d_]+(?:[-.'][^\W\d_]+)*")
_DEPTH = 4  # of the paths of changed data
_MOST_LEAVES = 40
_HIDDEN = " _ "
_SENTENCE = 5  # words
_QUOTES = ('"', "“", "'")


@dataclass(frozen=True)
class Traits:
    """What scenarios are compared by. Values that an instance fills in are left out.

    Attributes:
        name: `suite/app/scenario`.
        kind: `action` or `answer`.
        instruction: The instruction as written by the author, for people to read.
        text: Words of the instruction.
        checks: Words of the checks' names, except for guards, and the leaves that the oracle changed.
        moves: The oracle's moves, one token per input. Empty if there is no oracle, or no state to compute them from.
    """

    name: str
    kind: Literal["action", "answer"]
    instruction: str
    text: tuple[str, ...]
    checks: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()

    @property
    def app(self) -> str:
        """`suite/app`."""
        return self.name.rpartition("/")[0]


def read_traits(suite: Suite) -> list[Traits]:
    """Return the traits of all scenarios of a suite, in its order.

    States come from the recordings that a suite ships with its proofs, else from a rehearsal. A scenario with neither
    has only its text.
    """
    recorded = {app.name: _recordings(suite, app.name) for app in suite.apps}
    return [_traits(suite, scenario, recorded[scenario.app].get(scenario.name)) for scenario in suite.scenarios]


def scenario_name(suite: Suite, scenario: Scenario) -> str:
    """Return `suite/app/scenario`."""
    return f"{suite.name}/{scenario.app}/{scenario.name}"


@dataclass(frozen=True)
class _Solved:
    """A world before and after its oracle's moves."""

    world: World
    before: State
    after: State
    answer: str | None


def _recordings(suite: Suite, app: str) -> dict[str, _Solved]:
    """Return one recording per scenario of an app, by the scenario's name; empty if the suite ships none."""
    if suite.proofs is None or not pack_path(suite.proofs, app).is_file():
        return {}
    solved = {}
    for recording in read_pack(pack_path(suite.proofs, app)):
        configuration = Configuration.from_id(recording.configuration)
        if any(each.app == app and each.name == configuration.scenario for each in suite.scenarios):
            world = World.of(suite, configuration)
            solved[configuration.scenario] = _Solved(world, recording.before, recording.after, recording.answer)
    return solved


def _traits(suite: Suite, scenario: Scenario, recorded: _Solved | None) -> Traits:
    world = recorded.world if recorded is not None else _first_world(suite, scenario)
    solved = recorded or _rehearsed(world)
    instruction = scenario.template or world.instruction
    values = _values(scenario.template, world)
    text = _words(_masked(world.instruction, values))
    checks, moves = ((), ()) if solved is None else (_checks(solved, values), _moves(solved, values))
    return Traits(scenario_name(suite, scenario), scenario.kind, instruction, text, checks, moves)


def _first_world(suite: Suite, scenario: Scenario) -> World:
    app = suite.app(scenario.app)
    pairs = suite.pairs(scenario) or [(next(iter(scenario.instances)), next(iter(app.profiles)))]
    instance, profile = pairs[0]
    return World.of(
        suite,
        Configuration(
            suite=suite.name,
            app=app.name,
            scenario=scenario.name,
            instance=instance,
            profile=profile,
            theme=next(iter(app.themes)),
            ui_state=next(iter(app.ui_states)),
        ),
    )


def _rehearsed(world: World) -> _Solved | None:
    rehearsal = world.app.rehearse(world)
    if rehearsal is None:
        return None
    try:
        before = rehearsal.before
        answer = rehearsal.play(world.scenario.oracle(world, before))
        return _Solved(world, before, rehearsal.state(), answer)
    except Stuck:
        return None  # `prove` reports it; the text can still be compared
    finally:
        rehearsal.close()


def _values(template: str, world: World) -> tuple[str, ...]:
    """Return the texts that the instance and the profile filled into the instruction, the longest first.

    A long text that is not quoted, such as the question of `{question} Answer with the number.`, is a part of the task
    and not a value.
    """
    pieces = _PLACEHOLDER.split(template)
    match = re.fullmatch("(.*?)".join(map(re.escape, pieces)), world.instruction, re.DOTALL)
    filled = [str(value) for value in world.parameters.values() if not template]
    for before, value in zip(pieces, match.groups() if match else (), strict=False):
        if len(_words(value)) < _SENTENCE or before.endswith(_QUOTES):
            filled.append(value)
    return tuple(sorted({value for value in filled if len(value) > 1}, key=lambda value: (-len(value), value)))


def _masked(text: str, values: Sequence[str]) -> str:
    for value in values:
        text = text.replace(value, _HIDDEN)
    return text


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def _checks(solved: _Solved, values: Sequence[str]) -> tuple[str, ...]:
    try:
        checks = solved.world.scenario.checks(solved.world, solved.before, solved.after, solved.answer)
    except FairgroundError:
        return ()  # the recording is older than the scenario; `prove` reports it
    asked = () if solved.world.scenario.kind == "answer" else checks  # that an answer is right says nothing about it
    names = dict.fromkeys(_masked(check.name, values) for check in asked if not check.integrity)
    words = [word for name in names for word in _words(name)]
    leaves = dict.fromkeys(_changed_files(solved))
    leaves |= dict.fromkeys(_changed(solved.before.data, solved.after.data, ""))
    return (*words, *(f"leaf:{_masked(leaf, values)}" for leaf in list(leaves)[:_MOST_LEAVES]))


def _changed_files(solved: _Solved) -> Iterator[str]:
    """Yield the kind of each changed file: its suffix, and whether it is new."""
    before, after = solved.before.files, solved.after.files
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
            yield f"{'changed' if path in before and path in after else 'new' if path in after else 'gone'}.{suffix}"


def _changed(before: Any, after: Any, path: str, depth: int = _DEPTH) -> Iterator[str]:
    """Yield the paths of changed data. Positions in lists are left out, because they depend on the profile."""
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping) and depth:
        for name in sorted({*before, *after}, key=str):
            part = str(name) if _WORD.fullmatch(str(name).replace("_", "x")) else ""
            yield from _changed(before.get(name), after.get(name), f"{path}.{part}" if part else path, depth - 1)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            yield from _changed(old, new, path, depth)
    elif isinstance(before, list) and isinstance(after, list):
        yield f"{path}.{'added' if len(after) > len(before) else 'removed'}"
    else:
        yield path


def _moves(solved: _Solved, values: Sequence[str]) -> tuple[str, ...]:
    moves = solved.world.scenario.oracle(solved.world, solved.before)
    return tuple(token for move in moves for token in _tokens(move, values))


def _tokens(move: Move, values: Sequence[str]) -> list[str]:
    def plain(text: str) -> str:
        return " ".join(_words(_masked(text, values)))

    match move:
        case Tap():
            return [f"tap {plain(move.name)}"]
        case Fill():
            return [f"fill {plain(move.field)}"]
        case Press():
            return [f"press {move.keys.lower()}"]
        case Enter():
            return [f"enter {plain(move.text)[:40]}"]
        case Point():
            return ["drag" if move.to else "click"]
        case Command():
            given = _masked(json.dumps(dict(move.arguments), default=str, ensure_ascii=False), values)
            return [move.name, *dict.fromkeys(_words(given))]
        case Say():
            return []  # every question ends with it
        case Act():
            return [move.action.kind]
