"""Flights: search, book, change and board flights. Its airports are real, its airlines are not."""

from fairground_pocket.flights.app import Flights

__all__ = ["Flights"]
