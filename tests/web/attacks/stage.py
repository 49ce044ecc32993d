"""A site with something of everything on it, and people who may see different parts."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fairground.arena import Side, Task, begin, end_side, new_battle, new_person, to_judge
from fairground.arena.battles import share
from fairground.arena.schema import battles
from fairground.core import Done, Outcome
from fairground.rollout import Finished, Planned, RunSpec, RunStore
from fairground.web import Site
from tests.recordings import CONFIGURATION, hostile, record
from tests.web.arena_stage import Client, judge
from tests.web.seat_stage import SECONDS

WORLD = "pocket/notes/pin-and-label"
NAMES = ("Zorblatt-9000", "Quuxinator-3")


@dataclass
class Crowd:
    """People at the site; `owner` began the battles, `other` is a judge who did not."""

    visitor: Client
    owner: Client
    other: Client
    admin: Client

    @classmethod
    def at(cls, url: str, site: Site) -> Crowd:
        """Four new people."""
        people = new_person(site.store), judge(site.store), judge(site.store), judge(site.store, "admin")
        return cls(*(Client(url, site, person) for person in people))

    def each(self) -> Iterator[Client]:
        """In the order of the table of ways in."""
        yield from (self.visitor, self.owner, self.other, self.admin)


def a_run(place: Path, name: str = "first") -> Path:
    """A run with two recorded episodes, the second of which is hostile."""
    plan = [Planned(number=n, configuration=CONFIGURATION.id, rollout=n, seed=0) for n in range(2)]
    with RunStore.create(place / name, RunSpec(worlds=("desk",), agent="shrewd-actor"), plan) as store:
        for number in range(2):
            store.finish(number, Finished(Outcome.FAILED, reward=0.5, steps=2, folder=f"episodes/{number:06}"))
    record(place / name / "episodes" / "000000", [Done()])
    hostile(place / name / "episodes" / "000001")
    return place / name


def fought(
    site: Site, owner: Client, *, text: str = "Pin it", status: str = "judging", shared: bool = False,
    recording: Path | None = None,
) -> str:  # fmt: skip
    """A battle of somebody's in this state, without anything having been fought."""
    task = Task(world=WORLD, text=text, own=True, category="notes", platform="phone")
    battle = new_battle(site.store, owner.person, task).id
    if status != "preparing":
        begin(site.store, battle, {"a": "same", "b": "same"})
        for side in ("a", "b"):
            place = f"battles/{battle}/{side}"
            if recording is not None:
                shutil.copytree(recording, site.home / place)
            end_side(site.store, battle, Side(side, episode=place, outcome="passed", reward=1.0, steps=3))
        to_judge(site.store, battle)
    if shared:
        share(site.store, battle)
    if status not in ("preparing", "judging"):
        with site.store.write() as connection:
            connection.execute(battles.update().where(battles.c.id == battle).values(status=status))
    return battle


def cookie_of(site: Site, client: Client) -> str:
    """A cookie of somebody's, as the server would give it."""
    return f"fairground={site.signer.cookie(client.person.id)}"


def raw(url: str, sent: bytes, *, most: int = 1 << 16) -> bytes:
    """What a server says to bytes that no decent client would send."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), SECONDS) as connection:
        with suppress(ConnectionError):  # it may have heard enough
            connection.sendall(sent)
        return _heard(connection, most)


def _heard(connection: socket.socket, most: int) -> bytes:
    connection.settimeout(SECONDS)
    heard = b""
    with suppress(ConnectionError):  # it may have gone without a word
        while len(heard) < most and not _complete(heard) and (part := connection.recv(most)):
            heard += part
    return heard


def _complete(heard: bytes) -> bool:
    head, end, body = heard.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return bool(end) and len(body) >= int(line.partition(b":")[2])
    return False
