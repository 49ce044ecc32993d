"""Which hosts and origins belong to a server."""

from __future__ import annotations

import socket

import pytest

from fairground.serving import is_loopback, is_ours, same_place


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"])
def test_loopback_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "", "127.0.0.1.example.org"])
def test_other_addresses_can_be_reached_from_other_machines(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("authority", ["127.0.0.1", "127.0.0.1:80", "localhost:8470", "[::1]:5", "LOCALHOST"])
def test_a_loopback_server_has_these_names(authority: str) -> None:
    assert is_ours(authority, "127.0.0.1")


@pytest.mark.parametrize(
    "authority", ["", "evil.example", "localhost.evil.example", "192.0.2.1", "127.0.0.1@evil.example:x", "[::1", ":80"]
)
def test_a_loopback_server_has_no_other_names(authority: str) -> None:
    assert not is_ours(authority, "127.0.0.1")


def test_a_public_server_also_has_addresses_and_its_own_name() -> None:
    assert is_ours("192.0.2.1:80", "0.0.0.0") and is_ours(socket.gethostname(), "0.0.0.0")
    assert not is_ours("evil.example", "0.0.0.0")


def test_an_origin_is_a_scheme_and_the_same_host_and_port() -> None:
    assert same_place("http://127.0.0.1:80", "127.0.0.1:80") and same_place("HTTPS://Name", "name")
    for origin in ("null", "", "http://127.0.0.1", "http://127.0.0.1:81", "http://evil.example", "file://127.0.0.1:80"):
        assert not same_place(origin, "127.0.0.1:80")
