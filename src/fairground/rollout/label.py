"""User-defined name and tags of a run, or of the runs of one command: `label.json` in its folder.

A label does not affect the run: its spec, plan and results are the same with any label. It can be changed at any time,
even while the run is in progress.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from fairground.core import EpisodeError, InvalidInput, Record
from fairground.rollout.disk import read_inside, write_whole
from fairground.rollout.store import runs_in
from fairground.rollout.strictjson import dumps, read_record

LABEL: Final = "label.json"
MAX_NAME: Final = 120
MAX_TAG: Final = 40
MAX_TAGS: Final = 16
_LIMIT: Final = 32_768  # bytes


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("expected one line of printable characters")
    return text


def _word(text: str) -> str:
    if "," in text or " " in text:
        raise ValueError("expected a word without spaces and commas")
    return _line(text)


class RunLabel(Record):
    """User-defined name and tags of a run."""

    format: Literal[1] = 1
    name: Annotated[str, AfterValidator(_line)] = Field("", max_length=MAX_NAME, description="one line; empty for none")
    tags: tuple[Annotated[str, Field(min_length=1, max_length=MAX_TAG), AfterValidator(_word)], ...] = Field(
        (), max_length=MAX_TAGS, description="words to search by"
    )


def read_label(folder: Path) -> RunLabel:
    """Return the label of a folder; an empty label if there is none.

    Raises:
        InvalidInput: If `label.json` exists but cannot be read.
    """
    if not (folder / LABEL).is_file():
        return RunLabel()
    try:
        return read_record(RunLabel, read_inside(folder, LABEL, limit=_LIMIT), where=LABEL)
    except EpisodeError as error:
        raise InvalidInput(error.message, fix=f"correct or remove {LABEL} in the run's folder") from None


def write_label(folder: Path, *, name: str | None = None, tags: Iterable[str] | None = None) -> RunLabel:
    """Set name and tags of a run, or of the runs in a folder. None leaves a value unchanged.

    Raises:
        InvalidInput: If there is no run, or if name or tags are too long or not a single line of text.
        CannotWrite: If the folder cannot be written.
    """
    if not runs_in(folder):
        raise InvalidInput(f"{folder} holds no run", fix="give the folder that `fairground run` wrote")
    before = read_label(folder) if name is None or tags is None else RunLabel()
    label = make_label(before.name if name is None else name, before.tags if tags is None else tags)
    write_whole(folder / LABEL, dumps(label, indent=2))
    return label


def make_label(name: str = "", tags: Iterable[str] = ()) -> RunLabel:
    """Return a validated label, so that errors show before anything is run.

    Raises:
        InvalidInput: If name or tags are too long or not a single line of text.
    """
    words = dict.fromkeys(tag for text in tags if (tag := text.strip()))
    return RunLabel.parse({"name": " ".join(name.split()), "tags": list(words)}, where="label")
