"""Requests that nobody honest sends. The app answers, keeps its data, and serves the next one."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairground_pocket.kit.markup import Html, html
from fairground_pocket.kit.serving import MAX_BODY, MAX_CONNECTIONS, MAX_HEAD
from fairground_pocket.notes.app import Phone, build
from fairground_pocket.notes.store import BODY_LENGTH, LABEL_LENGTH, TITLE_LENGTH

from .reader import Client, ended, request_threads, serve, world

pytestmark = pytest.mark.conformance

PAYLOADS = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "{note.title} {0} {store.__class__} %s",
    "&lt;b&gt; &amp; &#60;",
    "javascript:alert(1)",
    "\u202egnp.exe \U0001f600 e\u0301 \u0000",
]
INJECTIONS = [
    "'; DROP TABLE notes; --",
    "x' OR '1'='1",
    '" UNION SELECT value FROM settings --',
    "Robert'); DELETE FROM notes WHERE ('1'='1",
    "%' ESCAPE '",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markup_in_a_note_is_shown_as_text_on_every_screen(client: Client, payload: str) -> None:
    allowed = {tag for path in ("/", "/new", "/trash", "/settings") for tag, _ in client.get(path).tags}
    allowed |= {"article", "em", "mark", "title"}
    shown = payload.replace("\u0000", "")
    page = client.post("/new", {"title": payload, "body": payload, "new_label": payload[:LABEL_LENGTH]})
    number = max(note.id for note in client.phone.store.notes())
    assert client.phone.store.note(number).title == " ".join(shown.split())  # type: ignore[union-attr]
    query = client.get("/").submit("Search", q=payload)
    screens = [page, client.get("/"), query, client.get(f"/note/{number}/edit"), client.get(f"/?label={number}")]
    screens += [client.post(f"/note/{number}/trash"), client.get("/trash"), client.get(f"/note/{number}")]
    for screen in screens:
        assert {tag for tag, _ in screen.tags} <= allowed | {"html", "head", "body", "meta", "link", "script", "path"}
        assert sum(tag == "script" for tag, _ in screen.tags) == 1
        assert not any(name.startswith("on") or name == "style" for _, given in screen.tags for name in given)
        assert not any(value.startswith("javascript:") for _, a in screen.tags for n, value in a.items() if n == "href")
    assert shown.strip() in page.words


def test_templates_escape_whatever_is_not_markup() -> None:
    assert html("<b>{}</b>{x}", "<i>'\"&", x=Html("<hr>")) == "<b>&lt;i&gt;&#x27;&quot;&amp;</b><hr>"
    assert html("{}", "{0} {x}") == "{0} {x}"


@pytest.mark.parametrize("text", INJECTIONS)
def test_sql_in_a_form_is_only_text(client: Client, text: str) -> None:
    before = client.phone.store.dump()
    assert client.get("/").submit("Search", q=text).titles == []
    client.post("/new", {"title": text, "body": text, "new_label": text[:LABEL_LENGTH], "label": text})
    after = client.phone.store.dump()
    assert after["notes"][:-1] == before["notes"] and after["notes"][-1]["title"] == text
    assert after["settings"] == before["settings"]


@pytest.mark.parametrize(
    ("field", "length", "words"),
    [("title", TITLE_LENGTH, "The title"), ("body", BODY_LENGTH, "The note"), ("new_label", LABEL_LENGTH, "The label")],
)
def test_a_field_that_is_too_long_is_refused_with_its_limit(
    client: Client, field: str, length: int, words: str
) -> None:
    page = client.post("/new", {"title": "x", field: "ü" * (length + 1)})
    assert page.status == 422 and f"{words} can have {length} characters at most" in page.words
    assert client.post("/new", {"title": "x", field: "ü" * length}).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/notes.css", "/note/1/../../settings", "//etc/passwd",
        "/note/99999999", "/note/0", "/note/-1", "/note/1e3", "/note/%31%00", "/note/" + "9" * 400, "/note/1/",
        "/note/1/destroy", "/NEW", "/new/",
        "/trash/empty", "/note/1/pin", "/profiles/student.toml", "/.git/config", "/%ff%fe", "/note/%D9%A1",
    ],
)  # fmt: skip
def test_an_address_where_nothing_is_gives_a_page_that_leads_back(client: Client, path: str) -> None:
    before = client.phone.store.dump()
    page = client.get(path)
    assert page.status == 404 and page.links["All notes"] == "/"
    assert client.phone.store.dump() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT"])
def test_other_methods_change_nothing(client: Client, method: str) -> None:
    before = client.phone.store.dump()
    assert client.raw(f"{method} /note/1/trash HTTP/1.1\r\n\r\n".encode()).startswith(b"HTTP/1.1 404")
    assert client.phone.store.dump() == before


def test_reading_never_changes_anything(client: Client) -> None:
    before = client.phone.store.dump()
    for note in before["notes"]:
        for action in ("", "/pin", "/unpin", "/trash", "/restore", "/delete", "/edit"):
            client.get(f"/note/{note['id']}{action}")
    assert client.phone.store.dump() == before


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"get / HTTP/1.1\r\n\r\n", 400),
        (b"GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n", 400),
        (b"POST /new HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST /new HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413),
        (b"POST /new HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", 413),
        (b"POST /new HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 415),
        (b"POST /new HTTP/1.1\r\nContent-Type: multipart/form-data\r\nContent-Length: 2\r\n\r\n{}", 415),
        (b"GET /?" + b"&".join([b"q=1"] * 300) + b" HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 2 * MAX_HEAD + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * 2 * MAX_HEAD, 431),
    ],
)
def test_what_is_not_a_request_is_refused(client: Client, request_: bytes, status: int) -> None:
    assert client.raw(request_).startswith(b"HTTP/1.1 %d" % status)
    assert client.get("/").status == 200


def test_a_body_far_over_the_limit_is_refused_while_it_is_being_sent(client: Client) -> None:
    head = b"POST /new HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 8000000\r\n\r\n"
    assert client.raw(head + b"title=" + b"x" * 1_000_000).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("body", [b"", b"&&&", b"=", b"title", b"%", b"title=%ff%fe%00", b"\xff\xfe", b"a=1;b=2"])
def test_a_form_that_is_no_form_of_ours_adds_nothing_without_a_title(client: Client, body: bytes) -> None:
    count = len(client.phone.store.notes())
    assert client.post("/new", body).status in (200, 422)
    added = [note.title for note in client.phone.store.notes()[count:]]
    assert added in ([], ["\ufffd\ufffd"]), "bytes that are no text are shown as such"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300), path=st.text(max_size=60))
def test_no_bytes_break_the_server(client: Client, data: bytes, path: str) -> None:
    answer = client.raw(data + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 ") and b" 500 " not in answer[:20]
    line = b"GET /?q=" + path.encode("utf-8", "surrogatepass").hex("%").encode() + b" HTTP/1.1\r\n\r\n"
    assert b" 500 " not in client.raw(line)[:20]


def test_others_are_served_while_a_client_is_slow() -> None:
    phone = Phone(build(world()))
    server = serve(phone)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert Client(phone).get("/").status == 200
        server.close()
        assert slow.recv(100) == b"", "open until the server ended, and closed without an answer"
    phone.close()


def test_a_client_that_is_too_slow_is_left() -> None:
    phone = Phone(build(world()))
    server = serve(phone, seconds=0.1)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert slow.recv(100) == b"", "closed without an answer"
    server.close()
    phone.close()


def test_more_connections_than_a_browser_opens_are_not_taken(client: Client) -> None:
    with contextlib.ExitStack() as stack:
        address = ("127.0.0.1", client.phone.server.port)
        held = [stack.enter_context(socket.create_connection(address, timeout=20)) for _ in range(MAX_CONNECTIONS + 1)]
        assert held[-1].recv(10) == b"", "one too many"
        held[0].sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert held[0].recv(12) == b"HTTP/1.1 200"


def test_changes_at_the_same_time_are_all_made(client: Client) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            client.post("/new", {"title": f"{number}.{turn}"})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    titles = {note.title for note in client.phone.store.notes()}
    assert {f"{number}.{turn}" for number in range(8) for turn in range(5)} <= titles


def test_closing_ends_every_thread_and_connection() -> None:
    before = request_threads()
    phone = Phone(build(world()))
    server = serve(phone)
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(5)]
    assert Client(phone).get("/").status == 200
    server.close()
    server.close()
    phone.close()
    assert ended(request_threads() - before)
    for connection in idle:
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(10) == b""
        connection.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=20)


def test_a_broken_app_answers_500_and_keeps_the_error() -> None:
    phone = Phone(build(world()))
    server = serve(phone)
    phone.store.close()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/")
    assert connection.getresponse().status == 500
    connection.close()
    assert "closed database" in str(server.fault)
    server.close()


def test_every_answer_forbids_foreign_scripts_and_stays_out_of_caches(client: Client) -> None:
    for path in ("/", "/note/1", "/new", "/trash", "/settings", "/nothing"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "data:" not in policy
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        assert "Set-Cookie" not in headers
    for path in ("/style.css", "/notes.js", "/icon.svg"):
        assert b"nosniff" in client.raw(f"GET {path} HTTP/1.1\r\n\r\n".encode())
