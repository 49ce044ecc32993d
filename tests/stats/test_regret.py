import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.stats.axes.regret import expected_regret, wald_declares
from fairground.stats.interval import plain
from fairground.stats.tables.cells import Cells, count
from fairground.stats.tables.intake import table_of
from fairground.stats.tables.table import Contender


def cells_of(apps, name="x"):
    """Nested lists: apps, scenarios, then (successes, rollouts) of each value of one axis; None where it is missing."""
    owners = [app for app, scenarios in enumerate(apps) for _ in scenarios]
    scenarios = [scenario for app in apps for scenario in app]
    rows = [
        (place, level, *cell)
        for place, scenario in enumerate(scenarios)
        for level, cell in enumerate(scenario)
        if cell is not None
    ]
    names = [f"a{app}/s{place}" for place, app in enumerate(owners)]
    most = max(len(scenario) for scenario in scenarios)
    place, level, successes, rollouts = (np.array(column) for column in zip(*rows, strict=True))
    return Cells(
        contender=Contender(name),
        apps=tuple(f"a{app}" for app in range(len(apps))),
        scenarios=tuple(names),
        app_of=np.array(owners, dtype=np.int32),
        axes=("theme",),
        axis_values=(tuple(map(str, range(most))),),
        scenario=place.astype(np.int32),
        levels=level.astype(np.int32)[:, None],
        successes=successes.astype(np.float64),
        rollouts=rollouts.astype(np.int64),
    )


def run(one, other, seed=0, **options):
    return expected_regret(one, other, rng=np.random.default_rng(seed), **options)


def half_law(successes, rollouts, half):
    """Probability of each number of successes in a random half."""
    ways = math.comb(rollouts, half)
    return {
        k: math.comb(successes, k) * math.comb(rollouts - successes, half - k) / ways
        for k in range(max(0, half - rollouts + successes), min(half, successes) + 1)
    }


def exact_p_wrong(one, other, *, same=True, truth="all", ties="half", take=1, ceil=False):
    """The probability of the wrong choice, by going through every choice of cells and every split; one app."""
    gap = one.app_means[0] - other.app_means[0]

    def choices(cells):
        options = []
        for start, end in itertools.pairwise(cells.starts.tolist()):
            picks = list(itertools.combinations(range(start, end), min(take, end - start)))
            options.append([(pick, 1 / len(picks)) for pick in picks])
        for combination in itertools.product(*options):
            yield [pick for pick, _ in combination], math.prod(chance for _, chance in combination)

    def outcomes(cells, picks):
        """(mean of the half, mean of the rest, probability) for every split."""
        laws = []
        for pick in picks:
            for cell in pick:
                c, n = int(cells.successes[cell]), int(cells.rollouts[cell])
                half = (n + 1) // 2 if ceil else n // 2
                weight = 1 / len(pick) / len(picks)
                laws.append(
                    [(weight * k / half, weight * (c - k) / (n - half), p) for k, p in half_law(c, n, half).items()]
                )
        for split in itertools.product(*laws):
            yield sum(s[0] for s in split), sum(s[1] for s in split), math.prod(s[2] for s in split)

    total = 0.0
    pairs = (
        [(picks, picks, chance) for picks, chance in choices(one)]
        if same
        else [(a, b, p * q) for (a, p), (b, q) in itertools.product(choices(one), choices(other))]
    )
    for first, second, chance in pairs:
        for (x, rest_x, p), (y, rest_y, q) in itertools.product(outcomes(one, first), outcomes(other, second)):
            ahead = gap if truth == "all" else rest_x - rest_y
            if abs(ahead) < 1e-9:
                continue
            if abs(x - y) < 1e-9:
                wrong = {"half": 0.5, "none": 0.0, "first": float(ahead < 0)}[ties]
            else:
                wrong = float((x > y) != (ahead > 0))
            total += chance * p * q * wrong
    return total


ONE = cells_of([[[(3, 4), (1, 3)], [(2, 3), (3, 3), (0, 2)]]], "one")
OTHER = cells_of([[[(2, 3), (2, 4)], [(1, 2), (3, 4), (1, 3)]]], "other")


@pytest.mark.parametrize("truth", ["all", "other_half"])
@pytest.mark.parametrize("ties", ["half", "first", "none"])
@pytest.mark.parametrize("same", [True, False])
def test_the_simulation_agrees_with_every_split_enumerated(truth, ties, same):
    options = {"truth": truth, "ties": ties}
    for one, other in ((ONE, OTHER), (OTHER, ONE)):
        exact = exact_p_wrong(one, other, same=same, **options)
        app = run(one, other, splits=40_000, same_configuration=same, **options).apps[0]
        assert app.p_wrong.estimate == pytest.approx(exact, abs=0.01)
        assert app.gap == pytest.approx(abs(one.app_means[0] - other.app_means[0]))
        assert app.regret.estimate == pytest.approx(app.p_wrong.estimate * app.gap)


@pytest.mark.parametrize("take", [2, 3, "all"])
def test_several_configurations_are_drawn_without_repetition(take):
    exact = exact_p_wrong(ONE, OTHER, take=9 if take == "all" else take)
    found = run(ONE, OTHER, splits=20_000, configurations=take)
    assert found.apps[0].p_wrong.estimate == pytest.approx(exact, abs=0.015)
    assert any("all of theirs were used" in note for note in found.notes) == (take == 3)


def test_the_larger_half_and_the_tossed_one_are_what_they_say():
    exact = exact_p_wrong(ONE, OTHER, ceil=True)
    larger = run(ONE, OTHER, splits=40_000, halves="ceil").apps[0].p_wrong.estimate
    assert larger == pytest.approx(exact, abs=0.01)
    smaller = run(ONE, OTHER, splits=40_000).apps[0].p_wrong.estimate
    tossed = run(ONE, OTHER, splits=40_000, halves="random").apps[0].p_wrong.estimate
    assert min(smaller, larger) - 0.01 <= tossed <= max(smaller, larger) + 0.01


def test_fewer_rollouts_of_the_half_are_a_smaller_evaluation():
    one, other = cells_of([[[(14, 20)]] * 3], "one"), cells_of([[[(8, 20)]] * 3], "other")
    few, many = (run(one, other, splits=5000, rollouts=number).apps[0].p_wrong.estimate for number in (1, None))
    law = {k: p for k, p in enumerate(np.convolve(np.convolve([0.3, 0.7], [0.3, 0.7]), [0.3, 0.7]))}
    against = {k: p for k, p in enumerate(np.convolve(np.convolve([0.6, 0.4], [0.6, 0.4]), [0.6, 0.4]))}
    exact = sum(
        p * q * (1.0 if x < y else 0.5 if x == y else 0.0)
        for (x, p), (y, q) in itertools.product(law.items(), against.items())
    )
    assert few == pytest.approx(exact, abs=0.03)
    assert many < few / 3


def test_identical_agents_have_no_regret():
    found = run(ONE, cells_of([[[(3, 4), (1, 3)], [(2, 3), (3, 3), (0, 2)]]], "copy"))
    app = found.apps[0]
    assert (app.gap, app.better, app.p_wrong.estimate, app.regret.high) == (0, "", 0, 0)
    assert found.total.estimate == found.total.high == 0
    assert any("equal rates in all the data" in note for note in found.notes)


def test_a_clear_winner_is_never_mistaken_but_the_splits_could_have_missed_it():
    found = run(cells_of([[[(4, 4)]] * 3], "one"), cells_of([[[(0, 4)]] * 3], "other"))
    app = found.apps[0]
    assert (app.better, app.gap, app.p_wrong.estimate) == ("one", 1, 0)
    assert 0 < app.p_wrong.high < 0.01


def test_mistakes_become_fewer_with_rollouts_and_with_scenarios():
    rng = np.random.default_rng(2)

    def mean_p_wrong(scenarios, rollouts):
        found = []
        for _ in range(30):
            p = rng.uniform(0.2, 0.6, scenarios)
            one, other = (
                cells_of([[[(int(rng.binomial(rollouts, x)), rollouts)] for x in p + lead]], name)
                for lead, name in ((0.2, "one"), (0.0, "other"))
            )
            found.append(run(one, other, splits=200).apps[0].p_wrong.estimate)
        return np.mean(found)

    small, more_rollouts, more_scenarios = mean_p_wrong(5, 6), mean_p_wrong(5, 40), mean_p_wrong(40, 6)
    assert more_rollouts < small - 0.03
    assert more_scenarios < small - 0.03


def test_regret_counts_only_where_a_winner_is_declared():
    two = [[[(3, 4)], [(1, 4)]], [[(2, 4)], [(3, 4)]]]
    against = [[[(2, 4)], [(1, 4)]], [[(3, 4)], [(3, 4)]]]
    one, other = cells_of(two, "one"), cells_of(against, "other")
    everywhere = run(one, other)
    rule = run(one, other, declared={"a0": True, "a1": False})
    assert [app.decided for app in rule.apps] == [True, False]
    assert rule.total.estimate == pytest.approx(everywhere.apps[0].regret.estimate)
    assert rule.withheld.estimate == pytest.approx(everywhere.apps[1].regret.estimate)
    assert rule.total.estimate + rule.withheld.estimate == pytest.approx(everywhere.total.estimate)
    nowhere = run(one, other, declared=lambda a, b: dict.fromkeys(a.apps, False))
    assert nowhere.total.estimate == nowhere.total.high == 0


def test_declarations_must_be_about_these_apps_and_all_of_them():
    with pytest.raises(InvalidInput, match="a0"):
        run(ONE, OTHER, declared={})
    with pytest.raises(InvalidInput, match="elsewhere"):
        run(ONE, OTHER, declared={"a0": True, "elsewhere": False})


def test_wald_declares_by_pooled_rollouts():
    one = cells_of([[[(15, 20)], [(15, 20)]], [[(11, 20)], [(10, 20)]], [[(4, 4)]]], "one")
    other = cells_of([[[(8, 20)], [(9, 20)]], [[(10, 20)], [(10, 20)]], [[(0, 4)]]], "other")
    gap, se = 30 / 40 - 17 / 40, math.sqrt(0.75 * 0.25 / 40 + 0.425 * 0.575 / 40)
    assert gap > 1.96 * se
    assert wald_declares(one, other) == {"a0": True, "a1": False, "a2": True}
    assert wald_declares(one, other, level=0.999) == {"a0": gap > 3.29 * se, "a1": False, "a2": True}
    found = run(one, other, declared=wald_declares)
    assert [app.decided for app in found.apps] == [True, False, True]


def test_single_rollouts_are_refused_with_their_number_or_left_out():
    one = cells_of([[[(1, 1), (2, 3)], [(1, 3), (0, 1)]]], "one")
    other = cells_of([[[(2, 3), (1, 3)], [(1, 3), (2, 3)]]], "other")
    with pytest.raises(InvalidInput, match="2 of 8 configurations") as caught:
        run(one, other)
    assert "leave_out" in str(caught.value.fix)
    found = run(one, other, short="leave_out")
    assert found.apps[0].gap == pytest.approx((2 / 3 + 1 / 3) / 2 - (1 / 3 + 1 / 3) / 2)
    assert any("2 configurations with only one rollout" in note for note in found.notes)


def test_nothing_left_after_leaving_out_is_refused():
    one, other = cells_of([[[(1, 1)]]], "one"), cells_of([[[(1, 3)]]], "other")
    with pytest.raises(InvalidInput, match="per configuration"):
        run(one, other, short="leave_out")


def test_contenders_without_anything_in_common_are_refused():
    one, other = cells_of([[[(1, 3), None]]], "one"), cells_of([[[None, (1, 3)]]], "other")
    with pytest.raises(InvalidInput, match="share no configuration"):
        run(one, other)
    assert run(one, other, same_configuration=False).apps[0].gap == 0


def test_configurations_of_one_side_only_are_left_out_and_said():
    one = cells_of([[[(1, 4), (4, 4)]]], "one")
    other = cells_of([[[(3, 4), None]]], "other")
    found = run(one, other)
    assert found.apps[0].gap == pytest.approx(0.5)
    assert any("1 configurations that only one" in note for note in found.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"splits": 0},
        {"configurations": 0},
        {"configurations": "some"},
        {"rollouts": 0},
        {"rollouts": 1.5},
        {"truth": "half"},
        {"halves": "up"},
        {"ties": "second"},
        {"short": "drop"},
        {"level": 2.0},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidInput):
        run(ONE, OTHER, **options)


def test_rewards_are_refused():
    table = table_of(
        {
            "agent": ["one", "one", "other", "other"],
            "scenario": ["s"] * 4,
            "rollout": ["0", "1", "0", "1"],
            "success": [1, 0, 1, 0],
            "reward": [0.1, 0.9, 0.3, 0.2],
        }
    )
    with pytest.raises(InvalidInput, match="values other than 0 and 1"):
        run(count(table, "one", value="reward"), count(table, "other", value="reward"))


def test_every_choice_is_in_the_result_and_it_repeats_with_the_seed():
    found = run(ONE, OTHER, seed=4)
    assert set(found.options) == {
        "splits", "truth", "same_configuration", "configurations", "halves", "rollouts", "ties", "short",
    }  # fmt: skip
    assert plain(found) == plain(run(ONE, OTHER, seed=4))


cell = st.integers(2, 5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
app = st.lists(st.tuples(cell, cell, cell, cell), min_size=1, max_size=4)


@settings(deadline=None)
@given(st.lists(app, min_size=1, max_size=3), st.sampled_from([1, 2, "all"]), st.integers(0, 2**32 - 1))
@pytest.mark.simulation
def test_regret_is_bounded_symmetric_in_the_two_and_inside_its_interval(apps, take, seed):
    one = cells_of([[[a, b] for a, b, _, _ in scenarios] for scenarios in apps], "one")
    other = cells_of([[[c, d] for _, _, c, d in scenarios] for scenarios in apps], "other")
    found = run(one, other, seed, splits=50, configurations=take)
    for result in found.apps:
        assert 0 <= result.p_wrong.low <= result.p_wrong.estimate <= result.p_wrong.high <= 1
        assert 0 <= result.regret.estimate <= result.gap <= 1
        assert result.regret.estimate in result.regret
    assert found.total.estimate in found.total
    assert found.total.estimate == pytest.approx(sum(result.regret.estimate for result in found.apps))
    swapped = run(other, one, seed, splits=50, configurations=take)
    assert [result.gap for result in swapped.apps] == pytest.approx([result.gap for result in found.apps])
    assert [result.better for result in swapped.apps] == [result.better for result in found.apps]
