"""LibreOffice as an app: its profile, its start, and its live state. Base of Calc, Writer and Impress."""

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

# The program itself, without its shell script and splash screen. These look for Java, show a picture, and restart
# the program on request, which does not happen with a complete profile.
_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_FLAGS = ("--norestore", "--nologo", "--nofirststartwizard", "--nodefault", ACCEPT)
_EDGE = 32  # pixels at the top and bottom of a window that the program does not draw
_BARS = 130  # height of menus and toolbars in pixels


class OfficeApp(DeskApp):
    """An unmodified part of LibreOffice, with GTK 3 as on a GNOME desktop.

    Attributes:
        part: Name of the part: `calc`, `writer` or `impress`.
        shown: End of its window title, after the document's name.
        opened: The document that is open at the start, in `~/Documents` or below.
    """

    part: ClassVar[str] = ""
    shown: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ("libreoffice-gtk3", "python3-uno")
    settings = (REGISTRY, "~/.local/share/recently-used.xbel")

    def opened(self, world: World) -> str:
        """Return the path of the document that is open at the start."""
        raise NotImplementedError

    def place(self, world: World) -> str:
        """Return the position in the document, as a suffix of its address such as `#Slide`; by default its start."""
        return ""

    def env(self, world: World) -> dict[str, str]:
        """Select GTK 3, which also provides the accessibility tree. Set file locks as the usual start script does."""
        return {"SAL_USE_VCLPLUGIN": "gtk3", "SAL_ENABLE_FILE_LOCKING": "1"}

    def configure(self, sandbox: Sandbox) -> None:
        """Write the user profile, and let LibreOffice do its first-run work, once for all seats."""
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
        """Open the document, and wait until it is drawn."""
        path = self.opened(seat.world)
        address = f"file://{quote(path.replace('~', seat.sandbox.home))}{self.place(seat.world)}"
        self.start(seat, [_PROGRAM, *_FLAGS, f"--{self.part}", address])
        wait_drawn(seat, rf"^{re.escape(path.rpartition('/')[2])} .*{re.escape(self.shown)}", is_drawn)

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return the open documents, with the content of unsaved ones."""
        documents = open_documents(seat)
        seat.keep["unsaved"] = unsaved_copies(seat, documents)
        home = seat.sandbox.home
        for document in documents:
            url = str(document.get("url", ""))
            document["path"] = unquote(url.removeprefix("file://")).replace(home, "~", 1) if url else ""
            document.pop("copy", None)
        return {"documents": documents}

    def capture(self, seat: Seat, world: World) -> State:
        """Also record unsaved documents, as files named `unsaved:` and their path."""
        state = super().capture(seat, world)
        home = seat.sandbox.home
        unsaved = {
            f"unsaved:{unquote(name.removeprefix('file://')).replace(home, '~', 1)}": content
            for name, content in seat.keep.pop("unsaved", {}).items()
        }
        return State(files={**state.files, **unsaved}, data=state.data, missing=state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """Carry out a menu command such as `.uno:InsertTable`, or calls of the programming interface.

        Calls are given under the name of the part. The script `PART_side.py` in the app's folder carries them out, as a
        user's macro would.
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
    """Return our settings, with the mark that this build of LibreOffice has completed its first run.

    Without the mark the program starts twice. All else that the first run wrote, for a window that was never shown,
    would override our settings.
    """
    marker = re.search(r"<item [^>]*><prop oor:name=\"LastCompatibilityCheckID\".*?</item>", written)
    if marker is None:
        raise StageError("LibreOffice's first run did not mark its profile as complete")
    return ours.replace("</oor:items>", f"{marker[0]}\n</oor:items>")


def is_drawn(pixels: Pixels, window: Window) -> bool:
    """Whether a window shows its toolbars and its document; it appears some time before them."""
    left, top, width, height = window.bounds
    # Leave out the title bar and the status bar, which are drawn first.
    inside = pixels[max(top, 0) + _EDGE : top + height - _EDGE, max(left, 0) : left + width].astype(np.uint32)
    colours = inside[..., 0] << 16 | inside[..., 1] << 8 | inside[..., 2]
    bars, document = colours[:_BARS], colours[_BARS:]
    # Icons and anti-aliased text have hundreds of shades; an empty area has one or two.
    return len(np.unique(bars[::2, ::2])) > 60 and len(np.unique(document[::2, ::2])) > 10
