"""Tasks in the flights app."""

from fairground_pocket.flights.scenarios.asking import ASKING
from fairground_pocket.flights.scenarios.booking import BOOKING
from fairground_pocket.flights.scenarios.keeping import KEEPING
from fairground_pocket.flights.scenarios.mailing import MAILING
from fairground_pocket.flights.scenarios.managing import MANAGING

SCENARIOS = (*BOOKING, *MANAGING, *KEEPING, *MAILING, *ASKING)
"""All tasks of the app."""
