"""Settings: in a configuration file, and Mousepad's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, unchanged
from fairground.verify.reading.keyfile import read_keyfile
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.kit import window
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.inspector import preferences_of
from fairground_desk.mousepad.scenarios.editing import EditTask, TextTask, shown
from fairground_desk.mousepad.scenarios.moves import INSERT_SPACES, SCHEMES, document, go_to, tab_size


class ConfigValues(EditTask):
    """Change some values of a settings file, in which other sections have keys of the same name."""

    name = "config-values"
    instances = {
        "network": {"role": "config", "set": "network/timeout=45, network/retries=6, limits/max-queue=400"},
        "quiet": {"role": "config", "set": "general/debug=yes, {0}/enabled=no, {2}/level=9"},
        "slower": {"role": "config", "set": "{1}/interval=120, {3}/interval=240, limits/warn-at=65"},
        "moved": {"role": "config", "set": "network/host=10.0.8.15, general/language=fr, {4}/enabled=no"},
    }

    def asked(self, world: World) -> dict[tuple[str, str], str]:
        values = {}
        for part in str(world.parameters["set"]).format(*workplace(world).parts).split(", "):
            place, _, value = part.partition("=")
            section, _, key = place.partition("/")
            values[section, key] = value
        return values

    def phrase(self, world: World) -> str:
        changes = "; ".join(f"in the section [{section}], {key} should be {value}"
                         for (section, key), value in self.asked(world).items())  # fmt: skip
        return (
            f"Change these settings in {shown(self.path(world))}: {changes}. Keep the notation of the file (key, "
            "space, equals sign, space, value) and leave all other lines alone. Save it under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        changed = list(lines)
        for at, (_, key, value) in self.spots(world, lines).items():
            changed[at] = f"{key} = {value}"
        return changed

    def spots(self, world: World, lines: Sequence[str]) -> dict[int, tuple[str, str, str]]:
        """Return the lines that change, counted from 0."""
        asked, section, spots = self.asked(world), "", {}
        for at, line in enumerate(lines):
            if line.startswith("["):
                section = line.strip("[]")
            key = line.partition(" = ")[0]
            if (section, key) in asked:
                spots[at] = (section, key, asked[section, key])
        return spots

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check each value as a program would read it."""
        groups = read_keyfile(after.file(self.path(world)), what=self.path(world)).groups
        values = [equal(f"[{section}] {key}", value, groups.get(section, {}).get(key))
                  for (section, key), value in self.asked(world).items()]  # fmt: skip
        return [*values, *super().judge(world, before, after, answer)]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        moves: list[Move] = []
        for at, (_, key, value) in self.spots(world, lines).items():
            moves += [*go_to(at + 1), Press("shift+End"), Enter(f"{key} = {value}")]
        return moves


_BOXES = ("show-line-numbers", "show-whitespace", "show-line-endings", "show-right-margin",
          "highlight-current-line", "match-braces", "word-wrap")  # fmt: skip
_WORDS = {
    "show-line-numbers": "line numbers are shown", "show-whitespace": "whitespace is displayed",
    "show-line-endings": "line endings are displayed", "highlight-current-line": "the current line is highlighted",
    "match-braces": "matching brackets are highlighted", "word-wrap": "long lines are wrapped",
    "show-right-margin": "a margin for long lines is shown", "tab-width": "a tab is {} columns wide",
    "insert-spaces": "the Tab key inserts spaces", "auto-indent": "new lines are indented automatically",
    "color-scheme": "the colour scheme is {}",
}  # fmt: skip


class Preferences(TextTask):
    """Change preferences of Mousepad."""

    name = "preferences"
    instances = {
        "reading": {"set": "word-wrap=true, show-line-numbers=true, highlight-current-line=true"},
        "python": {"set": "tab-width=4, insert-spaces=true, auto-indent=true"},
        "inspecting": {"set": "show-whitespace=true, show-line-endings=true, match-braces=true"},
        "margin": {"set": "show-right-margin=true, show-line-numbers=true, word-wrap=true"},
        "colours": {"set": "color-scheme=cobalt, show-line-numbers=true, match-braces=true"},
    }

    def asked(self, world: World) -> Mapping[str, str]:
        """Return values by the name of the preference."""
        return dict(part.split("=") for part in str(world.parameters["set"]).split(", "))

    def touched(self, world: World) -> Sequence[str]:
        return ()

    def phrase(self, world: World) -> str:
        *first, last = (_WORDS[name].format(value.capitalize()) for name, value in self.asked(world).items())
        return (
            f"Set the preferences of this text editor up so that {', '.join(first)} and {last}. All its other "
            "preferences stay as they are, and no file is changed."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        old, new, asked = preferences_of(before), preferences_of(after), self.asked(world)
        checks = [equal(_WORDS[name].format(value), value, new.get(f"view/{name}")) for name, value in asked.items()]
        allowed = [f"view/{name}" for name in asked]
        files = {path: content for path, content in before.files.items() if path.startswith("~/Documents/")}
        current = {path: content for path, content in after.files.items() if path.startswith("~/Documents/")}
        together = equal("all of them hold", dict(asked), {name: new.get(f"view/{name}", "") for name in asked})
        return [*checks, together, unchanged("the other preferences are as they were", old, new, allowed=allowed),
                unchanged("no file changed", files, current)]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Use menus where there is an entry, otherwise the checkboxes of the preferences, in order."""
        asked = dict(self.asked(world))
        moves: list[Move] = [Press("Escape")]
        if (size := asked.pop("tab-width", "")) != "":
            moves += tab_size(int(size))
        if asked.pop("insert-spaces", ""):
            moves += document("tab size", INSERT_SPACES)
        if asked.pop("auto-indent", ""):
            moves += document("auto indent")
        if (scheme := asked.pop("color-scheme", "")) != "":
            moves += [Press("alt+v"), Press("c"), *([Press("Down")] * SCHEMES.index(scheme)), Press("Return")]
        if not asked:
            return moves
        moves += [Press("alt+e"), Press("Up"), Press("Return"), window("^Mousepad Preferences$")]
        for box in _BOXES:
            moves += [Press("Tab"), Press("space")] if box in asked else [Press("Tab")]
            moves += [Press("Tab")] if box == "show-right-margin" and box in asked else []
        return [*moves, Press("Escape"), window("^Mousepad Preferences$", gone=True)]
