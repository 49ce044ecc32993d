"""A server in a process of its own, and voters who ask it many things at once."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fairground.arena import Side, Store, Task, add_agents, begin, consent, end_side, new_battle, new_person, to_judge
from fairground.arena.battles import share

AGENTS = ("random", "do-nothing")
_TOKEN = re.compile(rb'name="token" content="([0-9a-f]+)"')


@dataclass(frozen=True)
class Served:
    """A running `fairground serve`."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def served(home: Path, database: str) -> Iterator[Served]:
    """Serves an arena from another process, and ends that with the block, if nobody has before."""
    line = [sys.executable, "-m", "fairground", "serve", "--port", "0", "--home", str(home), "--database", database]
    line += ["--json", *(word for name in AGENTS for word in ("--agent", name))]
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with (
        open(home / "errors", "a") as errors,
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=home, env=environment) as process,
    ):
        try:
            assert process.stdout is not None
            said = ""
            while "}" not in said and (more := process.stdout.readline()):
                said += more
            assert said, (home / "errors").read_text()
            yield Served(json.loads(said)["url"], process)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def to_be_judged(store: Store, number: int) -> list[str]:
    """Battles that have been fought, and that every judge may vote on; returns their ids."""
    add_agents(store, AGENTS)
    owner = consent(store, new_person(store, "judge"))
    found = []
    for place in range(number):
        task = Task(world="pocket/notes", text=f"Write note {place}", category="notes", platform="phone")
        battle = new_battle(store, owner, task).id
        begin(store, battle, {"a": "same", "b": "same"})
        for side in ("a", "b"):
            end_side(store, battle, Side(side, outcome="failed", reward=0.0, steps=9))
        to_judge(store, battle)
        share(store, battle)
        found.append(battle)
    return found


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Voter:
    """Somebody's browser, as far as the server can tell: keeps a cookie, a token, and connections for the next time."""

    url: str
    cookie: str = ""
    token: str = ""
    _free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)

    @property
    def person(self) -> str:
        """Who it is to the arena."""
        return self.cookie.partition("=")[2].partition(".")[0]

    async def enter(self, secret: str) -> None:
        """Takes an invitation and agrees to what becomes of votes."""
        await self.load(f"/enter/{secret}")
        taken = await self.ask("POST", f"/enter/{secret}")
        assert taken.status == 303, taken
        await self.load("/arena")
        agreed = await self.ask("POST", "/api/consent")
        assert agreed.status == 200 and agreed.json["consented"], agreed

    async def load(self, path: str) -> bytes:
        """Looks at a page."""
        answer = await self.ask("GET", path)
        assert answer.status == 200, (path, answer)
        found = _TOKEN.search(answer.body)
        assert found, answer
        self.token = found[1].decode()
        return answer.body

    async def vote(self, battle: str, winner: str, comment: str = "") -> Answer:
        """Gives a vote, or changes it."""
        return await self.ask("PUT", f"/api/battles/{battle}/vote", {"winner": winner, "comment": comment})

    async def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Asks the server.

        Raises:
            ConnectionError: When it ends before it has answered.
        """
        request = self._request(method, path, b"" if body is None else json.dumps(body).encode())
        while self._free:
            connection = self._free.pop()
            if connection[0].at_eof():
                connection[1].close()
            else:
                # The server may close a connection that nobody used for a while just now; browsers ask again, too.
                with suppress(ConnectionError):
                    return await self._answer(connection, request)
        place = urlsplit(self.url)
        return await self._answer(await asyncio.open_connection(place.hostname, place.port), request)

    def close(self) -> None:
        """Ends all connections."""
        while self._free:
            self._free.pop()[1].close()

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        headers = {
            "Host": urlsplit(self.url).netloc,
            "Accept": "text/html, application/json",
            "Cookie": self.cookie,
            "Content-Length": str(len(body)),
        }
        if method != "GET":
            headers |= {"X-Fairground-Token": self.token, "Content-Type": "application/json"}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items() if value)]
        return "\r\n".join([*lines, "", ""]).encode() + body

    async def _answer(self, connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: bytes) -> Answer:
        reader, writer = connection
        try:
            writer.write(request)
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            writer.close()
            raise ConnectionError("the server ended the connection") from error
        if given := headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        if headers.get("connection") == "close":
            writer.close()
        else:
            self._free.append(connection)
        return Answer(int(first.split()[1]), headers, body)
