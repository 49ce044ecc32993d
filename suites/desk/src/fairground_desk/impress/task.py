"""Base class and helpers of the Impress scenarios, with guards over the rest of the presentation."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

from fairground.core import Check, State, StateError
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.odp import read_odp
from fairground.verify.reading.prose import Shape
from fairground.verify.reading.slides import Deck, Slide, deck_leaves
from fairground.worlds import Move, Press, World
from fairground_desk.impress.api import deck
from fairground_desk.impress.talks import TALKS, Part, Talk
from fairground_desk.tasks import DeskTask, files_unchanged

MILLIMETRE = 1.0
"""Accepted deviation of positions and sizes, because dialogs round."""


class DeckTask(DeskTask):
    """Base class of scenarios in the profile's presentation.

    Attributes:
        saved: Whether the presentation itself may change.
    """

    app = "impress"
    saved: ClassVar[bool] = True
    step_budget: ClassVar[int] = 80

    @abstractmethod
    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """Return the checks of what the task asks for."""

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """Return patterns of leaves that may change, matched against whole keys of `places`; see `on`."""
        return ()

    def order(self, world: World, was: Deck) -> Sequence[str]:
        """Return the expected names of the slides, in order."""
        return [slide.name for slide in was.slides]

    def words(self, world: World) -> Mapping[str, object]:
        """Return values for the template in addition to the parameters."""
        return {}

    def phrase(self, world: World) -> str:
        talk = talk_of(world)
        return self.template.format_map({**world.parameters, **self.words(world), "file": f"{talk.file}.odp"})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check what was asked, with guards over the rest of the presentation."""
        was, now = self.deck(world, before), self.deck(world, after)
        return [
            *self.asked(world, was, now, after),
            *kept(was, now, self.touched(world, was, now)),
            self._order(world, was, now),
        ]

    def deck(self, world: World, state: State) -> Deck:
        return read_deck(state.file(talk_of(world).path))

    def _order(self, world: World, was: Deck, now: Deck) -> Check:
        wanted, before = list(self.order(world, was)), [slide.name for slide in was.slides]
        names = [slide.name for slide in now.slides]
        # A task that changes the order scores it in its own checks, so this one must not be an integrity check.
        return equal(
            "the slides are as they should be, in order", wanted, names, weight=0.0, integrity=wanted == before
        )

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Add the guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in self.changes]
        if self.saved:
            allowed.append(talk_of(world).path)
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]


def talk_of(world: World) -> Talk:
    """Return the content of the profile's presentation."""
    return TALKS[str(world.profile["talk"])]


def name_of(world: World, role: str) -> str:
    """Return the name of the slide with a role."""
    return talk_of(world).part(role).name


def number_of(world: World, role: str) -> int:
    """Return the number of the slide with a role, counted from 1."""
    return [part.role for part in talk_of(world).parts].index(role) + 1


@lru_cache(maxsize=32)
def read_deck(content: bytes) -> Deck:
    """Read a presentation, with a cache; raises `StateError` if it cannot be read."""
    return read_odp(content)


def places(whole: Deck) -> dict[str, object]:
    """Return all leaves of a presentation, such as `Agenda/shape[title].x`, or `/width` outside of slides.

    Slides are keyed by name, so that adding or moving a slide does not change the keys of the others.
    """
    leaves: dict[str, object] = {}
    names = [slide.name for slide in whole.slides]
    for place, value in deck_leaves(whole).items():
        slide = re.match(r"slide\[(\d+)\]\.?", place)
        if slide is None:
            leaves[f"/{place}"] = value
        else:
            number = int(slide[1])
            again = names[:number].count(names[number])
            name = names[number] + (f" #{again + 1}" if again else "")
            leaves[f"{name}/{place[slide.end() :]}"] = value
    return leaves


_GROUPS = {
    "the rest of the slides' texts and shapes is as it was": r"[^/]+/(?:shape.*)?",
    "the other speaker's notes are as they were": r"[^/]+/note.*",
    "how the other slides are shown is as it was": r"[^/]+/(?!shape|note).+",
    "masters and size are as they were": r"/(?:master|width|height).*",
    "the show is as it was": r"/show.*",
    "what the file says about itself is as it was": r"/metadata.*",
}


def kept(was: Deck, now: Deck, touched: Iterable[str] = ()) -> list[Check]:
    """Guards: only leaves that match `touched` changed."""
    before, after = places(was), places(now)
    patterns = [re.compile(pattern, re.DOTALL) for pattern in touched]
    allowed = {
        key for key in (*before, *after)
        if before.get(key, _ABSENT) != after.get(key, _ABSENT) and any(pattern.fullmatch(key) for pattern in patterns)
    }  # fmt: skip
    return [
        unchanged(name, _part(before, group), _part(after, group), allowed=allowed, same=_same)
        for name, group in _GROUPS.items()
    ]


_ABSENT = object()


def _part(leaves: Mapping[str, object], group: str) -> dict[str, object]:
    pattern = re.compile(group, re.DOTALL)
    return {key: value for key, value in leaves.items() if pattern.fullmatch(key)}


def _same(one: object, other: object) -> bool:
    """Compare with a tolerance of 0.1 mm, because saving rounds."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 0.1
    return type(one) is type(other) and one == other


def lines(slide: Slide, role: str = "outline", number: int = 0) -> list[str]:
    """Return the paragraphs of a slide's list, or none if it has no such list."""
    shapes = [shape for shape in slide.shapes if shape.role == role]
    return [paragraph.text for paragraph in shapes[number].paragraphs] if number < len(shapes) else []


def find_slide(whole: Deck, name: str) -> Slide:
    """Return the slide with this name, or an empty one, which fails its checks."""
    try:
        return whole.slide(name)
    except StateError:
        return Slide()


def find_shape(slide: Slide, key: str) -> Shape:
    """Return a shape by name or role, or an empty one, which fails its checks."""
    try:
        return slide.shape(key)
    except StateError:
        return Shape()


def position(whole: Deck, name: str) -> int:
    """Return the number of a slide, counted from 1, or 0 if it is missing."""
    names = [slide.name for slide in whole.slides]
    return names.index(name) + 1 if name in names else 0


def escaped(*names: str) -> str:
    """Return a regular expression that matches any of the names."""
    return "(?:" + "|".join(map(re.escape, names)) + ")"


def done(*calls: Sequence[object]) -> list[Move]:
    """Run calls over UNO and save. The save is a call too, so it is complete when the command returns."""
    return [Press("escape"), deck(*calls, ("store",))]


def part_of(world: World, key: str = "role") -> Part:
    """Return the slide whose role the parameter `key` holds."""
    return talk_of(world).part(str(world.parameters[key]))


def on(slide: str, rest: str) -> str:
    """Return a pattern of leaves on a slide."""
    return f"{re.escape(slide)}/{rest}"


def text_places(whole: Deck) -> dict[str, str]:
    """Return the text of all paragraphs on slides, including those in tables, by leaf."""
    pattern = re.compile(r"[^/]+/shape\[.*(?:paragraph|block)\[\d+\]\.text", re.DOTALL)
    return {key: str(value) for key, value in places(whole).items() if pattern.fullmatch(key)}


def added_shapes(was: Slide, now: Slide) -> tuple[list[Shape], str]:
    """Return the shapes added to a slide, and the pattern of their leaves."""
    before, after = _keys(was), _keys(now)
    new = {key: shape for key, shape in after.items() if key not in before}
    return list(new.values()), r"shape\[" + escaped(*(new or ("\0",))) + r"\].*"


def _keys(slide: Slide) -> dict[str, Shape]:
    """Return the shapes by the keys that `places` uses."""
    seen: Counter[str] = Counter()
    shapes = {}
    for shape in slide.shapes:
        name = shape.name or shape.role or shape.kind
        seen[name] += 1
        shapes[name if seen[name] == 1 else f"{name} #{seen[name]}"] = shape
    return shapes


def about(name: str, expected: Mapping[str, float], shape: Shape, *, weight: float = 1.0) -> Check:
    """Check the position and size of a shape, in millimetres."""
    actual = {key: getattr(shape, key) for key in expected}
    fits = bool(shape.kind) and all(abs(actual[key] - expected[key]) <= MILLIMETRE for key in expected)
    return holds(name, fits, expected=dict(expected), found=actual, weight=weight)
