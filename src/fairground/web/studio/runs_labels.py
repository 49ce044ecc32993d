"""Names and tags of runs: public, searchable, editable by admins."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import Request

from fairground.report.html import Html, tag
from fairground.rollout.label import MAX_NAME, MAX_TAG, MAX_TAGS, RunLabel, write_label
from fairground.web.shell import form
from fairground.web.studio.runs_found import Found
from fairground.web.studio.runs_parts import choice, named, run_path
from fairground.web.studio.runs_read import RunSummary
from fairground.web.visit import visitor_of

_writing = threading.Lock()


@dataclass(frozen=True)
class RunFilter:
    """Which runs to show. Empty fields match all runs."""

    text: str = ""
    tag: str = ""

    def __call__(self, runs: Iterable[RunSummary]) -> list[RunSummary]:
        """Return the runs that have the tag, and all words in their name, agent or worlds."""
        words = self.text.lower().split()
        return [
            run for run in runs
            if (not self.tag or self.tag in run.tags) and all(word in _text(run) for word in words)
        ]  # fmt: skip


def run_filter_form(runs: Sequence[RunSummary], wanted: RunFilter) -> Html:
    """Render a form to search runs by name and tag."""
    tags = sorted({tag for run in runs for tag in run.tags} | ({wanted.tag} if wanted.tag else set()))
    field = tag("input", type="search", name="text", value=wanted.text, maxlength=200, placeholder="Name, agent, app")
    return tag(
        "form",
        tag("label", "Search", field),
        choice("Tag", "tag", [(tag, tag) for tag in tags], wanted.tag) if tags else None,
        tag("button", "Show", type="submit"),
        action="/runs", method="get", class_="inline card filter", role="search", data_filter=True,
    )  # fmt: skip


def tag_links(tags: Sequence[str]) -> Html | None:
    """Render tags as links to the runs that have them."""
    if not tags:
        return None
    links = [tag("a", named(label), href=f"/runs?{urlencode({'tag': label})}", class_="pill tag") for label in tags]
    return tag("span", links, class_="apart")


def label_form(request: Request, name: str, label: RunLabel) -> Html | None:
    """Render the form for name and tags, or None if the visitor is not an admin."""
    if visitor_of(request).person.role != "admin":
        return None
    called = tag(
        "input", name="name", value=label.name, maxlength=MAX_NAME, placeholder="for example: first try with zoom"
    )
    words = tag("input", name="tags", value=" ".join(label.tags), maxlength=MAX_TAGS * (MAX_TAG + 1),
                placeholder="for example: baseline zoom", autocapitalize="none")  # fmt: skip
    return tag(
        "details",
        tag("summary", "Name and tags"),
        form(
            request, f"{run_path(name)}/label",
            tag("label", "Name", called),
            tag("label", "Tags", words, tag("small", f"Up to {MAX_TAGS} words.")),
            tag("button", "Save", type="submit", class_="plain"),
            class_="inline",
        ),
        class_="card label",
    )  # fmt: skip


def change_label(found: Found, *, group: bool, name: str, tags: str) -> None:
    """Save the name and tags of a run or of its group.

    Raises:
        InvalidInput: If a text is too long or not a single line.
        InfrastructureError: If it cannot be written.
    """
    folder = found.group_folder if group and found.group_folder else found.folder
    with _writing:
        write_label(folder, name=name, tags=[tag for tag in re.split(r"[\s,]+", tags) if tag])


def _text(run: RunSummary) -> str:
    parts = (run.name, run.label.name, run.group_label.name, run.contender, *run.worlds, *run.tags)
    return " ".join(parts).lower()
