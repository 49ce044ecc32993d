"""Scenarios in PCManFM, by file operation."""

from fairground_desk.files.scenarios.arranging import CopyTogether, MakeStructure, Regroup, SortByKind, SortByMonth
from fairground_desk.files.scenarios.naming import HideFiles, RenameOne, RenameSeries
from fairground_desk.files.scenarios.properties import Bookmarks, Links, Permissions, Viewing
from fairground_desk.files.scenarios.questions import Question
from fairground_desk.files.scenarios.removing import Duplicates, EraseFiles, TrashFiles

SCENARIOS = (
    SortByKind(), SortByMonth(), MakeStructure(), CopyTogether(), Regroup(), RenameOne(), RenameSeries(), HideFiles(),
    TrashFiles(), EraseFiles(), Duplicates(), Permissions(), Links(), Bookmarks(), Viewing(), Question(),
)  # fmt: skip

__all__ = ["SCENARIOS"]
