"""The list of a run's episodes: filtered, sorted and paginated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import counted
from fairground.web.shell import empty
from fairground.web.studio.runs_checks import checked_episodes, counted_checks
from fairground.web.studio.runs_found import Found, no_run
from fairground.web.studio.runs_parts import choice, episode_table, named, run_path
from fairground.web.studio.runs_read import RunEpisode
from fairground.web.studio.runs_tally import OUTCOMES, Filter

EACH: Final = 100
"""Episodes per page."""

_CHECKS: Final = 200  # maximum number of failed checks to choose from
_ORDERS: Final[tuple[tuple[str, str], ...]] = (
    ("outcome", "outcome"), ("-reward", "reward, highest first"), ("reward", "reward, lowest first"),
    ("-steps", "most steps first"), ("steps", "fewest steps first"), ("-duration", "longest first"),
    ("duration", "shortest first"), ("scenario", "scenario"), ("agent", "agent"),
)  # fmt: skip


def members(found: Mapping[str, Found], name: str) -> list[Found]:
    """Return the run of a name, or the runs of the group of that name. Raises `Refused` if there is neither."""
    if name in found:
        return [found[name]]
    runs = [run for run in found.values() if run.group == name]
    if not runs:
        raise no_run(name, list(found))
    return runs


def one_page(some: Sequence[Found], wanted: Filter, number: int) -> tuple[list[RunEpisode], int, int]:
    """Return the episodes on a page of the matching ones, the number of matches, and the number of pages."""
    fitting = wanted(episode for run in some for episode in checked_episodes(run))
    pages = max(1, -(-len(fitting) // EACH))
    return fitting[(number - 1) * EACH : number * EACH], len(fitting), pages


def episodes_page(name: str, some: Sequence[Found], wanted: Filter, number: int) -> list[Child]:
    """Render the page. The list comes last."""
    every = [episode for run in some for episode in checked_episodes(run)]
    shown, fitting, pages = one_page(some, wanted, number)
    several = len({episode.contender for episode in every}) > 1
    path = f"{run_path(name)}/episodes"
    if shown:
        listed: Child = tag(
            "section", tag("p", _counted(fitting, len(every)), class_="muted"),
            episode_table(shown, several=several, wanted=wanted, path=path), _pager(path, wanted, number, pages),
            _unread(every), class_="card",
        )  # fmt: skip
    else:
        listed = empty("No episodes match", tag("a", "Show all episodes", href=path), f": there are {len(every):,}.")
    return [
        tag("nav", tag("a", "Runs", href="/runs"), tag("a", named(name), href=run_path(name)), class_="crumbs",
            aria_label="Breadcrumb"),
        tag("h1", "Episodes of ", named(name)),
        _form(path, wanted, every),
        listed,
    ]  # fmt: skip


def _form(path: str, wanted: Filter, every: Sequence[RunEpisode]) -> Html:
    agents = list(dict.fromkeys(episode.contender for episode in every))
    scenarios = sorted({episode.scenario for episode in every})
    # Count checks among the episodes that match the other filters, so that each number is what the choice leads to.
    checks = counted_checks(replace(wanted, check="", sort="")(every))
    offered = [(check, f"{check} ({often:,})") for check, often in checks[:_CHECKS]]
    if wanted.check and wanted.check not in dict(offered):
        offered.append((wanted.check, f"{wanted.check} ({dict(checks).get(wanted.check, 0):,})"))
    field = tag("input", type="search", name="text", value=wanted.text, maxlength=200, placeholder="Names, errors")
    return tag(
        "form",
        tag("label", "Text", field),
        choice("Agent", "agent", [(agent, agent) for agent in agents], wanted.agent) if len(agents) > 1 else None,
        choice("Outcome", "outcome", [(outcome, outcome) for outcome in OUTCOMES], wanted.outcome),
        choice("Scenario", "scenario", [(scenario, scenario) for scenario in scenarios], wanted.scenario),
        choice("Failed check", "check", offered, wanted.check) if offered else None,
        choice("Order", "sort", [order for order in _ORDERS if order[0] != "agent" or len(agents) > 1], wanted.sort,
               none="planned order"),
        tag("button", "Show", type="submit"),
        action=path, method="get", class_="inline card filter", role="search", data_filter=True,
    )  # fmt: skip


def _unread(every: Sequence[RunEpisode]) -> Html | None:
    number = sum(episode.outcome == "failed" and not episode.failed for episode in every)
    if not number:
        return None
    text = f"The failed checks of {counted(number, 'failed episode')} are not known: there is no recording, or it "
    return tag("p", text, "cannot be read.", class_="muted small")


def _pager(path: str, wanted: Filter, number: int, pages: int) -> Html | None:
    if pages == 1:
        return None

    def step(said: str, to: int) -> Html:
        if not 1 <= to <= pages:
            return tag("span", said, class_="muted")
        return tag("a", said, href=path + wanted.query(page=to), class_="button plain")

    here = tag("span", f"Page {number:,} of {pages:,}")
    return tag("nav", step("Previous", number - 1), here, step("Next", number + 1), class_="row", aria_label="Pages")


def _counted(fitting: int, every: int) -> str:
    if fitting == every:
        return counted(every, "episode")
    return f"{fitting:,} of {counted(every, 'episode')}"
