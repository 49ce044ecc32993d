"""Scenarios in the browser, by topic."""

from fairground_desk.browser.scenarios import asking, bookmarking, forgetting, preferring, sending, taking

SCENARIOS = (
    *bookmarking.SCENARIOS,
    *preferring.SCENARIOS,
    *forgetting.SCENARIOS,
    *taking.SCENARIOS,
    *sending.SCENARIOS,
    *asking.SCENARIOS,
)

__all__ = ["SCENARIOS"]
