"""Which checks a failed episode failed: of the verdict that counts, which is the newest."""

from __future__ import annotations

from pathlib import Path

from fairground.core import Check, EpisodeError, InvalidInput
from fairground.rollout.disk import read_inside
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.strictjson import loads
from fairground.rollout.verdicts import read_verdicts


def verdict_files(run: Path) -> dict[int, str]:
    """For episodes of a run that were scored again: the file of the verdict that counts, below the run's folder."""
    return {one.number: one.file for one in read_verdicts(run)}


def failed_checks(run: Path, file: str) -> tuple[Check, ...]:
    """The checks that failed, in the verdict's order; nothing else of the file is looked at.

    Args:
        run: Folder of the run.
        file: With the verdict, below that folder, such as `episodes/000003/episode.json`.

    Raises:
        EpisodeError: When the file or its verdict cannot be read.
    """
    found = loads(read_inside(run, *file.split("/"), limit=MAX_EPISODE), where=file)
    try:
        checks = found["verdict"]["checks"]
        return tuple(Check.parse(one, where="check") for one in checks if one["passed"] is not True)
    except (TypeError, KeyError):
        raise EpisodeError(f"{file}: it has no verdict") from None
    except InvalidInput as error:
        raise EpisodeError(f"{file}: {error.message}") from None
