"""LibreOffice as a world: its profile, how it is started and asked. Calc, Writer and Impress differ by little."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np

from fairground.core import AppError, Pixels, StageError, State, Window
from fairground.sandbox import Sandbox
from fairground.worlds import Command, Seat, Stuck, World
from fairground_desk.kit import DeskApp, wait_drawn
from fairground_desk.office.uno import ACCEPT, call, dispatch, open_documents, unsaved_copies

USER = "~/.config/libreoffice/4/user"
REGISTRY = f"{USER}/registrymodifications.xcu"

# The program itself, without the shell script and the splash screen before it. They look for Java, show a picture,
# and start the program again when it asks for that, which it does not with a profile that is complete.
_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_FLAGS = ("--norestore", "--nologo", "--nofirststartwizard", "--nodefault", ACCEPT)
_EDGE = 32  # pixels of a window above and below which are not the program's own
_BARS = 130  # pixels that menus and tool bars take


class OfficeApp(DeskApp):
    """An unmodified part of LibreOffice, with GTK 3 as on a GNOME desktop.

    Attributes:
        part: What it is started as: `calc`, `writer` or `impress`.
        shown: Words of the title of its window, after the document's name.
        opened: The document that is open at the start, in `~/Documents` or below.
    """

    part: ClassVar[str] = ""
    shown: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ("libreoffice-gtk3", "python3-uno")
    settings = (REGISTRY, "~/.local/share/recently-used.xbel")

    def opened(self, world: World) -> str:
        """Path of the document that is open at the start."""
        raise NotImplementedError

    def place(self, world: World) -> str:
        """Where in the document it opens, behind its address, such as `#Slide`; at its beginning unless given."""
        return ""

    def env(self, world: World) -> dict[str, str]:
        """GTK 3, which is also what makes the accessibility tree; file locks as the usual start-up script sets."""
        return {"SAL_USE_VCLPLUGIN": "gtk3", "SAL_ENABLE_FILE_LOCKING": "1"}

    def configure(self, sandbox: Sandbox) -> None:
        """Writes the user profile and lets LibreOffice do its first-run work, once for all seats."""
        ours = files(__package__).joinpath("registrymodifications.xcu").read_text(encoding="utf-8")
        sandbox.write_file(REGISTRY, ours.encode())
        sandbox.write_file("~/.first-run/table.csv", b"a,b\n1,2\n")
        convert = ("--convert-to", "ods", "--outdir", "out", "table.csv")
        sandbox.run(["soffice", "--headless", "--norestore", *convert], cwd="~/.first-run", timeout=180.0)
        sandbox.read_file("~/.first-run/out/table.ods")
        written = sandbox.read_file(REGISTRY).decode()
        sandbox.run(["rm", "-r", ".first-run"])
        sandbox.write_file(REGISTRY, finish_profile(ours, written).encode())

    def launch(self, seat: Seat) -> None:
        """Opens the document, and waits until it is drawn."""
        path = self.opened(seat.world)
        address = f"file://{quote(path.replace('~', seat.sandbox.home))}{self.place(seat.world)}"
        self.start(seat, [_PROGRAM, *_FLAGS, f"--{self.part}", address])
        wait_drawn(seat, rf"^{re.escape(path.rpartition('/')[2])} .*{re.escape(self.shown)}", is_drawn)

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """The open documents, and the content of those that are not saved."""
        documents = open_documents(seat)
        seat.keep["unsaved"] = unsaved_copies(seat, documents)
        home = seat.sandbox.home
        for one in documents:
            url = str(one.get("url", ""))
            one["path"] = unquote(url.removeprefix("file://")).replace(home, "~", 1) if url else ""
            one.pop("copy", None)
        return {"documents": documents}

    def capture(self, seat: Seat, world: World) -> State:
        """As for every app; unsaved documents are files named `unsaved:` and their place."""
        state = super().capture(seat, world)
        home = seat.sandbox.home
        unsaved = {
            f"unsaved:{unquote(name.removeprefix('file://')).replace(home, '~', 1)}": content
            for name, content in seat.keep.pop("unsaved", {}).items()
        }
        return State(files={**state.files, **unsaved}, data=state.data, missing=state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """What a menu does, such as `.uno:InsertTable`; or, by the part's name, calls of the programming interface.

        Calls are carried out by the script `PART_side.py` in the app's folder, as a macro of a user would.
        """
        try:
            if command.name.startswith(".uno:"):
                dispatch(seat, [(command.name, command.arguments)])
            elif command.name == self.part:
                side = files(type(self).__module__.rpartition(".")[0]).joinpath(f"{self.part}_side.py")
                call(seat, side.read_text(encoding="utf-8"), command.arguments["calls"])
            else:
                super().command(seat, command)
        except AppError as error:
            raise Stuck(error.message) from error


def finish_profile(ours: str, written: str) -> str:
    """Our settings, with the mark that the first run of this very build of LibreOffice is done.

    Without the mark the program starts twice. What else the first run wrote (of a window that was never seen) would
    undo settings of ours.
    """
    found = re.search(r"<item [^>]*><prop oor:name=\"LastCompatibilityCheckID\".*?</item>", written)
    if found is None:
        raise StageError("LibreOffice's first run did not mark its profile as complete")
    return ours.replace("</oor:items>", f"{found[0]}\n</oor:items>")


def is_drawn(pixels: Pixels, window: Window) -> bool:
    """Whether a window shows its tool bars and its document: it appears a while before anything is in it."""
    left, top, width, height = window.bounds
    # Without the title and the status bar, which the window manager and GTK draw first.
    inside = pixels[max(top, 0) + _EDGE : top + height - _EDGE, max(left, 0) : left + width].astype(np.uint32)
    colours = inside[..., 0] << 16 | inside[..., 1] << 8 | inside[..., 2]
    bars, document = colours[:_BARS], colours[_BARS:]
    # Icons and smoothed letters have hundreds of shades; an empty part has one or two.
    return len(np.unique(bars[::2, ::2])) > 60 and len(np.unique(document[::2, ::2])) > 10
