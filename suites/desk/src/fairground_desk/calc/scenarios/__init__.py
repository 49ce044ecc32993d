"""Scenarios in Calc, by topic."""

from __future__ import annotations

from fairground_desk.calc.scenarios import answers, formulas, insights, looks, output, rules, tables
from fairground_desk.calc.scenarios.region_total import RegionTotal

SCENARIOS = (
    RegionTotal(),
    *formulas.SCENARIOS,
    *tables.SCENARIOS,
    *looks.SCENARIOS,
    *insights.SCENARIOS,
    *rules.SCENARIOS,
    *output.SCENARIOS,
    *answers.SCENARIOS,
)

__all__ = ["SCENARIOS"]
