"""Desk: real, unmodified desktop applications as worlds. One folder an app."""

from fairground.worlds import Suite
from fairground_desk import browser, calc, gimp, impress, mousepad

__all__ = ["suite"]

suite = Suite(name="desk", title="Desk", version="0.1.0", apps=(browser.Browser(), calc.Calc(), gimp.Gimp(), impress.Impress(), mousepad.Mousepad()), scenarios=(*browser.SCENARIOS, *calc.SCENARIOS, *gimp.SCENARIOS, *impress.SCENARIOS, *mousepad.SCENARIOS))
