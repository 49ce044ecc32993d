"""A desktop looks as its style says, and everything that programs need to follow it is there."""

from contextlib import closing

import numpy as np
import pytest

from fairground.core import InvalidInput
from fairground.sandbox import SandboxSpec, open_sandbox
from fairground.screen import WALLPAPERS, DesktopStyle, open_desktop
from fairground.screen.wallpapers import paint

pytestmark = pytest.mark.process


@pytest.mark.parametrize("name", WALLPAPERS)
def test_a_wallpaper_is_the_same_every_time_and_no_plain_colour(name: str) -> None:
    picture = paint(name, (320, 180))
    assert picture.shape == (180, 320, 3) and picture.dtype == np.uint8
    assert np.array_equal(picture, paint(name, (320, 180)))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 2


def test_the_wallpaper_is_behind_everything_and_windows_keep_clear_of_the_panel() -> None:
    style = DesktopStyle(wallpaper="dawn", panel="bottom", timezone="Asia/Tokyo", dark=True)
    sandbox = open_sandbox(SandboxSpec())
    try:
        desktop = open_desktop(sandbox, (640, 360), style=style)
        with closing(desktop):
            panel = next(window for window in desktop.screen.windows() if window.title == "tint2")
            assert panel.bounds[0] == 0 and panel.bounds[1] + panel.bounds[3] == 360 and panel.bounds[2] == 640
            desktop.screen.settle()
            shown = desktop.screen.grab().pixels[: panel.bounds[1]].astype(int)
            wanted = paint("dawn", (640, 360))[: panel.bounds[1]].astype(int)
            assert (np.abs(shown - wanted).max(axis=2) == 0).mean() > 0.99, "all but the pointer"
            assert sandbox.run(["date", "+%Z"], env=desktop.env).stdout.strip() == b"JST"
            assert desktop.env["GTK_THEME"] == "Adwaita:dark"
    finally:
        sandbox.discard()


def test_a_style_that_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="dawn"):
        DesktopStyle(wallpaper="holiday photo")
    with pytest.raises(InvalidInput):
        DesktopStyle(font_scale=40)
