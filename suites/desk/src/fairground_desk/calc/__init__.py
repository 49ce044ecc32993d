"""LibreOffice Calc: how it is prepared and launched, the workbooks it holds, and what is asked of agents in it."""

from fairground_desk.calc.app import Calc
from fairground_desk.calc.scenarios import SCENARIOS
from fairground_desk.calc.scenarios.region_total import RegionTotal

__all__ = ["SCENARIOS", "Calc", "RegionTotal"]
