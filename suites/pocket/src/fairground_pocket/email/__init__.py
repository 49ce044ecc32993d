"""Email on a phone."""

from fairground_pocket.email.app import Email

__all__ = ["Email"]
