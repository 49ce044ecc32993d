"""Scenarios about GIMP's preferences."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.settings import read_sexpressions, setting
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.gimp.inspector import GIMPRC
from fairground_desk.gimp.scenarios.gimp_task import GimpTask
from fairground_desk.kit import window

# Settings that this page does not change. GIMP rewrites them unchanged, or omits them if they equal its defaults.
_KEPT = ("theme", "icon-theme", "color-profile-policy", "check-updates", "save-session-info", "show-tooltips")
_USUAL = {"theme": ("Dark",), "icon-theme": ("Symbolic",)}


class UndoAndHistory(GimpTask):
    """Set the number of undo levels and turn off the list of recent files."""

    name = "undo-and-history"
    opens = "project"
    template = (
        "In GIMP's preferences, set the minimal number of undo levels to {levels}, and let GIMP keep no record of used "
        "files in the list of recent documents. Confirm the preferences, and change nothing else, neither there nor in "
        "any picture."
    )
    instances = {"many": {"levels": 64}, "some": {"levels": 35}, "most": {"levels": 120}}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check the settings that GIMP wrote when the dialog was confirmed."""
        was, now = (read_sexpressions(state.file(GIMPRC)) for state in (before, after))
        levels, history = setting(now, "undo-levels"), setting(now, "save-document-history")
        return [
            equal("the undo levels are as asked", [world.parameters["levels"]], list(levels or ()), weight=2.0),
            equal("used files are not recorded", ["no"], [str(entry) for entry in history or ()], weight=2.0),
            holds("both were confirmed together", levels != setting(was, "undo-levels") and history is not None),
            unchanged(
                "other settings are as they were",
                {name: setting(was, name) or _USUAL.get(name) for name in _KEPT},
                {name: setting(now, name) or _USUAL.get(name) for name in _KEPT},
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Use the dialog; its fields have mnemonic keys."""
        return [
            Press("escape"),
            Press("ctrl+alt+p"),
            window("^Preferences$"),
            Press("alt+u"),
            Press("ctrl+a"),
            Enter(f"{world.parameters['levels']}\t"),
            Press("alt+k"),
            Press("alt+o"),
            window("^Preferences$", gone=True),
        ]


SCENARIOS = (UndoAndHistory(),)
