"""Tasks of the flights app."""

from fairground_pocket.flights.scenarios.booking import BOOKING
from fairground_pocket.flights.scenarios.managing import MANAGING

SCENARIOS = (*BOOKING, *MANAGING)
"""All of them."""
