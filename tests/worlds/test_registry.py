"""Suites are found by name, and only those that are asked for are loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fairground.core import UnknownName
from fairground.worlds import installed, suite_of, suites

ONE_SUITE = """
import sys
import fairground.agents, fairground.rollout
assert not [name for name in sys.modules if name.startswith("fairground_")], "a suite was loaded that nobody named"
from fairground.rollout import RunSpec, make_plan
assert make_plan(RunSpec(worlds=("pocket/notes",), agent="random", configs=1))
assert "fairground_pocket" in sys.modules and "fairground_desk" not in sys.modules
"""


@pytest.mark.process
def test_a_plan_of_one_suite_loads_no_other() -> None:
    done = subprocess.run([sys.executable, "-c", ONE_SUITE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_suite_by_name_is_the_one_in_the_list() -> None:
    assert all(installed(name) is suite for name, suite in suites().items())
    assert installed("dsk") is None
    with pytest.raises(UnknownName, match="did you mean desk"):
        suite_of("dsk/calc")


def test_an_app_without_its_suite_says_which_suite_it_is_in() -> None:
    with pytest.raises(UnknownName, match="an app, not a suite") as error:
        suite_of("notes/count-label")
    assert error.value.fix == "did you mean pocket/notes/count-label?"
