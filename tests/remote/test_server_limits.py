"""Limits of the environment server that a client runs into: slow bodies, large calls, more seats than there are."""

from __future__ import annotations

import logging
import socket
import subprocess
import threading
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fairground.remote import EnvironmentServer, RemoteEnv, ServerLost, TooLarge, http_api
from fairground.serving import Tls
from tests.waiting import eventually

from .stage import BOARDS, LOOK, call, close, connected, held_server, open_session, request

pytestmark = pytest.mark.process


def send_part(url: str) -> socket.socket:
    """Send a request whose body does not end."""
    place = urlsplit(url)
    assert place.hostname is not None and place.port is not None
    connection = socket.create_connection((place.hostname, place.port), timeout=60)
    head = f"POST /v1/sessions HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 1000\r\n\r\n"
    connection.sendall(head.encode() + b'{"world":')
    return connection


def test_a_body_that_does_not_arrive_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "BODY_SECONDS", 0.1)
    with send_part(url) as connection, HTTPResponse(connection) as answer:
        answer.begin()
        assert answer.status == 422 and b"did not arrive within 0.1 s" in answer.read()


def test_a_client_that_leaves_within_its_body_is_no_internal_error(
    url: str, board_server: EnvironmentServer, caplog: pytest.LogCaptureFixture
) -> None:
    def refused() -> int:
        return board_server.sessions.metrics.errors["open", "invalid_input"]

    with caplog.at_level(logging.WARNING):
        send_part(url).close()
        before = refused()
        assert request(url, "POST", "/v1/sessions", {"world": "no-such"})[0] == 422
        eventually(lambda: refused() > before)
    assert "Exception in ASGI application" not in caplog.text


def test_more_seats_than_the_server_has_are_said_as_such(url: str) -> None:
    status, body, _ = request(url, "POST", "/v1/sessions", {"group": 10**9})
    error = body["error"]
    assert status == 503 and error["type"] == "capacity"
    assert error["message"] == "1000000000 seats are needed, and 0 of 4 are in use; this server has only 4"
    assert "fewer" in error["fix"]


def test_a_call_that_is_too_large_is_not_sent_and_the_episode_goes_on(url: str) -> None:
    with RemoteEnv(url) as env:
        env.reset(seed=1)
        with pytest.raises(TooLarge, match="the limit is 1,048,576"):
            env.score(answer="x" * (1 << 20))
        assert env.step(LOOK)[4]["step"] == 1


def test_a_certificate_of_an_unknown_authority_is_said_with_what_to_do(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", certificate]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", "-x509", "-nodes", *kind, *names], check=True, capture_output=True)
    with (
        EnvironmentServer(BOARDS, tls=Tls(certificate, key)) as server,
        pytest.raises(ServerLost, match="(?s)self-signed.*SSL_CERT_FILE"),
    ):
        RemoteEnv(server.url)


def test_a_session_that_is_being_closed_is_gone_for_other_calls() -> None:
    with held_server(1) as (server, gate), connected(server.url) as socket:
        session = open_session(server.url)["session"]
        socket.send("step", session=session, action=LOOK)
        gate.wait_for_step()
        closing = threading.Thread(target=close, args=(server.url, session))
        closing.start()
        assert socket.receive()["error"]["type"] == "cancelled"
        for method in ("step", "cancel", "reset", "score"):
            fields = {"action": LOOK} if method == "step" else {}
            status, body = call(server.url, session, method, **fields)
            assert (status, body["error"]["type"]) == (404, "unknown_session"), method
        gate.open.set()
        closing.join()
        assert open_session(server.url)
