"""The server is killed in the middle of everything: what it said stands, and nothing it began goes on without it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fairground.arena import Store, find_battle, find_person, history, invite
from fairground.arena.voting import find_vote
from fairground.sandbox.cgroups import ROOT
from tests.arena.conftest import postgresql as postgresql
from tests.arena.conftest import url as url
from tests.waiting import eventually
from tests.web.voters import Served, Voter, served, to_be_judged

VOTERS = 8
ENOUGH = 24  # votes that are acknowledged before the kill
WORLD = "pocket/notes/pin-and-label"
SECONDS = 90.0

pytestmark = pytest.mark.process


@dataclass
class Heard:
    """What the server said before it was killed.

    Attributes:
        votes: The comments of each person's acknowledged votes: no two votes have the same.
        unanswered: The comment of the vote that each person was still waiting for.
        owner: Who began the battle.
        battle: Ran when the server was killed.
        pids: Everything that the server had started.
        cgroups: Where it ran.
    """

    votes: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    unanswered: dict[tuple[str, str], str] = field(default_factory=dict)
    owner: Voter = field(default_factory=lambda: Voter(""))
    battle: str = ""
    pids: set[int] = field(default_factory=set)
    cgroups: set[Path] = field(default_factory=set)


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_killed_server_and_nothing_else_does(url: str, tmp_path: Path) -> None:
    with Store(url) as store:
        judged = to_be_judged(store, 3)
        secret = invite(store, uses=VOTERS + 1)
        with served(tmp_path / "home", url) as server:
            heard = asyncio.run(until_killed(server, secret, judged))
        assert len(heard.pids) >= 4 and heard.cgroups  # two keepers, two browsers
        eventually(lambda: not [pid for pid in heard.pids if runs(pid)])
        eventually(lambda: not [folder for folder in heard.cgroups if folder.exists()])

        with served(tmp_path / "home", url) as server:
            check_votes(store, heard)
            heard.owner.url = server.url
            asyncio.run(fought_again(heard.owner, heard.battle))
        assert find_battle(store, heard.battle).status == "judging"


async def until_killed(server: Served, secret: str, judged: list[str]) -> Heard:
    """Has people vote and a battle run, and kills the server while both go on."""
    heard = Heard(owner=Voter(server.url))
    await heard.owner.enter(secret)
    voters = [Voter(server.url) for _ in range(VOTERS)]
    await asyncio.gather(*(voter.enter(secret) for voter in voters))
    voting = asyncio.gather(*(keep_voting(voter, judged, heard) for voter in voters))
    async with asyncio.timeout(SECONDS):
        while sum(map(len, heard.votes.values())) < ENOUGH and not voting.done():
            await asyncio.sleep(0.01)

    begun = await heard.owner.ask("POST", "/api/battles", {"world": WORLD})  # last: nobody has to wait while it runs
    assert begun.status == 201, begun
    heard.battle = begun.json["id"]
    while (found := await state(heard.owner, heard.battle))["status"] != "running":
        assert found["status"] == "preparing", found
    heard.pids, heard.cgroups = started_by(server.process.pid)
    server.process.kill()
    await voting
    for voter in (*voters, heard.owner):
        voter.close()
    return heard


async def keep_voting(voter: Voter, judged: list[str], heard: Heard) -> None:
    """Gives votes and changes them, one after the other, as long as somebody answers."""
    number = 0
    with contextlib.suppress(ConnectionError):
        while True:
            key = judged[number % len(judged)], voter.person
            comment = f"opinion {number}"
            heard.unanswered[key] = comment
            answer = await voter.vote(key[0], ("a", "b", "tie")[number % 3], comment)
            if answer.status == 429:  # people who change their mind this often are told to wait
                await asyncio.sleep(0.05)
            else:
                assert answer.status == 200 and answer.json["changed"], answer
                heard.votes.setdefault(key, []).append(comment)
                assert answer.json["version"] == len(heard.votes[key])
            del heard.unanswered[key]
            number += 1


def check_votes(store: Store, heard: Heard) -> None:
    assert sum(map(len, heard.votes.values())) >= ENOUGH
    for key, said in heard.votes.items():
        versions = history(store, *key)
        kept = [one["comment"] for one in versions]
        # A vote that nobody was told of may be there or not; but only that one, and only once.
        assert kept in (said, [*said, heard.unanswered.get(key)])
        assert [one["version"] for one in versions] == list(range(1, len(kept) + 1))
        person = find_person(store, key[1])
        assert person is not None
        vote = find_vote(store, key[0], person)
        assert vote is not None and vote.comment == kept[-1]


async def fought_again(owner: Voter, battle: str) -> None:
    """The battle says what became of it, and is fought to its end."""
    found = await state(owner, battle)
    assert (found["status"], found["why"]) == ("interrupted", "the server stopped during the battle")
    refused = await owner.vote(battle, "a")
    assert refused.status == 403 and "interrupted" in refused.json["error"]
    assert (await owner.ask("POST", f"/api/battles/{battle}/rerun")).status == 200
    async with asyncio.timeout(SECONDS):
        while (found := await state(owner, battle))["status"] in ("preparing", "running"):
            pass
    assert found["status"] == "judging", found
    for side in ("a", "b"):
        replay = (await owner.ask("GET", f"/api/battles/{battle}/{side}/replay")).json
        assert replay["steps"]
    counted = (await owner.vote(battle, "tie")).json
    assert counted["version"] == 1 and Counter(counted["names"].values()) == Counter(("random", "do-nothing"))
    owner.close()


async def state(owner: Voter, battle: str) -> Any:
    await asyncio.sleep(0.05)  # between two looks, so that the server does something else, too
    answer = await owner.ask("GET", f"/api/battles/{battle}")
    assert answer.status == 200, answer
    return answer.json


def started_by(pid: int) -> tuple[set[int], set[Path]]:
    """All processes that a process has started, and theirs; and the folders of its sandboxes."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found, before = set[int](), {pid}
    while before:
        before = {child for child, parent in parents.items() if parent in before}
        found |= before
    folders = {*ROOT.glob(f"*/fairground-{pid}-*"), *ROOT.glob(f"fairground/*-{pid}-*")}
    for folder in folders:
        with contextlib.suppress(OSError):
            found |= {int(one) for one in (folder / "cgroup.procs").read_text().split()}
    return found, folders


def runs(pid: int) -> bool:
    """Whether there is such a process, and it is not only waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
