"""PCManFM, a file manager: how it is prepared and launched, whose folders it shows, what is asked of agents in it."""

from fairground_desk.files.app import Files
from fairground_desk.files.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Files"]
