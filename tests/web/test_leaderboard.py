"""The leaderboard: gives nothing away, counts every vote, and costs one count however many look."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from fairground.arena import (
    Side,
    Store,
    Task,
    Vote,
    all_votes,
    begin,
    cast,
    close,
    contenders,
    end_side,
    flag,
    new_battle,
    retire,
    to_judge,
)
from fairground.arena.schema import shared
from fairground.arena.store import now
from fairground.web import Site
from fairground.web.arena import leaderboard_count
from fairground.web.arena.leaderboard_count import Counter, View
from fairground.web.arena.leaderboard_worker import Tally
from tests.waiting import eventually
from tests.web.arena_stage import HOSTILE, Client, fill, judge, markup

pytestmark = pytest.mark.process

TASK = Task(world="desk/calc", text="Add it up", category="office", platform="desktop")


@pytest.fixture
def site(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site that counts again as soon as there is a new vote: one test below is about the pauses."""
    monkeypatch.setattr(leaderboard_count, "_PAUSES", 0.0)
    monkeypatch.setattr(leaderboard_count, "_EVERY", 0.0)
    return Site(store, tmp_path / "home")


def to_be_judged(store: Store, owner: object, follows: str | None = None) -> str:
    battle = new_battle(store, owner, TASK, follows=follows).id  # type: ignore[arg-type]
    begin(store, battle, {"a": "same", "b": "same"})
    for side in ("a", "b"):
        end_side(store, battle, Side(side, outcome="passed"))
    to_judge(store, battle)
    return battle


def counted(visitor: Client, **wanted: object) -> dict[str, Any]:
    """The count, once it says what is wanted; votes are looked for a few times a second."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = visitor.get("/api/leaderboard").json
        return found if all(found[name] == value for name, value in wanted.items()) else None

    return eventually(look)  # type: ignore[no-any-return]


def test_a_battle_that_others_may_still_judge_moves_no_figure(url: str, site: Site, store: Store) -> None:
    fill(store)
    one, visitor = judge(store), Client(url, site)
    battle = to_be_judged(store, one)
    with store.write() as connection:
        connection.execute(shared.insert().values(battle=battle, since=now()))
    before = counted(visitor, waiting=0)
    cast(store, battle, one, Vote(winner="a", correct_a="correct", correct_b="wrong"))
    after = counted(visitor, waiting=1)
    for name in set(before) - {"waiting", "counted", "fresh"}:
        assert before[name] == after[name], f"{name} gives away who fought"
    assert "1 vote will count" in visitor.get("/leaderboard").text
    close(store, battle)
    assert counted(visitor, waiting=0)["votes"] == 81


def test_a_series_counts_when_its_owner_has_judged_all_of_it(url: str, site: Site, store: Store) -> None:
    fill(store)
    owner, visitor = judge(store), Client(url, site)
    first = to_be_judged(store, owner)
    second = to_be_judged(store, owner, follows=first)
    assert contenders(store, first) == contenders(store, second)
    cast(store, first, owner, Vote(winner="a"))
    assert counted(visitor, waiting=1)["votes"] == 80
    cast(store, second, owner, Vote(winner="b"))
    assert counted(visitor, waiting=0)["votes"] == 82


def test_nobody_learns_who_voted_or_on_what(url: str, site: Site, store: Store) -> None:
    known = fill(store)
    rows = all_votes(store)
    visitor = Client(url, site)
    for path in ("/leaderboard", "/leaderboard?category=office", "/api/leaderboard"):
        said = visitor.get(path).text
        assert "oracle" in said
        assert not any(id_[:8] in said for id_ in (*known, rows[0].person)), path


def test_markup_of_strangers_is_text(url: str, site: Site, store: Store) -> None:
    fill(store, agents={HOSTILE: 1.0, "'\"><script>alert(2)</script>": 0.0, "plain": -1.0})
    person = judge(store)
    battle = new_battle(store, person, Task(world="w", text="t", category=HOSTILE[:40], platform="<b>")).id
    begin(store, battle, {"a": "f", "b": "f"})
    to_judge(store, battle)
    cast(store, battle, person, Vote(winner="a", comment=HOSTILE))
    retire(store, HOSTILE, HOSTILE)
    visitor = Client(url, site)
    for asked in ("", "?category=%3Cimg%20src=x%20onerror=%22alert(1)", "?category=%3Cb%3E"):
        page = markup(visitor.get(f"/leaderboard{asked}").text).replace("<b>This", "")
        assert "<img" not in page and "<script>alert" not in page and "<b>" not in page, asked


def test_what_is_not_there_is_said_in_words(url: str, site: Site, store: Store) -> None:
    fill(store, 12)
    visitor = Client(url, site)
    for path, status in (
        ("/api/leaderboard?kind=category&name=nowhere", 404),
        ("/api/leaderboard?kind=category", 404),
        ("/api/leaderboard?name=office", 404),
        ("/api/leaderboard?kind=agent&name=oracle", 422),
        (f"/api/leaderboard?kind=category&name={'x' * 101}", 422),
        ("/api/leaderboard?kind=category&name=%00", 404),
        ("/leaderboard?category=nowhere", 404),
        ("/leaderboard?category=office&platform=desktop", 404),
    ):
        answer = visitor.get(path)
        assert answer.status == status, path
        assert "<h1>" in answer.text if path.startswith("/leaderboard") else answer.json["error"]


def test_the_board_says_what_is_missing_while_there_are_few_votes(url: str, site: Site, store: Store) -> None:
    visitor = Client(url, site)
    assert "No votes yet" in visitor.get("/leaderboard").text
    assert counted(visitor, votes=0)["why"] == "there are no votes yet"
    fill(store, 1, agents={"one": 0.0, "two": 0.0})
    found = counted(visitor, votes=1)
    assert found["why"].startswith("too few votes") and found["agents"] == []
    assert found["unranked"] == {"one": 1, "two": 1} and found["categories"][0]["refused"] == found["why"]
    page = visitor.get("/leaderboard").text
    assert "No ranking yet" in page and "at least 10 votes" in page and "1140" not in page
    fill(store, 11, agents={"one": 0.0, "two": 0.0}, seed=1)
    fill(store, 12, agents={"three": 0.0, "four": 0.0}, seed=2)
    assert "never met" in counted(visitor, votes=24)["why"]
    page = visitor.get("/leaderboard").text
    assert "No ranking yet" in page and "2 groups of agents never met" in page


@pytest.mark.process
def test_visitors_are_told_to_do_nothing_that_they_may_not(url: str, site: Site) -> None:
    visitor = Client(url, site)
    arena, board = visitor.get("/arena").text, visitor.get("/leaderboard").text
    assert "Battles are by invitation" in arena and "/arena/new" not in arena and "Give two agents" not in arena
    assert "Give two agents" not in board and 'href="/arena"' in board
    assert "Give two agents" in Client(url, site, judge(site.store)).get("/arena").text


@pytest.mark.process
def test_an_agent_with_few_votes_is_named_without_a_rating(url: str, site: Site, store: Store) -> None:
    fill(store, 60, agents={"one": 0.0, "two": 0.3})
    fill(store, 3, agents={"two": 0.3, "new": 0.0}, seed=1)
    visitor = Client(url, site)
    found = counted(visitor, votes=63)
    assert {one["agent"] for one in found["agents"]} == {"one", "two"} and found["unranked"] == {"new": 3}
    page = re.sub(r"<[^>]+>", "", visitor.get("/leaderboard").text)
    assert "Too few votes for a rating (minimum 10): new (3 votes)." in page


@pytest.mark.process
def test_every_number_has_its_interval_and_flagged_votes_are_counted_apart(url: str, site: Site, store: Store) -> None:
    known = fill(store, 200)
    rows = all_votes(store)
    for row in rows[:3]:
        flag(store, row.battle, row.person, "too-fast")
    retire(store, "random", "too often wrong")
    visitor = Client(url, site)
    found = counted(visitor)
    agents = found["agents"]
    assert [one["agent"] for one in agents][:1] == ["oracle"]
    assert found["votes"] == len(known) - 3 and found["left_out"] == {"too-fast": 3}
    lows = [one["rating"]["low"] for one in agents]
    assert lows == sorted(lows, reverse=True) and [one["rank"] for one in agents] == [1, 2, 3, 4]
    for one in agents:
        for span in (one["rating"], one["win_rate"], one["correct"], one["verified"], one["general"]):
            assert span["low"] <= span["estimate"] <= span["high"]
        assert one["retired"] == ("too often wrong" if one["agent"] == "random" else None)
    for matrix in (found["observed"]["rates"], found["predicted"]["rates"]):
        spans = [span for row in matrix for span in row if span is not None]
        assert len(spans) == 12 and all(span["low"] <= span["estimate"] <= span["high"] for span in spans)
    assert {one["name"] for one in found["categories"]} == {"office", "files"}
    assert found["agreed"]["estimate"] == 1.0
    office = visitor.get("/api/leaderboard?kind=category&name=office").json
    assert office["votes"] == {one["name"]: one["votes"] for one in found["categories"]}["office"]
    page = visitor.get("/leaderboard").text
    # The tests of the order have tables instead of a figure.
    assert page.count("This does not show") == page.count("<figure>") + 1 and page.count("<figure>") >= 7
    assert "retired" in page and "given too soon to have looked at both agents" in page


def test_the_order_is_tested_and_said_in_words(url: str, site: Site, store: Store) -> None:
    fill(store, 200)
    visitor = Client(url, site)
    found = counted(visitor)
    order = found["order"]
    assert order["p"] < 0.01 and order["spread"] > order["chance_spread"]["high"]
    assert len(order["pairs"]) == 6 and [one["share"] for one in order["noise"]] == [0.1, 0.2, 0.3]
    assert all(one["gap"]["low"] <= one["gap"]["estimate"] and one["p"] <= one["p_holm"] for one in order["pairs"])
    assert found["clusters"] == {} and any("1 voter is too few to cluster by" in note for note in found["notes"])
    apart = sum(one["p_holm"] <= 0.05 for one in order["pairs"])
    page = re.sub(r"<[^>]+>", "", visitor.get("/leaderboard").text)
    assert "The agents differ: the standard deviation of their ratings is" in page
    assert f"{apart} of 6 pairs differ significantly at 5% after Holm's correction." in page.replace("&#x27;", "'")
    assert "votes treated as independent" in page and "Neighbours in the ranking" in page and "All 6 pairs" in page


def test_a_new_vote_a_change_and_a_flag_show(url: str, site: Site, store: Store) -> None:
    fill(store)
    person, visitor = judge(store), Client(url, site)
    assert counted(visitor)["votes"] == 80
    battle = to_be_judged(store, person)
    cast(store, battle, person, Vote(winner="both_bad"))
    found = counted(visitor, votes=81)
    assert sum(one["both_bad"] for one in found["agents"]) == 2
    cast(store, battle, person, Vote(winner="a"))
    eventually(lambda: sum(one["both_bad"] for one in counted(visitor)["agents"]) == 0)
    flag(store, battle, person.id, "off-topic")
    assert counted(visitor, votes=80)["left_out"] == {"off-topic": 1}


def test_two_hundred_who_look_at_once_cost_one_count(store: Store) -> None:
    fill(store)
    counter = Counter(store)

    async def look() -> list[tuple[object, bool]]:
        return list(await asyncio.gather(*(counter.look(View()) for _ in range(200))))

    found = asyncio.run(look())
    counter.close()
    assert counter.made == 1 and len({id(count) for count, _ in found}) == 1 and all(fresh for _, fresh in found)


def test_votes_that_keep_coming_are_counted_together_after_a_pause(store: Store) -> None:
    fill(store)
    now = 0.0
    counter = Counter(store, clock=lambda: now)
    person, tally = judge(store), counter._worker.tally

    def slow_tally(*asked: str) -> Tally:
        nonlocal now
        now += 1.0  # so a pause is four seconds long
        return tally(*asked)

    counter._worker.tally = slow_tally  # type: ignore[method-assign]

    async def look() -> None:
        nonlocal now
        await counter.look(View())
        for _ in range(30):
            battle = await asyncio.to_thread(to_be_judged, store, person)
            await asyncio.to_thread(cast, store, battle, person, Vote(winner="a"))
            now += 0.25
            await counter.look(View())

    asyncio.run(look())
    counter.close()
    assert counter.made == 2, "a count for each vote would leave no time for the votes"


def test_a_group_that_is_gone_or_never_was_is_refused_and_forgotten(store: Store) -> None:
    fill(store, 10)
    counter = Counter(store)
    for name in ("nowhere", "\0", "office' OR 1=1"):
        with pytest.raises(Exception, match="no such category"):
            asyncio.run(counter.look(View("category", name)))
    assert not counter._slots
    counter.close()
