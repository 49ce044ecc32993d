"""What Calc, Writer and Impress share: LibreOffice's profile, its start, and questions over UNO."""

from collections.abc import Sequence
from typing import Any

from fairground.worlds import Command
from fairground_desk.office.office_app import REGISTRY, OfficeApp
from fairground_desk.office.uno import dispatch, open_documents

__all__ = ["REGISTRY", "OfficeApp", "api", "dispatch", "open_documents"]


def api(part: str, calls: Sequence[Sequence[Any]]) -> Command:
    """Calls of LibreOffice's own programming interface, for oracles: what dialogs do, without their many clicks."""
    return Command(part, {"calls": [list(call) for call in calls]})
