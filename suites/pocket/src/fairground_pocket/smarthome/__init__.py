"""A smart home: rooms, devices, routines, people and energy on a phone."""

from fairground_pocket.smarthome.app import SmartHome

__all__ = ["SmartHome"]
