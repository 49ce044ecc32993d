"""A name and tags that a person gives to a run, or to runs of one command: `label.json` in its folder.

A label says nothing about what is run: the run's spec, plan and results are the same with any label, so it can be
written and changed at any time, also while the run goes on.
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
    """What a person calls a run."""

    format: Literal[1] = 1
    name: Annotated[str, AfterValidator(_line)] = Field("", max_length=MAX_NAME, description="one line; empty for none")
    tags: tuple[Annotated[str, Field(min_length=1, max_length=MAX_TAG), AfterValidator(_word)], ...] = Field(
        (), max_length=MAX_TAGS, description="words to find it by"
    )


def read_label(folder: Path) -> RunLabel:
    """The label of a folder; an empty one where there is none.

    Raises:
        InvalidInput: When `label.json` is there and cannot be read.
    """
    if not (folder / LABEL).is_file():
        return RunLabel()
    try:
        return read_record(RunLabel, read_inside(folder, LABEL, limit=_LIMIT), where=LABEL)
    except EpisodeError as error:
        raise InvalidInput(error.message, fix=f"correct or remove {LABEL} in the run's folder") from None


def write_label(folder: Path, *, name: str | None = None, tags: Iterable[str] | None = None) -> RunLabel:
    """Gives a run, or the runs that lie in a folder, a name and tags; what is None stays as it is.

    Raises:
        InvalidInput: When there is no run, or when name or tags are too long or no text in one line.
        CannotWrite: When nothing can be written there.
    """
    if not runs_in(folder):
        raise InvalidInput(f"{folder} holds no run", fix="give the folder that `fairground run` wrote")
    before = read_label(folder) if name is None or tags is None else RunLabel()
    label = make_label(before.name if name is None else name, before.tags if tags is None else tags)
    write_whole(folder / LABEL, dumps(label, indent=2))
    return label


def make_label(name: str = "", tags: Iterable[str] = ()) -> RunLabel:
    """A label that is in order, to be checked before anything is run.

    Raises:
        InvalidInput: When name or tags are too long or no text in one line.
    """
    words = dict.fromkeys(tag for one in tags if (tag := one.strip()))
    return RunLabel.parse({"name": " ".join(name.split()), "tags": list(words)}, where="label")
