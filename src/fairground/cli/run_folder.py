"""Check the folder of a new run before anything is planned, asked or opened."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from fairground.core import InvalidInput
from fairground.rollout import runs_in

_ANOTHER = "choose another folder with --out"


def check_new_folder(folder: Path) -> None:
    """Raises `InvalidInput` if no run can be started in a folder. Creates nothing.

    The folder must be absent or empty, and it or its nearest existing parent must be writable.
    """
    nearest = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        where = "it" if nearest == folder else str(nearest)
        raise InvalidInput(f"a run cannot be written to {folder}: {where} is not a folder", fix=_ANOTHER)
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK):
        where = "it" if nearest == folder else str(nearest)
        raise InvalidInput(f"a run cannot be written to {folder}: {where} is not writable", fix=_ANOTHER)
    if nearest != folder:
        return
    if runs_in(folder):
        resume = shlex.join(["fairground", "resume", str(folder)])
        raise InvalidInput(
            f"{folder} is not empty: it holds a run", fix=f"{_ANOTHER}, or continue the run with: {resume}"
        )
    if other := next((entry for entry in folder.iterdir() if not entry.name.endswith(".lock")), None):
        raise InvalidInput(f"{folder} is not empty: it holds {other.name}", fix=_ANOTHER)
