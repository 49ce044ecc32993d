"""Files that an agent left with names of any bytes: recorded, judged, read back and shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents import Turn
from fairground.core import Check, Done, Outcome, State, StateError, Verdict
from fairground.report import write_episode_page
from fairground.rollout import run_episode
from fairground.rollout.folder import read_episode
from fairground.rollout.recorder import Recorder
from fairground.verify import judge
from fairground.worlds import Seat, select

from .test_recorder import a_frame, an_episode, passed

names = st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name).map(os.fsdecode)


@given(st.dictionaries(names, st.binary(max_size=20), max_size=5), st.lists(names, max_size=5))
def test_a_state_with_any_names_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], listed: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("episode") / "one"
    state = State(files, {"files": [{"path": name} for name in listed]}, {f"~/{name}": "gone" for name in listed})
    with Recorder(folder, an_episode(), video=False) as recorder:
        recorder.first(a_frame(0))
        recorder.state("after", state.files, state.data, state.missing)
        recorder.close(passed(an_episode()))
    assert read_episode(folder).state("after") == state


@given(names)
def test_evidence_and_errors_quote_any_name_in_words_that_can_be_written_down(name: str) -> None:
    check = Check(name=f"{name} is there", passed=False, expected={name: [name]}, found=(name,))
    Verdict.of([check]).model_dump_json()
    str(StateError(f"{name} is damaged", fix=f"remove {name}")).encode()


class LeavesNames:
    """Leaves files, folders and links whose names are not UTF-8."""

    name = "leaves-names"

    def take_seat(self, seat: Seat) -> None:
        self._seat = seat

    def begin(self, brief: Any) -> None: ...

    def act(self, observation: Any) -> Turn:
        script = """
import os
for folder in (b".", b"Documents", b"Desktop"):
    os.makedirs(folder, exist_ok=True)
    open(folder + b"/bad\\xff\\xfe\\n\\"name.txt", "w").write("x")
    os.symlink(b"/nowhere\\x80", folder + b"/link\\xc3")
    os.mkdir(folder + b"/folder\\xed\\xa0\\x80")
"""
        self._seat.sandbox.run(["python3", "-c", script])
        return Turn(Done())


@pytest.mark.process
def test_a_home_full_of_such_names_is_judged_and_judged_again(tmp_path: Path) -> None:
    world = next(iter(select("desk/mousepad").draws(1)))
    episode = run_episode(world, LeavesNames(), tmp_path / "one", video=False)
    assert (episode.outcome, episode.error) == (Outcome.FAILED, "")
    page = write_episode_page(tmp_path / "one").read_text()
    assert "bad\\xff\\xfe" in page
    recorded = read_episode(tmp_path / "one")
    before, after = recorded.state("before"), recorded.state("after")
    assert before is not None and after is not None
    assert judge(world, before, after, None) == episode.verdict
