"""Xournal++: a notebook for typed and drawn notes."""

from my_desk.xournalpp.app import Xournalpp
from my_desk.xournalpp.scenarios import InsertPage, JotNote

__all__ = ["InsertPage", "JotNote", "Xournalpp"]
