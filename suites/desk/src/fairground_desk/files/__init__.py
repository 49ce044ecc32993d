"""PCManFM, a file manager: its app, home folders, inspector and scenarios."""

from fairground_desk.files.app import Files
from fairground_desk.files.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Files"]
