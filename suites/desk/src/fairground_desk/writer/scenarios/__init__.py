"""Writer scenarios, one module per topic."""

from fairground_desk.writer.scenarios import (
    filing,
    pages,
    pictures,
    questions,
    review,
    structure,
    styling,
    tables,
    wording,
)

SCENARIOS = (
    *styling.SCENARIOS,
    *wording.SCENARIOS,
    *tables.SCENARIOS,
    *review.SCENARIOS,
    *structure.SCENARIOS,
    *pages.SCENARIOS,
    *pictures.SCENARIOS,
    *filing.SCENARIOS,
    *questions.SCENARIOS,
)
