"""The look of a desktop around the app: wallpaper, panel, cursor, icons, fonts, light or dark, and the time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from fairground.core import InvalidInput
from fairground.screen.wallpapers import WALLPAPERS

Panel = Literal["none", "top", "bottom", "left", "right"]

_PANEL_PIXELS: Final = 32
_FONT_POINTS: Final = 10


@dataclass(frozen=True)
class DesktopStyle:
    """The look of a desktop. The defaults are those of a fresh desktop without a panel.

    Attributes:
        wallpaper: One of `WALLPAPERS`; a plain colour if empty.
        panel: Position of the panel with the open windows.
        launchers: Desktop entries that the panel can start, such as `pcmanfm.desktop`.
        widgets: GTK theme, such as `Adwaita` or `HighContrast`.
        dark: Light text on a dark background, in programs that follow the desktop.
        icons: Icon theme.
        cursor: Cursor theme.
        cursor_pixels: Size of the cursor.
        font_scale: Scale factor of fonts.
        frames: Theme of the window frames.
        timezone: Time zone of every program, by its name in the time zone database.
    """

    wallpaper: str = ""
    panel: Panel = "none"
    launchers: tuple[str, ...] = ()
    widgets: str = "Adwaita"
    dark: bool = False
    icons: str = "Adwaita"
    cursor: str = ""
    cursor_pixels: int = 24
    font_scale: float = 1.0
    frames: str = "Clearlooks"
    timezone: str = ""

    def __post_init__(self) -> None:
        if self.wallpaper and self.wallpaper not in WALLPAPERS:
            raise InvalidInput(f"unknown wallpaper {self.wallpaper!r}; expected one of {', '.join(WALLPAPERS)}")
        if not 0.5 <= self.font_scale <= 3 or not 8 <= self.cursor_pixels <= 256:
            raise InvalidInput(
                f"font_scale {self.font_scale:g}, cursor_pixels {self.cursor_pixels}: expected 0.5 to 3, and 8 to 256"
            )

    def environment(self, folder: str) -> dict[str, str]:
        """Return the environment variables for programs, for settings in this folder."""
        env = {"GTK2_RC_FILES": f"{folder}/gtkrc-2.0", "XCURSOR_SIZE": str(self.cursor_pixels)}
        if self.dark or self.widgets != "Adwaita":
            env["GTK_THEME"] = f"{self.widgets}:dark" if self.dark else self.widgets
        if self.cursor:
            env["XCURSOR_THEME"] = self.cursor
        if self.timezone:
            env["TZ"] = self.timezone
        return env

    def files(self) -> Mapping[str, bytes]:
        """Return the settings files of toolkits, by path in the desktop's folder."""
        font = f"Sans {_FONT_POINTS * self.font_scale:g}"
        # No blinking caret and no fading menus, so that a settled screen does not change.
        lines = {
            "gtk-cursor-blink": "0",
            "gtk-enable-animations": "0",
            "gtk-theme-name": self.widgets,
            "gtk-application-prefer-dark-theme": str(int(self.dark)),
            "gtk-icon-theme-name": self.icons,
            "gtk-font-name": font,
            "gtk-cursor-theme-name": self.cursor or "Adwaita",
            "gtk-cursor-theme-size": str(self.cursor_pixels),
        }
        settings = "[Settings]\n" + "".join(f"{name}={value}\n" for name, value in lines.items())
        old = ("gtk-theme-name", "gtk-icon-theme-name", "gtk-font-name", "gtk-cursor-theme-name")
        dark = "-dark" if self.dark and self.widgets == "Adwaita" else ""
        words = {**lines, "gtk-theme-name": f"{self.widgets}{dark}"}
        gtk2 = "gtk-cursor-blink = 0\n" + "".join(f'{name} = "{words[name]}"\n' for name in old)
        contents = {f"xdg/{toolkit}/settings.ini": settings.encode() for toolkit in ("gtk-3.0", "gtk-4.0")}
        contents["gtkrc-2.0"] = gtk2.encode()
        if self.panel != "none":
            contents["tint2rc"] = self._panel().encode()
        return contents

    def _panel(self) -> str:
        upright = self.panel in ("left", "right")
        across = "100% " + str(_PANEL_PIXELS if not upright else _PANEL_PIXELS * 2)
        ground, letters = ("#2b2e33 96", "#f2f2f2 100") if self.dark else ("#eceff1 96", "#24292e 100")
        active = "#4a5058 100" if self.dark else "#ffffff 100"
        launchers = "".join(f"launcher_item_app = /usr/share/applications/{name}\n" for name in self.launchers)
        return (
            f"rounded = 0\nborder_width = 0\nbackground_color = {ground}\n"
            f"rounded = 4\nborder_width = 0\nbackground_color = {active}\n"
            f"panel_items = {'LT' if self.launchers else 'T'}\npanel_size = {across}\n"
            f"panel_position = {'center ' + self.panel if upright else self.panel + ' center'} "
            f"{'vertical' if upright else 'horizontal'}\n"
            "panel_layer = bottom\npanel_background_id = 1\nwm_menu = 0\npanel_padding = 4 3 4\n"
            "strut_policy = follow_size\n"
            f"font_shadow = 0\ntask_font = Sans {9 * self.font_scale:g}\ntask_font_color = {letters}\n"
            f"task_text = {int(not upright)}\ntask_icon = 1\ntask_maximum_size = 220 30\ntask_padding = 6 2 6\n"
            "task_centered = 0\n"
            "task_background_id = 0\ntask_active_background_id = 2\ntask_tooltip = 0\n"
            "mouse_left = toggle\nmouse_middle = none\nmouse_right = none\nmouse_scroll_up = none\n"
            "mouse_scroll_down = none\n"
            f"launcher_icon_theme = {self.icons}\nlauncher_icon_size = 24\nlauncher_padding = 4 2 6\n"
            f"launcher_tooltip = 0\n{launchers}"
        )
