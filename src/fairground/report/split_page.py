"""The page to review a split: similar pairs side by side with reasons, groups, and what to write into an override."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import fairground
from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.page_frame import page_of, write_page
from fairground.report.plural import counted
from fairground.study import Split, SplitPair, Traits, near_pairs

_SHOWN = 400  # maximum number of similar pairs on the page
_NEAR_SHOWN = 40  # maximum number of pairs that are almost similar


def write_split_page(split: Split, traits: Sequence[Traits], path: Path) -> Path:
    """Write the page atomically as one HTML file that works offline. Returns its path."""
    write_page(path, split_page(split, traits))
    return path


def split_page(split: Split, traits: Sequence[Traits]) -> str:
    """Render the page."""
    known = {each.name: each for each in traits}
    near = near_pairs(split, traits) if traits else []
    main = tag(
        "main",
        _held_out(split),
        _pairs(split, known),
        _near(split, near, known),
        _override(split, near),
        _groups(split),
        _scenarios(split),
    )
    suites = ", ".join(f"{name} {version}" for name, version in split.suites.items())
    footer = tag("footer", f"Fairground {fairground.__version__}. Split of {suites} with seed {split.seed}.")
    return page_of(f"Split of {', '.join(split.suites)}", _header(split), main, footer)


def _header(split: Split) -> Html:
    sides = Counter(str(row.side or "both") for row in split.scenarios)
    sizes = Counter(row.component for row in split.scenarios)
    facts = [(f"Scenarios in {side}", f"{count:,}") for side, count in sorted(sides.items(), reverse=True)]
    if split.hold_out is None:
        facts += [
            ("Similar pairs", f"{len(split.pairs):,}"),
            ("Similar to no other", f"{sum(size == 1 for size in sizes.values()):,}"),
            ("Largest group", f"{max(sizes.values()):,}"),
        ]
    return tag(
        "header",
        tag(
            "div",
            tag("b", "Fairground"),
            tag("span", f"Split of {', '.join(split.suites)}"),
            tag("button", "Theme", id="theme", type="button", class_="push"),
            class_="brand",
        ),
        tag("h1", "No similar scenarios on different sides"),
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts],
            class_="facts",
        ),
    )


def _held_out(split: Split) -> Html | None:
    if split.hold_out is None or not split.hold_out.values:
        return None
    rows: Rows = [[app, ", ".join(values)] for app, values in split.hold_out.values.items()]
    return _card(
        "held-out",
        f"Held-out {split.hold_out.axis}",
        "Only the test side has these values. The train side has all others.",
        table("held-out-values", ["App", "Values"], rows),
    )


def _pairs(split: Split, known: dict[str, Traits]) -> Html | None:
    if not split.pairs:
        return None
    shown = split.pairs[:_SHOWN]
    more = f" The page shows the {_SHOWN} highest." if len(split.pairs) > _SHOWN else ""
    sides = _sides(split)
    return _card(
        "pairs",
        "Similar pairs",
        f"{counted(len(split.pairs), 'pair')} with a similarity of {split.edge:g} or more, on a scale from 1 "
        f"(unrelated) to 8 (the same task).{more} Percentages say how much of the text, the checks and the oracle's "
        "moves agrees.",
        [_pair(pair, known, sides) for pair in shown],
    )


def _near(split: Split, near: Sequence[SplitPair], known: dict[str, Traits]) -> Html | None:
    if not near:
        return None
    shown = near[:_NEAR_SHOWN]
    more = f" The page shows the {_NEAR_SHOWN} highest." if len(near) > _NEAR_SHOWN else ""
    sides = _sides(split)
    return _card(
        "near",
        "Almost similar, and on different sides",
        f"{counted(len(near), 'pair')} with a similarity just below {split.edge:g}.{more} If training on one scenario "
        "would teach the other, declare the pair as same.",
        [_pair(pair, known, sides) for pair in shown],
    )


def _sides(split: Split) -> dict[str, str]:
    return {row.name: str(row.side or "both") for row in split.scenarios}


def _pair(pair: SplitPair, known: dict[str, Traits], sides: dict[str, str]) -> Html:
    reasons = ", ".join(f"{name} {value:.0%}" for name, value in pair.parts.items())
    both = " | ".join(dict.fromkeys((sides[pair.first], sides[pair.second])))
    return tag(
        "div",
        tag("h3", f"{pair.score:.1f} · {both} · {reasons or 'a person or your own function'}"),
        tag("div", _scenario(pair.first, known), _scenario(pair.second, known), style=_SIDE_BY_SIDE),
        style="padding:1rem 0;border-top:1px solid var(--line)",
    )


_SIDE_BY_SIDE = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr));gap:1rem"


def _scenario(name: str, known: dict[str, Traits]) -> Html:
    traits = known.get(name)
    text = traits.instruction if traits is not None else "(not compared)"
    return tag("div", tag("code", name), tag("p", text, style="margin:.3rem 0 0;overflow-wrap:anywhere"))


def _override(split: Split, near: Sequence[SplitPair]) -> Html | None:
    if split.hold_out is not None and split.hold_out.axis != "app":
        return None
    pair = next(iter((*split.pairs, *near)), None)
    first, second = (pair.first, pair.second) if pair else ("suite/app/scenario", "suite/app/another-scenario")
    example = (
        f'[[pair]]\nfirst = "{first}"\nsecond = "{second}"\njudgement = "different"  # or "same"\n'
        f'reason = "another skill"\n\n[sides]\n"{second}" = "test"\n'
    )
    return _card(
        "override",
        "Override",
        "If you judge a pair differently, write it into a TOML file and make the split again with --override FILE. "
        "A side can be forced too.",
        tag("pre", example, style="overflow-x:auto"),
    )


def _groups(split: Split) -> Html | None:
    groups: dict[int, list[str]] = {}
    sides = {}
    for row in split.scenarios:
        groups.setdefault(row.component, []).append(row.name)
        sides[row.component] = str(row.side or "both")
    rows: Rows = [
        [Value(f"{len(names):,}", len(names)), sides[number], ", ".join(names)]
        for number, names in sorted(groups.items())
        if len(names) > 1 and split.hold_out is None
    ]
    if not rows:
        return None
    return _card(
        "groups",
        "Groups",
        "Similar scenarios form groups. A group is on one side.",
        table("group-table", ["Size", "Side", "Scenarios"], rows),
    )


def _scenarios(split: Split) -> Html:
    rows: Rows = [[row.name, str(row.side or "both")] for row in split.scenarios]
    listed = behind("Show all", table("scenario-table", ["Scenario", "Side"], rows))
    return _card("scenarios", "All scenarios", "Every scenario with its side.", listed)


def _card(name: str, title: str, intro: str, *children: Child) -> Html:
    return tag("section", tag("h2", title), tag("p", intro, class_="intro"), children, id=name, class_="card")
