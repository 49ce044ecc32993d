"""The applications, each started once for all the documents of a test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.sandbox import SandboxSpec, open_sandbox

from .office import Office


@pytest.fixture(scope="session")
def office() -> Iterator[Office]:
    sandbox = open_sandbox(SandboxSpec())
    try:
        running = Office(sandbox)
        yield running
        running.close()
    finally:
        sandbox.discard()
