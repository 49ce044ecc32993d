"""The arena's API over a real server: a whole battle that tells nobody's name before the vote, and who may do what."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from fairground.agents import Brief, Turn
from fairground.agents.models import Usage
from fairground.arena import Side, Store, Task, add_agents, begin, end_side, find_person, invite, new_battle, to_judge
from fairground.core import CallUser, Done, Observation, Type
from fairground.web import Site
from tests.waiting import eventually
from tests.web.seat_stage import SECONDS, socket_of

pytestmark = pytest.mark.process

WORLD = "pocket/notes/pin-and-label"
NAMES = ("Zorblatt-9000", "compatible:Quuxinator@http://hidden.example/v1")
SECRETS = ("zorblatt", "quuxinator", "hidden.example", "7.654321")


class Talker:
    """Says its name wherever it can."""

    def __init__(self, name: str) -> None:
        self.name, self.usage = name, Usage(requests=3, dollars=7.654321)

    def begin(self, brief: Brief) -> None:
        own = self.name.partition(":")[2].partition("@")[0] or self.name
        self._turns = [
            Turn(CallUser(text=f"I am {own}. Which label?"), f"As {self.name} I would ask."),
            Turn(Type(text=f"{own} was here"), f"{own.upper()}: typing"),
            Turn(Done(), self.name),
        ]

    def act(self, observation: Observation) -> Turn:
        return self._turns.pop(0)


@dataclass
class Client:
    """A browser without pages: keeps a cookie and a token, and everything that it was ever told."""

    url: str
    cookie: str = ""
    token: str = ""
    heard: list[bytes] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, Any]:
        place = urlsplit(self.url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)
        headers = {"Cookie": self.cookie, "X-Fairground-Token": self.token, "Accept": "application/json"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = kind
        with contextlib.closing(connection):
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            said = answer.read()
            self.heard.append(str(answer.getheaders()).encode() + said)
            if given := answer.getheader("Set-Cookie"):
                self.cookie = given.partition(";")[0]
        is_json = "json" in answer.getheader("Content-Type", "")
        return answer.status, json.loads(said) if is_json else said

    def get(self, path: str) -> Any:
        status, said = self.ask("GET", path)
        assert status == 200, said
        return said

    def enter(self, secret: str = "") -> Client:
        """Opens a page, and an invitation."""
        self._load()
        if secret:
            assert self.ask("POST", f"/enter/{secret}")[0] == 303
            self._load()
            assert self.ask("POST", "/api/consent")[1]["consented"]
        return self

    def _load(self) -> None:
        found = re.search(rb'name="token" content="([0-9a-f]+)"', self.get("/"))
        assert found
        self.token = found[1].decode()

    def connected(self, path: str) -> contextlib.AbstractContextManager[ClientConnection]:
        """A WebSocket, as a page of the site would open it."""
        return socket_of(self.url, path, self.cookie)

    @contextlib.contextmanager
    def listening(self, path: str) -> Iterator[list[Any]]:
        """Everything that is sent over a WebSocket, as long as the block runs."""
        messages: list[Any] = []
        with self.connected(path) as socket:

            def listen() -> None:
                with contextlib.suppress(ConnectionClosed):
                    for message in socket:
                        data = message.encode() if isinstance(message, str) else message
                        self.heard.append(data)
                        messages.append(json.loads(message) if isinstance(message, str) else message)

            thread = threading.Thread(target=listen)
            thread.start()
            try:
                yield messages
            finally:
                socket.close()
                thread.join()


@pytest.fixture
def site(store: Store, tmp_path: Path) -> Site:
    add_agents(store, NAMES)
    return Site(store, tmp_path / "home", (), {name: lambda name=name: Talker(name) for name in NAMES})


def judge(site: Site, url: str, role: str = "judge") -> Client:
    return Client(url).enter(invite(site.store, role))


def fought(site: Site, owner: Client) -> str:
    """A battle of somebody's that can be judged, without anything having been fought."""
    person = find_person(site.store, owner.cookie.partition("=")[2].partition(".")[0])
    assert person is not None
    battle = new_battle(site.store, person, Task(world=WORLD, text="Pin it")).id
    begin(site.store, battle, {"a": "x", "b": "x"})
    for side in "ab":
        end_side(site.store, battle, Side(side, outcome="passed", reward=1.0, steps=3))
    to_judge(site.store, battle)
    return battle


def told(client: Client) -> list[str]:
    """Which secrets a client has heard, in any form that one would think of."""
    every = b"\n".join(client.heard)
    forms = {secret.encode() for secret in SECRETS}
    for name in NAMES:
        for kind in ("md5", "sha1", "sha256", "blake2b"):
            forms.add(hashlib.new(kind, name.encode()).hexdigest()[:16].encode())
        forms |= {base64.b64encode(name.encode())[:10].lower(), name.encode().hex().encode()}
    return sorted(form.decode() for form in forms if form in every.lower())


@pytest.mark.process
def test_a_whole_battle_tells_no_name_before_the_vote_and_the_vote_counts_once(site: Site, url: str) -> None:
    one = judge(site, url)
    status, begun = one.ask("POST", "/api/battles", {"own": True, "world": WORLD, "text": "Label my notes"})
    assert status == 201
    here = f"/api/battles/{begun['id']}"
    with one.listening(f"/battles/{begun['id']}/news") as news:
        first = eventually(lambda: news and news[0])
        assert first["status"] in ("preparing", "running") and first["names"] is None and first["mine"]
        assert first == {**one.get(here), **{key: first[key] for key in ("status", "position", "sides", "messages")}}
        seats = eventually(lambda: [now["sides"]["a"]["seat"] for now in news if now["sides"]["a"]["seat"]])
        with one.listening(f"/seats/{seats[0]}/stream") as stream:
            for side in "ab":
                asked = eventually(lambda side=side: [m for m in news[-1]["messages"] if m["side"] == side])[0]
                assert asked["question"] == "I am [hidden]. Which label?"
                assert eventually(lambda side=side: news[-1]["sides"][side]["state"] == "asking")
                said = {"side": side, "number": asked["number"], "text": "Blue"}
                assert one.ask("POST", f"{here}/answers", said)[0] == 200
                assert one.ask("POST", f"{here}/answers", said)[0] == 404
            eventually(lambda: news[-1]["status"] == "judging")
            assert eventually(lambda: stream)[0]["type"] == "hello"
        last = news[-1]
        assert [last["sides"][side]["state"] for side in "ab"] == ["ended", "ended"]
        assert last["sides"]["a"]["seat"] is None and last["may_vote"] and last["results"] is last["verdicts"] is None
        for side in "ab":
            replay = one.get(f"{here}/{side}/replay")
            assert replay["about"] is None and replay["steps"][0]["action"]["kind"] == "call_user"
            for picture in replay["pictures"].values():
                assert one.get(picture["url"]).startswith(b"\x89PNG")
            assert one.ask("GET", f"{here}/{side}/frames/{'0' * 24}.png")[0] == 404
        for path in ("/api/battles", "/api/presets", "/api/openapi.json", f"{here}/history", here):
            one.get(path)
        for path in ("/arena", f"/arena/battles/{begun['id']}", "/live", "/leaderboard"):
            one.get(path)
        for path in (f"{here}/c/replay", f"{here}/a/frames/..%2f..%2fepisode.json", "/api/battles/x"):
            assert one.ask("GET", path)[0] in (404, 422)
        assert told(one) == []

        answers = []
        gate = threading.Barrier(10)

        def send() -> None:
            gate.wait()
            answers.append(one.ask("PUT", f"{here}/vote", {"winner": "a", "correct_a": "correct"}))

        threads = [threading.Thread(target=send) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [status for status, _ in answers] == [200] * 10
        assert sorted(said["changed"] for _, said in answers) == [False] * 9 + [True]
        assert all(sorted(said["names"].values()) == sorted(NAMES) for _, said in answers)
        shown = eventually(lambda: news[-1]["names"] and news[-1])
        assert shown["verdicts"]["a"] and shown["results"]["a"]["dollars"] == 7.654321 and not shown["can_follow"]
    assert one.get(f"{here}/a/replay")["about"]["agent"] == shown["names"]["a"]
    assert [version["version"] for version in one.get(f"{here}/history")] == [1]
    assert one.ask("PUT", f"{here}/vote", {"winner": "tie"})[1]["version"] == 2
    assert one.ask("POST", f"{here}/close")[0] == 200
    assert one.ask("PUT", f"{here}/vote", {"winner": "b"})[0] == 403
    assert one.ask("POST", f"{here}/follow-up", {"text": "more"})[0] == 403


def test_a_battle_is_its_owners_until_an_admin_opens_it_to_judges(site: Site, url: str) -> None:
    owner, other, admin, visitor = judge(site, url), judge(site, url), judge(site, url, "admin"), Client(url).enter()
    battle = fought(site, owner)
    here, vote = f"/api/battles/{battle}", {"winner": "b"}
    for stranger in (other, visitor):
        for method, path, body in (
            ("GET", here, None),
            ("GET", f"{here}/a/replay", None),
            ("GET", f"{here}/history", None),
            ("PUT", f"{here}/vote", vote),
            ("POST", f"{here}/stop", None),
            ("POST", f"{here}/close", None),
        ):
            assert stranger.ask(method, path, body)[0] == 404, (method, path)
        for path, said in (("rerun", None), ("judges", None), ("follow-up", {"text": "go on"})):
            assert stranger.ask("POST", f"{here}/{path}", said)[0] in (403, 404)
        with stranger.connected(f"/battles/{battle}/news") as socket, pytest.raises(ConnectionClosed, match="4404"):
            socket.recv(SECONDS)
    assert owner.ask("POST", f"{here}/judges")[0] == 403
    assert admin.ask("POST", f"{here}/judges")[0] == 200
    assert other.get(here)["may_vote"] and not other.get(here)["mine"] and visitor.ask("GET", here)[0] == 404
    assert [one["id"] for one in other.get("/api/battles")] == [battle]
    assert other.ask("PUT", f"{here}/vote", vote)[1]["version"] == 1
    assert owner.get(here)["names"] is None and told(owner) == [], "another's vote reveals nothing to the owner"
    assert other.ask("POST", f"{here}/close")[0] == 403
    assert visitor.ask("PUT", f"{here}/vote", vote)[0] == 404


def test_who_has_not_agreed_or_was_not_invited_begins_nothing(site: Site, url: str) -> None:
    visitor, hasty = Client(url).enter(), Client(url).enter()
    assert hasty.ask("POST", f"/enter/{invite(site.store)}")[0] == 303
    hasty._load()
    wanted = {"own": False, "world": WORLD}
    for client in (visitor, hasty):
        assert client.ask("POST", "/api/battles", wanted)[0] == 403
        assert client.ask("POST", "/api/uploads", *multipart(("files", "a.txt", b"x")))[0] == 403
    assert hasty.ask("POST", "/api/consent")[0] == 200
    hasty.token = "0" * 64
    assert hasty.ask("POST", "/api/battles", wanted)[0] == 403, "without the page's token nothing is changed"


def multipart(*parts: tuple[str, str, bytes]) -> tuple[bytes, str]:
    body = b"".join(
        f'--edge\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n'.encode() + data + b"\r\n"
        for name, file, data in parts
    )
    return body + b"--edge--\r\n", "multipart/form-data; boundary=edge"


def test_uploads_are_named_harmlessly_limited_and_nobody_elses(site: Site, url: str, tmp_path: Path) -> None:
    one, other = judge(site, url), judge(site, url)
    status, said = one.ask(
        "POST", "/api/uploads", *multipart(("files", "../../../evil.sh", b"#!/bin/sh"), ("files", "<b>.txt", b""))
    )
    assert status == 201 and [(file["name"], file["size"]) for file in said["files"]] == [
        ("evil.sh", 9),
        ("_b_.txt", 0),
    ]
    stored = [path for path in (tmp_path / "home" / "uploads").rglob("*") if path.is_file()]
    assert {path.name for path in stored} == {"content", "about.json"}
    assert not any(path.stat().st_mode & 0o111 for path in stored)
    taken = {"own": True, "text": "run it", "preparation": {"preset": "empty", "files": [said["files"][0]["id"]]}}
    assert other.ask("POST", "/api/battles", taken)[0] == 404
    many = multipart(*(("files", f"{number}.txt", b"x") for number in range(21)))
    assert one.ask("POST", "/api/uploads", *many)[0] == 400
    assert one.ask("POST", "/api/uploads", *multipart(("files", "big", bytes((32 << 20) + 1))))[0] == 413
    assert one.ask("POST", "/api/uploads", *multipart(("other", "x", b"")))[0] == 422
    assert one.ask("POST", "/api/uploads", b"nonsense", "multipart/form-data; boundary=edge")[0] in (400, 422)


MAKES_NO_SENSE: tuple[Any, ...] = (
    {},
    {"own": True},
    {"own": True, "text": "x"},
    {"own": True, "text": "   ", "world": WORLD},
    {"own": False, "world": WORLD, "text": "mine"},
    {"own": False, "world": "/tmp"},
    {"own": False, "world": "../../etc"},
    {"own": False, "world": "nosuch/app/thing"},
    {"own": False, "world": "pocket/notes/nothing"},
    {"own": "yes", "world": WORLD},
    {"own": True, "text": "x\0y", "world": WORLD},
    {"own": True, "text": "\ud800", "world": WORLD},
    {"own": True, "text": "x", "preparation": {"preset": "nosuch"}},
    {"own": False, "world": WORLD, "preparation": {"preset": "empty"}},
    {"own": True, "text": "x", "preparation": {"preset": "empty", "pages": ["https://x.org"]}},
    {"own": True, "text": "x", "preparation": {"preset": "empty", "repository": "/etc"}},
    {"own": True, "text": "x", "preparation": {"preset": "empty", "files": ["../../x"]}},
    {"own": True, "text": "x" * 5000, "world": WORLD},
    {"own": True, "text": "x", "world": WORLD, "winner": "a"},
    ["not", "an", "object"],
)


def test_what_makes_no_sense_is_refused_in_words(site: Site, url: str) -> None:
    one = judge(site, url)
    for wanted in MAKES_NO_SENSE:
        status, said = one.ask("POST", "/api/battles", wanted)
        assert status in (400, 404, 422) and said["error"], wanted
    assert one.get("/api/battles") == []


def test_votes_that_make_no_sense_are_refused_in_words(site: Site, url: str) -> None:
    one = judge(site, url)
    here = f"/api/battles/{fought(site, one)}"
    mark = {"side": "a", "step": 1, "mark": "good"}
    for vote in (
        {}, {"winner": "c"}, {"winner": "a", "comment": "x\0"}, {"winner": "a", "comment": "x" * 4001},
        {"winner": "a", "marks": [mark, mark]}, {"winner": "a", "marks": [{**mark, "step": -1}]},
        {"winner": "a", "marks": [{**mark, "step": 10**30}]}, {"winner": "a", "person": "somebody"},
    ):  # fmt: skip
        status, said = one.ask("PUT", f"{here}/vote", vote)
        assert status in (400, 422) and said["error"], vote
    assert one.ask("POST", f"{here}/answers", {"side": "a", "number": 0, "text": "x"})[0] == 404
    assert one.ask("POST", f"{here}/rerun")[0] == one.ask("POST", f"{here}/stop")[0] == 403
    assert one.get(f"{here}/history") == [] and told(one) == []
