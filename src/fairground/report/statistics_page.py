"""The report of a table of results: one page that works offline, with every figure ready for a paper.

Names of agents, apps and tasks are text on the page, never markup (see `html.py`); besides, the page's own security
policy lets no script run but the one written here, and nothing be fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import fairground
from fairground.core import InvalidInput, Outcome
from fairground.report.data_table import copy_buttons
from fairground.report.html import Child, Html, tag
from fairground.report.page_frame import figure_tools, not_said, page_of, section_of, write_page
from fairground.report.palette import Look, marker, paint
from fairground.report.plots import Figure, inline_bar
from fairground.report.plots.axes import TICK
from fairground.report.plots.scale import Scale, around, percent, rounded
from fairground.report.plots.svg import printable, words
from fairground.report.statistics_axes import components, sensitivity
from fairground.report.statistics_behaviour import costs, reliability
from fairground.report.statistics_sections import (
    Section,
    absent,
    apps,
    differences,
    looks,
    outcomes,
    profiles,
    said_already,
    standings_figure,
)
from fairground.report.statistics_votes import votes
from fairground.report.statistics_words import (
    attributed,
    counted,
    decided_list,
    ends,
    how_intervals_are_made,
    listed,
    rank_range,
    rate_range,
    reward_range,
    statistic_in_words,
    verdict,
    who,
)

if TYPE_CHECKING:
    from fairground.stats.summary import Standing, Summary
    from fairground.stats.votes.ranking import Ranking
    from fairground.stats.votes.win_rates import WinRates

BAR = 260
"""Width of the leaderboard's intervals, in pixels of the drawing."""


def write_report(
    summary: Summary,
    path: Path | str,
    *,
    ranking: Ranking | None = None,
    observed: WinRates | None = None,
    title: str | None = None,
    pictures: Html | None = None,
    force: bool = False,
) -> Path:
    """Writes the report as one HTML file, and returns its path. An older report there is replaced, whole or not at all.

    Args:
        summary: What was measured.
        path: Where to write; its folder must exist.
        ranking: Ratings from votes, for a section of their own.
        observed: Win rates in the votes, beside those that the ratings predict.
        title: The heading; by default it says who was compared.
        pictures: Cards of their own below the leaderboard, such as `run_gallery` makes.
        force: Whether to replace also a file that is no page of ours.

    Raises:
        InvalidInput: When the path is a folder, its folder does not exist, or the file there is no page of ours.
        InfrastructureError: When it cannot be written.
    """
    place = Path(path)
    page = statistics_page(summary, ranking=ranking, observed=observed, title=title, pictures=pictures)
    write_page(place, page, force=force)
    return place


def figures(
    summary: Summary, *, ranking: Ranking | None = None, observed: WinRates | None = None
) -> dict[str, str]:  # fmt: skip
    """Every figure of the report as a standalone SVG document, by its name (which is fit for a file name)."""
    shown = [standings_figure(summary), *_every_figure(_sections(summary, ranking, observed))]
    return {one.name: one.standalone() for one in shown}


def statistics_page(
    summary: Summary,
    *,
    ranking: Ranking | None = None,
    observed: WinRates | None = None,
    title: str | None = None,
    pictures: Html | None = None,
) -> str:
    """The report as text."""
    sections = _sections(summary, ranking, observed)
    heading = printable(title) if title else _title(summary)
    cards = [section_of(one) for one in sections]
    main = tag("main", _verdict(summary), _leaderboard(summary), pictures, cards, absent(sections))
    links = [("Leaderboard", "leaderboard"), *(one for one in _CARDS if f'<section id="{one[1]}"' in (pictures or ""))]
    links += [(one.link or one.title, one.name) for one in sections if one.exhibits]
    return page_of(heading, _header(summary, heading, links), main, tag("footer", _footer(summary)))


_CARDS = (("What failed", "failed"), ("How it looked", "looked"))
"""Of `run_gallery`, with their links."""


def _sections(summary: Summary, ranking: Ranking | None, observed: WinRates | None) -> list[Section]:
    if not summary.standings:
        raise InvalidInput("the summary has no contender", fix="give a table with at least one scored episode")
    makers = (differences, apps, profiles, reliability, sensitivity, components, costs, outcomes)
    thin = said_already(summary)
    made = [make(summary) for make in makers]
    made = [
        replace(one, exhibits=(), absent=thin[one.name]) if one.exhibits and one.name in thin else one for one in made
    ]
    return [*made, *([votes(ranking, observed)] if ranking is not None else [])]


def _every_figure(sections: Sequence[Section]) -> list[Figure]:
    return [exhibit.figure for section in sections for exhibit in section.exhibits]


def _title(summary: Summary) -> str:
    standings = summary.standings
    return f"{counted(len(standings), 'contender')} on {counted(_apps(summary), 'app')}"


def _apps(summary: Summary) -> int:
    return len({app for standing in summary.standings for app in standing.apps})


def _header(summary: Summary, heading: str, links: Sequence[tuple[str, str]]) -> Html:
    totals = summary.outcomes
    scored = totals[Outcome.PASSED] + totals[Outcome.FAILED]
    most = summary.standings[0]
    facts = [
        ("Episodes", summary.episodes, False), ("Scored", scored, False),
        ("Errored", totals[Outcome.ERRORED], True), ("Invalid", totals[Outcome.INVALID], True),
        ("Contenders", len(summary.standings), False),
        ("Apps", _apps(summary), False),
        ("Scenarios", max(standing.scenarios for standing in summary.standings), False),
        ("Configurations", max(standing.configurations for standing in summary.standings), False),
    ]  # fmt: skip
    varied = f" Axes that were varied: {', '.join(summary.axes)}." if summary.axes else " No axis was varied."
    about = f"The score is {statistic_in_words(summary.statistic)}, with {most.score.level:.0%} intervals.{varied}"
    return tag(
        "header",
        tag(
            "div", tag("b", "Fairground"), tag("span", "Report of results"),
            tag("button", "Dark", id="theme", type="button", class_="push", aria_label="Switch between light and dark"),
            class_="brand",
        ),
        tag("h1", tag("bdi", heading)),
        tag("p", about, " Source: ", who(summary.source), ".", class_="measured"),
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", f"{count:,}"), class_="odd" if odd and count else None)
             for name, count, odd in facts],
            class_="facts",
        ),
        tag("p", "Errors are not scored: every rate below is out of the scored episodes. Where episodes errored, the "
            "leaderboard also has the score with errors counted as failures.", class_="law"),
        tag("nav", [tag("a", said, href=f"#{name}") for said, name in links], aria_label="Sections"),
    )  # fmt: skip


def _verdict(summary: Summary) -> Html:
    notes: list[Child] = [*summary.notes]
    if summary.unscored:
        notes.append(("Without a single scored episode, and so not ranked: ", listed(summary.unscored[:12]), "."))
    own = ((standing.contender, note) for standing in summary.standings for note in standing.notes)
    notes += attributed(own, len(summary.standings), 12)
    return tag(
        "section",
        tag("h2", "In short"),
        verdict(summary),
        decided_list(summary),
        tag("ul", [tag("li", note) for note in notes], class_="notes") if notes else None,
        id="verdict",
        class_="card verdict",
    )


def _leaderboard(summary: Summary) -> Html:
    values = [end for one in summary.standings for end in (one.score.low, one.score.high)]
    scale = around(values, 14, BAR - 14, floor=0.0, ceiling=1.0, count=5)
    heads: list[Child] = [
        tag("th", "Rank", scope="col"), tag("th", "Contender", scope="col"),
        tag("th", "Score", class_="n", scope="col"), tag("th", "Interval", scope="col"),
        tag("th", _ticks(scale), class_="bar", scope="col", data_skip="1"),
    ]  # fmt: skip
    names = [
        name.replace("Configurations", "Configu\u00adrations") for name, *_ in _more(summary, summary.standings[0])
    ]
    heads += [tag("th", name, class_="n", scope="col") for name in names]
    rows = [
        _row(summary, standing, look, scale)
        for (_, look), standing in zip(looks(summary), summary.standings, strict=True)
    ]
    drawn = standings_figure(summary)
    several = len(summary.standings) > 1
    return tag(
        "section",
        tag("h2", "Leaderboard"),
        tag(
            "div",
            tag(
                "div",
                tag("h3", f"Scores in percent, with {summary.level:.0%} intervals"),
                tag("div", copy_buttons("leaderboard-table"), figure_tools(drawn), class_="tools"),
                class_="head",
            ),
            tag(
                "div",
                tag("div", tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), id="leaderboard-table",
                    class_="sortable board"), class_="scroll", tabindex=0, role="region", aria_label="Leaderboard"),
                class_="below",
            ),
            tag(
                "div",
                tag("div", tag("p", how_intervals_are_made(summary.scheme)),
                    tag("p", "A rank such as 1 to 2 is the range that the decided differences leave open.")
                    if several else None),
                not_said("That two contenders are alike because their intervals overlap, or that one is better because "
                    "it stands higher: they are compared pair by pair below. That the order holds on other "
                    "apps: the apps here are taken as given."
                    if several else "That the score holds on other apps: the apps here are taken as given."),
                class_="says",
            ),
            # Not shown on the page, where the table says the same; there for export.
            tag("figure", drawn.svg(), hidden=True),
            class_="exhibit full",
        ),
        id="leaderboard", class_="card",
    )  # fmt: skip


def _ticks(scale: Scale) -> Html:
    said = [
        words(percent(tick), scale(tick), 11, anchor="middle", size=TICK, fill=paint("muted")) for tick in scale.ticks
    ]
    return tag("svg", said, viewBox=f"0 0 {BAR} 14", class_="inline scale", aria_hidden="true")


def _row(summary: Summary, standing: Standing, look: Look, scale: Scale) -> Html:
    score, name = standing.score, printable(str(standing.contender))
    ranks = rank_range(summary, standing)
    said = f"{name}: {rate_range(score)} percent"
    sign = tag("svg", marker(look, 6.5, 6.5, size=5), viewBox="0 0 13 13", aria_hidden="true")
    return tag(
        "tr",
        tag("td", str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}", data_v=sum(ranks)),
        tag("td", tag("span", sign, tag("span", tag("bdi", name)), class_="who name", title=name), data_text=name),
        tag("td", rounded(score.estimate * 100), class_="n score", data_v=f"{score.estimate:.6g}"),
        tag("td", ends(score, 100), class_="range", data_v=f"{score.width:.6g}"),
        tag("td", inline_bar(score, look, scale, said), class_="bar"),
        [tag("td", value, class_="n more", data_v=f"{order:.6g}", data_label=label)
         for label, value, order in _more(summary, standing)],
    )  # fmt: skip


def _more(summary: Summary, standing: Standing) -> list[tuple[str, str, float]]:
    """The columns after the score: head, value, and what to sort by. Those that say nothing of anybody are left out."""
    lost = standing.outcomes.get(Outcome.ERRORED, 0), standing.outcomes.get(Outcome.INVALID, 0)
    found: list[tuple[str, str, float]] = []
    if summary.outcomes[Outcome.ERRORED]:
        broke = standing.score_errors_failed or standing.score
        found.append(("Errors as failures", rate_range(broke), broke.estimate))
    if any(one.reward is not None for one in summary.standings):
        reward = standing.reward
        found.append(("Mean reward", reward_range(reward), reward.estimate if reward else -1))
    return [
        *found,
        ("Scenarios", f"{standing.scenarios:,}", standing.scenarios),
        ("Configurations", f"{standing.configurations:,}", standing.configurations),
        ("Scored", f"{standing.episodes:,}", standing.episodes),
        ("Errored, invalid", f"{lost[0]:,}, {lost[1]:,}", sum(lost)),
    ]


def _footer(summary: Summary) -> list[Child]:
    facts = {
        "Source": printable(summary.source), "Statistic": summary.statistic,
        "Intervals": f"{summary.level:.0%}, scheme {summary.scheme}", "Resamples": f"{summary.resamples:,}",
        "Seed": "a generator, not a number" if summary.seed is None else str(summary.seed),
        "Version": f"Fairground {fairground.__version__}",
    }  # fmt: skip
    said = "The same table, seed, number of resamples and version give the same numbers again."
    return [
        tag("h3", "To reproduce"),
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", tag("bdi", value))) for name, value in facts.items()],
            class_="line",
        ),
        tag("p", said),
    ]
