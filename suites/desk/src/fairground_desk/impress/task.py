"""What the tasks in Impress have in common: the presentation that they are about, and that nothing else may change."""

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
"""How far from the asked place or size something may be: dialogs round."""


class DeckTask(DeskTask):
    """A task in the profile's presentation.

    Attributes:
        saved: Whether the presentation itself changes; otherwise it must stay as it is.
    """

    app = "impress"
    saved: ClassVar[bool] = True
    step_budget: ClassVar[int] = 80

    @abstractmethod
    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """The checks of what the task asks for."""

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """Places that may change, as patterns of whole keys of `places`: see `on`."""
        return ()

    def order(self, world: World, was: Deck) -> Sequence[str]:
        """The names of the slides as they should be in the end."""
        return [slide.name for slide in was.slides]

    def words(self, world: World) -> Mapping[str, object]:
        """What the instruction names beyond the parameters."""
        return {}

    def phrase(self, world: World) -> str:
        """The instruction, with names and titles of the profile's slides."""
        talk = talk_of(world)
        return self.template.format_map({**world.parameters, **self.words(world), "file": f"{talk.file}.odp"})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """What was asked for, and guards over the rest of the presentation."""
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
        found = [slide.name for slide in now.slides]
        # Where the order itself is asked for it is scored elsewhere, and must not fail everything else.
        return equal(
            "the slides are as they should be, in order", wanted, found, weight=0.0, integrity=wanted == before
        )

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and the guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in self.changes]
        if self.saved:
            allowed.append(talk_of(world).path)
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]


def talk_of(world: World) -> Talk:
    """What the profile's presentation says."""
    return TALKS[str(world.profile["talk"])]


def name_of(world: World, role: str) -> str:
    """The name of the slide with a role."""
    return talk_of(world).part(role).name


def number_of(world: World, role: str) -> int:
    """The place of the slide with a role, counted from 1."""
    return [part.role for part in talk_of(world).parts].index(role) + 1


@lru_cache(maxsize=32)
def read_deck(content: bytes) -> Deck:
    """A presentation; the same bytes are read once. Raises `StateError` when it cannot be read."""
    return read_odp(content)


def places(whole: Deck) -> dict[str, object]:
    """Everything in a presentation by place: `Agenda/shape[title].x`, and `/width` for what is no slide's.

    Slides go by their names, so that one that is added or moved leaves the others where they are.
    """
    found: dict[str, object] = {}
    names = [slide.name for slide in whole.slides]
    for place, value in deck_leaves(whole).items():
        slide = re.match(r"slide\[(\d+)\]\.?", place)
        if slide is None:
            found[f"/{place}"] = value
        else:
            number = int(slide[1])
            again = names[:number].count(names[number])
            name = names[number] + (f" #{again + 1}" if again else "")
            found[f"{name}/{place[slide.end() :]}"] = value
    return found


_GROUPS = {
    "the rest of the slides' texts and shapes is as it was": r"[^/]+/(?:shape.*)?",
    "the other speaker's notes are as they were": r"[^/]+/note.*",
    "how the other slides are shown is as it was": r"[^/]+/(?!shape|note).+",
    "masters and size are as they were": r"/(?:master|width|height).*",
    "the show is as it was": r"/show.*",
    "what the file says about itself is as it was": r"/metadata.*",
}


def kept(was: Deck, now: Deck, touched: Iterable[str] = ()) -> list[Check]:
    """Guards: everything in a presentation is as it was, but for what a task is about."""
    before, after = places(was), places(now)
    patterns = [re.compile(pattern, re.DOTALL) for pattern in touched]
    allowed = {
        key for key in (*before, *after)
        if before.get(key, _ABSENT) != after.get(key, _ABSENT) and any(one.fullmatch(key) for one in patterns)
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
    """Equal, but for a tenth of a millimetre, which saving may round."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 0.1
    return type(one) is type(other) and one == other


def lines(slide: Slide, role: str = "outline", number: int = 0) -> list[str]:
    """The paragraphs of a slide's list; none when it has no such list."""
    found = [shape for shape in slide.shapes if shape.role == role]
    return [one.text for one in found[number].paragraphs] if number < len(found) else []


def find_slide(whole: Deck, name: str) -> Slide:
    """The slide with this name, or an empty one, so that checks of it fail."""
    try:
        return whole.slide(name)
    except StateError:
        return Slide()


def find_shape(slide: Slide, key: str) -> Shape:
    """A shape by name or role, or an empty one, so that checks of it fail."""
    try:
        return slide.shape(key)
    except StateError:
        return Shape()


def position(whole: Deck, name: str) -> int:
    """Where a slide is, from 1; 0 for one that is not there."""
    names = [slide.name for slide in whole.slides]
    return names.index(name) + 1 if name in names else 0


def escaped(*names: str) -> str:
    """Names for patterns, any of them."""
    return "(?:" + "|".join(map(re.escape, names)) + ")"


def done(*calls: Sequence[object]) -> list[Move]:
    """Calls of the program's own interface, and the presentation saved: by a call, which returns when it is."""
    return [Press("escape"), deck(*calls, ("store",))]


def part_of(world: World, key: str = "role") -> Part:
    """The slide that a parameter names by its role."""
    return talk_of(world).part(str(world.parameters[key]))


def on(slide: str, rest: str) -> str:
    """A pattern of places on a slide."""
    return f"{re.escape(slide)}/{rest}"


def text_places(whole: Deck) -> dict[str, str]:
    """The paragraphs on slides, those of tables with them, by place."""
    pattern = re.compile(r"[^/]+/shape\[.*(?:paragraph|block)\[\d+\]\.text", re.DOTALL)
    return {key: str(value) for key, value in places(whole).items() if pattern.fullmatch(key)}


def added_shapes(was: Slide, now: Slide) -> tuple[list[Shape], str]:
    """Shapes that a slide has more than it had, and the pattern of their places."""
    before, after = _keys(was), _keys(now)
    new = {key: shape for key, shape in after.items() if key not in before}
    return list(new.values()), r"shape\[" + escaped(*(new or ("\0",))) + r"\].*"


def _keys(slide: Slide) -> dict[str, Shape]:
    """Shapes by the keys that `places` gives them."""
    seen: Counter[str] = Counter()
    found = {}
    for shape in slide.shapes:
        name = shape.name or shape.role or shape.kind
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name} #{seen[name]}"] = shape
    return found


def about(name: str, expected: Mapping[str, float], shape: Shape, *, weight: float = 1.0) -> Check:
    """Whether a shape lies and is as large as asked, in millimetres."""
    found = {key: getattr(shape, key) for key in expected}
    fits = bool(shape.kind) and all(abs(found[key] - expected[key]) <= MILLIMETRE for key in expected)
    return holds(name, fits, expected=dict(expected), found=found, weight=weight)
