"""Desk: real, unmodified desktop applications as worlds. One folder an app."""

from fairground.worlds import Suite
from fairground_desk import browser, calc, files, gimp, impress, inkscape, mousepad, writer

__all__ = ["suite"]

suite = Suite(name="desk", title="Desk", version="0.1.0", apps=(browser.Browser(), calc.Calc(), files.Files(), gimp.Gimp(), impress.Impress(), inkscape.Inkscape(), mousepad.Mousepad(), writer.Writer()), scenarios=(*browser.SCENARIOS, *calc.SCENARIOS, *files.SCENARIOS, *gimp.SCENARIOS, *impress.SCENARIOS, *inkscape.SCENARIOS, *mousepad.SCENARIOS, *writer.SCENARIOS))
