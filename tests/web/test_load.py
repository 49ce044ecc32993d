"""Many people at once: everybody gets in, and no vote is lost or counted twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import select

from fairground.arena import Store, history, invite
from fairground.arena.schema import vote_history, votes
from tests.arena.conftest import postgresql as postgresql
from tests.arena.conftest import url as url
from tests.web.voters import Voter, served, to_be_judged

pytestmark = pytest.mark.process


@pytest.mark.parametrize("people", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_no_vote_of_many_people_at_once_is_lost_or_doubled(url: str, people: int, tmp_path: Path) -> None:
    with Store(url) as store:
        quiet, stormy = to_be_judged(store, 2)
        secret = invite(store, uses=people)
        with served(tmp_path / "home", url) as server:
            said = asyncio.run(everybody(people, server.url, secret, quiet, stormy))
        assert len(said) == people
        with store.read() as connection:
            kept = {(row.battle, row.person): row for row in connection.execute(select(votes))}
            versions = [tuple(row)[:3] for row in connection.execute(select(vote_history))]
        assert set(kept) == {(battle, person) for battle in (quiet, stormy) for person in said}
        assert all(kept[quiet, person].version == 1 for person in said)
        expected = [(quiet, person, 1) for person in said]
        for person, (winners, final) in said.items():
            expected += [(stormy, person, version) for version in range(1, len(winners) + 1)]
            row = kept[stormy, person]
            assert row.version == len(winners)
            given = history(store, stormy, person)
            assert sorted(one["winner"] for one in given) == sorted(winners)
            assert row.winner == given[row.counted - 1]["winner"], "the last one before the names were told counts"
            assert [one["after_reveal"] for one in given] == [one["version"] > row.counted for one in given]
            assert final is None or given[-1]["winner"] == final
        assert sorted(versions) == sorted(expected)


async def everybody(
    people: int, url: str, secret: str, quiet: str, stormy: str
) -> dict[str, tuple[list[str], str | None]]:
    """All of them, from one address: how each voted on the stormy battle, and what stands, where that is certain."""
    voters = [Voter(url) for _ in range(people)]
    try:
        said = await asyncio.gather(
            *(take_part(voter, number, secret, quiet, stormy) for number, voter in enumerate(voters))
        )
        late = Voter(url)
        await late.load(f"/enter/{secret}")
        assert (await late.ask("POST", f"/enter/{secret}")).status == 403
        late.close()
        return {voter.person: one for voter, one in zip(voters, said, strict=True)}
    finally:
        for voter in voters:
            voter.close()


async def take_part(voter: Voter, number: int, secret: str, quiet: str, stormy: str) -> tuple[list[str], str | None]:
    await voter.enter(secret)
    listed = await voter.load("/arena")
    assert quiet.encode() in listed and stormy.encode() in listed
    await voter.load("/leaderboard" if number % 2 else "/")
    await voter.load(f"/arena/battles/{quiet}")
    first = await voter.vote(quiet, "tie")
    assert first.status == 200 and first.json["changed"], first
    await voter.load(f"/arena/battles/{stormy}")
    match number % 5:
        case 0:  # sends it ten times at once
            answers = await asyncio.gather(*(voter.vote(stormy, "a") for _ in range(10)))
            assert [one.status for one in answers] == [200] * 10, answers
            assert sum(one.json["changed"] for one in answers) == 1
            assert {one.json["version"] for one in answers} == {1}
            return ["a"], "a"
        case 1:  # thinks again, and then sends what stands already
            versions = [(await voter.vote(stormy, winner)).json["version"] for winner in ("a", "b", "b")]
            assert versions == [1, 2, 2]
            return ["a", "b"], "b"
        case 2:  # two windows, two opinions: whichever came last stands
            answers = await asyncio.gather(*(voter.vote(stormy, winner) for winner in ("a", "tie")))
            assert sorted(one.json["version"] for one in answers) == [1, 2]
            return ["a", "tie"], None
        case _:
            assert (await voter.vote(stormy, "both_bad")).json["version"] == 1
            return ["both_bad"], "both_bad"
