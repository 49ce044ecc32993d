"""The smallest world with a task: one program, and a note that is to be written."""

from __future__ import annotations

import json
from pathlib import Path

_WORLD = """
[app]
name = "{name}"
packages = ["{package}"]
launch = {launch}
window = "{window}"
ready_seconds = 60

[[scenario]]
name = "greet"
instruction = "{instruction}"

[[scenario.check]]
name = "there is a note"
file = "~/note.txt"
equals = "hello"
"""


def write_note_world(
    folder: Path, package: str, window: str, *launch: str, instruction: str = "Write hello into note.txt."
) -> Path:
    """Writes the world of a program into a folder, after which the app is called; returns the folder.

    Args:
        folder: Is made if it is not there.
        package: What has to be installed.
        window: What the title of the program's window has in it.
        launch: The program and its arguments.
        instruction: What is to be done.
    """
    folder.mkdir(exist_ok=True)
    text = _WORLD.format(
        name=folder.name, package=package, launch=json.dumps(launch), window=window, instruction=instruction
    )
    (folder / "world.toml").write_text(text)
    return folder
