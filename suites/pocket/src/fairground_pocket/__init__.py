"""Pocket: phone-size apps in a page of a real browser, as worlds. One folder an app."""

from fairground.worlds import Suite
from fairground_pocket.notes import CountLabel, Notes, PinAndLabel

__all__ = ["suite"]

suite = Suite(
    name="pocket",
    title="Pocket",
    version="0.1.0",
    apps=(Notes(),),
    scenarios=(PinAndLabel(), CountLabel()),
)
