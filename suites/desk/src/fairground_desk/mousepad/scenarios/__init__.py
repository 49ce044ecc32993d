"""Scenarios in Mousepad, by text operation."""

from fairground_desk.mousepad.scenarios.configuring import ConfigValues, Preferences
from fairground_desk.mousepad.scenarios.forms import Encoding, Indentation, LineEnds, StripSpaces
from fairground_desk.mousepad.scenarios.lines import AddLine, ChangeCase, MoveSection, SortList
from fairground_desk.mousepad.scenarios.logs import ExtractLines, LogQuestion, LogReport
from fairground_desk.mousepad.scenarios.making import MergeWeeks, NewFile, StampFiles
from fairground_desk.mousepad.scenarios.replacing import DeleteLines, ReplaceWord, RewritePattern

SCENARIOS = (
    ReplaceWord(), RewritePattern(), DeleteLines(), SortList(), MoveSection(), ChangeCase(), AddLine(), StripSpaces(),
    Indentation(), LineEnds(), Encoding(), NewFile(), MergeWeeks(), StampFiles(), LogQuestion(), ExtractLines(),
    LogReport(), ConfigValues(), Preferences(),
)  # fmt: skip

__all__ = ["SCENARIOS"]
