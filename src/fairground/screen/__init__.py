"""Screens: X11 and browser-page backends behind one protocol, accessibility trees, settling, image encoding.

Opens a `Screen` in a `Sandbox`. Imports `sandbox` and `core`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.screen.browser import Browser as Browser
    from fairground.screen.browser import open_page as open_page
    from fairground.screen.cdp import CdpScreen as CdpScreen
    from fairground.screen.clipboard import Clipping as Clipping
    from fairground.screen.clipboard import HasClipboard as HasClipboard
    from fairground.screen.clipboard import read_clipboard as read_clipboard
    from fairground.screen.desktop import Desktop as Desktop
    from fairground.screen.desktop import open_desktop as open_desktop
    from fairground.screen.desktopstyle import DesktopStyle as DesktopStyle
    from fairground.screen.encoding import decode as decode
    from fairground.screen.encoding import encode_jpeg as encode_jpeg
    from fairground.screen.encoding import encode_png as encode_png
    from fairground.screen.protocol import Screen as Screen
    from fairground.screen.protocol import Settled as Settled
    from fairground.screen.wallpapers import WALLPAPERS as WALLPAPERS

__all__ = [
    "WALLPAPERS",
    "Browser",
    "CdpScreen",
    "Clipping",
    "Desktop",
    "DesktopStyle",
    "HasClipboard",
    "Screen",
    "Settled",
    "decode",
    "encode_jpeg",
    "encode_png",
    "open_desktop",
    "open_page",
    "read_clipboard",
]

# Imported on first use: code that only decodes frames needs neither browsers nor desktops.
_LATE = {
    "Browser": "browser",
    "CdpScreen": "cdp",
    "Clipping": "clipboard",
    "Desktop": "desktop",
    "DesktopStyle": "desktopstyle",
    "HasClipboard": "clipboard",
    "Screen": "protocol",
    "Settled": "protocol",
    "WALLPAPERS": "wallpapers",
    "decode": "encoding",
    "encode_jpeg": "encoding",
    "encode_png": "encoding",
    "open_desktop": "desktop",
    "open_page": "browser",
    "read_clipboard": "clipboard",
}

__getattr__ = late_names(__name__, _LATE)
