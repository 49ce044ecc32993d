"""`fairground prune`: throws old checkpoints and recordings away."""

from __future__ import annotations

from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.sandbox import LayerStore, cache_folder


def prune(
    keep: Annotated[int, typer.Option(min=0, help="How many of the checkpoints used last to keep.")] = 200,
    recordings: Annotated[
        bool, typer.Option("--recordings", help="Also remove what proofs recorded on seats.")
    ] = False,
    json: Json = False,
) -> None:
    """Throws away checkpoints that were not used for longest, and on request the recordings of proofs.

    What is needed again is made again: a checkpoint in seconds, a recording by opening a seat.
    """
    store = LayerStore()
    removed = store.prune(keep)
    files = sorted(cache_folder().glob("recordings.sqlite*")) if recordings else []
    freed = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink(missing_ok=True)
    if json:
        print_json({"folder": str(store.folder), "removed": removed, "recordings_bytes": freed})
    else:
        more = f", and {freed / 1e6:,.1f} MB of recordings" if recordings else ""
        console.print(f"removed {removed} from {store.folder}{more}", highlight=False)
