"""Episodes that did not pass, for the report of their runs: task, failed check or error, and a link to the replay."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairground.core import Check, Configuration, EpisodeError, Outcome
from fairground.report.data_table import behind
from fairground.report.describe import evidence, in_a_line
from fairground.report.episode_page import write_episode_page
from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.report.statistics_words import who
from fairground.rollout import Finished, RunStore, is_run
from fairground.rollout.failed_checks import failed_checks, verdict_files
from fairground.stats import Contender

MOST = 50
"""Maximum number of episodes listed per run."""

_OPEN = 12  # maximum number of rows shown without a fold-out, over all runs
_LEAST = 3  # the same per run
_SHORT = 90  # maximum length of a value
_LONG = 300  # maximum length of an error


@dataclass(frozen=True)
class _Failure:
    """An episode that did not pass.

    Attributes:
        configuration: ID of the configuration.
        rollout: Index of the attempt, from 0.
        outcome: Its outcome.
        error: Why the episode has no score; empty if it failed.
        checks: Failed checks; empty if its recording cannot be read.
        href: Link to its page, relative to the report; empty if there is none.
    """

    configuration: Configuration
    rollout: int
    outcome: Outcome
    error: str
    checks: tuple[Check, ...]
    href: str


def run_failures(runs: Sequence[Path], report: Path) -> Html | None:
    """Render a card with the episodes of each run that did not pass; None if all passed.

    Also writes the pages of the listed episodes.

    Args:
        runs: Folders of runs.
        report: Path of the report, for relative links.
    """
    lists = [_of_run(run, report.resolve().parent) for run in runs if is_run(run)]
    nonempty = [(contender, failed, numbers) for contender, failed, numbers in lists if numbers]
    if not nonempty:
        return None
    shown = max(_LEAST, _OPEN // len(nonempty))
    parts = [
        (tag("h3", who(contender), _pills(numbers)), _listed(failed, sum(numbers.values()), shown))
        for contender, failed, numbers in nonempty
    ]
    return tag(
        "section",
        tag("h2", "Failures"),
        tag(
            "p",
            "Episodes without a score come first, with the reason. Failed episodes follow in the order of the plan, "
            "each with its first failed check.",
            class_="intro",
        ),
        [tag("div", part, class_="failures") for part in parts],
        id="failed",
        class_="card",
    )


def _of_run(run: Path, report: Path) -> tuple[Contender, list[_Failure], Counter[Outcome]]:
    with RunStore.open(run) as store:
        contender = Contender(store.spec.agent, store.spec.condition)
        ended = [(row.planned, row.finished) for row in store.rows() if row.finished is not None]
    missed = [(planned, finished) for planned, finished in ended if finished.outcome is not Outcome.PASSED]
    missed.sort(key=lambda failure: failure[1].outcome is Outcome.FAILED)
    newest = verdict_files(run)
    failed = []
    for planned, finished in missed[:MOST]:
        file = newest.get(planned.number, f"{finished.folder}/episode.json")
        checks, href = _read(run, finished, file, report)
        place = Configuration.from_id(planned.configuration)
        failed.append(_Failure(place, planned.rollout, finished.outcome, finished.error, checks, href))
    return contender, failed, Counter(finished.outcome for _, finished in missed)


def _pills(numbers: Counter[Outcome]) -> list[Child]:
    return [(" ", outcome_pill(outcome, f"{number:,} {outcome}")) for outcome, number in numbers.items()]


def _read(run: Path, finished: Finished, file: str, report: Path) -> tuple[tuple[Check, ...], str]:
    """Return the failed checks and the link to the episode's page; empty if the recording cannot be read."""
    try:
        checks = failed_checks(run, file) if finished.outcome is Outcome.FAILED else ()
        page = write_episode_page(run / finished.folder)
    except (EpisodeError, OSError):
        return (), ""
    return checks, Path(os.path.relpath(page.resolve(), report)).as_posix()


def _listed(failed: Sequence[_Failure], number: int, shown: int) -> Child:
    rest = failed[shown:]
    more = number - len(failed)
    return (
        _table(failed[:shown]),
        behind(f"{len(rest):,} more", _table(rest)) if rest else None,
        tag("p", f"{more:,} more are not listed.", class_="absent") if more > 0 else None,
    )


def _table(failed: Sequence[_Failure]) -> Html:
    heads = [tag("th", head, scope="col") for head in ("Task", "First failed check", "Details", "Replay")]
    rows = [tag("tr", _cells(failure)) for failure in failed]
    return tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="failed")


def _cells(failure: _Failure) -> list[Html]:
    place = failure.configuration
    axes = f"{place.instance} · {place.profile} · {place.theme} · {place.ui_state}"
    again = f" · attempt {failure.rollout + 1}" if failure.rollout else ""
    first = failure.checks[0] if failure.checks else None
    more = f" and {len(failure.checks) - 1} more" if len(failure.checks) > 1 else None
    seen = (
        f"expected {_short(first.expected)}, found {_short(first.found)}" if first else in_a_line(failure.error)[:_LONG]
    )
    what: Child = tag("bdi", first.name) if first else "its recording cannot be read"
    if failure.outcome is not Outcome.FAILED:
        what = outcome_pill(failure.outcome)
    return [
        tag("td", tag("bdi", f"{place.suite}/{place.app}/{place.scenario}"), tag("small", tag("bdi", axes), again)),
        tag("td", what, tag("small", more)),
        tag("td", tag("bdi", seen) if seen else None, class_="seen"),
        tag("td", tag("a", "Open", href=failure.href, aria_label=f"Replay of {place.id}") if failure.href else None),
    ]


def _short(value: object) -> str:
    text = " ".join(evidence(value).split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
