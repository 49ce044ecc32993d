"""Desk: real, unmodified desktop applications as worlds. One folder an app."""

from fairground.worlds import Suite
from fairground_desk.calc import Calc, RegionTotal

__all__ = ["suite"]

suite = Suite(name="desk", title="Desk", version="0.1.0", apps=(Calc(),), scenarios=(RegionTotal(),))
