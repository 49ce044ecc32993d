"""How a second program or document gets onto the screen, as a person would do it: by a file dialog or a folder."""

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
"""By kind of file, the desktop entry that a double click starts."""


class Together(Scenario):
    """A task that needs a second program: what it is, and the papers that lie ready for it.

    Attributes:
        also: Debian packages of the second program; the app's own are already there.
        opens_with: Which program a double click in the file manager starts, where that matters.
    """

    also: ClassVar[tuple[str, ...]] = ()
    opens_with: ClassVar[Mapping[str, str]] = {}

    def papers(self, world: World) -> Mapping[str, bytes]:
        """Files that this task adds to those of the profile, by path."""
        return {}

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Writes the papers, once it is certain that the second program is installed."""
        package_versions(self.also)
        for path, content in self.papers(world).items():
            sandbox.write_file(path, content)
        if self.opens_with:
            chosen = "".join(f"{kind}={entry}\n" for kind, entry in self.opens_with.items())
            groups = f"[Default Applications]\n{chosen}\n[Added Associations]\n{chosen}"
            sandbox.write_file(MIMEAPPS, groups.encode())


def open_document(path: str) -> list[Move]:
    """From any part of LibreOffice: File > Open, and the path into the dialog."""
    return [
        Press("escape"), Press("ctrl+o"), window("^Open$"), rest(), Enter(path), rest(), Press("Return"),
        window("^Open$", gone=True), window(titled(path)), rest(),
    ]  # fmt: skip


def close_document(path: str) -> list[Move]:
    """File > Close; the document that was in front before comes back."""
    return [Press("ctrl+w"), window(titled(path), gone=True), rest()]


def open_from_folder(path: str, title: str) -> list[Move]:
    """In the file manager: goes to a file and opens it, as a double click does, with the program that its kind has.

    Args:
        path: Of the file.
        title: A pattern of the title of the window that comes.
    """
    # What is chosen by Select All has no cursor, so Return opens nothing: the first entry of the file's own menu does.
    return [*pick_one(path), Press("menu"), rest(), Press("Down"), Press("Return"), window(title), rest()]


def titled(path: str) -> str:
    """A pattern of the title that LibreOffice gives the window of a document."""
    return rf"^{re.escape(path.rpartition('/')[2])} .*LibreOffice"
