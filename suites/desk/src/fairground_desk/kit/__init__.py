"""Base of the desk's apps: desktop themes, recording, and waiting for windows."""

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
