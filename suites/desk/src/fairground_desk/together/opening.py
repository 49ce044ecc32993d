"""Opening a second program or document as a user does: with a file dialog or from a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final

from fairground.sandbox import Sandbox
from fairground.worlds import Enter, Move, Press, Scenario, World, package_versions
from fairground_desk.files.scenarios.moves import pick_one
from fairground_desk.kit import rest, window

MIMEAPPS: Final = "~/.config/mimeapps.list"
TEXT_EDITOR: Final = {"text/plain": "org.xfce.mousepad.desktop"}
"""Desktop entry that a double click starts, by file type."""


class Together(Scenario):
    """A scenario that needs a second program.

    Attributes:
        also: Debian packages of the second program; the app's own are already installed.
        opens_with: Desktop entry that a double click in the file manager starts, by file type.
    """

    also: ClassVar[tuple[str, ...]] = ()
    opens_with: ClassVar[Mapping[str, str]] = {}

    def papers(self, world: World) -> Mapping[str, bytes]:
        """Return files that this task adds to those of the profile, by path."""
        return {}

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Check that the second program is installed, then write the files."""
        package_versions(self.also)
        for path, content in self.papers(world).items():
            sandbox.write_file(path, content)
        if self.opens_with:
            chosen = "".join(f"{kind}={entry}\n" for kind, entry in self.opens_with.items())
            groups = f"[Default Applications]\n{chosen}\n[Added Associations]\n{chosen}"
            sandbox.write_file(MIMEAPPS, groups.encode())


def open_document(path: str) -> list[Move]:
    """Open a document with File > Open, from any part of LibreOffice."""
    return [
        Press("escape"), Press("ctrl+o"), window("^Open$"), rest(), Enter(path), rest(), Press("Return"),
        window("^Open$", gone=True), window(titled(path)), rest(),
    ]  # fmt: skip


def close_document(path: str) -> list[Move]:
    """Close the document, which brings the previous one to the front."""
    return [Press("ctrl+w"), window(titled(path), gone=True), rest()]


def open_from_folder(path: str, title: str) -> list[Move]:
    """Open a file from the file manager with its default program, as a double click does.

    Args:
        path: Path of the file.
        title: Pattern of the title of the new window.
    """
    # After Select All no file has the cursor, so Return opens nothing. The context menu's first entry opens the file.
    return [*pick_one(path), Press("menu"), rest(), Press("Down"), Press("Return"), window(title), rest()]


def titled(path: str) -> str:
    """Return a pattern of the window title that LibreOffice gives a document."""
    return rf"^{re.escape(path.rpartition('/')[2])} .*LibreOffice"
