"""Eats: restaurants, menus, a cart, deliveries."""

from fairground_pocket.eats.app import Eats

__all__ = ["Eats"]
