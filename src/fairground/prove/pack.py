"""Packs: recordings that a suite ships, so that everyone can judge every scenario without its programs.

A pack is one xz-compressed file per app, `APP.recordings.xz`, beside the proof tables. It has one recording per
scenario: the states before and after the oracle's moves, the digest of these moves, and the answer. The file begins
with a line of JSON that lists them; the contents of their files follow, each once.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairground.core import Configuration, InvalidInput, State, parse_json
from fairground.core.anytext import pack as pack_text
from fairground.core.anytext import unpack
from fairground.prove.discrimination import try_mutants
from fairground.prove.findings import MutantProof, PairProof
from fairground.prove.jobs import varied_look
from fairground.prove.keys import Keys
from fairground.prove.pairs import moves_of, prove_pair
from fairground.prove.recordings import Recordings, moves_digest
from fairground.prove.sampling import diagonal
from fairground.worlds import Move, Rehearsal, Say, Scenario, Stuck, Suite, World

FORMAT = 1
MUTANTS = 4
"""Number of edits of each recording that are judged."""

_CHOICE = 4  # pairs per scenario that a recording is chosen from
_MAX_UNPACKED = 1 << 30


@dataclass(frozen=True)
class Recording:
    """What an oracle did in a world.

    Attributes:
        configuration: The world.
        before: The initial state.
        after: The state after the oracle's moves.
        moves: Digest of these moves.
        answer: The answer that the oracle gave.
    """

    configuration: str
    before: State
    after: State
    moves: str
    answer: str | None = None


def pack_path(folder: Path, app: str) -> Path:
    """Return the path of an app's pack."""
    return folder / f"{app}.recordings.xz"


def write_pack(folder: Path, app: str, recordings: Sequence[Recording]) -> Path:
    """Write a pack atomically. Equal recordings give equal bytes."""
    contents: dict[bytes, int] = {}

    def manifest(state: State) -> dict[str, Any]:
        files = {pack_text(name): contents.setdefault(data, len(contents)) for name, data in state.files.items()}
        return {"files": files, "data": pack_text(dict(state.data)), "missing": pack_text(dict(state.missing))}

    rows = [
        {
            "configuration": recording.configuration,
            "before": manifest(recording.before),
            "after": manifest(recording.after),
            "moves": recording.moves,
            "answer": recording.answer,
        }
        for recording in sorted(recordings, key=lambda recording: recording.configuration)
    ]
    head = {"format": FORMAT, "recordings": rows, "sizes": [len(data) for data in contents]}
    plain = json.dumps(head, sort_keys=True, separators=(",", ":")).encode() + b"\n" + b"".join(contents)
    path = pack_path(folder, app)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(lzma.compress(plain, preset=9))
    os.replace(draft, path)
    return path


def read_pack(path: Path) -> list[Recording]:
    """Return the recordings of a pack.

    Raises:
        InvalidInput: It is missing, damaged, or unpacks to more than a gigabyte.
    """
    try:
        with lzma.open(path) as file:
            plain = file.read(_MAX_UNPACKED + 1)
        if len(plain) > _MAX_UNPACKED:
            raise ValueError(f"it unpacks to more than {_MAX_UNPACKED >> 20} MB")
        head, _, rest = plain.partition(b"\n")
        facts: Any = parse_json(head, where=str(path))
        contents, place = [], 0
        for size in facts["sizes"]:
            contents.append(rest[place : place + size])
            place += size
        if facts["format"] != FORMAT or place != len(rest):
            raise ValueError("another format, or cut off")
        return [_recording(row, contents) for row in facts["recordings"]]
    except FileNotFoundError:
        raise InvalidInput(f"there is no {path}", fix="run fairground prove SUITE --pack to write it") from None
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError, IndexError) as error:
        raise InvalidInput(
            f"{path} is not a pack of recordings: {error}", fix="run fairground prove SUITE --pack to write it again"
        ) from None


def _recording(row: Mapping[str, Any], contents: Sequence[bytes]) -> Recording:
    def state(facts: Mapping[str, Any]) -> State:
        files = {unpack(name): contents[number] for name, number in facts["files"].items()}
        return State(files, unpack(facts["data"]), unpack(facts["missing"]))

    return Recording(row["configuration"], state(row["before"]), state(row["after"]), row["moves"], row["answer"])


@dataclass(frozen=True)
class Judged:
    """The result of judging a recording again.

    Attributes:
        configuration: The recorded world.
        pair: Whether it is still sound.
        mutants: Results for some edits of the recording.
    """

    configuration: str
    pair: PairProof
    mutants: MutantProof


def judge_pack(suite: Suite, app: str, mutants: int = MUTANTS) -> Iterator[Judged]:
    """Judge the recordings that a suite ships for an app, and some edits of each. Opens no seat.

    Raises:
        InvalidInput: The suite has no pack for the app, or a scenario of the app is not in it.
    """
    if suite.proofs is None:
        raise InvalidInput(f"suite {suite.name} has no proofs", fix="set Suite(proofs=FOLDER)")
    path = pack_path(suite.proofs, suite.app(app).name)
    recordings = {recording.configuration: recording for recording in read_pack(path)}
    packed = {Configuration.from_id(name).scenario for name in recordings}
    missing = [scenario.name for scenario in suite.scenarios if scenario.app == app and scenario.name not in packed]
    if missing:
        raise InvalidInput(
            f"{path} has no recording of {', '.join(missing[:5])}",
            fix=f"run fairground prove {suite.name}/{app} --pack",
        )
    for name, recording in recordings.items():
        yield _judge(suite, Configuration.from_id(name), recording, mutants)


def _judge(suite: Suite, configuration: Configuration, recording: Recording, mutants: int) -> Judged:
    def open_(world: World) -> Rehearsal:
        return _Packed(recording)

    pair = prove_pair(lambda: World.of(suite, configuration), open_)
    tried = MutantProof()
    if pair.fault is None:
        tried = try_mutants(World.of(suite, configuration), open_, most=mutants, plays=0)
    return Judged(configuration.id, pair, tried)


class _Packed:
    """A recording as a rehearsal of exactly the recorded moves."""

    def __init__(self, recording: Recording) -> None:
        self.before = recording.before
        self._recording = recording
        self._moves: list[Move] = []

    def play(self, moves: Sequence[Move]) -> str | None:
        self._moves += moves
        return self._recording.answer if any(isinstance(move, Say) for move in moves) else None

    def state(self) -> State:
        if moves_digest(self._moves) != self._recording.moves:
            raise Stuck("the oracle makes other moves than those that were recorded; record it again")
        return self._recording.after

    def close(self) -> None:
        """Nothing is open."""


def make_pack(suite: Suite, app: str, store: Recordings) -> list[Recording]:
    """Return one recording per scenario of an app: of the first few pairs, the one that adds the fewest bytes.

    Raises:
        InvalidInput: A scenario has no recording in the store.
    """
    keys, chosen, seen = Keys(suite), list[Recording](), set[bytes]()
    for scenario in (each for each in suite.scenarios if each.app == app):
        pairs = suite.pairs(scenario)
        order = [pair for pair in diagonal(list(scenario.instances), list(suite.app(app).profiles)) if pair in pairs]
        recorded = [found for pair in order[:_CHOICE] if (found := _look_up(suite, scenario, pair, keys, store))]
        if not recorded:
            raise InvalidInput(
                f"{suite.name}/{app}/{scenario.name} has no recording",
                fix=f"run fairground prove {suite.name}/{app}",
            )
        best = min(recorded, key=lambda each: sum(map(len, _contents(each) - seen)))
        seen |= _contents(best)
        chosen.append(best)
    return chosen


def _look_up(
    suite: Suite, scenario: Scenario, pair: tuple[str, str], keys: Keys, store: Recordings
) -> Recording | None:
    """Return the recording of a pair from the store, if it is there."""
    instance, profile = pair
    theme, ui_state = varied_look(suite, scenario.app, scenario.name, instance, profile)
    names = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    world = World.of(suite, Configuration(suite=suite.name, app=scenario.app, scenario=scenario.name, **names))
    key = keys.recording(world)
    before = store.start(key)
    if before is None:
        return None
    moves = moves_of(world, before)
    after = store.end(key, moves_digest(moves))
    if after is None:
        return None
    made = [store.made(key, moves_digest(moves[: number + 1])) for number in range(len(moves))]
    answers = [entry.said for entry in made if entry is not None and entry.said is not None]
    return Recording(world.id, before, after, moves_digest(moves), answers[-1] if answers else None)


def _contents(recording: Recording) -> set[bytes]:
    return {*recording.before.files.values(), *recording.after.files.values()}
