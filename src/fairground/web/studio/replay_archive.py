"""An episode's folder as a streamed zip file."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from typing import Final

from fairground.core import EpisodeError
from fairground.report.episode_page import episode_page
from fairground.rollout import EpisodeFolder
from fairground.rollout.disk import open_inside
from fairground.rollout.folder import MOMENTS
from fairground.web.studio.replay_data import tree_places

_CHUNK: Final = 1 << 18
_PACKED: Final = (".png", ".mp4")  # already compressed


def zipped(folder: EpisodeFolder, name: str) -> Iterator[bytes]:
    """Yield the parts of a zip file with the episode and its page in a folder called `name`.

    It contains only files that the episode's own lists name. Other files, hidden files and links are not included.
    Missing files are skipped.
    """
    sent = _Sent()
    with zipfile.ZipFile(sent, "w") as archive:
        for parts in _files(folder):
            entry = _entry(f"{name}/{'/'.join(parts)}")
            try:
                with open_inside(folder.path, *parts) as handle, archive.open(entry, "w", force_zip64=True) as target:
                    while chunk := os.read(handle, _CHUNK):
                        target.write(chunk)
                        yield sent.take()
            except EpisodeError:
                continue
            yield sent.take()
        # Render the page again: the one in the folder may have been replaced.
        archive.writestr(_entry(f"{name}/index.html"), episode_page(folder).encode("utf-8", "replace"))
    yield sent.take()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # a fixed timestamp, so that two downloads are identical
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(_PACKED) else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _files(folder: EpisodeFolder) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in ("episode.json", "steps.jsonl"))
    yield from (("frames", f"{digest}.png") for digest in dict.fromkeys(folder.digests))
    yield from (("trees", f"{place:06}.txt") for place in sorted(tree_places(folder)))
    yield from (("logs", f"{name}.txt") for name in folder.log_names())
    yield ("state", "state.json")
    for when in MOMENTS:
        index = folder.states.at(when)
        yield from (("state", when, entry.file) for entry in (index.files.values() if index else ()))
    yield ("video.mp4",)


class _Sent(io.RawIOBase):
    """Write-only, non-seekable buffer for the zip file."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken
