"""Content of a presentation, independent of the file format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fairground.core import StateError
from fairground.verify.reading.document import Comment, walk
from fairground.verify.reading.kept import kept
from fairground.verify.reading.leaves import flatten
from fairground.verify.reading.prose import Metadata, Paragraph, Picture, Shape


@dataclass(frozen=True)
class Background:
    """The background of a slide: `fill` is a colour, or `gradient`, `bitmap`, `hatch`; empty for the master's."""

    fill: str = ""
    picture: Picture | None = None


@dataclass(frozen=True)
class Transition:
    """The transition to a slide.

    Attributes:
        kind: The format's name: `fade`, `slideWipe`, `push`, ...; empty for none.
        subtype: Such as `crossfade` or `fromLeft`.
        duration: Seconds of the effect; 0 if the file gives only a speed.
        speed: `slow`, `medium`, `fast`, or empty.
        advance: Seconds after which the next slide follows automatically; None for a click.
    """

    kind: str = ""
    subtype: str = ""
    duration: float = 0.0
    speed: str = ""
    advance: float | None = None
    sound: bool = False


@dataclass(frozen=True)
class Animation:
    """One effect on a slide, in playing order.

    Attributes:
        effect: Such as `entrance-appear` or `emphasis-spin`.
        kind: `entrance`, `exit`, `emphasis`, `motion-path`, ...
        target: Name of the shape; its role or kind if it has no name.
        trigger: `on-click`, `with-previous`, `after-previous`.
    """

    effect: str = ""
    kind: str = ""
    target: str = ""
    trigger: str = ""
    duration: float = 0.0
    delay: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Slide:
    """One slide.

    Attributes:
        layout: `title slide`, `title, content`, `title, two contents`, `title only`, `blank`, `centered text`, or the
            name in the file.
        master: Name of its master.
        shapes: The shapes on the slide, from back to front.
        notes: The speaker notes.
        footer: The footer text, if shown; likewise `date`, which is `<date>` for the current date.
        numbered: Whether the slide shows its number.
        comments: Comments on it; only read from ODP.
    """

    name: str = ""
    layout: str = ""
    master: str = ""
    hidden: bool = False
    shapes: tuple[Shape, ...] = ()
    notes: tuple[Paragraph, ...] = ()
    background: Background = field(default_factory=Background)
    transition: Transition = field(default_factory=Transition)
    animations: tuple[Animation, ...] = ()
    footer: str = ""
    date: str = ""
    numbered: bool = False
    comments: tuple[Comment, ...] = ()

    @property
    def title(self) -> str:
        """Text of the title placeholder; empty if there is none."""
        return next((shape.text for shape in self.shapes if shape.role == "title"), "")

    @property
    def notes_text(self) -> str:
        """The speaker notes, in lines."""
        return "\n".join(paragraph.text for paragraph in self.notes)

    @property
    def text(self) -> str:
        """Text of all shapes, in lines."""
        return "\n".join(shape.text for shape in self.shapes if shape.text)

    def all_shapes(self) -> Iterator[Shape]:
        """Shapes, each group followed by its children."""
        yield from walk(self.shapes)

    def shape(self, name: str) -> Shape:
        """Return the shape with this name or, if there is none, with this role.

        Raises:
            StateError: There is none.
        """
        shapes = list(self.all_shapes())
        for shape in [*(s for s in shapes if s.name == name), *(s for s in shapes if s.role == name)]:
            return shape
        known = ", ".join(shape.name or shape.role or shape.kind for shape in shapes)
        raise StateError(f"the slide has no shape {name!r}; it has {known[:500]}")


@dataclass(frozen=True, kw_only=True)
class Master:
    """A master slide."""

    name: str
    background: Background = field(default_factory=Background)
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Show:
    """How the presentation is played."""

    endless: bool = False
    pause: float = 0.0
    full_screen: bool = True
    manual: bool = False
    start: str = ""
    custom: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Custom shows by name, with the names of their slides."""


@dataclass(frozen=True, kw_only=True)
class Deck:
    """A presentation, with its slides in order."""

    slides: tuple[Slide, ...] = ()
    masters: tuple[Master, ...] = ()
    width: float = 0.0
    height: float = 0.0
    show: Show = field(default_factory=Show)
    metadata: Metadata = field(default_factory=Metadata)

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the slides, in order."""
        return tuple(slide.title for slide in self.slides)

    def slide(self, name: str) -> Slide:
        """Return the slide with this name.

        Raises:
            StateError: There is none.
        """
        for slide in self.slides:
            if slide.name == name:
                return slide
        raise StateError(f"no slide {name!r}; there are {', '.join(s.name for s in self.slides)[:500]}")


@kept
def deck_leaves(deck: Deck) -> dict[str, object]:
    """Return all content and formatting as paths: `slide[2].shape[Box].fill`.

    Slides are counted from 0 as in `Deck.slides`. Shapes are identified by name, or by role or kind if they have none.
    Default values are left out. Saving a presentation twice gives equal leaves.
    """
    return flatten(deck)
