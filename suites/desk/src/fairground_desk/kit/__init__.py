"""What the apps of the desk are built on: desktops, recording, waiting for a window that shows something."""

from fairground_desk.kit.desk_app import READY_SECONDS, DeskApp, has_content, wait_drawn
from fairground_desk.kit.recording import Recorded, record_files, record_folders
from fairground_desk.kit.themes import THEMES
from fairground_desk.kit.waiting import rest, window

__all__ = [
    "READY_SECONDS",
    "THEMES",
    "DeskApp",
    "Recorded",
    "has_content",
    "record_files",
    "record_folders",
    "rest",
    "wait_drawn",
    "window",
]
