"""An arena with votes in it, and somebody who looks at it over HTTP."""

from __future__ import annotations

import http.client
import json
import math
import random
import re
import time
from typing import Any
from urllib.parse import urlsplit

from fairground.arena import Person, Store, add_agents, consent, new_person
from fairground.arena.schema import battles, sides, votes
from fairground.web import Site
from fairground.web.limits import Buckets, Rates

AGENTS = {"oracle": 1.5, "atlas": 0.4, "mimic": -0.3, "random": -1.6}
HOSTILE = '<img src=x onerror="alert(1)">'


class Answer:
    """What the server said."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """A person's browser, as far as the server can tell; it has a session, and the token of its pages."""

    def __init__(self, url: str, site: Site, person: Person | None = None) -> None:
        self._host = urlsplit(url).netloc
        self.person = person or new_person(site.store)
        self._cookie = site.signer.cookie(self.person.id)
        self.token = site.signer.token(self._cookie)

    def get(self, path: str, accept: str = "text/html") -> Answer:
        return self.send("GET", path, headers={"Accept": accept})

    def post(self, path: str, said: Any = None, token: str | None = None) -> Answer:
        body = json.dumps(said if said is not None else {}).encode()
        return self.send("POST", path, body, {"Content-Type": "application/json"}, token)

    def send(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, token: str | None = None
    ) -> Answer:
        sent = {"Cookie": f"fairground={self._cookie}", **(headers or {})}
        if method != "GET" and token != "":
            sent["X-Fairground-Token"] = token or self.token
        connection = http.client.HTTPConnection(self._host, timeout=60)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


def patient() -> Rates:
    """So many requests that attacks meet what is behind the limits."""
    return Rates(*(Buckets(1e6, 1e6) for _ in range(3)))


def judge(store: Store, role: str = "judge") -> Person:
    """Somebody who may vote."""
    return consent(store, new_person(store, role))


def fill(store: Store, number: int = 80, *, agents: dict[str, float] | None = None, seed: int = 0) -> list[str]:
    """Battles that were judged and closed, written straight into the tables; returns their ids."""
    chance, strengths = random.Random(seed), agents or AGENTS
    add_agents(store, list(strengths))
    person = judge(store)
    fought, ended, judged = [], [], []
    for place in range(number):
        a, b = chance.sample(list(strengths), 2)
        id_, at = f"{chance.getrandbits(128):032x}", time.time() - 1e5 + place
        category, platform = ("office", "files")[place % 2], ("desktop", "phone")[place // 2 % 2]
        fought.append(
            {"id": id_, "created": at, "owner": person.id, "world": "desk/calc", "task": f"Add column {place} up",
             "own_task": False, "category": category, "platform": platform, "preparation": "{}", "a": a, "b": b,
             "fingerprint": "f", "status": "closed", "why": "", "judged": at, "closed": at + 60}
        )  # fmt: skip
        good = {side: chance.random() < _chance(strengths[name]) for side, name in (("a", a), ("b", b))}
        ended += [
            {"battle": id_, "side": side, "episode": "", "outcome": "passed" if good[side] else "failed", "steps": 9,
             "questions": place % 4, "repetition": chance.random() / 2}
            for side in ("a", "b")
        ]  # fmt: skip
        won = "tie" if place % 11 == 0 else "a" if chance.random() < _chance(strengths[a] - strengths[b]) else "b"
        told = {f"correct_{side}": "correct" if good[side] else "wrong" for side in ("a", "b")}
        judged.append(
            {"battle": id_, "person": person.id, "version": 1, "created": at + 30, "changed": at + 30, "seconds": 30.0,
             "winner": won, "comment": "", **told}
        )  # fmt: skip
    with store.write() as connection:
        for table, rows in ((battles, fought), (sides, ended), (votes, judged)):
            connection.execute(table.insert(), rows)
    return [one["id"] for one in fought]  # type: ignore[misc]


def markup(text: str) -> str:
    """A page without what the site itself writes; for looking whether somebody else's markup got in."""
    return re.sub(r"<script[^>]*></script>", "", text)


def _chance(strength: float) -> float:
    return 1 / (1 + math.exp(-strength))
