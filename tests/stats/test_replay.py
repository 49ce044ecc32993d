import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.tasks.reliability import pass_at_k
from fairground.stats.tasks.replay import (
    WatchedTask,
    replay_from_counts,
    replay_success,
    simulate_replay,
    swapped_replay,
    watched_replay,
)

rates = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def generator(seed=0):
    return np.random.default_rng(seed)


@given(p=rates, k=st.integers(1, 1000))
def test_replay_success_is_the_chance_of_any_success_and_never_below_the_source(p, k):
    expected = np.mean([1 - (1 - x) ** k for x in p])
    assert replay_success(p, k) == pytest.approx(expected, abs=1e-9)
    assert replay_success(p, k) >= np.mean(p) - 1e-12


def test_any_chance_at_all_becomes_near_certainty_with_enough_rollouts():
    assert replay_success([1e-3] * 5, 10_000) > 0.9999
    assert replay_success([1e-18], 1000) == pytest.approx(1e-15)  # small rates keep their digits
    assert replay_success([0.0, 1.0], 10**6) == 0.5


def test_replay_from_counts_is_the_pass_at_k_curve():
    c = [0, 1, 2, 4]
    result = replay_from_counts(c, 4, rng=generator(), replicates=200)
    assert [point.estimate for point in result.replay.points] == [
        pytest.approx(pass_at_k(c, 4, k).estimate) for k in (1, 2, 3, 4)
    ]
    assert result.source == result.replay.points[0]
    assert result.gain[0] == 0 and result.gain[3] == pytest.approx(0.75 - 7 / 16)
    plain(result)


def test_ragged_rollouts_are_pointed_out_where_the_gain_is_read():
    result = replay_from_counts([1, 2, 4], [2, 4, 4], rng=generator(), replicates=200)
    assert "different sets of tasks" in result.notes[0]


def test_in_a_static_world_a_blind_replay_scores_pass_at_k():
    rng = generator(1)
    p = rng.beta(0.5, 0.7, 80)
    result = simulate_replay(p, rng=rng, largest_k=8, experiments=2000)
    for k, replay, estimate, expected in zip(
        result.ks, result.static, result.pass_at_k, result.expected_static, strict=True
    ):
        assert expected == pytest.approx(replay_success(p, k), abs=1e-12)
        assert replay.estimate == pytest.approx(expected, abs=0.004)  # four Monte Carlo errors at 160,000 trials
        assert estimate.estimate == pytest.approx(expected, abs=0.004)
    assert result.source.estimate == pytest.approx(p.mean(), abs=0.004)
    assert result.static[-1].low > result.source.high + 0.2  # a script beats the agent it copies


def test_in_a_varied_world_the_replay_collapses():
    rng = generator(2)
    p = rng.beta(0.5, 0.7, 80)
    result = simulate_replay(p, rng=rng, largest_k=8, configurations=27, experiments=1000)
    assert result.varied[-1].estimate == pytest.approx(result.expected_static[-1] / 27, abs=0.004)
    assert result.varied[-1].high < result.source.low / 5


def test_the_replay_keeps_the_tasks_whose_recording_works_anywhere():
    p, transfer = np.full(10, 0.5), np.r_[np.ones(3), np.zeros(7)]
    result = simulate_replay(p, rng=generator(3), largest_k=6, repeat=0.0, transfer=transfer, experiments=500)
    assert result.varied[-1].estimate == pytest.approx(0.3 * (1 - 0.5**6), abs=0.01)


@given(p=rates, configurations=st.integers(1, 50), transfer=st.floats(0, 1), largest_k=st.integers(1, 6))
def test_simulated_rates_are_rates_and_rise_with_k(p, configurations, transfer, largest_k):
    result = simulate_replay(
        p, rng=generator(), largest_k=largest_k, configurations=configurations, transfer=transfer, experiments=20
    )
    for curve in (result.static, result.varied, result.pass_at_k):
        assert all(0 <= point.low <= point.estimate <= point.high <= 1 for point in curve)
        assert all(a.estimate <= b.estimate + 1e-12 for a, b in itertools.pairwise(curve))
    pairs = zip(result.expected_varied, result.expected_static, strict=True)
    assert all(varied <= static + 1e-12 for varied, static in pairs)
    plain(result)


def test_one_configuration_is_the_static_world():
    p = generator(4).random(50)
    result = simulate_replay(p, rng=generator(5), configurations=1, experiments=1000)
    assert result.expected_varied == pytest.approx(result.expected_static)
    assert result.varied[4].estimate == pytest.approx(result.static[4].estimate, abs=0.008)


def test_repeat_takes_the_place_of_one_in_so_many_configurations():
    given_chance = simulate_replay([0.5], rng=generator(), repeat=0.25)
    assert given_chance.expected_varied == simulate_replay([0.5], rng=generator(), configurations=4).expected_varied


def test_intervals_hold_the_expected_value_as_often_as_they_claim():
    rng = generator(6)
    p = rng.beta(0.5, 0.7, 30)
    found = []
    for _ in range(200):
        result = simulate_replay(p, rng=rng, largest_k=3, configurations=3, experiments=50)
        found.append(
            [
                *(e in point for e, point in zip(result.expected_static, result.static, strict=True)),
                *(e in point for e, point in zip(result.expected_varied, result.varied, strict=True)),
                *(e in point for e, point in zip(result.expected_static, result.pass_at_k, strict=True)),
            ]
        )
    assert np.mean(found, axis=0) == pytest.approx(np.full(9, 0.95), abs=0.05)


def test_a_suite_that_nobody_solves_stays_unsolved():
    result = simulate_replay([0.0, 0.0], rng=generator())
    assert all(point.estimate == 0 and point.high > 0 for point in result.static)


@pytest.mark.parametrize(
    ("p", "options", "words"),
    [
        ([], {}, "p"),
        ([1.5], {}, "p: expected numbers from 0 to 1"),
        ([float("nan")], {}, "p"),
        ([0.5], {"largest_k": 0}, "largest_k"),
        ([0.5], {"configurations": 0}, "configurations"),
        ([0.5], {"configurations": 1.5}, "configurations"),
        ([0.5, 0.5], {"configurations": [1, 2, 3]}, "one per task"),
        ([0.5], {"transfer": -0.1}, "transfer"),
        ([0.5], {"repeat": 2}, "repeat"),
        ([0.5], {"experiments": 0}, "experiments"),
        ([0.5], {"level": 2}, "level"),
    ],
)
def test_impossible_worlds_are_refused(p, options, words):
    with pytest.raises(InvalidInput, match=words):
        simulate_replay(p, rng=generator(), **options)


@pytest.mark.parametrize("k", [0, -3, 1.5])
def test_a_k_that_is_no_count_is_refused(k):
    with pytest.raises(InvalidInput, match="k"):
        replay_success([0.5], k)


def test_a_script_scores_what_it_has_seen_a_success_of():
    twice, once, never, broken = WatchedTask(2, 3, 1, 2), WatchedTask(1, 3, 1, 1), WatchedTask(0, 3), WatchedTask(3, 3)
    assert [task.replay(1) for task in (twice, once, never)] == pytest.approx([0.5 * 2 / 3, 1 / 3, 0])
    assert [task.replay(2) for task in (twice, once, never)] == pytest.approx([0.5, 2 / 3, 0])
    assert watched_replay([twice, once, never, broken], 3).estimate == 0.5, "an errored replay is not a score"
    assert watched_replay([twice, broken], 4) is None, "of three scored attempts, nobody watched four"


def test_halves_that_swap_roles_cancel_the_luck_of_the_half_that_was_watched():
    lucky, unlucky = WatchedTask(4, 4, 1, 1), WatchedTask(0, 4)
    for halves in ((lucky, unlucky), (unlucky, lucky)):
        found = swapped_replay([halves] * 5, 1)
        assert str(found.gap.estimate) == "0.0" and found.replay == found.pass_at_k and found.pass_at_k.estimate == 0.5
    assert found.gap.low < -0.2 and found.gap.high == 0, "five tasks without a failed replay are not certainty"


def test_intervals_of_swapped_halves_are_over_tasks_and_not_over_twice_as_many():
    rng = generator(3)
    tasks = [(WatchedTask(int(c), 4, int(rng.random() < 0.8), 1), WatchedTask(int(c), 4, 1, 1))
             for c in rng.binomial(4, 0.5, 12)]  # fmt: skip
    found = swapped_replay(tasks, 2)
    averages = [(one.replay(2) + other.replay(2)) / 2 for one, other in tasks]
    low, high = scipy_stats.ttest_1samp(averages, 0).confidence_interval(0.95)
    assert (found.replay.low, found.replay.high) == pytest.approx((max(0, low), min(1, high)))
    assert found.gap.estimate == pytest.approx(found.replay.estimate - found.pass_at_k.estimate)
    plain(found)


def test_a_task_counts_only_where_both_halves_can_be_judged():
    whole = (WatchedTask(1, 2, 1, 1), WatchedTask(0, 2))
    short, errored = (WatchedTask(1, 1, 1, 1), WatchedTask(0, 2)), (WatchedTask(2, 2), WatchedTask(0, 2))
    assert swapped_replay([whole, short, errored], 2).tasks == 1
    assert swapped_replay([whole, short, errored], 1).tasks == 2
    assert swapped_replay([short, errored], 2) is None
