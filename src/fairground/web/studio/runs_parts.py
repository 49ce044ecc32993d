"""Parts that pages of runs share: figures in words, tables of tallies, the list of episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import quote

from fairground.report.html import Child, Html, tag
from fairground.report.plots import Figure, inline_bar, look_of
from fairground.report.plots.scale import whole
from fairground.report.statistics_words import counted, rate_range
from fairground.stats import Interval
from fairground.web.shell import pill, table
from fairground.web.studio.runs_read import RunEpisode, RunSummary
from fairground.web.studio.runs_tally import Tally

KINDS: Final = {"passed": "good", "failed": "", "errored": "bad", "invalid": "odd"}
"""How each outcome is coloured: errors stand out, for they are ours."""

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


def outcome_pill(one: RunEpisode) -> Html:
    """How an episode ended."""
    return pill(one.outcome or "waiting", KINDS.get(one.outcome, ""))


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
    heads: list[Child] = [what, "Success, 95%", "Passed", "No score", "Ended", "Steps", "Time"]
    heads += [*(["Tokens"] if tokens else []), *(["Cost"] if money else [])]
    made = []
    for one in rows:
        cells: list[Child] = [
            tag("a", named(one.name), href=link(one)),
            _success(one.rate),
            f"{one.passed:,} of {one.scored:,}",
            no_score(one, lambda which, one=one: outcome(one, which)),  # type: ignore[misc]
            f"{one.ended:,} of {one.planned:,}",
            "" if one.steps is None else f"{one.steps:.1f}",
            duration(one.typical),
        ]
        cells += ["" if one.tokens is None else f"{one.tokens:,}"] if tokens else []
        cells += [dollars(one.cost)] if money else []
        made.append(cells)
    return table(heads, made, label=label, class_="tallies")


def episode_table(episodes: Sequence[RunEpisode], *, several: bool) -> Html:
    """Episodes, each with a link to its replay."""
    heads: list[Child] = ["Episode", "Outcome", "Configuration", *(["Agent"] if several else []), "Reward", "Steps"]
    heads += ["Time", "Cost", "How it ended"]
    rows = []
    for one in episodes:
        shown: Child = f"{one.number:06}"
        if one.folder:
            shown = tag("a", one.folder, href=replay_path(one), aria_label=f"Replay of episode {one.folder}")
        row: list[Child] = [
            shown,
            outcome_pill(one),
            (named(one.configuration), tag("span", f" #{one.rollout + 1}", class_="muted")),
            *([named(one.contender)] if several else []),
            "" if one.reward is None else f"{one.reward:.2f}",
            f"{one.steps:,}" if one.outcome else "",
            duration(one.seconds) if one.outcome else "",
            dollars(one.cost),
            (one.ended_by.replace("_", " "), tag("div", named(one.error), class_="error") if one.error else None),
        ]
        rows.append(row)
    return table(heads, rows, label="Episodes", class_="episodes")


def drawn(figure: Figure) -> Html:
    """A figure in both its widths; the style sheet shows the one that fits."""
    return tag("figure", figure.svg(), figure.svg(narrow=True))


def ended_words(run: RunSummary | Tally) -> str:
    """`12 of 40 episodes have ended`."""
    return f"{run.ended:,} of {counted(run.planned, 'episode')} {'has' if run.ended == 1 else 'have'} ended"


def no_score(one: RunSummary | Tally, path: Callable[[str], str]) -> Child:
    """How many episodes have no score, and why; `path` says where those of an outcome are listed."""
    pills = [
        tag("a", pill(f"{number:,} {which}", KINDS[which]), href=path(which))
        for which, number in (("errored", one.errored), ("invalid", one.invalid))
        if number
    ]
    return tag("span", pills, class_="apart") if pills else tag("span", "0", class_="muted")


def _success(rate: Interval | None) -> Html:
    if rate is None:
        return tag("span", "none scored", class_="muted")
    said = rate_words(rate)
    return tag("span", inline_bar(rate, None, look_of(0), _SCALE, said), said, class_="success")
