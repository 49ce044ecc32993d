"""Later verdicts on recorded episodes. They are stored next to the first verdict and never replace it.

In an episode's folder each is a file `verdict-<time>.json`. In a run's index they are rows of the table `verdicts`,
which is created when first needed. For each rescored episode the table starts with its original verdict. The episode's
own row in the index then has the newest verdict and the digest of its file, so that tables and reports use it.
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
    """The content of `verdict-<time>.json`: the verdict of a rescored state."""

    format: Literal[1] = Field(1, description="version of the file format")
    scored: str = Field(description="UTC, ISO 8601")
    fairground: str = Field(description="version of Fairground that scored it")
    suite: str = Field(description="version of the suite whose checks were applied")
    outcome: Outcome = Field(description="the new outcome")
    verdict: Verdict | None = Field(description="null if the checks failed with an error")
    error: str = Field("", description="the error of the checks")
    replaces: Outcome = Field(description="the outcome that counted before")


@dataclass(frozen=True)
class ScoredAgain:
    """A row of the verdict history.

    Attributes:
        number: Episode number.
        scored: Time of the verdict. For the first, when the episode was committed.
        outcome: The outcome.
        reward: None unless it was scored.
        file: File of the verdict, relative to the run's folder.
    """

    number: int
    scored: str
    outcome: Outcome
    reward: float | None
    file: str


def write_verdict(folder: Path, verdict: LaterVerdict) -> Path:
    """Write a verdict into an episode's folder. Never overwrites an existing one."""
    stamp = verdict.scored.replace(":", "").replace("-", "").replace("+0000", "Z")
    path = folder / f"verdict-{stamp}.json"
    draft = folder / f".{path.name}.tmp"
    with writing(path):
        try:
            with draft.open("wb") as file:
                file.write(dumps(verdict, indent=2))
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, path)  # unlike a rename, it fails if the file exists
        finally:
            draft.unlink(missing_ok=True)
        sync(folder)
    return path


def read_verdict(folder: Path, file: str) -> LaterVerdict:
    """Read a verdict from an episode's folder, strictly."""
    return read_record(LaterVerdict, read_inside(folder, file, limit=MAX_EPISODE), where=file)


def commit_verdicts(store: RunStore, found: Iterable[ScoredAgain]) -> None:
    """Add new verdicts to the index of a run opened for writing, in one transaction."""
    with store.committing() as db:
        db.execute(_TABLE)
        for rescored in found:
            *_, name = parts = rescored.file.split("/")
            digest = content_digest(read_inside(store.folder, *parts, limit=MAX_EPISODE))
            db.execute(
                "INSERT INTO verdicts (number, scored, outcome, reward, file)"
                " SELECT number, finished, outcome, reward, folder || '/episode.json' FROM episodes"
                " WHERE number = ? AND NOT EXISTS (SELECT 1 FROM verdicts WHERE number = ?)",
                (rescored.number, rescored.number),
            )
            db.execute(
                "INSERT INTO verdicts (number, scored, outcome, reward, file) VALUES (?, ?, ?, ?, ?)",
                (rescored.number, rescored.scored, rescored.outcome.value, rescored.reward, rescored.file),
            )
            db.execute(
                "UPDATE episodes SET outcome = ?, reward = ?, later = ? WHERE number = ?",
                (rescored.outcome.value, rescored.reward, f"{name}:{digest}", rescored.number),
            )
            store.seal(rescored.number)


def read_verdicts(folder: Path) -> list[ScoredAgain]:
    """Return every verdict of rescored episodes, oldest first; empty if there are none.

    An episode with an invalid history is damaged: see `RunStore.damaged`.
    """
    with told(folder), closing(connect(folder, write=False)) as db:
        rows = read_history(db).rows
    return [
        ScoredAgain(number, scored or "", Outcome(outcome), reward, file)
        for number, scored, outcome, reward, file in rows
    ]
