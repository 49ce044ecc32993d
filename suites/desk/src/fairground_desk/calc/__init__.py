"""LibreOffice Calc: its app, its workbooks, its inspector and its scenarios."""

from fairground_desk.calc.app import Calc
from fairground_desk.calc.scenarios import SCENARIOS
from fairground_desk.calc.scenarios.region_total import RegionTotal

__all__ = ["SCENARIOS", "Calc", "RegionTotal"]
