"""`fairground verify-run`: whether every file of a run's episodes is as it was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import counted, label
from fairground.rollout.ended import result_folders
from fairground.rollout.verifying import Verified, verify_results


def verify_run(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="RUN...")],
    json: Json = False,
) -> None:
    """Reads every file of recorded episodes, and names those that are not as they were recorded.

    \b
      fairground verify-run runs/first
      fairground resume runs/first                  runs damaged episodes again

    Other commands check less on every reading: episode.json, and that all files are there and have their size. The exit
    status is 3 when something is damaged.
    """  # noqa: D301 (click reads \b as: keep these lines)
    found = [verify_results(folder) for folder in result_folders(runs)]
    if json:
        damaged = [one.plain() for run in found for one in run.damaged]
        print_json({"runs": [_plain(one) for one in found], "damaged": damaged})
        return
    for one in found:
        counts = {"unfinished": one.unfinished, "without checksums": one.unchecked, "damaged": len(one.damaged)}
        more = "".join(f", {number:,} {words}" for words, number in counts.items() if number)
        console.print(
            f"[bold]verified[/]  {label(one.folder, 1000)}: {counted(one.intact, 'episode')} as recorded{more}",
            highlight=False,
            soft_wrap=True,
        )


def _plain(found: Verified) -> dict[str, object]:
    return {
        "run": str(found.folder),
        "intact": found.intact,
        "unchecked": found.unchecked,
        "unfinished": found.unfinished,
        "damaged": len(found.damaged),
    }
