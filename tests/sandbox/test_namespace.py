"""The namespace runner keeps the protocol."""

import pytest

from fairground.sandbox import namespace_support
from fairground.sandbox.conformance import IsolationConformance, RunnerConformance

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not namespace_support().ok, reason=f"no namespaces here: {namespace_support().reason}"),
]


class TestNamespace(RunnerConformance):
    runner = "namespace"


class TestNamespaceIsolates(IsolationConformance):
    runner = "namespace"
