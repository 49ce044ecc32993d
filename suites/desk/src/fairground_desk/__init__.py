"""Desk: real, unmodified desktop applications as worlds. One folder an app."""

from pathlib import Path

from fairground.worlds import Suite
from fairground_desk import browser, calc, files, gimp, impress, inkscape, mousepad, together, writer

__all__ = ["suite"]

suite = Suite(
    name="desk",
    title="Desk",
    version="0.3.0",
    apps=(
        calc.Calc(),
        writer.Writer(),
        impress.Impress(),
        gimp.Gimp(),
        inkscape.Inkscape(),
        browser.Browser(),
        files.Files(),
        mousepad.Mousepad(),
    ),
    scenarios=(
        *calc.SCENARIOS,
        *writer.SCENARIOS,
        *impress.SCENARIOS,
        *gimp.SCENARIOS,
        *inkscape.SCENARIOS,
        *browser.SCENARIOS,
        *files.SCENARIOS,
        *mousepad.SCENARIOS,
        *together.SCENARIOS,
    ),
    proofs=Path(__file__).parent / "proofs",
    pictures=Path(__file__).parent / "pictures",
)
