"""The namespace runner keeps the protocol."""

import pytest

from fairground.core import StateError
from fairground.sandbox import namespace_support
from fairground.sandbox.conformance import IsolationConformance, RunnerConformance

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not namespace_support().ok, reason=f"no namespaces here: {namespace_support().reason}"),
]


class TestNamespace(RunnerConformance):
    runner = "namespace"

    @pytest.mark.slow
    def test_a_hundred_thousand_entries_are_listed_and_one_more_is_refused(self) -> None:
        super().test_a_hundred_thousand_entries_are_listed_and_one_more_is_refused()

    def test_as_many_entries_as_the_limit_are_listed_and_one_more_is_refused(self) -> None:
        with self.sandbox() as box:
            box.run(["sh", "-c", "mkdir many; cd many; touch $(seq 1000)"])
            assert len(box.list_files("~/many", limit=1000)) == 1000
            box.write_file("~/many/one-more", b"")
            with pytest.raises(StateError):
                box.list_files("~/many", limit=1000)


class TestNamespaceIsolates(IsolationConformance):
    runner = "namespace"
