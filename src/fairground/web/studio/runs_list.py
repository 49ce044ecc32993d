"""The list of a run's episodes: filtered, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import counted
from fairground.web.shell import empty
from fairground.web.studio.runs_found import Found, no_run
from fairground.web.studio.runs_parts import episode_table, named, run_path
from fairground.web.studio.runs_read import RunEpisode, episodes_of
from fairground.web.studio.runs_tally import OUTCOMES, Filter

EACH: Final = 100
"""Episodes on a page."""


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
    fitting = wanted(one for run in some for one in episodes_of(run))
    pages = max(1, -(-len(fitting) // EACH))
    return fitting[(number - 1) * EACH : number * EACH], len(fitting), pages


def episodes_page(name: str, some: Sequence[Found], wanted: Filter, number: int) -> list[Child]:
    """What stands on it; the list itself comes last."""
    every = [one for run in some for one in episodes_of(run)]
    shown, fitting, pages = one_page(some, wanted, number)
    agents = list(dict.fromkeys(one.contender for one in every))
    scenarios = sorted({one.scenario for one in every})
    up = (tag("a", "Runs", href="/runs"), tag("a", named(name), href=run_path(name)))
    if shown:
        listed: Child = tag(
            "section", tag("p", _counted(fitting, len(every)), class_="muted"),
            episode_table(shown, several=len(agents) > 1), _pager(name, wanted, number, pages), class_="card",
        )  # fmt: skip
    else:
        path = f"{run_path(name)}/episodes"
        listed = empty("No episode fits", tag("a", "Show all of them", href=path), f": there are {len(every):,}.")
    return [
        tag("nav", up, class_="crumbs", aria_label="Where this is"),
        tag("h1", "Episodes of ", named(name)),
        _form(name, wanted, agents, scenarios),
        listed,
    ]


def _form(name: str, wanted: Filter, agents: Sequence[str], scenarios: Sequence[str]) -> Html:
    outcomes = [(one, one) for one in OUTCOMES]
    field = tag("input", type="search", name="text", value=wanted.text, maxlength=200, placeholder="Names, errors")
    return tag(
        "form",
        tag("label", "Text", field),
        _choice("Agent", "agent", [(one, one) for one in agents], wanted.agent) if len(agents) > 1 else None,
        _choice("Outcome", "outcome", outcomes, wanted.outcome),
        _choice("Scenario", "scenario", [(one, one) for one in scenarios], wanted.scenario),
        tag("button", "Show", type="submit"),
        action=f"{run_path(name)}/episodes", method="get", class_="inline card filter", role="search",
        data_filter=True,
    )  # fmt: skip


def _choice(label: str, name: str, options: Sequence[tuple[str, str]], chosen: str) -> Html:
    every = [tag("option", "any", value="")]
    every += [tag("option", said, value=value, selected=value == chosen) for value, said in options]
    return tag("label", label, tag("select", every, name=name))


def _pager(name: str, wanted: Filter, number: int, pages: int) -> Html | None:
    if pages == 1:
        return None
    path = f"{run_path(name)}/episodes"

    def step(said: str, to: int) -> Html:
        if not 1 <= to <= pages:
            return tag("span", said, class_="muted")
        return tag("a", said, href=path + wanted.query(page=to), class_="button plain")

    here = tag("span", f"Page {number:,} of {pages:,}")
    return tag("nav", step("Before", number - 1), here, step("After", number + 1), class_="row", aria_label="Pages")


def _counted(fitting: int, every: int) -> str:
    if fitting == every:
        return counted(every, "episode")
    return f"{fitting:,} of {counted(every, 'episode')}"
