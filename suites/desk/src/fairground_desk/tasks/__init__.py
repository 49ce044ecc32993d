"""Base of the desk's scenarios."""

from fairground_desk.tasks.desk_task import DeskTask, files_unchanged, menu, save, uno

__all__ = ["DeskTask", "files_unchanged", "menu", "save", "uno"]
