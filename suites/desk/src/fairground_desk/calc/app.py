"""LibreOffice Calc as a world: packages, profile, launch, readiness."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from fairground.core import AppError, Pixels, StageError
from fairground.sandbox import Sandbox
from fairground.worlds import App, Seat, World
from fairground_desk.calc.odswriter import View
from fairground_desk.calc.sales import PROFILES, build

WORKBOOK = "~/Documents/sales.ods"

_USER = "~/.config/libreoffice/4/user"
_REGISTRY = f"{_USER}/registrymodifications.xcu"
# The program itself, without the shell script and the splash screen before it. They look for Java, show a picture,
# and start the program again when it asks for that, which it does not with a profile that is complete.
_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_FLAGS = ("--norestore", "--nologo", "--nofirststartwizard", "--nodefault", "--calc")
_READY_SECONDS = 90.0
_EDGE = 32  # pixels of a window above and below which are not the program's own
_BARS = 130  # pixels that menus and tool bars take


class Calc(App):
    """The unmodified LibreOffice Calc of Debian, with GTK 3 as on a GNOME desktop."""

    name = "calc"
    title = "LibreOffice Calc"
    packages = ("libreoffice-calc", "libreoffice-gtk3")
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"shop": name} for name in PROFILES}
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "light": {"gtk": "Adwaita"},
        "dark": {"gtk": "Adwaita:dark"},
        "high-contrast": {"gtk": "HighContrast"},
    }
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sales": {"sheet": "Sales"},
        "scrolled": {"sheet": "Sales", "row": 180},
        "summary": {"sheet": "Summary"},
    }
    recorded = (WORKBOOK,)

    def env(self, world: World) -> dict[str, str]:
        """GTK 3, which is also what makes the accessibility tree; file locks as the usual start-up script sets."""
        return {"SAL_USE_VCLPLUGIN": "gtk3", "SAL_ENABLE_FILE_LOCKING": "1", "GTK_THEME": str(world.theme["gtk"])}

    def configure(self, sandbox: Sandbox) -> None:
        """Writes the user profile and lets LibreOffice do its first-run work, once for all seats."""
        ours = files(__package__).joinpath("profile/registrymodifications.xcu").read_text(encoding="utf-8")
        sandbox.write_file(_REGISTRY, ours.encode())
        sandbox.write_file("~/.first-run/table.csv", b"a,b\n1,2\n")
        convert = ("--convert-to", "ods", "--outdir", "out", "table.csv")
        sandbox.run(["soffice", "--headless", "--norestore", *convert], cwd="~/.first-run", timeout=180.0)
        sandbox.read_file("~/.first-run/out/table.ods")
        written = sandbox.read_file(_REGISTRY).decode()
        sandbox.run(["rm", "-r", ".first-run"])
        sandbox.write_file(_REGISTRY, finish_profile(ours, written).encode())

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Puts the profile's workbook in place."""
        sandbox.write_file(WORKBOOK, build(PROFILES[str(world.profile["shop"])], View(**world.ui_state)))

    def launch(self, seat: Seat) -> None:
        """Opens the workbook, and waits until it is drawn."""
        path = WORKBOOK.replace("~", seat.sandbox.home)
        seat.start([_PROGRAM, *_FLAGS, path])
        window = seat.wait_window(r"^sales\.ods .*Calc", timeout=_READY_SECONDS)
        deadline = time.monotonic() + _READY_SECONDS
        while not is_drawn(seat.screen.grab().pixels, window.bounds):
            seat.check()
            left = deadline - time.monotonic()
            if left <= 0:
                raise AppError(f"Calc opened a window but drew nothing into it within {_READY_SECONDS:g} s")
            if seat.screen.wait_change(min(left, 0.25)):
                seat.screen.settle(timeout=left)


def finish_profile(ours: str, written: str) -> str:
    """Our settings, with the mark that the first run of this very build of LibreOffice is done.

    Without the mark the program starts twice. What else the first run wrote (of a window that was never seen) would
    undo settings of ours.
    """
    found = re.search(r"<item [^>]*><prop oor:name=\"LastCompatibilityCheckID\".*?</item>", written)
    if found is None:
        raise StageError("LibreOffice's first run did not mark its profile as complete")
    return ours.replace("</oor:items>", f"{found[0]}\n</oor:items>")


def is_drawn(pixels: Pixels, bounds: tuple[int, int, int, int]) -> bool:
    """Whether a window shows its tool bars and its sheet: it appears a while before anything is in it."""
    left, top, width, height = bounds
    # Without the title and the status bar, which the window manager and GTK draw first.
    inside = pixels[max(top, 0) + _EDGE : top + height - _EDGE, max(left, 0) : left + width].astype(np.uint32)
    colours = inside[..., 0] << 16 | inside[..., 1] << 8 | inside[..., 2]
    bars, sheet = colours[:_BARS], colours[_BARS:]
    # Icons and smoothed letters have hundreds of shades; an empty part has one or two.
    return len(np.unique(bars[::2, ::2])) > 60 and len(np.unique(sheet[::2, ::2])) > 10
