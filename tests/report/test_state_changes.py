"""What an episode changed, told readably and within bounds, also of a hostile recording."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from fairground.report.state_changes import ENTRIES, PARTS, Change, StateChanges, changes_section, state_changes
from fairground.rollout import read_episode
from fairground.rollout.recorder import Recorder
from tests.recordings import EVIL, a_frame, an_episode


def changed(folder: Path, before: tuple[Any, ...], after: tuple[Any, ...]) -> StateChanges:
    with Recorder(folder, an_episode(), video=False) as recorder:
        recorder.state("before", *before)
        recorder.first(a_frame(0))
        recorder.state("after", *after)
    return state_changes(read_episode(folder, salvage=True))


def database(path: Path, rows: list[tuple[int, str]]) -> bytes:
    with sqlite3.connect(path) as base:
        base.execute("create table mails (id integer primary key, subject text)")
        base.executemany("insert into mails values (?, ?)", rows)
    base.close()
    return path.read_bytes()


def test_lines_that_came_and_went_are_told_and_not_those_that_moved(tmp_path: Path) -> None:
    old, new = b"one\ntwo\nthree\n", b"zero\none\nthree\n"
    (part,) = changed(tmp_path / "ep", ({"~/a.txt": old},), ({"~/a.txt": new},)).parts
    assert (part.name, part.kind, part.own) == ("~/a.txt", "changed", False)
    assert part.changes == (
        Change(kind="added", place="line 1", after="zero"),
        Change(kind="removed", place="line 2", before="two"),
    )


@pytest.mark.process
def test_a_row_that_was_added_is_one_change_with_its_fields(tmp_path: Path) -> None:
    old = database(tmp_path / "old", [(1, "Hello"), (2, "Lunch?")])
    new = database(tmp_path / "new", [(1, "Hello"), (2, "Lunch!"), (3, "Re: Lunch")])
    (part,) = changed(tmp_path / "ep", ({"mail.sqlite": old},), ({"mail.sqlite": new},)).parts
    assert part.changes == (
        Change(kind="changed", place="mails[2].subject", before="Lunch?", after="Lunch!"),
        Change(kind="added", place="mails[3]", after="id: 3\nsubject: Re: Lunch"),
    )


def test_documents_come_before_data_and_what_the_program_keeps_for_itself(tmp_path: Path) -> None:
    before = {"~/.config/app": b"a", "~/gone.txt": b"x", "~/same.txt": b"same"}, {"notes": [{"id": 1, "pinned": False}]}
    after = (
        {"~/.config/app": b"b", "~/new.txt": b"y", "~/same.txt": b"same"},
        {"notes": [{"id": 1, "pinned": True}], "live": {"open": "new.txt"}},
    )
    found = changed(tmp_path / "ep", before, after).parts
    assert [(part.name, part.kind, part.own) for part in found] == [
        ("~/gone.txt", "removed", False), ("~/new.txt", "added", False), ("notes", "changed", False),
        ("~/.config/app", "changed", True),
    ]  # fmt: skip
    assert found[2].changes == (Change(kind="changed", place="[1].pinned", before="false", after="true"),)
    unfolded = changes_section(StateChanges(recorded=True, parts=found)).count("<details open")
    assert unfolded == 2, "the new file and the edited data"


def test_much_is_cut_and_says_how_much(tmp_path: Path) -> None:
    many = "".join(f"line {number}\n" for number in range(100)).encode()
    files = {f"~/{number:02}.txt": many for number in range(PARTS + 5)}
    found = changed(tmp_path / "ep", ({},), (files, {}))
    assert (len(found.parts), found.more) == (PARTS, 5)
    assert (len(found.parts[0].changes), found.parts[0].more) == (ENTRIES, 100 - ENTRIES)
    page = changes_section(found)
    assert ">5 more." in page and f">{100 - ENTRIES} more." in page and "<details open" not in page


def test_a_change_deep_in_a_long_text_is_in_what_is_shown(tmp_path: Path) -> None:
    text = "word " * 2000
    (part,) = changed(
        tmp_path / "ep", ({}, {"note": {"text": text + "old"}}), ({}, {"note": {"text": text + "new"}})
    ).parts
    (one,) = part.changes
    assert one.before is not None and one.after is not None and len(one.after) < 100
    assert one.before.endswith("word old") and one.after.endswith("word new")
    assert "<mark>new</mark>" in changes_section(StateChanges(recorded=True, parts=(part,)))


@pytest.mark.parametrize("kind", [".txt", ".ods", ".sqlite", ".json", ""])
def test_nothing_recorded_becomes_markup_and_damage_is_told(tmp_path: Path, kind: str) -> None:
    name = f"~/{EVIL}{kind}"
    before = {name: EVIL.encode()}, {"data": {EVIL: EVIL}}
    after = {name: EVIL.encode() + b"!" + b"\xff\0" * (kind == ".ods")}, {"data": {EVIL: EVIL[1:]}}
    page = changes_section(changed(tmp_path / "ep", before, after))
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;window.pwned=1" in page
    index = read_episode(tmp_path / "ep", salvage=True).states.after
    assert index is not None
    (tmp_path / "ep" / "state" / "after" / index.files[name].file).write_bytes(b"something else")
    found = state_changes(read_episode(tmp_path / "ep", salvage=True))
    assert found.parts[0].note == "its recording is damaged"


def test_the_same_state_and_no_state_are_told_apart(tmp_path: Path) -> None:
    same = changed(tmp_path / "same", ({"~/a.txt": b"a"},), ({"~/a.txt": b"a"},))
    assert same.recorded and same.parts == () and "No changes" in changes_section(same)
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(a_frame(0))
    missing = state_changes(read_episode(tmp_path / "ep", salvage=True))
    assert not missing.recorded and "not recorded" in changes_section(missing)
