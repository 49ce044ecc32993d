"""Window manager settings: what users expect, without a way out of the task.

There is no menu on the background, no second workspace, and no button that hides a window, because there is no panel to
bring it back from.
"""

from __future__ import annotations

from typing import Final


def _bind(key: str, *actions: str) -> str:
    body = "".join(f'<action name="{action}"/>' for action in actions)
    return f'<keybind key="{key}">{body}</keybind>'


def _mouse(context: str, *binds: tuple[str, str, tuple[str, ...]]) -> str:
    body = "".join(
        f'<mousebind button="{button}" action="{event}">' + "".join(f'<action name="{name}"/>' for name in actions)
        + "</mousebind>"
        for button, event, actions in binds
    )  # fmt: skip
    return f'<context name="{context}">{body}</context>'


_RAISE = ("Focus", "Raise")
_EDGES = "Left Right Top Bottom TLCorner TRCorner BLCorner BRCorner"
_TITLE = (("Left", "Press", _RAISE), ("Left", "Drag", ("Move",)), ("Left", "DoubleClick", ("ToggleMaximize",)))


def openbox_config(theme: str) -> str:
    """Return the window manager's configuration, with a theme for window frames."""
    return _CONFIG.replace("THEME", theme, 1)


_CONFIG: Final = f"""<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
<focus><focusNew>yes</focusNew><followMouse>no</followMouse><focusLast>yes</focusLast></focus>
<placement><policy>Smart</policy><center>yes</center></placement>
<theme><name>THEME</name><titleLayout>NLMC</titleLayout><animateIconify>no</animateIconify></theme>
<desktops><number>1</number><popupTime>0</popupTime></desktops>
<resize><popupShow>Never</popupShow></resize>
<keyboard>
{_bind("A-F4", "Close")}
{_bind("A-Tab", "NextWindow")}
{_bind("A-S-Tab", "PreviousWindow")}
</keyboard>
<mouse>
<dragThreshold>4</dragThreshold><doubleClickTime>400</doubleClickTime><screenEdgeWarpTime>0</screenEdgeWarpTime>
{_mouse("Frame", ("A-Left", "Press", _RAISE), ("A-Left", "Drag", ("Move",)))}
{_mouse("Titlebar", *_TITLE)}
{_mouse(_EDGES, ("Left", "Press", _RAISE), ("Left", "Drag", ("Resize",)))}
{_mouse("Client", ("Left", "Press", _RAISE), ("Middle", "Press", _RAISE), ("Right", "Press", _RAISE))}
{_mouse("Close", ("Left", "Press", _RAISE), ("Left", "Click", ("Close",)))}
{_mouse("Maximize", ("Left", "Press", _RAISE), ("Left", "Click", ("ToggleMaximize",)))}
</mouse>
</openbox_config>
"""
