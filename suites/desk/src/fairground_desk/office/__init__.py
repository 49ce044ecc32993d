"""Shared parts of Calc, Writer and Impress: the LibreOffice profile, its start, and queries over UNO."""

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office.office_app import REGISTRY, OfficeApp
from fairground_desk.office.uno import dispatch, open_documents

__all__ = ["REGISTRY", "OfficeApp", "api", "dispatch", "open_documents"]


def api(part: str, calls: Sequence[Sequence[Any]]) -> Command:
    """Call LibreOffice's programming interface, for oracles: it does what dialogs do, without many clicks."""
    return Command(part, {"calls": [list(call) for call in calls]})
