"""LibreOffice Impress: how it is prepared and launched, the presentations it holds, and what is asked in it."""

from fairground_desk.impress.app import Impress
from fairground_desk.impress.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Impress"]
