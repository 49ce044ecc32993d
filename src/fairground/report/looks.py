"""Overview image of an app: its themes and UI states side by side."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle

from PIL import Image, ImageDraw

from fairground.core import Configuration, Frame, InvalidInput, unknown
from fairground.report.sheet import INK, LINE, MARGIN, MUTED, PAPER, lettering
from fairground.worlds import App, Suite, World, open_seat, renew

_CELL = 300  # width of an image in pixels
_WIDE = 460  # the same for a desktop app
_SMALL = 150  # the same on a sheet of a whole suite
_GAP = 20
_ACROSS = 1900
_CAPTION = 34
_FACE = 640  # width in pixels of an app's image in lists


@dataclass(frozen=True)
class Look:
    """The first frame of a configuration, and what it shows."""

    caption: str
    frame: Frame


def looks_of(suite: Suite, app: App, profile: str | None = None) -> Iterator[Look]:
    """Capture the first frame of an app in every theme, then in every UI state.

    UI states cycle through the themes, so that deep screens appear in more than one theme.

    Args:
        suite: The app's suite.
        app: The app. It needs a served scenario.
        profile: The profile; by default that of the first served configuration.
    """
    scenario, instance, whose = _first(suite, app, profile)
    ui_state = next(iter(app.ui_states))
    wanted = [(f"theme {name}", name, ui_state) for name in app.themes]
    wanted += [(f"UI state {name}", theme, name) for name, theme in zip(app.ui_states, cycle(app.themes))]
    shown = [
        Configuration(
            suite=suite.name, app=app.name, scenario=scenario, instance=instance, profile=whose, theme=look,
            ui_state=start,
        )
        for _, look, start in wanted
    ]  # fmt: skip
    frames: dict[Configuration, Frame] = {}  # a theme and a UI state can be the same configuration
    with closing(first_frames(suite, dict.fromkeys(shown))) as grabbed:
        for (caption, _, _), configuration in zip(wanted, shown, strict=True):
            if configuration not in frames:
                frames[configuration] = next(grabbed)
            yield Look(caption, frames[configuration])


def axis_configurations(suite: Suite, app: App) -> dict[tuple[str, str], Configuration]:
    """Return a configuration for each value of the profile, theme and UI state axes.

    The other two axes have their first value. Profiles without a served configuration are left out.
    """
    served: dict[str, tuple[str, str]] = {}
    for scenario in suite.scenarios:
        for instance, whose in suite.pairs(scenario) if scenario.app == app.name else ():
            served.setdefault(whose, (scenario.name, instance))
    if not served:
        raise InvalidInput(f"{suite.name}/{app.name} has no configuration to show")
    profiles = [name for name in app.profiles if name in served]
    first = {"profile": profiles[0], "theme": next(iter(app.themes)), "ui_state": next(iter(app.ui_states))}
    configurations = {}
    for axis, values in (("profile", profiles), ("theme", app.themes), ("ui_state", app.ui_states)):
        for value in values:
            names = {**first, axis: value}
            scenario_name, instance = served[names["profile"]]
            configurations[axis, value] = Configuration(
                suite=suite.name, app=app.name, scenario=scenario_name, instance=instance, **names
            )
    return configurations


def face_of(app: App) -> tuple[str, str]:
    """Return axis and value of the screenshot that represents an app in lists."""
    return "theme", next(iter(app.themes))


def face(suite: Suite, app: App) -> bytes:
    """Capture the image that represents an app in lists, as a small WebP. Suites ship it with their code."""
    with closing(first_frames(suite, [axis_configurations(suite, app)[face_of(app)]])) as frames:
        picture = Image.fromarray(next(frames).pixels)
    picture.thumbnail((_FACE, 2 * _FACE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=80, method=6)
    return out.getvalue()


def first_frames(suite: Suite, configurations: Iterable[Configuration]) -> Generator[Frame]:
    """Yield the first frame of each configuration, one seat at a time, reusing it if the app supports that."""
    seat = None
    try:
        for configuration in configurations:
            world = World.of(suite, configuration)
            if seat is None or not renew(seat, world):
                if seat is not None:
                    seat.close()
                seat = open_seat(world)
            yield seat.screen.grab()
    finally:
        if seat is not None:
            seat.close()


def looks_sheet(title: str, looks: Sequence[Look]) -> bytes:
    """Return a PNG with all of them in a grid."""
    first = looks[0].frame.size
    width = _WIDE if first[0] > first[1] else _CELL
    columns = max(1, (_ACROSS - 2 * MARGIN + _GAP) // (width + _GAP))
    rows = [looks[at : at + columns] for at in range(0, len(looks), columns)]
    out = io.BytesIO()
    _drawn(title, rows, width).save(out, "PNG", optimize=True)
    return out.getvalue()


def suite_sheet(title: str, apps: Sequence[Sequence[Look]]) -> bytes:
    """Return a small WebP of a whole suite with one line per app, most screenshots first."""
    out = io.BytesIO()
    _drawn(title, sorted(apps, key=len, reverse=True), _SMALL).save(out, "WEBP", quality=60, method=6)
    return out.getvalue()


def _drawn(title: str, rows: Sequence[Sequence[Look]], width: int) -> Image.Image:
    cells = [[_cell(look, width) for look in row] for row in rows]
    heights = [max(cell.height for cell in row) for row in cells]
    top = MARGIN + 70
    across = max(map(len, cells))
    size = (2 * MARGIN + across * (width + _GAP) - _GAP, top + sum(heights) + (len(rows) - 1) * _GAP + MARGIN)
    sheet = Image.new("RGB", size, PAPER)
    ImageDraw.Draw(sheet).text((MARGIN, MARGIN), title, INK, lettering(34, bold=True))
    for row, height in zip(cells, heights, strict=True):
        for place, cell in enumerate(row):
            sheet.paste(cell, (MARGIN + place * (width + _GAP), top))
        top += height + _GAP
    return sheet


def _cell(look: Look, width: int) -> Image.Image:
    picture = Image.fromarray(look.frame.pixels)
    picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    cell = Image.new("RGB", (width, picture.height + _CAPTION), PAPER)
    cell.paste(picture, (0, _CAPTION))
    draw = ImageDraw.Draw(cell)
    draw.rectangle((0, _CAPTION, width - 1, cell.height - 1), outline=LINE)
    size = 17 if width >= _CELL else 12
    while size > 8 and draw.textlength(look.caption, lettering(size)) > width:
        size -= 1
    draw.text((2, 8), look.caption, MUTED, lettering(size))
    return cell


def _first(suite: Suite, app: App, profile: str | None) -> tuple[str, str, str]:
    if profile is not None and profile not in app.profiles:
        raise unknown(f"profile of {suite.name}/{app.name}", profile, app.profiles)
    for scenario in suite.scenarios:
        for instance, whose in suite.pairs(scenario) if scenario.app == app.name else ():
            if profile in (None, whose):
                return scenario.name, instance, whose
    raise InvalidInput(f"{suite.name}/{app.name} has no configuration to show")
