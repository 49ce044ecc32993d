"""The profile of a second program, created by its own first run, so that it shows no first-run prompts."""

from __future__ import annotations

from dataclasses import dataclass

from fairground.sandbox import Sandbox
from fairground.worlds import App

_MOST = 2_000


@dataclass(frozen=True)
class _Folder:
    folders: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]


_made: dict[tuple[str, str], _Folder] = {}


def prepare_profile(sandbox: Sandbox, app: App, folder: str) -> None:
    """Write an app's settings into a seat of another app.

    The first run takes seconds, and its result is the same in every sandbox of a machine. It runs once per process.

    Args:
        sandbox: Sandbox of the other app.
        app: The app whose `configure` creates the settings.
        folder: Folder of the settings; all of it is copied.
    """
    key = (app.name, folder)
    if key not in _made:
        app.configure(sandbox)
        entries = sandbox.list_files(folder, limit=_MOST)
        files = tuple(
            (entry.path, sandbox.read_file(f"{folder}/{entry.path}")) for entry in entries if entry.kind == "file"
        )
        _made[key] = _Folder(tuple(entry.path for entry in entries if entry.kind == "folder"), files)
        return
    places = [f"{folder}/{subfolder}".replace("~", sandbox.home, 1) for subfolder in _made[key].folders]
    sandbox.run(["mkdir", "-p", *places])
    for path, content in _made[key].files:
        sandbox.write_file(f"{folder}/{path}", content)
