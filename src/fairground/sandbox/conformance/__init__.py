"""Conformance tests for runners: they check every promise of the `Sandbox` protocol.

Subclass `RunnerConformance` in a test module and set your runner. Run it with pytest:

    from fairground.sandbox.conformance import IsolationConformance, RunnerConformance

    class TestMine(RunnerConformance):
        runner = "mine"

    class TestMineIsolates(IsolationConformance):
        runner = "mine"

Inside a sandbox the tests use a POSIX shell, the usual small tools, and Perl, which every Debian machine has. They do
not import pytest, so they also work with other test runners. With pytest, add
`pytest.register_assert_rewrite("fairground.sandbox.conformance")` to your `conftest.py` to see values in failures.
"""

from fairground.sandbox.conformance.connections import ConnectionConformance
from fairground.sandbox.conformance.files import FileConformance
from fairground.sandbox.conformance.isolation import IsolationConformance
from fairground.sandbox.conformance.lifetime import LifetimeConformance
from fairground.sandbox.conformance.programs import ProgramConformance
from fairground.sandbox.conformance.subject import RunnerSubject


class RunnerConformance(ProgramConformance, FileConformance, ConnectionConformance, LifetimeConformance):
    """Tests for every runner, isolated or not."""


__all__ = ["IsolationConformance", "RunnerConformance", "RunnerSubject"]
