"""Flights: search, book, change and board flights. The airports are real, the airlines are invented."""

from fairground_pocket.flights.app import Flights

__all__ = ["Flights"]
