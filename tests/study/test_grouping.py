"""Groups of similar things on one side, for any graph."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.study.grouping import components, pack

NAMES = [f"suite/{app}/{number}" for app in "abc" for number in range(12)]
GRAPHS = st.lists(st.sampled_from(NAMES), min_size=2, unique=True).flatmap(
    lambda names: st.tuples(
        st.just(names), st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=len(names))
    )
)


@given(GRAPHS, st.floats(0.05, 0.95), st.integers(0, 5))
def test_no_edge_crosses_and_the_share_is_as_near_as_groups_allow(
    graph: tuple[list[str], list[tuple[str, str]]], test: float, seed: int
) -> None:
    names, edges = graph
    groups = components(names, edges)
    assert sorted(name for group in groups for name in group) == sorted(names)
    if len(groups) == 1:
        with pytest.raises(InvalidInput, match="similar to each other"):
            pack(groups, test=test, seed=seed)
        return
    sides = pack(groups, test=test, seed=seed)
    assert all(sides[first] == sides[second] for first, second in edges)
    assert sides.keys() == set(names) and set(sides.values()) == {"train", "test"}
    many = sum(side == "test" for side in sides.values())
    assert abs(many - test * len(names)) < len(groups[0])


@given(GRAPHS, st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_order_of_names_and_edges_does_not_matter(
    graph: tuple[list[str], list[tuple[str, str]]], seed: int, chance: random.Random
) -> None:
    names, edges = graph
    groups = components(names, edges)
    mixed = [(second, first) for first, second in chance.sample(edges, len(edges))]
    again = components(chance.sample(names, len(names)), mixed)
    assert groups == again
    if len(groups) > 1:
        assert pack(groups, test=0.3, seed=seed) == pack(chance.sample(again, len(again)), test=0.3, seed=seed)


def test_every_app_gets_its_share() -> None:
    sides = pack([(name,) for name in NAMES], test=0.25, seed=0)
    for app in "abc":
        assert sum(side == "test" for name, side in sides.items() if name.startswith(f"suite/{app}/")) == 3


def test_another_seed_gives_another_split() -> None:
    splits = {tuple(sorted(pack([(name,) for name in NAMES], test=0.25, seed=seed).items())) for seed in range(4)}
    assert len(splits) == 4


def test_forced_sides_are_kept_and_contradictions_are_named() -> None:
    groups = components(NAMES, [(NAMES[0], NAMES[1])])
    assert pack(groups, test=0.2, seed=0, forced={NAMES[1]: "test"})[NAMES[0]] == "test"
    with pytest.raises(InvalidInput, match=rf"{NAMES[0]} is forced to train and {NAMES[1]} to test"):
        pack(groups, test=0.2, seed=0, forced={NAMES[0]: "train", NAMES[1]: "test"})


@pytest.mark.parametrize("test", [0.0, 1.0, -1.0, 2.0])
def test_a_share_outside_of_0_and_1_is_refused(test: float) -> None:
    with pytest.raises(InvalidInput, match="share of the test side"):
        pack([("a",), ("b",)], test=test, seed=0)
