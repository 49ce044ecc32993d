"""Scenarios about GIMP's preferences."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.settings import read_sexpressions, setting
from fairground.verify.reading.sexpressions import Expression, Symbol
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.gimp.inspector import GIMPRC
from fairground_desk.gimp.scenarios.gimp_task import GimpTask
from fairground_desk.kit import window

_ASKED = ("undo-levels", "save-document-history")

# Settings that GIMP adds or completes by itself when the preferences are confirmed.
_INCIDENTAL = ("default-view", "fill-options", "import-raw-plug-in", "stroke-options")

# GIMP omits settings that have their default value. Some defaults depend on the machine.
_OMITTED = ("initial-zoom-to-fit", "num-processors", "use-opencl")
_DEFAULTS = {"theme": ("Dark",), "icon-theme": ("Symbolic",), "icon-size": (Symbol("auto"),)}


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
                _settings(was),
                {name: value for name, value in _settings(was).items() if name in _OMITTED} | _settings(now),
                allowed=(*_ASKED, *_INCIDENTAL),
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


def _settings(entries: Sequence[Expression]) -> dict[str, object]:
    return _DEFAULTS | {str(entry[0]): entry[1:] for entry in entries if isinstance(entry, tuple) and entry}


SCENARIOS = (UndoAndHistory(),)
