"""Tasks in Impress: solved in a real Impress, and not by what only looks like it."""

from __future__ import annotations

import io
import zipfile

import pytest

from fairground.core import State
from fairground.verify import judge
from fairground.worlds import World, open_seat, resolve
from fairground_desk.impress.folders import folder_of
from fairground_desk.impress.inspector import INSPECTOR
from fairground_desk.impress.talks import TALKS
from fairground_desk.impress.task import read_deck

pytestmark = pytest.mark.conformance

ROLES = {part.role for part in TALKS["housing-board"].parts} - {""}


def world_of(task: str, profile: str = "museum-school", ui_state: str = "bare") -> World:
    return resolve(f"desk/impress/{task}@{profile}/light/{ui_state}")


def recorded(profile: str) -> State:
    files = dict(folder_of(profile))
    return State(files=files, data={"files": [{"path": path, "kind": "file"} for path in files]})


def edited(state: State, path: str, old: str, new: str) -> State:
    """The presentation with other letters somewhere, as one who edits the file would leave it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(state.file(path))) as was, zipfile.ZipFile(stream, "w") as now:
        for info in was.infolist():
            part = was.read(info)
            if info.filename == "content.xml":
                assert old.encode() in part
                part = part.replace(old.encode(), new.encode())
            now.writestr(info, part)
    return State(files={**state.files, path: stream.getvalue()}, data=state.data)


@pytest.mark.parametrize("profile", TALKS)
def test_every_deck_has_the_slides_that_tasks_are_about(profile: str) -> None:
    talk, found = TALKS[profile], read_deck(folder_of(profile)[TALKS[profile].path])
    assert [slide.name for slide in found.slides] == [part.name for part in talk.parts]
    assert list(found.titles) == [part.title for part in talk.parts]
    assert {part.role for part in talk.parts} - {""} == ROLES and 10 <= len(talk.parts) <= 18
    assert [slide.notes[0].text for slide in found.slides] == [f"Speaker: {part.speaker}" for part in talk.parts]
    assert len(folder_of(profile)) > 30


def test_a_title_at_the_right_place_counts_and_a_misspelt_one_does_not() -> None:
    world, state = world_of("edit-title/goals"), recorded("museum-school")
    path = TALKS["museum-school"].path
    assert judge(world, state, edited(state, path, "What pupils learn", "Four things to remember")).success
    assert judge(world, state, edited(state, path, "What pupils learn", "Four thing to remember")).reward == 0


def test_a_change_elsewhere_costs_everything() -> None:
    world, state = world_of("edit-title/goals"), recorded("museum-school")
    path = TALKS["museum-school"].path
    done = edited(state, path, "What pupils learn", "Four things to remember")
    for old, new in (("To look slowly", "To look"), ("Refer to the curriculum.", "Nothing."), ("8c1c13", "8c1c14")):
        assert judge(world, state, edited(done, path, old, new)).reward == 0
    other = {**done.files, "~/Documents/to do.txt": b"empty"}
    assert judge(world, state, State(files=other, data=done.data)).reward == 0


def test_an_answer_must_commit_itself() -> None:
    world, state = world_of("who-speaks/risks"), recorded("museum-school")
    assert judge(world, state, state, "Daichi Ono").success
    for answer in ("Mei Lin", "Daichi Ono or Mei Lin", "", None):
        assert not judge(world, state, state, answer).success


@pytest.mark.slow
def test_the_program_and_the_reader_agree_on_where_it_opens() -> None:
    world = world_of("edit-bullet/last-risk", "astronomy-lecture", "later-slide")
    with open_seat(world) as opened:
        (document,) = INSPECTOR.ask(opened.finish(), "documents")
    roles = [part.role for part in TALKS["astronomy-lecture"].parts]
    assert document["view"] == {"slide": roles.index("figures") + 1}
