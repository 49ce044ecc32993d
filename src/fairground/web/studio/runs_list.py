"""The list of a run's episodes: filtered, ordered, a page at a time."""

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
"""Episodes on a page."""

_CHECKS: Final = 200  # failed checks to choose from
_ORDERS: Final[tuple[tuple[str, str], ...]] = (
    ("outcome", "outcome"), ("-reward", "reward, highest first"), ("reward", "reward, lowest first"),
    ("-steps", "most steps first"), ("steps", "fewest steps first"), ("-duration", "longest first"),
    ("duration", "shortest first"), ("scenario", "scenario"), ("agent", "agent"),
)  # fmt: skip


def members(found: Mapping[str, Found], name: str) -> list[Found]:
    """The run of a name, or the runs of the group of that name. Raises `Refused` when there is neither."""
    if name in found:
        return [found[name]]
    some = [one for one in found.values() if one.group == name]
    if not some:
        raise no_run(name, list(found))
    return some


def one_page(some: Sequence[Found], wanted: Filter, number: int) -> tuple[list[RunEpisode], int, int]:
    """The episodes on a page of those that fit, how many fit, and how many pages they make."""
    fitting = wanted(one for run in some for one in checked_episodes(run))
    pages = max(1, -(-len(fitting) // EACH))
    return fitting[(number - 1) * EACH : number * EACH], len(fitting), pages


def episodes_page(name: str, some: Sequence[Found], wanted: Filter, number: int) -> list[Child]:
    """What stands on it; the list itself comes last."""
    every = [one for run in some for one in checked_episodes(run)]
    shown, fitting, pages = one_page(some, wanted, number)
    several = len({one.contender for one in every}) > 1
    path = f"{run_path(name)}/episodes"
    if shown:
        listed: Child = tag(
            "section", tag("p", _counted(fitting, len(every)), class_="muted"),
            episode_table(shown, several=several, wanted=wanted, path=path), _pager(path, wanted, number, pages),
            _unread(every), class_="card",
        )  # fmt: skip
    else:
        listed = empty("No episode fits", tag("a", "Show all of them", href=path), f": there are {len(every):,}.")
    return [
        tag("nav", tag("a", "Runs", href="/runs"), tag("a", named(name), href=run_path(name)), class_="crumbs",
            aria_label="Where this is"),
        tag("h1", "Episodes of ", named(name)),
        _form(path, wanted, every),
        listed,
    ]  # fmt: skip


def _form(path: str, wanted: Filter, every: Sequence[RunEpisode]) -> Html:
    agents = list(dict.fromkeys(one.contender for one in every))
    scenarios = sorted({one.scenario for one in every})
    # Those among what else is wanted, so that the numbers are those that choosing one leads to.
    checks = counted_checks(replace(wanted, check="", sort="")(every))
    offered = [(check, f"{check} ({often:,})") for check, often in checks[:_CHECKS]]
    if wanted.check and wanted.check not in dict(offered):
        offered.append((wanted.check, f"{wanted.check} ({dict(checks).get(wanted.check, 0):,})"))
    field = tag("input", type="search", name="text", value=wanted.text, maxlength=200, placeholder="Names, errors")
    return tag(
        "form",
        tag("label", "Text", field),
        choice("Agent", "agent", [(one, one) for one in agents], wanted.agent) if len(agents) > 1 else None,
        choice("Outcome", "outcome", [(one, one) for one in OUTCOMES], wanted.outcome),
        choice("Scenario", "scenario", [(one, one) for one in scenarios], wanted.scenario),
        choice("Failed check", "check", offered, wanted.check) if offered else None,
        choice("Order", "sort", [one for one in _ORDERS if one[0] != "agent" or len(agents) > 1], wanted.sort,
               none="as planned"),
        tag("button", "Show", type="submit"),
        action=path, method="get", class_="inline card filter", role="search", data_filter=True,
    )  # fmt: skip


def _unread(every: Sequence[RunEpisode]) -> Html | None:
    number = sum(one.outcome == "failed" and not one.failed for one in every)
    if not number:
        return None
    said = f"Which checks failed is not known of {counted(number, 'failed episode')}: nothing is recorded, or it "
    return tag("p", said, "cannot be read.", class_="muted small")


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
