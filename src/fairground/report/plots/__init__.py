"""SVG figures without a plotting library: plain data in, a `Drawing` out."""

from fairground.report.palette import Look, look_of, theme
from fairground.report.plots.bars import Stack, stacks
from fairground.report.plots.columns import columns
from fairground.report.plots.curves import Curve, Panel, panels
from fairground.report.plots.dumbbells import Dumbbell, dumbbells
from fairground.report.plots.flow import flow
from fairground.report.plots.forest import Row, forest, inline_bar
from fairground.report.plots.matrix import Cell, matrix
from fairground.report.plots.scatter import Spot, scatter
from fairground.report.plots.svg import NARROW, WIDE, Drawing, Figure, figure

__all__ = [
    "NARROW",
    "WIDE",
    "Cell",
    "Curve",
    "Drawing",
    "Dumbbell",
    "Figure",
    "Look",
    "Panel",
    "Row",
    "Spot",
    "Stack",
    "columns",
    "dumbbells",
    "figure",
    "flow",
    "forest",
    "inline_bar",
    "look_of",
    "matrix",
    "panels",
    "scatter",
    "stacks",
    "theme",
]
