"""A drawing whose objects have roles. Every profile's drawing has the same roles, so every task fits all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairground_desk.inkscape.svgwriter import Named, SvgWriter, View


@dataclass(frozen=True)
class Layers:
    """The four layers, from bottom to top."""

    base: Named
    main: Named
    labels: Named
    notes: Named


@dataclass(frozen=True)
class Sheet:
    """The drawing of one organisation.

    Attributes:
        path: Path of the drawing, which is open at the start.
        organisation: The organisation that owns it.
        person: Its author.
        size: Size of the page, in millimetres.
        block_word: A word for its blocks, such as `room` or `bar`.
        colors: Three fill colours, each used several times, and only by blocks and legend.
        layers: Its layers, by role.
        blocks: Eight or more rectangles without outline that do not overlap.
        dots: Five or more circles in a row, with unequal gaps.
        links: Four or more open lines.
        captions: One text per block.
        title: The largest text.
        subtitle: A text that names the year.
        dated: All texts that name the year, including the subtitle.
        year: That year.
        legend: A group of swatches and texts.
        legend_parts: The objects in the legend.
        stamp: An asymmetric group.
        plate: A rectangle.
        tab: A rectangle that covers a part of the plate.
        drafts: Objects on several layers, marked as drafts.
        photo: A linked picture.
        lens: An ellipse over the photo.
        banner: A rectangle with a gradient.
        strip: A plain rectangle.
        picture: Path of a picture that is not in the drawing.
        write: Returns the SVG file for a view.
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
        """File name of the drawing, without its folder."""
        return self.path.rpartition("/")[2]


def draw_legend(
    writer: SvgWriter, label: str, at: tuple[float, float], entries: Sequence[tuple[str, str]]
) -> tuple[Named, tuple[Named, ...]]:
    """Draw a group of swatches, each with a text beside it."""
    x, y = at
    parts = []
    with writer.group(label) as group:
        for number, (word, color) in enumerate(entries):
            top = y + number * 7
            parts.append(writer.rect(f"Swatch {word}", x, top, 8, 5, color))
            parts.append(writer.text(f"Legend {word}", x + 11, top + 4, 3.6, word))
    return group, tuple(parts)


def draw_stamp(writer: SvgWriter, label: str, at: tuple[float, float], color: str) -> Named:
    """Draw a group that differs from its mirror image: a square, a disc at its right, a bar below its left half."""
    x, y = at
    with writer.group(label) as group:
        writer.rect(f"{label} square", x, y, 10, 10, color)
        writer.circle(f"{label} disc", x + 17, y + 4, 4, color)
        writer.rect(f"{label} bar", x, y + 12, 6, 2.5, color)
    return group


def draw_plate(
    writer: SvgWriter, labels: tuple[str, str], at: tuple[float, float], colors: tuple[str, str]
) -> tuple[Named, Named]:
    """Draw two rectangles; the second covers the lower right corner of the first."""
    x, y = at
    plate = writer.rect(labels[0], x, y, 30, 16, colors[0])
    return plate, writer.rect(labels[1], x + 20, y + 10, 18, 14, colors[1])
