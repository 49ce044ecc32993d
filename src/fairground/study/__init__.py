"""Questions asked of many worlds and runs: which scenarios are similar, and how to split them into train and test."""

from fairground.study.grouping import SIDES, Side
from fairground.study.making import check_split, make_split, near_pairs, suite_traits
from fairground.study.overrides import Overrides, PairOverride, read_overrides
from fairground.study.similarity import EDGE, PARTS, Pair, Similarity, pair_count, similar_pairs
from fairground.study.split import (
    HeldOut,
    Split,
    SplitPair,
    SplitScenario,
    read_side,
    read_split,
    write_split,
)
from fairground.study.traits import Traits, read_traits

__all__ = [
    "EDGE",
    "PARTS",
    "SIDES",
    "HeldOut",
    "Overrides",
    "Pair",
    "PairOverride",
    "Side",
    "Similarity",
    "Split",
    "SplitPair",
    "SplitScenario",
    "Traits",
    "check_split",
    "make_split",
    "near_pairs",
    "pair_count",
    "read_overrides",
    "read_side",
    "read_split",
    "read_traits",
    "similar_pairs",
    "suite_traits",
    "write_split",
]
