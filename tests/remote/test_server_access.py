"""Who may use an environment server: tokens, pages of other sites, other machines, TLS."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from fairground.core import InvalidInput
from fairground.remote import EnvironmentServer
from fairground.serving import Tls

from .stage import BOARDS, connected, request

TOKEN = "a-token-of-enough-length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
PATHS = ("/v1/server", "/metrics", "/v1/frames/0", "/schema", "/openapi.json", "/nowhere")


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    with EnvironmentServer(BOARDS, token=TOKEN) as server:
        yield server.url


def test_other_machines_need_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(InvalidInput, match="needs a token"):
            EnvironmentServer(BOARDS, host=host)


@pytest.mark.process
@pytest.mark.parametrize(
    "sent",
    [{}, {"Authorization": TOKEN}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": "Bearer "},
     {"Authorization": f"Basic {TOKEN}"}, {"Authorization": "Bearer \xff"}, {"Cookie": f"token={TOKEN}"}],
    ids=range(7),
)  # fmt: skip
def test_without_the_token_nothing_but_health_is_answered(guarded: str, sent: dict[str, str]) -> None:
    for path in PATHS:
        status, body, _ = request(guarded, "GET", f"{path}?token={TOKEN}", headers=sent)
        assert status == 401 and body["error"]["type"] == "unauthorized" and TOKEN not in str(body)
    assert request(guarded, "POST", "/v1/sessions", {}, headers=sent)[0] == 401
    for path in ("/v1/connect", "/ws"):
        with pytest.raises(InvalidStatus) as refused, connected(guarded, path, additional_headers=sent):
            pass
        assert refused.value.response.status_code == 401
    assert request(guarded, "GET", "/health", headers=sent)[0] == 200


@pytest.mark.process
def test_with_the_token_any_name_of_the_server_works(guarded: str) -> None:
    for host in ("127.0.0.1", "seats.cluster.example:8470"):
        assert request(guarded, "GET", "/v1/server", headers={**BEARER, "Host": host})[0] == 200
    with connected(guarded, additional_headers=BEARER) as socket:
        assert socket.call("close", session="nobody")["type"] == "unknown_session"


@pytest.mark.process
def test_pages_of_other_sites_cannot_use_it(guarded: str, url: str) -> None:
    for address, headers in ((guarded, BEARER), (url, {})):
        foreign = {**headers, "Origin": "https://evil.example"}
        for path in ("/v1/server", "/health"):
            assert request(address, "GET", path, headers=foreign)[0] == 401
        assert request(address, "POST", "/v1/sessions", {}, headers=foreign)[0] == 401
        for path in ("/v1/connect", "/ws"):
            with pytest.raises(InvalidStatus), connected(address, path, additional_headers=foreign):
                pass
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", ""):
        assert request(url, "GET", "/v1/server", headers={"Host": host})[0] == 401
    with pytest.raises(InvalidStatus), connected(url, additional_headers={"Origin": "null"}):
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    folder = tmp_path_factory.mktemp("tls")
    names = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]
    subprocess.run(["openssl", "req", "-x509", "-nodes", *kind, *names], check=True, capture_output=True)
    return Tls(folder / "cert.pem", folder / "key.pem")


@pytest.mark.process
def test_tls(certificate: Tls) -> None:
    with EnvironmentServer(BOARDS, tls=certificate) as server:
        assert server.url.startswith("https://")
        assert request(server.url, "GET", "/health")[:2] == (200, {"status": "healthy"})


@pytest.mark.process
def test_a_certificate_that_cannot_be_used_is_reported(certificate: Tls, tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    locked = tmp_path / "locked.pem"
    command = ["openssl", "pkey", "-in", certificate.key, "-aes256", "-passout", "pass:secret", "-out", locked]
    subprocess.run(command, check=True, capture_output=True)
    for cert, key in (
        (tmp_path / "absent.pem", certificate.key),
        (certificate.certificate, nonsense),
        (nonsense, certificate.key),
        (certificate.certificate, locked),
    ):
        with pytest.raises(InvalidInput, match="cannot be used"):
            Tls(cert, key)
