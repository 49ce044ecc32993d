"""Later verdicts on recorded episodes: beside the first, never over it.

In an episode's folder each is a file `verdict-<when>.json`. In a run's index they are rows of the table `verdicts`,
which is made when it is first needed and begins, for each episode, with the verdict it was given when it was run. The
episode's own row in the index then has the newest, so that tables and reports count it, with the digest of its file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from fairground.core import Outcome, Record, Verdict
from fairground.rollout.disk import read_inside, sync, writing
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.index_file import connect, told
from fairground.rollout.index_history import read_history
from fairground.rollout.manifest import content_digest
from fairground.rollout.store import RunStore
from fairground.rollout.strictjson import dumps, read_record

_TABLE = """
CREATE TABLE IF NOT EXISTS verdicts (
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL REFERENCES episodes (number),
    scored TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reward REAL,
    file TEXT NOT NULL,
    UNIQUE (number, file)
)
"""


class LaterVerdict(Record):
    """The content of `verdict-<when>.json`: a recorded state, scored again."""

    format: Literal[1] = 1
    scored: str = Field(description="UTC, ISO 8601")
    fairground: str = Field(description="version that scored it")
    suite: str = Field(description="version of the suite whose checks were applied")
    outcome: Outcome
    verdict: Verdict | None = Field(description="null when the checks broke")
    error: str = Field("", description="what broke")
    replaces: Outcome = Field(description="the outcome that counted until then")


@dataclass(frozen=True)
class ScoredAgain:
    """A row of the history of verdicts.

    Attributes:
        number: Which episode.
        scored: When; for the first, when the episode was committed.
        outcome: What it was given.
        reward: None unless it was scored.
        file: Below the run's folder.
    """

    number: int
    scored: str
    outcome: Outcome
    reward: float | None
    file: str


def write_verdict(folder: Path, verdict: LaterVerdict) -> Path:
    """Writes a verdict into an episode's folder; refuses to write over one that is there."""
    stamp = verdict.scored.replace(":", "").replace("-", "").replace("+0000", "Z")
    path = folder / f"verdict-{stamp}.json"
    draft = folder / f".{path.name}.tmp"
    with writing(path):
        try:
            with draft.open("wb") as file:
                file.write(dumps(verdict, indent=2))
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, path)  # unlike a rename, it fails where a file is
        finally:
            draft.unlink(missing_ok=True)
        sync(folder)
    return path


def read_verdict(folder: Path, file: str) -> LaterVerdict:
    """Reads a verdict of an episode's folder back, strictly."""
    return read_record(LaterVerdict, read_inside(folder, file, limit=MAX_EPISODE), where=file)


def commit_verdicts(store: RunStore, found: Iterable[ScoredAgain]) -> None:
    """Puts new verdicts into the index of a run that was opened to be written: all of them, or none."""
    with store.committing() as db:
        db.execute(_TABLE)
        for one in found:
            *_, name = parts = one.file.split("/")
            digest = content_digest(read_inside(store.folder, *parts, limit=MAX_EPISODE))
            db.execute(
                "INSERT INTO verdicts (number, scored, outcome, reward, file)"
                " SELECT number, finished, outcome, reward, folder || '/episode.json' FROM episodes"
                " WHERE number = ? AND NOT EXISTS (SELECT 1 FROM verdicts WHERE number = ?)",
                (one.number, one.number),
            )
            db.execute(
                "INSERT INTO verdicts (number, scored, outcome, reward, file) VALUES (?, ?, ?, ?, ?)",
                (one.number, one.scored, one.outcome.value, one.reward, one.file),
            )
            db.execute(
                "UPDATE episodes SET outcome = ?, reward = ?, later = ? WHERE number = ?",
                (one.outcome.value, one.reward, f"{name}:{digest}", one.number),
            )
            store.seal(one.number)


def read_verdicts(folder: Path) -> list[ScoredAgain]:
    """Every verdict of episodes that were scored more than once, oldest first; empty where none was.

    An episode whose history says what no run writes is damaged: see `RunStore.damaged`.
    """
    with told(folder), closing(connect(folder, write=False)) as db:
        rows = read_history(db).rows
    return [
        ScoredAgain(number, scored or "", Outcome(outcome), reward, file)
        for number, scored, outcome, reward, file in rows
    ]
