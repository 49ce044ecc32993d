"""The report of a table of results: one page that works offline, with figures ready for a paper.

Names of agents, apps and tasks are escaped and never become markup (see `html.py`). In addition, the page's Content
Security Policy allows only the script written here and blocks all requests.
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
from fairground.report.plots.scale import Scale, percent, rounded, whole
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
    what_scores_do_not_say,
    who,
)

if TYPE_CHECKING:
    from fairground.stats.summary import Standing, Summary
    from fairground.stats.votes.ranking import Ranking
    from fairground.stats.votes.win_rates import WinRates

BAR = 260
"""Width of the intervals in the leaderboard, in pixels of the drawing."""


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
    """Write the report atomically as one HTML file, replacing an older report. Returns its path.

    Args:
        summary: The statistics.
        path: Where to write. Its folder must exist.
        ranking: Ratings from votes, shown in their own section.
        observed: Win rates in the votes, shown beside those predicted by the ratings.
        title: The heading; by default it names the compared contenders.
        pictures: Additional cards below the leaderboard, such as those of `run_gallery`.
        force: Whether to replace a file that Fairground did not write.

    Raises:
        InvalidInput: If the path is a folder, its folder does not exist, or the file there was not written by
            Fairground.
        InfrastructureError: If it cannot be written.
    """
    place = Path(path)
    page = statistics_page(summary, ranking=ranking, observed=observed, title=title, pictures=pictures)
    write_page(place, page, force=force)
    return place


def figures(
    summary: Summary, *, ranking: Ranking | None = None, observed: WinRates | None = None
) -> dict[str, str]:  # fmt: skip
    """Return every figure of the report as a standalone SVG document, by name. Names are valid file names."""
    shown = [standings_figure(summary), *_every_figure(_sections(summary, ranking, observed))]
    return {section.name: section.standalone() for section in shown}


def statistics_page(
    summary: Summary,
    *,
    ranking: Ranking | None = None,
    observed: WinRates | None = None,
    title: str | None = None,
    pictures: Html | None = None,
) -> str:
    """Render the report."""
    sections = _sections(summary, ranking, observed)
    heading = printable(title) if title else _title(summary)
    cards = [section_of(section) for section in sections]
    main = tag("main", _verdict(summary), _leaderboard(summary), pictures, cards, absent(sections))
    links = [
        ("Leaderboard", "leaderboard"),
        *(card for card in _CARDS if f'<section id="{card[1]}"' in (pictures or "")),
    ]
    links += [(section.link or section.title, section.name) for section in sections if section.exhibits]
    return page_of(heading, _header(summary, heading, links), main, tag("footer", _footer(summary)))


_CARDS = (("Failures", "failed"), ("Screenshots", "looked"))
"""Cards of `run_gallery`, with their links."""


def _sections(summary: Summary, ranking: Ranking | None, observed: WinRates | None) -> list[Section]:
    if not summary.standings:
        raise InvalidInput("the summary has no contenders", fix="give a table with at least one scored episode")
    makers = (differences, apps, profiles, reliability, sensitivity, components, costs, outcomes)
    thin = said_already(summary)
    sections = [make(summary) for make in makers]
    sections = [
        replace(section, exhibits=(), absent=thin[section.name])
        if section.exhibits and section.name in thin
        else section
        for section in sections
    ]
    return [*sections, *([votes(ranking, observed)] if ranking is not None else [])]


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
    varied = f" Varied axes: {', '.join(summary.axes)}." if summary.axes else " No axis was varied."
    about = f"The score is {statistic_in_words(summary.statistic)}, with {most.score.level:.0%} intervals.{varied}"
    return tag(
        "header",
        tag(
            "div", tag("b", "Fairground"), tag("span", "Results"),
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
        tag("p", "Errored and invalid episodes are not scored: every rate below is out of the scored episodes. If "
                 "episodes errored, the leaderboard also shows the score with errors counted as "
                 "failures.", class_="law"),
        tag("nav", [tag("a", label, href=f"#{name}") for label, name in links], aria_label="Sections"),
    )  # fmt: skip


def _verdict(summary: Summary) -> Html:
    notes: list[Child] = [*summary.notes]
    if summary.unscored:
        notes.append(("Without scored episodes, and therefore not ranked: ", listed(summary.unscored[:12]), "."))
    own = ((standing.contender, note) for standing in summary.standings for note in standing.notes)
    notes += attributed(own, len(summary.standings), 12)
    return tag(
        "section",
        tag("h2", "Summary"),
        verdict(summary),
        decided_list(summary),
        tag("ul", [tag("li", note) for note in notes], class_="notes") if notes else None,
        id="verdict",
        class_="card verdict",
    )


def _leaderboard(summary: Summary) -> Html:
    scale = whole(14, BAR - 14, ticks=4)
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
                tag("div", tag("p", how_intervals_are_made(summary)),
                    tag("p", "A rank such as 1 to 2 is the range that is compatible with the significant "
                             "differences.")
                    if several else None),
                not_said(what_scores_do_not_say(summary)),
                class_="says",
            ),
            # Hidden on the page, where the table shows the same; used for export.
            tag("figure", drawn.svg(), hidden=True),
            class_="exhibit full",
        ),
        id="leaderboard", class_="card",
    )  # fmt: skip


def _ticks(scale: Scale) -> Html:
    labels = [
        words(percent(tick), scale(tick), 11, anchor="middle", size=TICK, fill=paint("muted")) for tick in scale.ticks
    ]
    return tag("svg", labels, viewBox=f"0 0 {BAR} 14", class_="inline scale", aria_hidden="true")


def _row(summary: Summary, standing: Standing, look: Look, scale: Scale) -> Html:
    score, name = standing.score, printable(str(standing.contender))
    ranks = rank_range(summary, standing)
    tooltip = f"{name}: {rate_range(score)} percent"
    sign = tag("svg", marker(look, 6.5, 6.5, size=5), viewBox="0 0 13 13", aria_hidden="true")
    return tag(
        "tr",
        tag("td", str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}", data_v=sum(ranks)),
        tag("td", tag("span", sign, tag("span", tag("bdi", name)), class_="who name", title=name), data_text=name),
        tag("td", rounded(score.estimate * 100), class_="n score", data_v=f"{score.estimate:.6g}"),
        tag("td", ends(score, 100), class_="range", data_v=f"{score.width:.6g}"),
        tag("td", inline_bar(score, look, scale, tooltip), class_="bar"),
        [tag("td", value, class_="n more", data_v=f"{order:.6g}", data_label=label)
         for label, value, order in _more(summary, standing)],
    )  # fmt: skip


def _more(summary: Summary, standing: Standing) -> list[tuple[str, str, float]]:
    """Return the columns after the score: header, value and sort key. Columns without information are left out."""
    lost = standing.outcomes.get(Outcome.ERRORED, 0), standing.outcomes.get(Outcome.INVALID, 0)
    columns: list[tuple[str, str, float]] = []
    if summary.outcomes[Outcome.ERRORED]:
        broke = standing.score_errors_failed or standing.score
        columns.append(("Errors as failures", rate_range(broke), broke.estimate))
    if any(standing.reward is not None for standing in summary.standings):
        reward = standing.reward
        columns.append(("Mean reward", reward_range(reward), reward.estimate if reward else -1))
    return [
        *columns,
        ("Scenarios", f"{standing.scenarios:,}", standing.scenarios),
        ("Configurations", f"{standing.configurations:,}", standing.configurations),
        ("Scored", f"{standing.episodes:,}", standing.episodes),
        ("Errored, invalid", f"{lost[0]:,}, {lost[1]:,}", sum(lost)),
    ]


def _footer(summary: Summary) -> list[Child]:
    facts = {
        "Source": printable(summary.source), "Statistic": summary.statistic,
        "Intervals": f"{summary.level:.0%}, scheme {summary.scheme}", "Resamples": f"{summary.resamples:,}",
        "Seed": "a generator object" if summary.seed is None else str(summary.seed),
        "Version": f"Fairground {fairground.__version__}",
    }  # fmt: skip
    note = "The same table, seed, number of resamples and version give the same numbers."
    return [
        tag("h3", "To reproduce"),
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", tag("bdi", value))) for name, value in facts.items()],
            class_="line",
        ),
        tag("p", note),
    ]
