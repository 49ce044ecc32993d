"""Documents and presentations that a real LibreOffice makes for the tests, with its own account of them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from .books import pack


def make(kind: str, folder: Path) -> dict[str, Any]:
    """Fills a folder with files of a kind (`documents`, `slides`); returns what the program says of them."""
    Image.new("RGB", (30, 20), (200, 0, 0)).save(folder / "picture.png")
    script = Path(__file__).with_name("office_maker.py")
    argv = ["/usr/bin/python3", str(script), kind, str(folder)]
    subprocess.run(argv, check=True, timeout=240, env={**os.environ, "HOME": str(folder)})
    account: dict[str, Any] = json.loads((folder / "account.json").read_text())
    return account


def entries(data: bytes) -> dict[str, bytes]:
    """The entries of a container."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(data: bytes, entry: str, old: str, new: str) -> bytes:
    """The same file with the first occurrence of a text in an entry replaced."""
    found = entries(data)
    text = found[entry].decode()
    assert old in text, f"{entry} has no {old!r}"
    return repack({**found, entry: text.replace(old, new, 1)})


def repack(found: Mapping[str, bytes | str]) -> bytes:
    """A container with these entries."""
    return pack(dict(found))
