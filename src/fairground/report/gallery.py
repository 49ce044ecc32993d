"""Screenshots of a run's episodes for its report: the last frame per app and agent."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from PIL import Image

from fairground.core import Configuration, EpisodeError, Outcome
from fairground.report.episode_page import write_episode_page
from fairground.report.failures import run_failures
from fairground.report.html import Html, join, tag
from fairground.report.outcomes import outcome_pill
from fairground.rollout import RunStore, read_episode

MOST = 24
_HEIGHT = 480  # width of an image in pixels: twice its display size
_TRIED = 5  # number of unreadable recordings after which an app of a run is skipped


@dataclass(frozen=True)
class _Shot:
    """The last frame of an episode.

    Attributes:
        picture: JPEG data.
        size: Size of the image in pixels.
        agent: The agent.
        task: The task, such as `pocket/notes/count-label/health`.
        outcome: The episode's outcome.
        href: Link to the episode's page, relative to the report.
    """

    picture: bytes
    size: tuple[int, int]
    agent: str
    task: str
    outcome: Outcome
    href: str


def run_gallery(runs: Sequence[Path], report: Path, *, most: int = MOST) -> Html | None:
    """Render cards for the report: failures, and one episode per app and run with a link to its page.

    Also writes the linked pages.

    Args:
        runs: Folders of runs.
        report: Path of the report, for relative links.
        most: Maximum number of images.
    """
    shots = _chosen([shot for run in runs for shot in _of_run(run, report.resolve().parent)], most)
    looked = tag(
        "section",
        tag("h2", "Screenshots"),
        tag("p", "The last frame of one episode per app and agent. Click one to open its replay.", class_="intro"),
        tag("ul", [_item(shot) for shot in shots], class_="shots"),
        id="looked",
        class_="card",
    )
    return join((run_failures(runs, report), looked if shots else None)) or None


def _chosen(shots: Sequence[_Shot], most: int) -> list[_Shot]:
    """Choose at most this many, grouped by app. If there are more, every app keeps the same number."""
    by_app: dict[tuple[str, ...], list[_Shot]] = {}
    for shot in shots:
        by_app.setdefault(tuple(shot.task.split("/")[:2]), []).append(shot)
    turns = sorted((turn, app) for app, shots in by_app.items() for turn in range(len(shots)))
    chosen = sorted((app, turn) for turn, app in turns[:most])
    return [by_app[app][turn] for app, turn in chosen]


def _item(shot: _Shot) -> Html:
    source = "data:image/jpeg;base64," + base64.b64encode(shot.picture).decode()
    width, height = shot.size
    about = f"{shot.agent}, {shot.task}: {shot.outcome}"
    return tag(
        "li",
        tag(
            "a",
            tag("img", src=source, alt=about, width=width // 2, height=height // 2),
            tag("b", shot.agent, title=shot.agent),
            outcome_pill(shot.outcome),
            tag("small", shot.task),
            href=shot.href,
            title=about,
        ),
        class_="wide" if width > height else None,
    )


def _of_run(run: Path, report: Path) -> Iterator[_Shot]:
    with RunStore.open(run) as store:
        agent = store.spec.agent
        by_app: dict[tuple[str, str], list[tuple[Configuration, Outcome, Path]]] = {}
        for row in store.rows():
            if row.finished is not None and row.finished.outcome.scored:
                configuration = Configuration.from_id(row.planned.configuration)
                ended = (configuration, row.finished.outcome, run / row.finished.folder)
                by_app.setdefault((configuration.suite, configuration.app), []).append(ended)
    for episodes in by_app.values():
        # Prefer a success; otherwise keep the order of the plan.
        best_first = sorted(episodes, key=lambda episode: episode[1] is not Outcome.PASSED)
        yield from islice(filter(None, (_shot(agent, *episode, report) for episode in best_first[:_TRIED])), 1)


def _shot(agent: str, configuration: Configuration, outcome: Outcome, folder: Path, report: Path) -> _Shot | None:
    try:
        episode = read_episode(folder)
        frame = episode.frame(episode.steps[-1].frame if episode.steps else episode.episode.first_frame)
        page = write_episode_page(episode)
    except (EpisodeError, OSError):
        return None  # the report works without it
    picture = Image.fromarray(frame.pixels)
    picture.thumbnail((4 * _HEIGHT, _HEIGHT))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=82)
    href = os.path.relpath(page.resolve(), report)
    return _Shot(out.getvalue(), picture.size, agent, configuration.task, outcome, Path(href).as_posix())
