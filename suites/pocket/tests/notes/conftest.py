"""The app, served on this machine's loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground_pocket.notes.app import Phone, build

from .reader import Client, serve, world


@pytest.fixture
def client() -> Iterator[Client]:
    phone = Phone(build(world()))
    server = serve(phone)
    yield Client(phone)
    server.close()
    phone.close()
    assert server.fault is None, "no request may break the app"
