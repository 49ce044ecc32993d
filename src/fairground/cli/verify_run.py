"""`fairground verify-run`: checks that the files of recorded episodes are intact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import counted, label
from fairground.rollout.ended import result_folders
from fairground.rollout.verifying import Verified, verify_results


def verify_run(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="FOLDER...")],
    json: Json = False,
) -> None:
    """Check that all recorded files are intact.

    \b
    Examples:
      fairground verify-run runs/first
      fairground resume runs/first          Run damaged episodes again.

    Reads every file and compares it with its checksum. Other commands check only episode.json, and the existence and
    size of the other files. The exit status is 3 when something is damaged.
    """  # noqa: D301 (\b keeps line breaks)
    runs_read = [verify_results(folder) for folder in result_folders(runs)]
    if json:
        damaged = [episode.plain() for run in runs_read for episode in run.damaged]
        print_json({"runs": [_plain(run) for run in runs_read], "damaged": damaged})
        return
    for run in runs_read:
        counts = {"unfinished": run.unfinished, "without checksums": run.unchecked, "damaged": len(run.damaged)}
        more = "".join(f", {number:,} {words}" for words, number in counts.items() if number)
        console.print(
            f"[bold]verified[/]  {label(run.folder, 1000)}: {counted(run.intact, 'episode')} as recorded{more}",
            highlight=False,
            soft_wrap=True,
        )


def _plain(run: Verified) -> dict[str, object]:
    return {
        "run": str(run.folder),
        "intact": run.intact,
        "unchecked": run.unchecked,
        "unfinished": run.unfinished,
        "damaged": len(run.damaged),
    }
