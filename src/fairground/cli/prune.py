"""`fairground prune`: throws old checkpoints away."""

from __future__ import annotations

from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.sandbox import LayerStore


def prune(
    keep: Annotated[int, typer.Option(min=0, help="How many of the checkpoints used last to keep.")] = 200,
    json: Json = False,
) -> None:
    """Throws away checkpoints that were not used for longest."""
    store = LayerStore()
    removed = store.prune(keep)
    if json:
        print_json({"folder": str(store.folder), "removed": removed})
    else:
        console.print(f"removed {removed} from {store.folder}", highlight=False)
