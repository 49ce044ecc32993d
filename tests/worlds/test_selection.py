"""What a name stands for, and what is drawn from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

from fairground.core import AXES, Configuration, InvalidConfiguration, InvalidInput, UnknownName
from fairground.rollout import RunSpec, make_plan
from fairground.worlds import Scenario, Suite, resolve, select, suites
from fairground.worlds.selection import Part
from tests.worlds.conftest import Writer


def test_a_suite_stands_for_everything_that_is_proven_of_it() -> None:
    suite = suites()["pocket"]
    app = suite.app("notes")
    scenarios = [one for one in suite.scenarios if one.app == "notes"]
    whole = select("pocket/notes")
    assert len(whole) == sum(len(suite.pairs(one)) for one in scenarios) * len(app.themes) * len(app.ui_states)
    assert {part.scenario.name for part in whole.parts} == {one.name for one in scenarios}
    assert len(select("pocket")) > len(whole)


def test_listing_and_counting_agree() -> None:
    some = select("pocket/notes/count-label")
    listed = list(some)
    assert len(listed) == len(some) == len({one.id for one in listed})
    assert all(resolve(one.id).configuration == one for one in listed[:5])


def test_draws_reach_every_scenario_and_axis_and_repeat_with_the_seed() -> None:
    whole = select("pocket/notes")
    drawn = list(islice(whole.draws(seed=3), 400))
    assert [one.id for one in drawn[:50]] == [one.id for one in islice(whole.draws(seed=3), 50)]
    assert [one.id for one in drawn[:50]] != [one.id for one in islice(whole.draws(seed=4), 50)]
    assert {one.scenario.name for one in drawn} == {part.scenario.name for part in whole.parts}
    for axis in ("profile", "theme", "ui_state"):
        assert {getattr(one.configuration, axis) for one in drawn} == set(getattr(drawn[0].app, f"{axis}s"))
    assert len({one.seed for one in drawn}) > 390


def test_scenarios_have_the_same_chance_however_many_configurations_they_have() -> None:
    whole = select("pocket/notes")
    generator = np.random.default_rng(0)
    names = [whole.draw(generator).scenario.name for _ in range(60 * len(whole.parts))]
    assert min(names.count(part.scenario.name) for part in whole.parts) >= 30


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("pocket/notes/count-label/*@*/*", {"scenario": "count-label"}),
        ("pocket/notes/*/*@*/midnight", {"theme": "midnight"}),
        ("pocket/*/count-label", {"scenario": "count-label"}),
        (resolve("pocket/notes").id, dict.fromkeys(AXES)),
    ],
)
def test_what_is_not_said_is_open_and_so_is_a_star(text: str, fixed: dict[str, str | None]) -> None:
    some = select(text)
    for pin in ("scenario", *AXES):
        values = {value for part in some.parts for value in part.values(pin)}
        if pin in fixed:
            assert len(values) == 1 and values <= {fixed[pin] or values.copy().pop()}
    assert len(some) == 1 or len({one.id for one in islice(some.draws(0), 20)}) > 1


def test_values_can_be_pinned_one_or_several() -> None:
    dark = select("pocket/notes").pinned(theme="midnight", scenario=["count-label"])
    assert {one.theme for one in dark} == {"midnight"} and {one.scenario for one in dark} == {"count-label"}


def test_a_value_that_nothing_has_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownName, match=r"theme of pocket/notes(?s:.*)did you mean midnight"):
        select("pocket/notes").pinned(theme="midnigth")
    with pytest.raises(UnknownName, match="axis"):
        select("pocket/notes").pinned(colour="midnight")
    with pytest.raises(UnknownName, match="theme of pocket/notes"):
        select("pocket/notes/count-label/*@*/midnigth")
    with pytest.raises(UnknownName, match="scenario of pocket"):
        select("pocket/*/no-such")
    with pytest.raises(InvalidInput, match="too many parts"):
        select("pocket/notes/a/b/c")
    with pytest.raises(InvalidInput, match="at least one"):
        select()


def test_what_is_not_proven_is_not_drawn_and_says_why(tmp_path: Path) -> None:
    real = suites()["pocket"]
    bare = Suite("pocket", "Unproven", "1", real.apps, real.scenarios, proofs=tmp_path)
    scenario: Scenario = next(one for one in bare.scenarios if one.app == "notes")
    assert not len(Part(bare, scenario, tuple(bare.pairs(scenario)), ("light",), ("home",)))
    proven = real.proof("notes")
    assert proven is not None
    unproven = [
        (one.scenario, row.instance, profile)
        for one in proven.scenarios
        for row in one.instances
        for profile in (*row.infeasible, *row.faulty)
    ]
    for name, instance, profile in unproven[:1]:
        with pytest.raises(InvalidConfiguration, match="is not served"):
            select(f"pocket/notes/{name}/{instance}@{profile}")


def test_the_sample_is_what_a_run_plans() -> None:
    spec = RunSpec(worlds=("pocket/notes", "pocket/eats"), agent="random", rollouts=1, configs=3, seed=9)
    sample = list(select(*spec.worlds).sample(3, seed=9))
    assert [one.id for one in sample] == [one.configuration for one in make_plan(spec)]
    alone = list(select("pocket/eats").sample(3, seed=9))
    assert alone == [one for one in sample if one.app == "eats"]


def test_axes_that_do_not_vary_stay_at_their_first_value() -> None:
    sample = list(select("pocket/notes").sample(None, axes=("instance",)))
    app = suites()["pocket"].app("notes")
    assert {(one.theme, one.ui_state) for one in sample} == {(next(iter(app.themes)), next(iter(app.ui_states)))}
    with pytest.raises(UnknownName, match="axis"):
        list(select("pocket/notes").sample(1, axes=("themes",)))


def by_scenario(sample: Iterable[Configuration]) -> dict[tuple[str, str], list[Configuration]]:
    found: dict[tuple[str, str], list[Configuration]] = defaultdict(list)
    for one in sample:
        found[one.app, one.scenario].append(one)
    return found


def differing(one: Configuration, other: Configuration) -> list[str]:
    return [axis for axis in AXES if getattr(one, axis) != getattr(other, axis)]


def test_one_axis_at_a_time_varies_each_axis_of_a_base_configuration_in_turn() -> None:
    whole = select("pocket")
    sample = list(whole.sample(5, seed=9, design="one-axis-at-a-time"))
    assert sample == list(whole.sample(5, seed=9, design="one-axis-at-a-time"))
    assert sample != list(whole.sample(5, seed=10, design="one-axis-at-a-time"))
    for base, *others in by_scenario(sample).values():
        assert sorted(axis for one in others for axis in differing(base, one)) == sorted(AXES)
    alone = list(select("pocket/eats").sample(5, seed=9, design="one-axis-at-a-time"))
    assert alone == [one for one in sample if one.app == "eats"]
    assert len({tuple(getattr(base, axis) for axis in AXES[1:]) for base, *_ in by_scenario(sample).values()}) > 100


def test_with_fewer_configurations_than_axes_every_axis_has_equally_many_pairs_over_scenarios() -> None:
    sample = by_scenario(select("pocket").sample(4, design="one-axis-at-a-time"))
    pairs = [differing(one, other) for some in sample.values() for one, other in combinations(some, 2)]
    matched = Counter(axes[0] for axes in pairs if len(axes) == 1)
    assert sum(matched.values()) == 3 * len(sample) == len(pairs) / 2, "of every scenario each with its base"
    assert max(matched.values()) - min(matched.values()) <= 2
    drawn = by_scenario(select("pocket").sample(4))
    pairs = [differing(one, other) for some in drawn.values() for one, other in combinations(some, 2)]
    assert sum(len(axes) == 1 for axes in pairs) < len(pairs) / 50, "what the random sample has of them"


def test_one_axis_at_a_time_keeps_to_the_axes_and_to_what_is_served() -> None:
    (part,) = select("pocket/notes/count-label").parts
    sample = list(select("pocket/notes/count-label").sample(None, axes=("theme",), design="one-axis-at-a-time"))
    assert [one.theme for one in sample] != [] and {one.theme for one in sample} == set(part.themes)
    assert len(sample) == len(part.themes) and len({(one.profile, one.ui_state) for one in sample}) == 1
    everything = list(select("pocket/notes/count-label").sample(None, design="one-axis-at-a-time"))
    served = {one.id for one in select("pocket/notes/count-label")}
    assert {one.id for one in everything} <= served and len(everything) > len(sample)
    holes = Part(part.suite, part.scenario, (part.pairs[0], part.pairs[-1]), part.themes[:1], part.ui_states[:1])
    assert not holes.neighbours(holes[0], "instance") and not holes.neighbours(holes[0], "profile")
    with pytest.raises(InvalidInput, match="at least 2 per scenario, got 1"):
        list(select("pocket/notes").sample(1, design="one-axis-at-a-time"))


def test_a_folder_and_a_world_are_selections_too(write_world: Writer) -> None:
    folder = write_world()
    assert {one.instance for one in select(str(folder))} == {"hello", "bye"}
    assert {one.instance for one in select(f"{folder}/greet/bye")} == {"bye"}
    world = resolve(str(folder), seed=7)
    assert next(select(world).draws(1)) == world
    assert list(select(world).sample(4, design="one-axis-at-a-time")) == [world.configuration]
