"""`fairground prune`: deletes old checkpoints and recordings."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.sandbox import LayerStore, cache_folder
from fairground.worlds.digest_cache import digests_folder


def prune(
    keep: Annotated[int, typer.Option(min=0, help="Keep the N most recently used checkpoints.")] = 200,
    recordings: Annotated[bool, typer.Option("--recordings", help="Also delete the recordings of proofs.")] = False,
    json: Json = False,
) -> None:
    """Delete old checkpoints to free disk space.

    \b
    Examples:
      fairground prune
      fairground prune --keep 50 --recordings

    Everything deleted is rebuilt when it is needed: a checkpoint takes seconds, a recording needs a seat.
    """  # noqa: D301 (\b keeps line breaks)
    store = LayerStore()
    removed = store.prune(keep)
    shutil.rmtree(digests_folder(), ignore_errors=True)
    files = sorted(cache_folder().glob("recordings.sqlite*")) if recordings else []
    freed = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink(missing_ok=True)
    if json:
        print_json({"folder": str(store.folder), "removed": removed, "recordings_bytes": freed})
    else:
        more = f", and {freed / 1e6:,.1f} MB of recordings" if recordings else ""
        console.print(f"removed {removed} checkpoints from {store.folder}{more}", highlight=False)
