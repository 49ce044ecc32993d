"""What is seen and touched: X11 and browser-page screens behind one protocol, accessibility, settling, encoding.

Takes a `Sandbox` and gives a `Screen`; imports `sandbox` and `core`.
"""

from fairground.screen.browser import Browser, open_page
from fairground.screen.cdp import CdpScreen
from fairground.screen.clipboard import Clipping, HasClipboard, read_clipboard
from fairground.screen.desktop import Desktop, open_desktop
from fairground.screen.desktopstyle import DesktopStyle
from fairground.screen.encoding import decode, encode_jpeg, encode_png
from fairground.screen.protocol import Screen, Settled
from fairground.screen.wallpapers import WALLPAPERS

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
