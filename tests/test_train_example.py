"""examples/train: what the policy sees and may copy, and a short training through a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from fairground.core import Configuration, InfrastructureError

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".setup/train/bin/python"
SIZE = (412, 915)

TREE = """\
document "Compose" [0, 0, 412, 915]
  banner [0, 0, 412, 58]
    link "Back" [0, 6, 46, 46]
  main [0, 58, 412, 800]
    textbox "Message" = Hello,
see you [10:30] at the "inn" [10, 100, 390, 200] focused required
    checkbox "Say \\"hi\\"" [10, 310, 40, 40] checked
    button "Send" [10, 850, 390, 50]
    button "Never" [10, 400, 90, 50] disabled
    link "Far below"
  navigation "Tabs" [0, 840, 412, 75]
    link "Inbox" [0, 840, 206, 75]\
"""


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from examples.train import page

    return page


@pytest.fixture
def features(page: ModuleType) -> ModuleType:
    from examples.train import features

    return features


def test_a_page_has_the_controls_of_the_tree_with_their_values_and_states(page: ModuleType) -> None:
    seen = page.read_page(TREE, SIZE)
    assert seen.title == "Compose"
    assert [control.name for control in seen.controls] == ["Back", "Message", 'Say "hi"', "Send", "Far below", "Inbox"]
    message = seen.controls[1]
    assert message.value == 'Hello, see you [10:30] at the "inn"' and message.states == ("focused", "required")
    assert seen.controls[2].states == ("checked",)


def test_what_is_off_screen_or_below_a_bar_cannot_be_pressed_and_the_bar_can(page: ModuleType) -> None:
    spots = {control.name: control.spot for control in page.read_page(TREE, SIZE).controls}
    assert spots["Far below"] is None and spots["Send"] is None
    assert spots["Inbox"] == (103, 877) and spots["Message"] == (205, 200)


def test_a_text_that_is_no_tree_is_an_error_of_the_infrastructure(page: ModuleType) -> None:
    with pytest.raises(InfrastructureError, match="expected a line of an accessibility tree"):
        page.read_page("<html>", SIZE)
    assert page.read_page("", SIZE).controls == ()


def test_typed_text_is_a_part_of_the_instruction(features: ModuleType) -> None:
    task = features.read_task("Reply to “Rent from 14 May” and write: “See you there. Bye.”")
    for text, copied in {
        'subject:"Rent from 14 May"': "Rent from 14 May",
        "See you there. Bye.": "See you there. Bye.",
    }.items():
        assert task.copied(features.Choice(0, *task.span(text))) == copied
    assert task.span("somebody@example.org") is None


def test_features_do_not_depend_on_the_run_and_grow_with_the_page(features: ModuleType, page: ModuleType) -> None:
    seen, task = page.read_page(TREE, SIZE), features.read_task("Send it, and say “hi”.")
    sample = features.encode(task, seen, features.Past())
    assert sample.roles.shape == (7,) and sample.fields.tolist() == [False, True, False, False, False, False, False]
    assert sample.controls[3, 0] == 1.0  # "Send" stands in the instruction
    again = features.encode(task, seen, features.Past())
    assert (sample.names == again.names).all() and (sample.controls == again.controls).all()
    later = features.encode(task, seen, features.Past().after(seen, features.Choice(1, 0, 1)))
    assert later.shape[:2, -1].tolist() == [1.0, 1.0] and later.step == 1


def test_only_the_choice_where_attempts_part_is_praised_or_blamed(features: ModuleType) -> None:
    from examples.train.groups import advantages
    from examples.train.hand import Result
    from examples.train.rollouts import Attempt, Job

    world = Configuration(suite="s", app="a", scenario="b")

    def made(success: bool, *controls: int) -> Attempt:
        choices = [features.Choice(number) for number in controls]
        return Attempt(Job(world, 0), choices=choices, result=Result(float(success), success, len(choices)))

    group = [made(True, 1, 2, 3), made(True, 1, 2, 3), made(False, 1, 5, 3), made(False, 1, 5, 4)]
    assert advantages(group) == [[0, 1, 0], [0, 1, 0], [0, -1, 0], [0, -1, 0]]
    assert advantages(group[:2]) == [[0, 0, 0], [0, 0, 0]]


def test_values_that_are_held_out_never_occur_in_training(page: ModuleType) -> None:
    from examples.train.family import AXES_HELD_OUT, draw, family

    tasks = family()
    seen = draw(tasks.training(), 240, seed=1)
    unseen = draw(tasks.testing(AXES_HELD_OUT), 36, seed=1)
    assert len({world.id for world in unseen}) == 36
    for axis in ("profile", "theme"):
        assert not {getattr(world, axis) for world in seen} & {getattr(world, axis) for world in unseen}
    assert not {world.task for world in seen} & {world.task for world in unseen}


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_a_training_that_was_killed_continues_and_beats_the_untrained_policy(tmp_path: Path) -> None:
    assert PYTHON.exists(), "PyTorch is missing; run: scripts/setup train"
    command = [PYTHON, "-m", "examples.train", "--short", "--out", tmp_path]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        shown = next((line for line in training.stdout if "demonstrations:" in line), "")
        training.send_signal(signal.SIGKILL)
    assert "12 of 12" in shown
    demonstrated = os.stat(tmp_path / "demonstrations.pickle").st_mtime_ns

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=2000)
    assert done.returncode == 0, done.stdout + done.stderr
    assert os.stat(tmp_path / "demonstrations.pickle").st_mtime_ns == demonstrated
    rows = [json.loads(line) for line in (tmp_path / "episodes.jsonl").read_text().splitlines()]
    played = Counter(row["agent"] for row in rows)
    passed = Counter(row["agent"] for row in rows if row["outcome"] == "passed")
    assert set(played.values()) == {12}
    assert passed["oracle"] == 12 and passed["do-nothing"] == 0
    # If both policies were equally good, a difference of 7 of 12 would have a probability below 1 %.
    assert passed["cloned + RL"] - max(passed["untrained"], passed["random"]) >= 7, done.stdout
    ElementTree.parse(tmp_path / "training.svg")
