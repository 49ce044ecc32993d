"""Failed checks of an episode, from its newest verdict (the one that counts)."""

from __future__ import annotations

from pathlib import Path

from fairground.core import Check, EpisodeError, InvalidInput
from fairground.rollout.disk import read_inside
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.strictjson import loads
from fairground.rollout.verdicts import read_verdicts


def verdict_files(run: Path) -> dict[int, str]:
    """Return, for each rescored episode of a run, the file of its newest verdict, relative to the run's folder."""
    return {verdict.number: verdict.file for verdict in read_verdicts(run)}


def failed_checks(run: Path, file: str) -> tuple[Check, ...]:
    """Return the failed checks in the verdict's order. Nothing else in the file is validated.

    Args:
        run: Folder of the run.
        file: File with the verdict, relative to that folder, such as `episodes/000003/episode.json`.

    Raises:
        EpisodeError: If the file or its verdict cannot be read.
    """
    content = loads(read_inside(run, *file.split("/"), limit=MAX_EPISODE), where=file)
    try:
        checks = content["verdict"]["checks"]
        return tuple(Check.parse(check, where="check") for check in checks if check["passed"] is not True)
    except (TypeError, KeyError):
        raise EpisodeError(f"{file}: no verdict found") from None
    except InvalidInput as error:
        raise EpisodeError(f"{file}: {error.message}") from None
