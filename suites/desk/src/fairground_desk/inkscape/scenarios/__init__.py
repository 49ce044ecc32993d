"""Inkscape scenarios, one module per topic."""

from fairground_desk.inkscape.scenarios import (
    document,
    exporting,
    geometry,
    lettering,
    painting,
    questions,
    shapes,
    structure,
)

__all__ = ["SCENARIOS"]

SCENARIOS = (
    *geometry.SCENARIOS,
    *painting.SCENARIOS,
    *lettering.SCENARIOS,
    *structure.SCENARIOS,
    *shapes.SCENARIOS,
    *document.SCENARIOS,
    *exporting.SCENARIOS,
    *questions.SCENARIOS,
)
