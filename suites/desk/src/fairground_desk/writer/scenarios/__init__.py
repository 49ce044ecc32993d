"""Tasks in Writer, by what they are about."""

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
