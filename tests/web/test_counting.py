"""The process that counts votes says the same as the server would, and nobody misses it when it is gone."""

from __future__ import annotations

import pytest

from fairground.arena import Store, votes_version
from fairground.web.arena.leaderboard_worker import FEW, Reader, Tally, Worker
from tests.arena.conftest import postgresql as postgresql
from tests.arena.conftest import store as store
from tests.arena.conftest import url as url
from tests.waiting import eventually
from tests.web.arena_stage import fill


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
@pytest.mark.slow
def test_another_process_counts_the_same_and_when_it_was_killed_it_is_counted_here(store: Store) -> None:
    fill(store, FEW)
    version, worker, here = votes_version(store), Worker(store), Reader(store)
    try:
        assert figures(worker.tally(version, "", "")) == figures(here.tally(version, "", ""))
        eventually(worker._has_started, 200)
        reader, worker._reader = worker._reader, None  # type: ignore[assignment]  # whoever counts here now, breaks
        for kind, name in (("", ""), ("category", "office"), ("platform", "nowhere")):
            found = worker.tally(version, kind, name)
            assert figures(found) == figures(here.tally(version, kind, name))
            assert (found.told is None) == (name == "nowhere")
        fill(store, 10, seed=1)
        assert worker.tally(votes_version(store), "", "").votes == FEW + 10, "new votes are read"
        worker._reader = reader
        assert worker._process is not None
        worker._process.kill()
        worker._process.wait()
        assert worker.tally(votes_version(store), "", "").votes == FEW + 10
    finally:
        worker.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_few_votes_need_no_process(store: Store) -> None:
    fill(store, FEW - 1)
    worker = Worker(store)
    worker.tally(votes_version(store), "", "")
    assert worker._process is None


def figures(found: Tally) -> tuple[object, ...]:
    ratings = None
    if found.told is not None and (ranking := found.told[0].ranking) is not None:
        ratings = [(one.agent, one.rating) for one in ranking.agents]
    return ratings, found.votes, found.waiting, found.categories, found.platforms
