"""Eats: restaurants, menus, a cart, orders that are delivered."""

from fairground_pocket.eats.app import Eats

__all__ = ["Eats"]
