"""Export recorded episodes as training data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from fairground.core import EpisodeError, InvalidInput, Outcome, unknown
from fairground.core.writing import writing
from fairground.interop.datasets import rl, sft
from fairground.interop.datasets.atif import write_trajectory
from fairground.interop.datasets.card import Figures, dataset_card
from fairground.interop.datasets.dialects import CANONICAL, Voice, voice
from fairground.interop.datasets.parquet import Feature, ParquetRows
from fairground.interop.datasets.reading import Attempt, Filters, LeftOut, attempts, damaged
from fairground.interop.datasets.turns import Conversation, converse
from fairground.study import SIDES, Side, Split

Format: TypeAlias = Literal["sft", "rl", "atif", "hf"]
Layout: TypeAlias = Literal["episode", "step", "trajectory"]
"""Rows of a table: a conversation per episode or per step (for fine-tuning), or a trajectory (for RL)."""

_Rows: TypeAlias = Callable[[Conversation, LeftOut], Iterator[tuple[dict[str, Any], int]]]


@dataclass(frozen=True)
class Options:
    """How episodes are exported.

    Attributes:
        rows: Layout of the rows. Default: `episode` for sft and hf, `trajectory` for rl.
        dialect: Whose format actions are written in. Default: `qwen` for conversations, `canonical` for trajectories.
        history: Frames per row of the layout `step`.
        max_side: Shrink images so that their longer side has at most this many pixels.
        thoughts: Whether to write the agent's thoughts into conversations.
        filters: Which episodes are exported.
        splits: A split whose two sides become two splits of a dataset folder.
    """

    rows: Layout | None = None
    dialect: str = ""
    history: int = 4
    max_side: int | None = None
    thoughts: bool = True
    filters: Filters = field(default_factory=Filters)
    splits: Split | None = None


@dataclass
class Export:
    """What was exported, and what was left out.

    Attributes:
        path: The file or folder that was written.
        format: The format.
        dialect: Full name of the dialect.
        files: Figures by the name of a split, or of the only file.
        left_out: What was left out, with reasons.
    """

    path: Path
    format: Format
    dialect: str
    files: dict[str, Figures] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)

    def plain(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "file": str(self.path),
            "format": self.format,
            "dialect": self.dialect,
            "written": {name: figures.plain() for name, figures in self.files.items()},
            "left_out": self.left_out.plain(),
        }


def export_dataset(
    folders: Path | Sequence[Path], output: Path, kind: Format, options: Options | None = None
) -> Export:
    """Export the episodes of runs as training data.

    Frames are read one episode at a time and written in row groups, so memory does not grow with the export. The file
    or folder appears when it is complete.

    Args:
        folders: Folders of runs, of several runs, or of episodes.
        output: A Parquet file for `sft` and `rl`; a folder that is empty or absent for `atif` and `hf`.
        kind: The format.
        options: How and what to export.

    Raises:
        InvalidInput: An option is unknown or does not fit, or no episode was left to export.
    """
    chosen = options or Options()
    if kind not in get_args(Format):
        raise unknown("format", kind, get_args(Format))
    if chosen.splits is not None and kind != "hf":
        raise InvalidInput(f"{kind} writes one side of a split", fix="write FILE:train or FILE:test")
    if chosen.history < 1:
        raise InvalidInput(f"a row has {chosen.history} frames", fix="give at least 1")
    if chosen.max_side is not None and chosen.max_side < 64:
        raise InvalidInput(f"images of {chosen.max_side} pixels are too small", fix="give at least 64")
    trajectories = (chosen.rows or ("trajectory" if kind == "rl" else "episode")) == "trajectory"
    if kind in ("sft", "rl") and trajectories != (kind == "rl"):
        raise InvalidInput(f"the format {kind} has no rows per {chosen.rows}", fix="leave out --rows, or change it")
    spoken = voice(chosen.dialect or (CANONICAL if trajectories or kind == "atif" else "qwen"))
    result = Export(output, kind, spoken.name)
    places = [folders] if isinstance(folders, Path) else list(folders)
    if kind in ("atif", "hf"):
        _check_folder(output)
    elif output.suffix.lower() not in (".parquet", ".pq") or output.is_dir():
        raise InvalidInput(f"{output}: expected a file name that ends in .parquet", fix=f"use {kind}.parquet")
    job = _Job(places, spoken, chosen, result)
    if kind == "atif":
        job.in_folder(partial(_write_atif, job))
    elif kind == "hf":
        job.in_folder(partial(_write_hf, job, trajectories))
    else:
        columns, rows = _layout(chosen, trajectories)
        job.tables({kind: output}, columns, rows)
        if not result.files:
            raise job.nothing()
    return result


def default_outcomes(kind: Format) -> tuple[Outcome, ...]:
    """Return the outcomes that a format exports by default: successes to imitate, else everything with a score."""
    return (Outcome.PASSED,) if kind in ("sft", "hf") else (Outcome.PASSED, Outcome.FAILED)


@dataclass
class _Job:
    """One export: what is read, how it is written, and the result so far."""

    folders: list[Path]
    voice: Voice
    options: Options
    result: Export

    def conversations(self, filters: Filters) -> Iterator[Conversation]:
        for attempt in attempts(self.folders, filters, self.result.left_out):
            try:
                attempt.verify()  # before the first row, so that nothing of a damaged episode is written
            except EpisodeError as error:
                damaged(attempt, error, self.result.left_out)
                continue
            yield converse(attempt, self.voice, max_side=self.options.max_side, thoughts=self.options.thoughts)

    def tables(self, files: Mapping[str, Path], columns: dict[str, Feature], rows: _Rows) -> None:
        """Write Parquet files in one pass: one file, or one per side of a split. Files without rows are removed."""
        split = self.options.splits
        with ExitStack() as stack:
            tables = {name: stack.enter_context(ParquetRows(path, columns)) for name, path in files.items()}
            self.result.files |= {name: Figures() for name in files}
            for conversation in self.conversations(self.options.filters):
                attempt = conversation.attempt
                name: str | None = next(iter(files))
                if split is not None:
                    name = split.side_of(attempt.recorded.episode.configuration)
                if name is None:
                    self.result.left_out.add("not in the split", attempt.name)
                    continue
                figures, written = self.result.files[name], 0
                for row, size in rows(conversation, self.result.left_out):
                    tables[name].add(row, size)
                    written += 1
                    figures.images += len(row["images"])
                if written:
                    figures.rows += written
                    count(figures, attempt)
        for name, path in files.items():
            if not self.result.files[name].rows:
                path.unlink()
                del self.result.files[name]

    def in_folder(self, write: Callable[[Path], None]) -> None:
        """Write into a draft folder that becomes the output when it is complete."""
        output = self.result.path
        draft = output.with_name(f".{output.name}.tmp")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            with writing(output):
                draft.mkdir(parents=True)
            write(draft)
            if not any(figures.rows for figures in self.result.files.values()):
                raise self.nothing()
            with writing(output):
                if output.is_dir():
                    output.rmdir()  # it is empty
                os.replace(draft, output)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def nothing(self) -> InvalidInput:
        """Return the error for an export without a row."""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.result.left_out.counts.most_common(5))
        return InvalidInput(
            f"no episode was left to export ({reasons or 'there was none'})", fix="choose other filters or runs"
        )


def count(figures: Figures, attempt: Attempt) -> None:
    """Count an episode that was written."""
    configuration = attempt.recorded.episode.configuration
    figures.episodes += 1
    figures.outcomes[attempt.ended.finished.outcome.value] += 1
    figures.agents[attempt.ended.agent] += 1
    figures.apps[f"{configuration.suite}/{configuration.app}"] += 1


def _layout(options: Options, trajectories: bool) -> tuple[dict[str, Feature], _Rows]:
    if trajectories:
        return rl.COLUMNS, rl.trajectory_rows
    if options.rows == "step":
        return sft.COLUMNS, partial(sft.step_rows, history=options.history)
    return sft.COLUMNS, sft.episode_rows


def _write_atif(job: _Job, draft: Path) -> None:
    figures = job.result.files.setdefault("atif", Figures())
    for conversation in job.conversations(job.options.filters):
        attempt = conversation.attempt
        name = f"{figures.rows:06d}-{attempt.recorded.episode.configuration.scenario}"
        figures.images += write_trajectory(conversation, draft / name)
        figures.rows += 1
        count(figures, attempt)


def _write_hf(job: _Job, trajectories: bool, draft: Path) -> None:
    columns, rows = _layout(job.options, trajectories)
    sides: Sequence[Side] = SIDES if job.options.splits is not None else ("train",)
    if job.options.filters.split is not None:
        sides = (job.options.filters.split[1],)
    job.tables({side: draft / "data" / f"{side}.parquet" for side in sides}, columns, rows)
    text = dataset_card(
        job.result.files,
        columns,
        made=_made(job, trajectories),
        left_out=dict(job.result.left_out.counts.most_common()),
    )
    with writing(draft / "README.md"):
        (draft / "README.md").write_text(text, encoding="utf-8")


def _made(job: _Job, trajectories: bool) -> list[str]:
    options = job.options
    layout = "One row per episode, with its trajectory and reward"
    if not trajectories:
        per = f"step, with at most {options.history} frames" if options.rows == "step" else "episode"
        layout = f"One conversation per {per}"
    made = [f"{layout}. Actions are written in the dialect `{job.voice.name}`."]
    outcomes = ", ".join(outcome.value for outcome in options.filters.outcomes)
    made.append(f"Episodes with the outcome {outcomes}.")
    split = options.splits or (options.filters.split[0] if options.filters.split else None)
    if split is not None:
        made.append(
            f"Split with seed {split.seed}: similar scenarios are on one side"
            if split.hold_out is None
            else f"Split by held-out {split.hold_out.axis}"
        )
    return made


def _check_folder(output: Path) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise InvalidInput(f"{output} is not empty", fix="choose a new folder, or delete it")
