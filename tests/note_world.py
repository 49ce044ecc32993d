"""The smallest world with a task: one program and one note to write."""

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
    """Write the world of a program into a folder, and return the folder.

    Args:
        folder: Created if missing. Its name becomes the name of the app.
        package: The system package that the program needs.
        window: Part of the title of the program's window.
        launch: The program and its arguments.
        instruction: The task.
    """
    folder.mkdir(exist_ok=True)
    text = _WORLD.format(
        name=folder.name, package=package, launch=json.dumps(launch), window=window, instruction=instruction
    )
    (folder / "world.toml").write_text(text)
    return folder
