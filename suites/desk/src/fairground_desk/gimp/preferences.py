"""GIMP's settings files, written so that it opens quickly, shows no dialogs and fits on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CONFIG = "~/.config/GIMP/2.10"

_GIMPRC = """# Written before the first start
(check-updates no)
(color-profile-policy keep)
(save-device-status no)
(save-session-info no)
(use-opencl no)
(num-processors 2)
(undo-levels 20)
(show-tooltips no)
(initial-zoom-to-fit yes)
(icon-size {icons})
(theme "{theme}")
(icon-theme "{symbols}")
(default-view
    (show-menubar yes)
    (show-statusbar {status})
    (show-rulers {rulers})
    (show-scrollbars {bars})
    (show-selection yes)
    (show-layer-boundary yes)
    (show-guides yes)
    (padding-mode default))
"""

_SESSIONRC = """# GIMP sessionrc

(session-info "toplevel"
    (factory-entry "gimp-single-image-window")
    (position {left} {top})
    (size {width} {height})
    (open-on-exit)
    (aux-info
        (left-docks-width "{toolbox}")
        (right-docks-width "{docks}")
        (maximized "{maximized}"))
    (gimp-toolbox
        (side left)
        (book
            (current-page 0)
            (dockable "gimp-tool-options"
                (tab-style automatic)))
        (book
            (current-page 0)))
    (gimp-dock
        (side right)
        (book
            (current-page {page})
            (dockable "gimp-layer-list"
                (tab-style icon)
                (preview-size 32))
            (dockable "gimp-channel-list"
                (tab-style icon)
                (preview-size 32))
            (dockable "gimp-vectors-list"
                (tab-style icon)
                (preview-size 32))
            (dockable "gimp-undo-history"
                (tab-style icon)))))

(hide-docks {hidden})
(single-window-mode yes)
(show-tabs yes)
(tabs-position 0)
(last-tip-shown 0)
"""

MENURC = b'(gtk_accel_path "<Actions>/dialogs/dialogs-preferences" "<Primary><Alt>p")\n'
"""Assigns a shortcut to the Preferences dialog, which has none by default."""

USUAL: Mapping[str, Any] = {
    "icons": "auto", "status": "yes", "rulers": "yes", "bars": "yes", "left": 0, "top": 0,
    "width": 1180, "height": 640, "toolbox": 160, "docks": 230, "maximized": "yes", "page": 0, "hidden": "no",
}  # fmt: skip
"""Defaults of the settings that a UI state may change."""


def gimprc(view: Mapping[str, Any], *, dark: bool, widgets: str) -> bytes:
    """Return the main settings: the view of a UI state, and the theme that matches the desktop."""
    own = widgets == "Adwaita"
    theme = ("Dark" if dark else "Light") if own else "System"
    symbols = "Symbolic" if dark else "Symbolic-Inverted"
    return _GIMPRC.format_map({**USUAL, **view, "theme": theme, "symbols": symbols}).encode()


def sessionrc(view: Mapping[str, Any]) -> bytes:
    """Return the position of the window and the layout of its docks."""
    return _SESSIONRC.format_map({**USUAL, **view}).encode()
