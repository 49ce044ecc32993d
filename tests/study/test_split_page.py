"""The page on which a person reviews a split."""

from __future__ import annotations

import html
from pathlib import Path

from fairground.report.split_page import write_split_page
from fairground.study import Overrides, Traits, make_split, near_pairs
from fairground.worlds import suite_of

NAMES = [f"pocket/email/{each.name}" for each in suite_of("pocket")[0].scenarios if each.app == "email"]


def almost_similar() -> list[Traits]:
    """Traits of real scenarios of which the first two share half of their words, and the others none."""
    words = [("send", "a", "letter", "today"), ("send", "a", "parcel", "tomorrow")]
    words += [(f"word{number}", f"term{number}") for number in range(2, len(NAMES))]
    return [Traits(name, "action", " ".join(own), own) for name, own in zip(NAMES, words, strict=True)]


def test_pairs_on_different_sides_that_are_almost_similar_are_shown_for_review(tmp_path: Path) -> None:
    known, apart = almost_similar(), Overrides(sides={NAMES[0]: "train", NAMES[1]: "test"})
    score = next(
        pair.score
        for pair in make_split("pocket/email", traits=known, edge=1.5).pairs
        if {pair.first, pair.second} == set(NAMES[:2])
    )
    split = make_split("pocket/email", traits=known, edge=score + 0.5, overrides=apart)
    assert split.pairs == ()
    assert [{pair.first, pair.second} for pair in near_pairs(split, known)] == [set(NAMES[:2])]
    page = html.unescape(write_split_page(split, known, tmp_path / "review.html").read_text())
    sides = " | ".join(apart.sides[name] for name in sorted(NAMES[:2]))
    assert "Almost similar" in page and f"· {sides} ·" in page and f'first = "{min(NAMES[:2])}"' in page

    judged = Overrides.parse(
        {"pair": [{"first": NAMES[0], "second": NAMES[1], "judgement": "different"}], "sides": apart.sides},
        where="overrides",
    )
    assert near_pairs(make_split("pocket/email", traits=known, edge=score + 0.5, overrides=judged), known) == []
    together = Overrides(sides={NAMES[0]: "train", NAMES[1]: "train"})
    assert near_pairs(make_split("pocket/email", traits=known, edge=score + 0.5, overrides=together), known) == []
