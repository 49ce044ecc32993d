"""Bodies, headers and connections that are too large, too many, too slow or too deep."""

from __future__ import annotations

import gzip
import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fairground.arena import Store
from fairground.web import Site, serving
from fairground.web.limits import MAX_BODY, Pace
from tests.waiting import eventually
from tests.web.arena_stage import Client, judge, patient
from tests.web.attacks.stage import Crowd, fought, raw
from tests.web.seat_stage import SECONDS

pytestmark = pytest.mark.process

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"


def head(client: Client, url: str, method: str, path: str, **more: str) -> bytes:
    """The beginning of a request of somebody's, up to its body."""
    lines = {"Host": urlsplit(url).netloc, "Cookie": f"fairground={client._cookie}", "X-Fairground-Token": client.token,
             **{name.replace("_", "-"): value for name, value in more.items()}}  # fmt: skip
    said = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"{method} {path} HTTP/1.1\r\n{said}\r\n".encode()


def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_its_bytes(url: str, crowd: Crowd) -> None:
    for length in (str(MAX_BODY + 1), str(10**15), "9" * 5_000, "-1", "0x10", "1_0", "²"):
        sent = head(crowd.owner, url, "POST", "/api/battles", Content_Type="application/json", Content_Length=length)
        assert raw(url, sent)[9:12] in (b"400", b"413"), length
    chunked = head(
        crowd.owner, url, "POST", "/api/battles", Content_Type="application/json", Transfer_Encoding="chunked"
    )
    large = b"%x\r\n%b\r\n" % (MAX_BODY + 1, b" " * (MAX_BODY + 1))
    assert raw(url, chunked + large)[9:12] == b"413"


def test_a_form_is_never_an_upload(url: str, crowd: Crowd) -> None:
    """What has to be read before anybody is known to be allowed is small, whatever its address says."""
    for path in ("/api/uploads", "/nowhere/uploads"):
        sent = crowd.owner.send("POST", path, b"token=x&y=" + b"y" * (MAX_BODY + 1), {"Content-Type": FORM}, token="")
        assert sent.status == 413


def test_visitors_send_no_files(crowd: Crowd) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n' + b"y" * (MAX_BODY + 1)
    for path in ("/api/uploads", "/api/admin/imports/uploads"):
        assert crowd.visitor.send("POST", path, body, {"Content-Type": MULTIPART}).status == 413


DEPTHS = [
    "[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"winner":' * 50_000, '{"winner": ' + "9" * 100_000 + "}",
    '{"winner": 1e999999}', '{"winner": "a", "marks": [{"side": "a", "step": 1e400, "mark": "good"}]}',
    '{"winner": NaN}', '{"winner": -Infinity}', '"' + "\\u0000" * 10_000 + '"', "\ufeff{}", "", " " * 900_000,
]  # fmt: skip


@pytest.mark.parametrize("said", DEPTHS, ids=lambda said: said[:15])
def test_json_that_is_too_deep_or_too_long_is_refused_in_words(site: Site, crowd: Crowd, said: str) -> None:
    battle = fought(site, crowd.owner)
    for method, path in (("PUT", f"/api/battles/{battle}/vote"), ("POST", "/api/battles")):
        for kind in ("application/json", "application/vnd.x+json"):
            answer = crowd.owner.send(method, path, said.encode(), {"Content-Type": kind})
            assert answer.status in (400, 422) and answer.json["error"] and len(answer.text) < 2_000


def test_what_is_packed_is_not_unpacked(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    body = gzip.compress(b" " * (100 << 20) + json.dumps({"winner": "a"}).encode(), 1)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert crowd.owner.send("PUT", f"/api/battles/{battle}/vote", body, headers).status in (400, 413, 415, 422)


def part(name: str = "files", filename: str = 'filename="a"', content: str = "x", more: str = "") -> str:
    return f'--x\r\nContent-Disposition: form-data; name="{name}"; {filename}\r\n{more}\r\n{content}\r\n'


BOMBS = {
    "very many files": part() * 10_000 + "--x--\r\n",
    "very many fields": part("a", "") * 10_000 + "--x--\r\n",
    "no end": part() * 3,
    "nothing": "",
    "only an end": "--x--\r\n",
    "nested": part(content=part().replace("--x", "--y"), more="Content-Type: multipart/mixed; boundary=y\r\n")
    + "--x--",
    "a header without end": f"--x\r\nContent-Disposition: {'a' * 900_000}",
    "very many headers": part(more="".join(f"X-{n}: 1\r\n" for n in range(20_000))) + "--x--\r\n",
    "no name": "--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--\r\n",
    "line ends": "\r\n" * 400_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_multipart_bomb_is_refused_and_leaves_nothing(
    site: Site, crowd: Crowd, bomb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # of the server's, too; and of nobody else's
    answer = crowd.owner.send("POST", "/api/uploads", BOMBS[bomb].encode(), {"Content-Type": MULTIPART})
    assert answer.status in (400, 413, 422) or (answer.status, bomb) == (201, "nested"), answer.text[:200]
    if answer.status != 201:
        assert not list((site.home / "uploads").glob(f"{crowd.owner.person.id}-*"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "kind", ["multipart/form-data", "multipart/form-data; boundary=", f"{MULTIPART}{'x' * 20_000}"]
)
def test_a_multipart_body_without_a_sensible_boundary_is_refused(crowd: Crowd, kind: str) -> None:
    answer = crowd.owner.send("POST", "/api/uploads", b"--x--", {"Content-Type": kind})
    assert answer.status in (400, 413, 422, 431)


def test_headers_without_end_are_cut_off(url: str) -> None:
    start = f"GET / HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n".encode()
    for more in (b"X: " + b"y" * (4 << 20), b"X: y\r\n" * 500_000, b"y" * (4 << 20)):
        assert raw(url, start + more)[9:12] in (b"400", b"431", b"")
    assert raw(url, b"GET /" + b"x" * (4 << 20))[9:12] in (b"400", b"414", b"431", b"")


def test_what_is_no_http_at_all_is_refused(url: str) -> None:
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00", b"\0" * 1_000, b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        assert raw(url, sent + b"\r\n\r\n")[9:12] in (b"400", b"505", b"")


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Client]]:
    """A site that waits for nobody longer than a second, and a judge there."""
    home = tmp_path_factory.mktemp("hasty")
    with Store(home / "arena.sqlite") as store:
        site = Site(store, home, rates=patient(), pace=Pace(head=1.0, body=1.0, upload=1.0))
        with serving(site) as url:
            yield url, Client(url, site, judge(store))


def test_who_never_ends_a_request_is_not_waited_for(hasty: tuple[str, Client]) -> None:
    url, client = hasty
    begun = {
        "nothing": b"", "a head": b"GET / HTTP/1.1\r\nX: ",
        "a body": head(client, url, "POST", "/api/battles", Content_Type="application/json", Content_Length="9") + b"{",
        "a form": head(
            client, url, "POST", "/arena/consent", X_Fairground_Token="", Content_Type=FORM, Content_Length="9"
        ) + b"token=",
        "an upload": head(client, url, "POST", "/api/uploads", Content_Type=MULTIPART, Content_Length="9999")
        + part().encode(),
    }  # fmt: skip
    place = urlsplit(url)
    with ExitStack() as stack:
        held = []
        for kind, sent in [*begun.items()] * 16:
            one = stack.enter_context(socket.create_connection((place.hostname, place.port), SECONDS))
            with suppress(ConnectionError):  # a busy machine may have taken so long that it is not waited for any more
                one.sendall(sent)
            held.append((kind, one))
        eventually(lambda: is_served(client))  # others are, meanwhile
        for kind, one in held:
            assert heard_of(one)[9:12] in (b"", b"408"), kind


def is_served(client: Client) -> bool:
    """Whether somebody gets a page; a busy machine may take longer to ask for it than this site waits."""
    try:
        return client.get("/").status == 200
    except ConnectionError:
        return False


def heard_of(connection: socket.socket) -> bytes:
    """What the server says at last, or nothing where it only hangs up."""
    try:
        return connection.recv(4_096)
    except ConnectionError:
        return b""


def test_a_body_that_was_refused_is_not_read_forever(hasty: tuple[str, Client]) -> None:
    url, client = hasty
    place = urlsplit(url)
    sent = head(client, url, "POST", "/api/battles", Content_Type="application/json", Content_Length=str(10**12))
    with socket.create_connection((place.hostname, place.port), SECONDS) as connection:
        connection.sendall(sent)
        assert connection.recv(4_096)[9:12] == b"413"
        with pytest.raises(ConnectionError):
            while True:
                connection.sendall(b"x" * (1 << 16))


def test_somebody_who_drips_is_not_waited_for_either(hasty: tuple[str, Client]) -> None:
    url, client = hasty
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), 0.05) as dripping:
        dripping.sendall(
            head(client, url, "POST", "/api/battles", Content_Type="application/json", Content_Length="999")
        )
        heard = b""
        for _ in range(1_000):
            try:
                dripping.sendall(b" ")
                heard = dripping.recv(4_096)
                break
            except TimeoutError:
                continue
            except OSError:
                break
        assert heard[9:12] in (b"", b"408")
