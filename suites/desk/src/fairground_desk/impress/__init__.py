"""LibreOffice Impress: the app, its presentations, its inspector and its scenarios."""

from fairground_desk.impress.app import Impress
from fairground_desk.impress.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Impress"]
