"""Impress scenarios, one module per topic."""

from fairground_desk.impress.scenarios import answers, documents, looks, objects, shows, slides, texts

SCENARIOS = (
    *texts.SCENARIOS,
    *slides.SCENARIOS,
    *shows.SCENARIOS,
    *looks.SCENARIOS,
    *objects.SCENARIOS,
    *documents.SCENARIOS,
    *answers.SCENARIOS,
)
