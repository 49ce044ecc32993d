"""Shared parts of the run pages: formatted numbers, tables of tallies, the list of episodes."""

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
    """Return the URL path of a run or a group."""
    return f"/runs/{quote(name, safe='')}"


def replay_path(one: RunEpisode) -> str:
    """Return the URL path of an episode's replay."""
    return f"/replay/{quote(one.run, safe='')}/{one.folder}"


def named(text: str) -> Html:
    """Render a user-chosen name."""
    return tag("bdi", text, dir="auto")


def rate_words(rate: Interval | None) -> str:
    """Format as `62.5% [57.1, 67.9]`."""
    if rate is None:
        return "no score yet"
    estimate, _, ends = rate_range(rate).partition(" ")
    return f"{estimate}% {ends}"


def duration(seconds: float | None) -> str:
    """Format as `4.2 s`, `3 min 20 s` or `2 h 5 min`."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def dollars(cost: float | None) -> str:
    """Format as `$1.25`; empty if unknown."""
    return "" if cost is None else f"${cost:,.2f}" if cost >= 1 or cost == 0 else f"${cost:.3f}"


def state_pill(run: RunSummary) -> Html:
    """Render the state of a run."""
    return pill(run.state, STATES[run.state])


@dataclass(frozen=True)
class Column:
    """A column of a listing.

    Attributes:
        name: Column header. On a phone it is shown before each value.
        link: Link of the header: the same list, sorted by this column.
        order: Current sort direction by this column.
    """

    name: str
    link: str = ""
    order: Literal["", "ascending", "descending"] = ""


def listing(columns: Iterable[str | Column], rows: Iterable[Sequence[Child]], *, label: str, class_: str = "") -> Html:
    """Render a table that becomes a list of cards on a phone, with the column name before each cell."""
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    body = [
        tag("tr", [tag("td", cell, data_label=head.name) for head, cell in zip(heads, row, strict=True)])
        for row in rows
    ]  # fmt: skip
    shown = [tag("th", _head(column), scope="col", aria_sort=column.order or None) for column in heads]
    inner = tag("table", tag("thead", tag("tr", shown)), tag("tbody", body), class_=f"listing {class_}".strip())
    return tag("div", inner, class_="scrolls", tabindex="0", role="region", aria_label=label)


def choice(label: str, name: str, options: Sequence[tuple[str, str]], chosen: str, *, none: str = "any") -> Html:
    """Render a select with an empty option."""
    every = [tag("option", none, value="")]
    every += [tag("option", label, value=value, selected=value == chosen) for value, label in options]
    return tag("label", label, tag("select", every, name=name))


def tally_table(
    rows: Sequence[Tally], *, what: str, label: str, link: Callable[[Tally], str], outcome: Callable[[Tally, str], str]
) -> Html:
    """Render tallies with intervals. Errors have their own columns, because they are not scored.

    Args:
        rows: The tallies.
        what: Header of the first column.
        label: Label of the table.
        link: Returns the link of a row's name.
        outcome: Returns the links of its numbers of errored and invalid episodes.
    """
    money, tokens = any(row.cost is not None for row in rows), any(row.tokens is not None for row in rows)
    heads = [what, "Success, 95%", "Mean reward", "Passed", "No score", "Ended", "Steps", "Time"]
    heads += [*(["Tokens"] if tokens else []), *(["Cost"] if money else [])]
    table_rows = []
    for row in rows:
        cells: list[Child] = [
            tag("a", named(row.name), href=link(row)),
            _success(row.rate),
            reward_range(row.reward),
            f"{row.passed:,} of {row.scored:,}",
            no_score(row, lambda which, row=row: outcome(row, which)),  # type: ignore[misc]
            f"{row.ended:,} of {row.planned:,}",
            "" if row.steps is None else f"{row.steps:.1f}",
            duration(row.typical),
        ]
        cells += ["" if row.tokens is None else f"{row.tokens:,}"] if tokens else []
        cells += [dollars(row.cost)] if money else []
        table_rows.append(cells)
    return listing(heads, table_rows, label=label, class_="tallies")


def episode_table(episodes: Sequence[RunEpisode], *, several: bool, wanted: Filter, path: str) -> Html:
    """Render episodes with links to their replays. Headers sort the list.

    Args:
        episodes: Episodes of one page.
        several: Whether they are of more than one agent.
        wanted: Current filter.
        path: URL of the list.
    """

    def by(name: str, key: str, first: str = "") -> Column:
        """Return a header that sorts by a key: first in its natural direction, then reversed."""
        now = wanted.sort if wanted.sort.removeprefix("-") == key else ""
        other = f"{'' if first else '-'}{key}" if now == f"{first}{key}" else f"{first}{key}"
        order: Literal["", "ascending", "descending"] = "ascending" if now else ""
        return Column(name, path + replace(wanted, sort=other).query(), "descending" if now[:1] == "-" else order)

    costs = any(episode.cost is not None for episode in episodes)
    heads: list[str | Column] = ["Episode", by("Outcome", "outcome"), by("Configuration", "scenario")]
    heads += [*([by("Agent", "agent")] if several else []), by("Reward", "reward", "-"), by("Steps", "steps", "-")]
    heads += [by("Time", "duration", "-"), *(["Cost"] if costs else []), "How it ended"]
    rows = []
    for episode in episodes:
        shown: Child = f"{episode.number:06}"
        if episode.folder:
            shown = tag(
                "a", episode.folder, href=replay_path(episode), aria_label=f"Replay of episode {episode.folder}"
            )
        row: list[Child] = [
            shown,
            outcome_pill(episode.outcome or "waiting"),
            (named(episode.configuration), tag("span", f" #{episode.rollout + 1}", class_="muted")),
            *([named(episode.contender)] if several else []),
            "" if episode.reward is None else f"{episode.reward:.2f}",
            f"{episode.steps:,}" if episode.outcome else "",
            duration(episode.seconds) if episode.outcome else "",
            *([dollars(episode.cost)] if costs else []),
            _ending(episode, wanted, path),
        ]
        rows.append(row)
    return listing(heads, rows, label="Episodes", class_="episodes")


def drawn(figure: Figure) -> Html:
    """Render a figure in both widths; the style sheet shows the one that fits."""
    return tag("figure", figure.svg(), figure.svg(narrow=True))


def ended_words(run: RunSummary | Tally) -> str:
    """Format as `12 of 40 episodes have ended`."""
    return f"{run.ended:,} of {counted(run.planned, 'episode')} {'has' if run.ended == 1 else 'have'} ended"


def no_score(one: RunSummary | Tally, path: Callable[[str], str]) -> Child:
    """Render how many episodes have no score, by outcome. `path` returns the URL of their list."""
    pills = [
        tag("a", outcome_pill(which, f"{number:,} {which}"), href=path(which))
        for which, number in (("errored", one.errored), ("invalid", one.invalid))
        if number
    ]
    return tag("span", pills, class_="apart") if pills else tag("span", "0", class_="muted")


def _success(rate: Interval | None) -> Html:
    if rate is None:
        return tag("span", "none scored", class_="muted")
    score = rate_words(rate)
    return tag("span", inline_bar(rate, look_of(0), _SCALE, score), score, class_="success")


def _head(column: Column) -> Child:
    if not column.link:
        return column.name
    arrow = {"": "", "ascending": " ↑", "descending": " ↓"}[column.order]
    sign = tag("span", arrow, aria_hidden="true") if arrow else None
    return tag("a", column.name, sign, href=column.link, class_="order", title=f"Sort by {column.name.lower()}")


def _ending(episode: RunEpisode, wanted: Filter, path: str) -> Child:
    """Render what ended an episode, with its error and its first failed check."""
    ended = ended_by_words(episode.ended_by)
    error = tag("div", named(episode.error), class_="error") if episode.error else None
    if not episode.failed:
        return (ended, error)
    first = wanted.check if wanted.check in episode.failed else episode.failed[0]
    link = tag(
        "a", named(first), href=path + replace(wanted, check=first).query(), title="All episodes that failed this check"
    )
    more = f" and {len(episode.failed) - 1} more" if len(episode.failed) > 1 else None
    return (tag("div", link, more, class_="check"), error, tag("div", "ended by ", ended, class_="muted small"))
