"""Money on a phone: a wallet, people to pay, requests, cards, statements."""

from fairground_pocket.payment.app import Payment

__all__ = ["Payment"]
