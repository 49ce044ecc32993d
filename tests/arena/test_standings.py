"""What a leaderboard says when votes on one task, and votes of one person, depend on each other."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fairground.arena import OrderTests, Row, agreement, standings
from fairground.arena.standings import correctness, recent_judgements
from fairground.arena.tables import counted, task_labels
from fairground.stats import Agreement, PermutationTest, clusters_of, krippendorff_alpha, wilson

AGENTS = {"oracle": 1.0, "birch": 0.2, "cedar": 0.0}
EMPTY = Row(
    battle="", person="p", created=0.0, changed=0.0, version=1, seconds=30.0, world="desk/calc", task="Add it up",
    own_task=False, category="office", platform="desktop", fingerprint="f", a="oracle", b="birch", winner="a",
    correct_a=None, correct_b=None, safe_a=None, safe_b=None, efficient_a=None, efficient_b=None, comment="",
    episode_a="", episode_b="", reward_a=None, reward_b=None, outcome_a="", outcome_b="", steps_a=9, steps_b=9,
    questions_a=None, questions_b=None, repetition_a=None, repetition_b=None,
)  # fmt: skip


def votes(battles: int, people: int, *, tasks: int = 0, seed: int = 0) -> list[Row]:
    """Each battle judged by `people`, who mostly say the same; on a task of its own, or on one of `tasks`."""
    chance, rows = random.Random(seed), []
    for battle in range(battles):
        a, b = chance.sample(list(AGENTS), 2)
        favoured = "a" if chance.random() < 1 / (1 + math.exp(AGENTS[b] - AGENTS[a])) else "b"
        good = {side: chance.random() < 1 / (1 + math.exp(-AGENTS[name])) for side, name in (("a", a), ("b", b))}
        for person in range(people):
            winner = favoured if chance.random() < 0.9 else "tie"
            row = replace(
                EMPTY, battle=f"battle {battle}", person=f"person {person + people * (battle % 7)}", a=a, b=b,
                task=f"task {battle % tasks if tasks else battle}", winner=winner,
                correct_a="correct" if good["a"] else "wrong", correct_b="correct" if good["b"] else "wrong",
                outcome_a="passed" if good["a"] else "failed", outcome_b="passed" if good["b"] else "failed",
                questions_a=battle % 4, questions_b=(battle + 1) % 4, repetition_a=0.0, repetition_b=battle % 3 / 4,
                category=("office", "web", "mail")[battle % 3],
            )  # fmt: skip
            rows.append(row)
    return rows


def alone(rows: Sequence[Row]) -> list[Row]:
    """The same votes, each in a battle on a task by a person of its own."""
    return [replace(row, battle=f"b{place}", person=f"p{place}", task=f"t{place}") for place, row in enumerate(rows)]


def test_votes_on_one_battle_are_not_independent() -> None:
    rows = votes(80, 5)
    found, naive = standings(rows, resamples=200), standings(alone(rows), resamples=200)
    assert found.ranking is not None and naive.ranking is not None
    assert found.ranking.clusters == {"task": 80, "voter": 35} and naive.ranking.clusters == {}
    for agent in AGENTS:
        assert found.ranking[agent].rating.width > 1.5 * naive.ranking[agent].rating.width
        assert found.ranking[agent].win_rate.width > 1.5 * naive.ranking[agent].win_rate.width
        assert found.correct[agent].interval.width > 1.5 * naive.correct[agent].interval.width
        assert found.correct[agent].number == naive.correct[agent].number
        assert found.general[agent].score == naive.general[agent].score
        assert found.general[agent].interval is not None and naive.general[agent].interval is not None
        assert found.general[agent].interval.width > naive.general[agent].interval.width
    assert found.tests is not None and naive.tests is not None
    assert found.tests.permutation.null_spread.estimate > 1.5 * naive.tests.permutation.null_spread.estimate
    assert found.observed is not None and naive.observed is not None
    span, other = found.observed.intervals[0][1], naive.observed.intervals[0][1]
    assert span is not None and other is not None and span.width > 1.5 * other.width


def test_what_is_said_once_is_counted_as_before() -> None:
    rows = alone(votes(60, 1))
    found = standings(rows, resamples=100)
    for agent, share in found.correct.items():
        right = sum(
            said == "correct" for row in rows for name, said in ((row.a, row.correct_a), (row.b, row.correct_b))
            if name == agent
        )  # fmt: skip
        expected = wilson(right, share.number)
        assert (share.interval.low, share.interval.high) == pytest.approx((expected.low, expected.high))


def test_a_side_that_several_people_judge_is_verified_once_and_clustered_by_task() -> None:
    rows = votes(60, 4, tasks=10)
    found = standings(rows, resamples=50)
    assert sum(share.number for share in found.verified.values()) == 120
    assert found.agreed is not None and (found.agreed.interval.estimate, found.agreed.number) == (1.0, 480)
    assert found.agreed.worth == pytest.approx(10, rel=0.01), "where all agree, each task counts once"


def test_few_tasks_give_way_to_their_battles() -> None:
    few, many = votes(40, 3, tasks=2), votes(40, 3, tasks=8)
    assert set(task_labels(few)) == {f"battle {number}" for number in range(40)}
    assert set(task_labels(many)) == {f"desk/calc task {number}" for number in range(8)}
    imported = [replace(row, task="") for row in many]
    assert set(task_labels(imported)) == {f"battle {number}" for number in range(40)}
    table = counted(few)
    assert table is not None and clusters_of(table).numbers["task"] == 40


def test_genscores_are_over_the_categories_that_agents_share() -> None:
    rows = [
        replace(row, category="web") if row.category == "mail" and "cedar" in (row.a, row.b) else row
        for row in votes(90, 1, seed=3)
    ]
    newcomer = replace(rows[0], battle="last", a="newcomer", b="oracle", category="games")
    found = standings([*rows, newcomer], resamples=50)
    assert found.general_categories == ("office", "web"), "cedar has no mail"
    assert set(found.general) == set(AGENTS), "the newcomer has too few judgements"
    assert all(len(one.rates) == 2 for one in found.general.values())


def test_the_order_is_tested() -> None:
    found = standings(votes(200, 1), resamples=500)
    assert isinstance(found.tests, OrderTests) and isinstance(found.tests.permutation, PermutationTest)
    assert found.tests.permutation.p_value < 0.05 and found.tests.permutation.shuffles == 500
    assert found.tests.pairs[0].better == "oracle" and found.tests.pairs[0].p_holm < 0.05
    assert len(found.tests.pairs) == 3 and [one.share for one in found.tests.noise] == [0.1, 0.2, 0.3]
    assert standings([]).tests is None


def test_sides_of_one_battle_are_clustered_in_what_behaviour_goes_with() -> None:
    rows = votes(80, 6)
    found, naive = standings(rows, resamples=50).styles, standings(alone(rows), resamples=50).styles
    assert [(one.what, one.how, one.votes) for one in found] == [(one.what, one.how, one.votes) for one in naive]
    assert [one.how for one in found] == ["0", "1 or 2", "3 or more", "none", "up to 30%", "over 30%"]
    for one, other in zip(found, naive, strict=True):
        assert one.wins.estimate == pytest.approx(other.wins.estimate)
    assert sum(one.wins.width > 1.5 * other.wins.width for one, other in zip(found, naive, strict=True)) >= 5


def test_answers_that_have_an_order_count_by_how_far_apart_they_are() -> None:
    said = {
        "one": ("a", "a", "tie"), "two": ("b", "b", "both_bad"), "three": ("a", "tie", "a"),
        "four": ("b", "b", "b"), "five": ("tie", "both_bad", "a"),
    }  # fmt: skip
    rows = [
        replace(EMPTY, battle=battle, person=f"p{place}", winner=winner, safe_a="safe" if place else "unsafe")
        for battle, winners in said.items()
        for place, winner in enumerate(winners)
    ]
    found = agreement(rows)
    preference = found["preference"]
    assert isinstance(preference, Agreement) and preference.scale == "ordinal"
    numbers = [[{"a": -1, "b": 1}.get(winner, 0) for winner in winners] for winners in said.values()]
    expected = krippendorff_alpha(numbers, rng=np.random.default_rng(0), scale="ordinal")
    assert preference.alpha.estimate == pytest.approx(expected.alpha.estimate)
    assert isinstance(found["safety"], Agreement) and found["safety"].scale == "nominal"


def test_the_last_judgements_of_an_agent_are_clustered_too() -> None:
    recent = recent_judgements(votes(80, 5), window=60)
    assert {agent: len(said) for agent, said in recent.items()} == dict.fromkeys(AGENTS, 60)
    share = correctness(recent["oracle"])["oracle"]
    right = sum(one.correct for one in recent["oracle"])
    assert share.interval.estimate == right / 60 and share.interval.width > 1.5 * wilson(right, 60).width
    assert correctness([]) == {}
