"""The bare runner keeps the protocol, without isolation."""

from fairground.sandbox.conformance import RunnerConformance


class TestBare(RunnerConformance):
    runner = "bare"
