"""Plans and clarifications are made once for a task, whoever comes first, and survive being killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fairground.core import EpisodeError, InfrastructureError
from fairground.rollout.interventions import Plan, keep_plan, read_plans

TASK = "s/a/scenario/i@p/t/u"


def plan(text: str, configuration: str = TASK) -> Plan:
    return Plan(configuration=configuration, source="fixed-plan", model="m", text=text)


def test_of_many_who_ask_at_once_one_makes_it_and_all_get_the_same(tmp_path: Path) -> None:
    made: list[str] = []
    together = threading.Barrier(8)

    def ask(number: int) -> Plan:
        def make() -> Plan:
            made.append(f"plan of {number}")
            return plan(made[-1])

        together.wait()
        return keep_plan(tmp_path, TASK, make)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert len(made) == 1 and {one.text for one in found} == set(made)
    assert read_plans(tmp_path) == {TASK: found[0]}


MAKER = """
import os, signal, sys
from pathlib import Path
from fairground.rollout.interventions import Plan, keep_plan

def make():
    print("making", flush=True)
    sys.stdin.readline()
    return Plan(configuration=sys.argv[2], source="fixed-plan", model="m", text="of the process")

keep_plan(Path(sys.argv[1]), sys.argv[2], make)
"""


@pytest.mark.process
def test_a_maker_that_is_killed_leaves_nothing_and_the_next_makes_it(tmp_path: Path) -> None:
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(tmp_path), TASK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with maker:
        assert maker.stdout is not None and maker.stdout.readline() == "making\n"
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(keep_plan, tmp_path, TASK, lambda: plan("of the next"))
            assert not waiting.done()
            maker.send_signal(signal.SIGKILL)
            assert waiting.result().text == "of the next"
    assert read_plans(tmp_path)[TASK].text == "of the next"


def test_what_cannot_be_made_is_made_again_later(tmp_path: Path) -> None:
    def fails() -> Plan:
        raise InfrastructureError("the planner is away")

    with pytest.raises(InfrastructureError, match="away"):
        keep_plan(tmp_path, TASK, fails)
    assert read_plans(tmp_path) == {}
    assert keep_plan(tmp_path, TASK, lambda: plan("now")).text == "now"
    with pytest.raises(InfrastructureError, match="was created instead of one for"):
        keep_plan(tmp_path, "s/a/other/i@p/t/u", lambda: plan("of another task"))


def test_a_damaged_file_is_said_to_be_and_never_taken_for_a_plan(tmp_path: Path) -> None:
    keep_plan(tmp_path, TASK, lambda: plan("fine"))
    (file,) = (tmp_path / "interventions").glob("plan-*.json")
    file.write_text(file.read_text()[:20])
    with pytest.raises(EpisodeError, match="not strict JSON"):
        keep_plan(tmp_path, TASK, lambda: plan("another"))
