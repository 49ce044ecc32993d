"""Tests that any runner can be put through: what the `Sandbox` protocol says, as things that happen.

Subclass `RunnerConformance` in a test module and name your runner; pytest does the rest:

    from fairground.sandbox.conformance import IsolationConformance, RunnerConformance

    class TestMine(RunnerConformance):
        runner = "mine"

    class TestMineIsolates(IsolationConformance):
        runner = "mine"

Inside a sandbox the tests use a POSIX shell, the usual small tools, and Perl, which every Debian machine has.
Nothing of pytest is imported, so they also run under another runner of tests, or by hand. Under pytest, put
`pytest.register_assert_rewrite("fairground.sandbox.conformance")` into your `conftest.py` to see values in failures.
"""

from fairground.sandbox.conformance.connections import ConnectionConformance
from fairground.sandbox.conformance.files import FileConformance
from fairground.sandbox.conformance.isolation import IsolationConformance
from fairground.sandbox.conformance.lifetime import LifetimeConformance
from fairground.sandbox.conformance.programs import ProgramConformance
from fairground.sandbox.conformance.subject import RunnerSubject


class RunnerConformance(ProgramConformance, FileConformance, ConnectionConformance, LifetimeConformance):
    """What every runner does, isolated or not."""


__all__ = ["IsolationConformance", "RunnerConformance", "RunnerSubject"]
