"""Names and tags of runs: shown to everybody, searched, and changed by admins."""

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
    """Which runs are wanted; empty parts want all."""

    text: str = ""
    tag: str = ""

    def __call__(self, runs: Iterable[RunSummary]) -> list[RunSummary]:
        """Those that have the tag, and all words in what they are called, who acted and where."""
        words = self.text.lower().split()
        return [
            one for one in runs
            if (not self.tag or self.tag in one.tags) and all(word in _text(one) for word in words)
        ]  # fmt: skip


def run_filter_form(runs: Sequence[RunSummary], wanted: RunFilter) -> Html:
    """A form that searches runs by name and tag."""
    tags = sorted({one for run in runs for one in run.tags} | ({wanted.tag} if wanted.tag else set()))
    field = tag("input", type="search", name="text", value=wanted.text, maxlength=200, placeholder="Name, agent, app")
    return tag(
        "form",
        tag("label", "Search", field),
        choice("Tag", "tag", [(one, one) for one in tags], wanted.tag) if tags else None,
        tag("button", "Show", type="submit"),
        action="/runs", method="get", class_="inline card filter", role="search", data_filter=True,
    )  # fmt: skip


def tag_links(tags: Sequence[str]) -> Html | None:
    """Tags, each leading to the runs that have it."""
    if not tags:
        return None
    links = [tag("a", named(one), href=f"/runs?{urlencode({'tag': one})}", class_="pill tag") for one in tags]
    return tag("span", links, class_="apart")


def label_form(request: Request, name: str, label: RunLabel) -> Html | None:
    """Where an admin changes name and tags; None for everybody else."""
    if visitor_of(request).person.role != "admin":
        return None
    called = tag("input", name="name", value=label.name, maxlength=MAX_NAME, placeholder="Such as: first try with zoom")
    words = tag("input", name="tags", value=" ".join(label.tags), maxlength=MAX_TAGS * (MAX_TAG + 1),
                placeholder="Such as: baseline zoom", autocapitalize="none")  # fmt: skip
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
    """Writes what an admin said about a run, or about the group that it is in.

    Raises:
        InvalidInput: When it is too long, or no text in one line.
        InfrastructureError: When it cannot be written.
    """
    folder = found.group_folder if group and found.group_folder else found.folder
    with _writing:
        write_label(folder, name=name, tags=[one for one in re.split(r"[\s,]+", tags) if one])


def _text(run: RunSummary) -> str:
    parts = (run.name, run.label.name, run.group_label.name, run.contender, *run.worlds, *run.tags)
    return " ".join(parts).lower()
