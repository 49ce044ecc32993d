"""The data of the two profiles, and how it becomes notebooks: the same bytes every time."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

NOTES = "~/Notes"
WIDTH, HEIGHT = 595.0, 842.0  # A4, in points


@dataclass(frozen=True)
class Notebook:
    """One file: its paper, and its pages as lines of text of which the first is the heading."""

    paper: str
    pages: tuple[tuple[str, ...], ...]


STUDENT = {
    "mechanics.xopp": Notebook(
        "lined",
        (
            ("Mechanics, week 6: oscillations", "x'' = -(k/m) x", "T = 2 pi sqrt(m/k), not of the amplitude"),
            ("Pendulum", "small angles only: sin a = a", "T = 2 pi sqrt(l/g)", "l = 0.82 m gives 1.82 s"),
            ("Damping", "x'' + 2 b x' + w0^2 x = 0", "b < w0: it still swings", "b = w0: back to rest fastest"),
            ("Driven oscillation", "amplitude is largest near w0", "sharp for small b", "bridge film: see week 5"),
            ("Exercise sheet 6", "1a done, 1b check the sign", "2: energy, not forces", "3: ask Mira"),
        ),
    ),
    "lab book.xopp": Notebook(
        "lined",
        (("Lab 3: spring constant", "hang 50, 100, 150, 200 g", "3.1, 6.0, 9.2, 12.1 cm"), ("k = 16.2 N/m", "+- 0.3")),
    ),
    "reading.xopp": Notebook("lined", (("Reading", "Kleppner ch. 11", "French, Vibrations, ch. 3 and 4"),)),
}
POTTERY = {
    "kiln log.xopp": Notebook(
        "isograph",
        (
            ("Kiln log, March", "new elements since the 2nd", "cone 6 unless it says otherwise"),
            ("Firing 41: bisque", "60 C/h to 600, then 120 to 1000", "all mugs, two cracked handles"),
            ("Firing 42: glaze", "celadon, tenmoku on the rims", "top shelf 12 C colder: cone 5 there"),
            ("Firing 43: glaze", "shelf moved down by 4 cm", "even now; celadon runs on the bowls"),
            ("Orders", "Cafe Lind: 24 cups by the 28th", "Ms Okafor: tea pot, lid again"),
            ("To buy", "kaolin 25 kg", "cobalt carbonate 200 g", "kiln wash"),
        ),
    ),
    "glazes.xopp": Notebook("isograph", (("Celadon", "feldspar 28", "silica 32", "whiting 20", "kaolin 20"),)),
    "classes.xopp": Notebook("isograph", (("Tuesday class", "8 people", "pulling handles"), ("Thursday", "open"))),
}
PROFILES: Mapping[str, Mapping[str, Notebook]] = {"student": STUDENT, "pottery": POTTERY}
"""By name; the first notebook of each is the one that is open."""


def opened(profile: Mapping[str, Notebook]) -> str:
    """Where the notebook lies that the app is opened with."""
    return f"{NOTES}/{next(iter(profile))}"


def as_file(notebook: Notebook) -> bytes:
    """A notebook as Xournal++ saves it: XML, packed by gzip."""
    pages = "".join(_page(notebook.paper, lines) for lines in notebook.pages)
    xml = f'<?xml version="1.0" standalone="no"?>\n<xournal creator="my-desk" fileversion="4">\n{pages}</xournal>\n'
    return gzip.compress(xml.encode(), mtime=0)  # without a clock


def _page(paper: str, lines: tuple[str, ...]) -> str:
    texts = "".join(
        f'<text font="Sans" size="{18 if number == 0 else 12}" x="72" y="{90 + 28 * number}" color="#000000ff">'
        f"{escape(line)}</text>\n"
        for number, line in enumerate(lines)
    )
    underline = '<stroke tool="pen" color="#3333ccff" width="1.41">72 115 200 116 330 115</stroke>\n'
    ground = f'<background type="solid" color="#ffffffff" style="{paper}"/>'
    return f'<page width="{WIDTH}" height="{HEIGHT}">\n{ground}\n<layer>\n{underline}{texts}</layer>\n</page>\n'
