"""The bare runner keeps the protocol, without isolation."""

import pytest

from fairground.sandbox.conformance import RunnerConformance

pytestmark = pytest.mark.slow  # the namespace runner is asked the same with every change


class TestBare(RunnerConformance):
    runner = "bare"
