"""The bare runner keeps the protocol, without isolation."""

import pytest

from fairground.sandbox.conformance import RunnerConformance

pytestmark = pytest.mark.process


class TestBare(RunnerConformance):
    runner = "bare"
