"""Eight desktop themes: wallpaper, panel, cursor, icons, fonts, light or dark, time zone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

THEMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "light": {},
    "dawn": {"wallpaper": "dawn", "panel": "bottom", "icons": "Papirus", "cursor": "DMZ-White"},
    "dark": {"wallpaper": "rings", "panel": "top", "dark": True, "icons": "Papirus-Dark", "frames": "Onyx"},
    "large": {
        "wallpaper": "paper", "panel": "bottom", "font_scale": 1.3, "cursor_pixels": 48, "timezone": "Asia/Tokyo",
    },
    "forest": {
        "wallpaper": "forest", "panel": "left", "icons": "elementary-xfce", "cursor": "DMZ-Black",
        "timezone": "America/New_York",
    },
    "high-contrast": {"widgets": "HighContrast", "panel": "top", "cursor_pixels": 32, "frames": "Clearlooks-3.4"},
    "dunes": {"wallpaper": "dunes", "panel": "right", "font_scale": 0.9, "timezone": "Europe/Berlin"},
    "dusk": {
        "wallpaper": "tiles", "panel": "bottom", "dark": True, "font_scale": 1.15, "cursor": "DMZ-White",
        "cursor_pixels": 36, "icons": "elementary-xfce-dark", "frames": "Nightmare", "timezone": "Australia/Sydney",
    },
}  # fmt: skip
"""Differences from `DesktopStyle`, by name."""
