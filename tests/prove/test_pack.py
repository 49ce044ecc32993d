"""Packs of recordings: written, read, and judged without a seat."""

from __future__ import annotations

import dataclasses
import lzma
from pathlib import Path

import pytest

from fairground.core import InvalidInput, State
from fairground.prove.findings import Fault, Status
from fairground.prove.pack import Judged, Recording, judge_pack, make_pack, pack_path, read_pack, write_pack
from fairground.prove.recordings import Made, Recordings, moves_digest
from fairground.worlds import Suite
from tests.prove import jotter

BEFORE = State(
    {jotter.NOTE: b"milk\n", "~/odd\udcff": b"\x00\x01"}, {"files": [{"path": "~/odd\udcff"}]}, {"~/gone": "no"}
)
AFTER = State({**BEFORE.files, jotter.NOTE: b"milk\ntea\n"}, BEFORE.data, BEFORE.missing)


def suite(folder: Path) -> Suite:
    return dataclasses.replace(jotter.suite(None, jotter.AddLine()), proofs=folder)


def recording(**changed: object) -> Recording:
    world = jotter.world("milk")
    moves = tuple(world.scenario.oracle(world, BEFORE))
    return dataclasses.replace(Recording(world.id, BEFORE, AFTER, moves_digest(moves)), **changed)  # type: ignore[arg-type]


def judged(folder: Path, packed: Recording) -> Judged:
    write_pack(folder, "jotter", [packed])
    (result,) = judge_pack(suite(folder), "jotter")
    return result


def test_what_is_packed_comes_back_and_contents_are_stored_once(tmp_path: Path) -> None:
    path = write_pack(tmp_path, "jotter", [recording(answer="yes")])
    assert read_pack(path) == [recording(answer="yes")]
    first = path.read_bytes()
    assert write_pack(tmp_path, "jotter", [recording(answer="yes")]).read_bytes() == first
    assert lzma.decompress(first).count(b"\x00\x01") == 1


def test_a_recording_is_judged_with_edits_and_without_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRGROUND_RUNNER", "there-is-none")
    result = judged(tmp_path, recording())
    assert result.pair.status is Status.PROVEN and result.pair.moves == 3
    assert result.mutants.count.rejected >= 2 and not result.mutants.error


def test_a_state_that_no_longer_passes_is_found(tmp_path: Path) -> None:
    wrong = State({**AFTER.files, jotter.NOTE: b"milk\ncoffee\n"}, AFTER.data, AFTER.missing)
    assert judged(tmp_path, recording(after=wrong)).pair.fault is Fault.UNSOLVED


def test_other_moves_than_the_recorded_ones_are_found(tmp_path: Path) -> None:
    result = judged(tmp_path, recording(moves=moves_digest(())))
    assert result.pair.fault is Fault.STUCK and "record it again" in result.pair.message


def test_a_scenario_without_a_recording_is_named(tmp_path: Path) -> None:
    write_pack(tmp_path, "jotter", [])
    with pytest.raises(InvalidInput, match="no recording of add-line"):
        list(judge_pack(suite(tmp_path), "jotter"))


@pytest.mark.parametrize(
    "content",
    [b"", b"not xz", lzma.compress(b"{}\n"), lzma.compress(b'{"format":1,"recordings":[],"sizes":[9]}\nshort')],
    ids=["empty", "other", "no-facts", "cut"],
)
def test_a_damaged_pack_is_refused(tmp_path: Path, content: bytes) -> None:
    path = pack_path(tmp_path, "jotter")
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="not a pack of recordings"):
        read_pack(path)
    with pytest.raises(InvalidInput, match="there is no"):
        read_pack(pack_path(tmp_path, "none"))


def test_a_pack_is_made_of_what_was_recorded(tmp_path: Path) -> None:
    from fairground.prove.keys import Keys
    from fairground.worlds import World

    whole = dataclasses.replace(suite(tmp_path), proofs=None)
    with Recordings(tmp_path / "recordings.sqlite") as store:
        with pytest.raises(InvalidInput, match="has no recording"):
            make_pack(whole, "jotter", store)
        world = World.of(whole, jotter.world("milk").configuration)
        key, moves = Keys(whole).recording(world), tuple(world.scenario.oracle(world, BEFORE))
        store.keep_start(key, BEFORE)
        store.keep_made(key, moves_digest(moves[:1]), Made("yes"))
        store.keep_end(key, moves_digest(moves), AFTER)
        assert make_pack(whole, "jotter", store) == [recording(answer="yes")]
