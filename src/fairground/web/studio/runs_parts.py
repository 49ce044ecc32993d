"""Parts that pages of runs share: figures in words, tables of tallies, the list of episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import quote

from fairground.core import ended_by_words
from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.report.plots import Figure, inline_bar, look_of
from fairground.report.plots.scale import whole
from fairground.report.statistics_words import counted, rate_range, reward_range
from fairground.stats import Interval
from fairground.web.shell import pill
from fairground.web.studio.runs_read import RunEpisode, RunSummary
from fairground.web.studio.runs_tally import Filter, Tally

STATES: Final = {"going": "good", "finished": "", "stopped": "odd", "open": "", "damaged": "bad"}
_SCALE: Final = whole(6, 134, ticks=2)


def run_path(name: str) -> str:
    """The page of a run or a group."""
    return f"/runs/{quote(name, safe='')}"


def replay_path(one: RunEpisode) -> str:
    """The replay of an episode."""
    return f"/replay/{quote(one.run, safe='')}/{one.folder}"


def named(text: str) -> Html:
    """A name that somebody else chose."""
    return tag("bdi", text, dir="auto")


def rate_words(rate: Interval | None) -> str:
    """`62.5% [57.1, 67.9]`."""
    if rate is None:
        return "no score yet"
    estimate, _, ends = rate_range(rate).partition(" ")
    return f"{estimate}% {ends}"


def duration(seconds: float | None) -> str:
    """`4.2 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def dollars(cost: float | None) -> str:
    """`$1.25`; nothing where it is not known."""
    return "" if cost is None else f"${cost:,.2f}" if cost >= 1 or cost == 0 else f"${cost:.3f}"


def state_pill(run: RunSummary) -> Html:
    """Whether a run goes on."""
    return pill(run.state, STATES[run.state])


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    Attributes:
        name: Its head; on a phone it stands before each value.
        link: Where its head leads: to the same list, ordered by it.
        order: How the list is ordered by it now.
    """

    name: str
    link: str = ""
    order: Literal["", "ascending", "descending"] = ""


def listing(columns: Iterable[str | Column], rows: Iterable[Sequence[Child]], *, label: str, class_: str = "") -> Html:
    """A table that becomes a list of cards on a phone, each cell with the name of its column."""
    heads = [Column(one) if isinstance(one, str) else one for one in columns]
    body = [
        tag("tr", [tag("td", cell, data_label=head.name) for head, cell in zip(heads, row, strict=True)])
        for row in rows
    ]  # fmt: skip
    shown = [tag("th", _head(one), scope="col", aria_sort=one.order or None) for one in heads]
    inner = tag("table", tag("thead", tag("tr", shown)), tag("tbody", body), class_=f"listing {class_}".strip())
    return tag("div", inner, class_="scrolls", tabindex="0", role="region", aria_label=label)


def choice(label: str, name: str, options: Sequence[tuple[str, str]], chosen: str, *, none: str = "any") -> Html:
    """One of several, or none of them."""
    every = [tag("option", none, value="")]
    every += [tag("option", said, value=value, selected=value == chosen) for value, said in options]
    return tag("label", label, tag("select", every, name=name))


def tally_table(
    rows: Sequence[Tally], *, what: str, label: str, link: Callable[[Tally], str], outcome: Callable[[Tally, str], str]
) -> Html:
    """Tallies with their intervals; errors in columns of their own, for they are never scores.

    Args:
        rows: What is counted.
        what: What a row is, for the first head.
        label: Of the table.
        link: Where a row's name leads.
        outcome: Where its numbers of errored and invalid episodes lead.
    """
    money, tokens = any(one.cost is not None for one in rows), any(one.tokens is not None for one in rows)
    heads = [what, "Success, 95%", "Mean reward", "Passed", "No score", "Ended", "Steps", "Time"]
    heads += [*(["Tokens"] if tokens else []), *(["Cost"] if money else [])]
    made = []
    for one in rows:
        cells: list[Child] = [
            tag("a", named(one.name), href=link(one)),
            _success(one.rate),
            reward_range(one.reward),
            f"{one.passed:,} of {one.scored:,}",
            no_score(one, lambda which, one=one: outcome(one, which)),  # type: ignore[misc]
            f"{one.ended:,} of {one.planned:,}",
            "" if one.steps is None else f"{one.steps:.1f}",
            duration(one.typical),
        ]
        cells += ["" if one.tokens is None else f"{one.tokens:,}"] if tokens else []
        cells += [dollars(one.cost)] if money else []
        made.append(cells)
    return listing(heads, made, label=label, class_="tallies")


def episode_table(episodes: Sequence[RunEpisode], *, several: bool, wanted: Filter, path: str) -> Html:
    """Episodes, each with a link to its replay; heads order the list.

    Args:
        episodes: Those of one page.
        several: Whether they are of more than one agent.
        wanted: What was asked for.
        path: The address of the list.
    """

    def by(name: str, key: str, first: str = "") -> Column:
        """A head that orders by a key: at first in its natural direction, then in the other."""
        now = wanted.sort if wanted.sort.removeprefix("-") == key else ""
        other = f"{'' if first else '-'}{key}" if now == f"{first}{key}" else f"{first}{key}"
        order: Literal["", "ascending", "descending"] = "ascending" if now else ""
        return Column(name, path + replace(wanted, sort=other).query(), "descending" if now[:1] == "-" else order)

    costs = any(one.cost is not None for one in episodes)
    heads: list[str | Column] = ["Episode", by("Outcome", "outcome"), by("Configuration", "scenario")]
    heads += [*([by("Agent", "agent")] if several else []), by("Reward", "reward", "-"), by("Steps", "steps", "-")]
    heads += [by("Time", "duration", "-"), *(["Cost"] if costs else []), "How it ended"]
    rows = []
    for one in episodes:
        shown: Child = f"{one.number:06}"
        if one.folder:
            shown = tag("a", one.folder, href=replay_path(one), aria_label=f"Replay of episode {one.folder}")
        row: list[Child] = [
            shown,
            outcome_pill(one.outcome or "waiting"),
            (named(one.configuration), tag("span", f" #{one.rollout + 1}", class_="muted")),
            *([named(one.contender)] if several else []),
            "" if one.reward is None else f"{one.reward:.2f}",
            f"{one.steps:,}" if one.outcome else "",
            duration(one.seconds) if one.outcome else "",
            *([dollars(one.cost)] if costs else []),
            _ending(one, wanted, path),
        ]
        rows.append(row)
    return listing(heads, rows, label="Episodes", class_="episodes")


def drawn(figure: Figure) -> Html:
    """A figure in both its widths; the style sheet shows the one that fits."""
    return tag("figure", figure.svg(), figure.svg(narrow=True))


def ended_words(run: RunSummary | Tally) -> str:
    """`12 of 40 episodes have ended`."""
    return f"{run.ended:,} of {counted(run.planned, 'episode')} {'has' if run.ended == 1 else 'have'} ended"


def no_score(one: RunSummary | Tally, path: Callable[[str], str]) -> Child:
    """How many episodes have no score, and why; `path` says where those of an outcome are listed."""
    pills = [
        tag("a", outcome_pill(which, f"{number:,} {which}"), href=path(which))
        for which, number in (("errored", one.errored), ("invalid", one.invalid))
        if number
    ]
    return tag("span", pills, class_="apart") if pills else tag("span", "0", class_="muted")


def _success(rate: Interval | None) -> Html:
    if rate is None:
        return tag("span", "none scored", class_="muted")
    said = rate_words(rate)
    return tag("span", inline_bar(rate, look_of(0), _SCALE, said), said, class_="success")


def _head(column: Column) -> Child:
    if not column.link:
        return column.name
    arrow = {"": "", "ascending": " ↑", "descending": " ↓"}[column.order]
    sign = tag("span", arrow, aria_hidden="true") if arrow else None
    return tag("a", column.name, sign, href=column.link, class_="order", title=f"Order by {column.name.lower()}")


def _ending(one: RunEpisode, wanted: Filter, path: str) -> Child:
    """Who or what ended an episode; an error in its words, and the first check that failed."""
    ended = ended_by_words(one.ended_by)
    error = tag("div", named(one.error), class_="error") if one.error else None
    if not one.failed:
        return (ended, error)
    first = wanted.check if wanted.check in one.failed else one.failed[0]
    link = tag("a", named(first), href=path + replace(wanted, check=first).query(), title="All that failed this check")
    more = f" and {len(one.failed) - 1} more" if len(one.failed) > 1 else None
    return (tag("div", link, more, class_="check"), error, tag("div", "ended by ", ended, class_="muted small"))
