"""Worlds made of folders, small enough to be read at a glance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fairground.sandbox import LayerStore

TOML = """
[app]
name = "pad"
packages = ["mousepad"]
launch = ["mousepad", "~/note.txt"]
window = "note"
ready_seconds = 30

[[scenario]]
name = "greet"
instruction = "Replace the text with {word} and save."
instances.hello = { word = "hello" }
instances.bye = { word = "bye" }
step_budget = 10

[[scenario.check]]
name = "the note says {word}"
file = "~/note.txt"
equals = "{word}"
"""

SETUP = "#!/bin/sh\necho start > ~/note.txt\n"

Writer = Callable[..., Path]


@pytest.fixture
def write_world(tmp_path: Path) -> Writer:
    """Writes a folder; `edit` replaces parts of its world.toml, keyword arguments its scripts."""

    def write(edit: Mapping[str, str] | None = None, **scripts: str) -> Path:
        folder = tmp_path / "pad"
        folder.mkdir(exist_ok=True)
        toml = TOML
        for old, new in (edit or {}).items():
            assert old in toml
            toml = toml.replace(old, new, 1)
        for file, text in {"world.toml": toml, "setup": SETUP, **scripts}.items():
            (folder / file).write_text(text)
            (folder / file).chmod(0o755)
        return folder

    return write


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> LayerStore:
    """Checkpoints of this module only."""
    return LayerStore(tmp_path_factory.mktemp("store") / "cache")
