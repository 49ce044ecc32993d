"""The profile of a second program, made by its own first run as for its own app, so that nobody is asked anything."""

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
    """Puts an app's settings into a seat of another app.

    The first run takes seconds, and its result is the same in every sandbox of a machine: it is made once a process.

    Args:
        sandbox: The other app's.
        app: Whose `configure` makes them.
        folder: Where they are: all of it is kept.
    """
    key = (app.name, folder)
    if key not in _made:
        app.configure(sandbox)
        found = sandbox.list_files(folder, limit=_MOST)
        files = tuple((one.path, sandbox.read_file(f"{folder}/{one.path}")) for one in found if one.kind == "file")
        _made[key] = _Folder(tuple(one.path for one in found if one.kind == "folder"), files)
        return
    places = [f"{folder}/{one}".replace("~", sandbox.home, 1) for one in _made[key].folders]
    sandbox.run(["mkdir", "-p", *places])
    for path, content in _made[key].files:
        sandbox.write_file(f"{folder}/{path}", content)
