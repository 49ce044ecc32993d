"""A smart home on a phone: rooms, devices, routines, people and energy."""

from fairground_pocket.smarthome.app import SmartHome

__all__ = ["SmartHome"]
