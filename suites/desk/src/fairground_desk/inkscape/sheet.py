"""A drawing with roles: what every profile's drawing has, under names of its own, so that a task fits all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairground_desk.inkscape.svgwriter import Named, SvgWriter, View


@dataclass(frozen=True)
class Layers:
    """The four layers, the lowest first."""

    base: Named
    main: Named
    labels: Named
    notes: Named


@dataclass(frozen=True)
class Sheet:
    """An organisation's drawing.

    Attributes:
        path: Of the drawing that is open at the start.
        organisation: Whose it is.
        person: Who drew it.
        size: Of the page, in millimetres.
        block_word: What its blocks are, in a word: `room`, `bar`.
        colors: Three colours that blocks and legend are filled with, each several times, and nothing else is.
        layers: By role.
        blocks: Rectangles without outline, eight or more, none over another.
        dots: Circles in a row with unequal gaps, five or more.
        links: Open lines, four or more.
        captions: A text for each block.
        title: The largest text.
        subtitle: A text that names the year.
        dated: Texts that name the year, the subtitle among them.
        year: That year.
        legend: A group of swatches and texts.
        legend_parts: What is in it.
        stamp: A group that is not symmetric.
        plate: A rectangle.
        tab: One over a part of it.
        drafts: Objects on several layers that were marked as drafts.
        photo: A linked picture.
        lens: An ellipse over it.
        banner: A rectangle with a gradient.
        strip: A plain rectangle.
        picture: Path of a picture that is not in the drawing.
        write: The drawing, for a view.
    """

    path: str
    organisation: str
    person: str
    size: tuple[float, float]
    block_word: str
    colors: tuple[str, str, str]
    layers: Layers
    blocks: tuple[Named, ...]
    dots: tuple[Named, ...]
    links: tuple[Named, ...]
    captions: tuple[Named, ...]
    title: Named
    subtitle: Named
    dated: tuple[Named, ...]
    year: int
    legend: Named
    legend_parts: tuple[Named, ...]
    stamp: Named
    plate: Named
    tab: Named
    drafts: tuple[Named, ...]
    photo: Named
    lens: Named
    banner: Named
    strip: Named
    picture: str
    write: Callable[[View], bytes]

    @property
    def file(self) -> str:
        """Name of the drawing without its folder."""
        return self.path.rpartition("/")[2]


def draw_legend(
    writer: SvgWriter, label: str, at: tuple[float, float], entries: Sequence[tuple[str, str]]
) -> tuple[Named, tuple[Named, ...]]:
    """A group of swatches, each with a text beside it."""
    x, y = at
    parts = []
    with writer.group(label) as group:
        for number, (word, color) in enumerate(entries):
            top = y + number * 7
            parts.append(writer.rect(f"Swatch {word}", x, top, 8, 5, color))
            parts.append(writer.text(f"Legend {word}", x + 11, top + 4, 3.6, word))
    return group, tuple(parts)


def draw_stamp(writer: SvgWriter, label: str, at: tuple[float, float], color: str) -> Named:
    """A group of a square, a disc at its right and a bar below its left half: another one in a mirror."""
    x, y = at
    with writer.group(label) as group:
        writer.rect(f"{label} square", x, y, 10, 10, color)
        writer.circle(f"{label} disc", x + 17, y + 4, 4, color)
        writer.rect(f"{label} bar", x, y + 12, 6, 2.5, color)
    return group


def draw_plate(
    writer: SvgWriter, labels: tuple[str, str], at: tuple[float, float], colors: tuple[str, str]
) -> tuple[Named, Named]:
    """Two rectangles, the second over the right lower corner of the first."""
    x, y = at
    plate = writer.rect(labels[0], x, y, 30, 16, colors[0])
    return plate, writer.rect(labels[1], x + 20, y + 10, 18, 14, colors[1])
