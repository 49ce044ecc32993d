"""GIMP scenarios, one module per topic."""

from fairground_desk.gimp.scenarios import (
    layers,
    photo_colours,
    photo_shapes,
    preferences_task,
    questions,
    sets,
    structure,
)

SCENARIOS = (
    *photo_colours.SCENARIOS,
    *photo_shapes.SCENARIOS,
    *layers.SCENARIOS,
    *structure.SCENARIOS,
    *sets.SCENARIOS,
    *preferences_task.SCENARIOS,
    *questions.SCENARIOS,
)
