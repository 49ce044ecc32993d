"""Writer of Inkscape SVG: layers, labelled objects, multi-line texts, guides and the window position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from fairground.core import InvalidInput

_SPACES = (
    'xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg" '
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
    'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
ROOT = "svg1"
"""Id of the root element of every drawing written here."""


@dataclass(frozen=True)
class Named:
    """An object's id, and its label in the Objects panel."""

    id: str
    label: str


@dataclass(frozen=True)
class View:
    """The initial view of a drawing, which is stored in the file but is not part of the image.

    Attributes:
        zoom: Screen pixels per pixel of the drawing; 0 shows the whole page.
        center: Centre of the view, as fractions of the page's width and height.
        window: Left, top, width and height of the window; None for a maximized window.
    """

    zoom: float = 0.0
    center: tuple[float, float] = (0.5, 0.5)
    window: tuple[int, int, int, int] | None = None


@dataclass
class SvgWriter:
    """Collects objects in layers and writes them as SVG. Lengths are millimetres.

    Attributes:
        width: Width of the page.
        height: Height of the page.
        family: Font of all texts.
        metadata: Metadata of the drawing, such as title and creator.
    """

    width: float
    height: float
    family: str = "DejaVu Sans"
    metadata: Mapping[str, str] = field(default_factory=dict)
    _parts: list[str] = field(default_factory=list)
    _defs: list[str] = field(default_factory=list)
    _guides: list[str] = field(default_factory=list)
    _labels: set[str] = field(default_factory=set)
    _count: int = 10
    _layers: int = 0

    @contextmanager
    def layer(self, label: str, *, hidden: bool = False, locked: bool = False) -> Iterator[Named]:
        """Add a layer on top; objects added inside the `with` block belong to it."""
        self._layers += 1
        named = self._named(f"layer{self._layers}", label)
        style = "display:none" if hidden else "display:inline"
        lock = ' sodipodi:insensitive="true"' if locked else ""
        self._parts.append(f'<g inkscape:groupmode="layer" {_names(named)} style="{style}"{lock}>')
        yield named
        self._parts.append("</g>")

    @contextmanager
    def group(self, label: str) -> Iterator[Named]:
        """Add a group; objects added inside the `with` block belong to it."""
        named = self._next("g", label)
        self._parts.append(f"<g {_names(named)}>")
        yield named
        self._parts.append("</g>")

    def rect(
        self, label: str, x: float, y: float, width: float, height: float, fill: str, *, rx: float = 0, more: str = ""
    ) -> Named:
        """Add a rectangle, without an outline unless the style `more` adds one."""
        corner = f' rx="{rx:g}" ry="{rx:g}"' if rx else ""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{corner}'
        return self._add("rect", label, place, f"fill:{fill};stroke:none{more and ';' + more}")

    def circle(self, label: str, cx: float, cy: float, r: float, fill: str, *, more: str = "") -> Named:
        place = f'cx="{cx:g}" cy="{cy:g}" r="{r:g}"'
        return self._add("circle", label, place, f"fill:{fill};stroke:none{more and ';' + more}")

    def ellipse(self, label: str, cx: float, cy: float, rx: float, ry: float, fill: str) -> Named:
        place = f'cx="{cx:g}" cy="{cy:g}" rx="{rx:g}" ry="{ry:g}"'
        return self._add("ellipse", label, place, f"fill:{fill};stroke:none")

    def line(
        self, label: str, points: Sequence[tuple[float, float]], stroke: str, width: float, *, dash: str = "none"
    ) -> Named:
        path = "M " + " L ".join(f"{x:g},{y:g}" for x, y in points)
        style = f"fill:none;stroke:{stroke};stroke-width:{width:g};stroke-linecap:round;stroke-dasharray:{dash}"
        return self._add("path", label, f'd="{path}"', style)

    def text(
        self, label: str, x: float, y: float, size: float, text: str, *,
        fill: str = "#222222", anchor: str = "start", weight: str = "normal",
    ) -> Named:  # fmt: skip
        """Add a text of one or more lines; (x, y) is the start, middle or end of the first line, as `anchor` says."""
        named = self._next("text", label)
        align = {"start": "start", "middle": "center", "end": "end"}[anchor]
        style = (
            f"font-weight:{weight};font-size:{size:g}px;line-height:1.25;font-family:'{self.family}';"
            f"text-align:{align};text-anchor:{anchor};fill:{fill};stroke:none"
        )
        lines = []
        for number, line in enumerate(text.split("\n")):
            place = f'x="{x:g}" y="{y + number * 1.25 * size:g}"'
            own = self._next("tspan", "").id
            lines.append(f'<tspan sodipodi:role="line" id="{own}" {place}>{escape(line)}</tspan>')
        place = f'xml:space="preserve" x="{x:g}" y="{y:g}"'
        self._parts.append(f'<text {place} style="{style}" {_names(named)}>{"".join(lines)}</text>')
        return named

    def image(self, label: str, x: float, y: float, width: float, height: float, link: str) -> Named:
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" preserveAspectRatio="none"'
        return self._add("image", label, f"{place} xlink:href={quoteattr(link)}", "")

    def gradient(self, name: str, first: str, second: str, box: tuple[float, float, float, float]) -> str:
        """Add a linear gradient from left to right over a box, and return the fill value that refers to it."""
        x, y, width, height = box
        stops = "".join(
            f'<stop id="{name}-{place}" offset="{place}" style="stop-color:{color};stop-opacity:1"/>'
            for place, color in enumerate((first, second))
        )
        middle = y + height / 2
        self._defs.append(
            f'<linearGradient id="{name}">{stops}</linearGradient><linearGradient id="{name}-use" '
            f'xlink:href="#{name}" gradientUnits="userSpaceOnUse" x1="{x:g}" y1="{middle:g}" x2="{x + width:g}" '
            f'y2="{middle:g}"/>'
        )
        return f"url(#{name}-use)"

    def guide(self, at: float, *, upright: bool) -> None:
        """Add a guide at a distance from the left edge (vertical) or from the top edge."""
        position = f"{at:g},0" if upright else f"0,{self.height - at:g}"
        orientation = "1,0" if upright else "0,1"
        number = len(self._guides) + 1
        self._guides.append(
            f'<sodipodi:guide id="guide{number}" position="{position}" orientation="{orientation}" '
            'inkscape:locked="false"/>'
        )

    def finish(self, view: View | None = None) -> bytes:
        size = f'width="{self.width:g}mm" height="{self.height:g}mm" viewBox="0 0 {self.width:g} {self.height:g}"'
        return (
            f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<svg {size} version="1.1" id="{ROOT}" {_SPACES}>'
            f'\n{self._title()}<defs id="defs1">{"".join(self._defs)}</defs>\n{self._view(view or View())}'
            f"{self._said()}\n" + "\n".join(self._parts) + "\n</svg>\n"
        ).encode()

    def _view(self, view: View) -> str:
        pixel = 96 / 25.4
        cx, cy = self.width * view.center[0] * pixel, self.height * view.center[1] * pixel
        left, top, width, height = view.window or (0, 0, 1280, 703)
        zoom = f'inkscape:zoom="{view.zoom:g}" inkscape:cx="{cx:g}" inkscape:cy="{cy:g}" ' if view.zoom else ""
        return (
            '<sodipodi:namedview id="base" pagecolor="#ffffff" bordercolor="#666666" borderopacity="1" '
            'inkscape:showpageshadow="2" inkscape:pageopacity="0" inkscape:pagecheckerboard="0" '
            f'inkscape:deskcolor="#d1d1d1" showgrid="false" inkscape:document-units="mm" {zoom}'
            f'inkscape:window-width="{width}" inkscape:window-height="{height}" inkscape:window-x="{left}" '
            f'inkscape:window-y="{top}" inkscape:window-maximized="{int(view.window is None)}" '
            f'inkscape:current-layer="layer2">{"".join(self._guides)}</sodipodi:namedview>\n'
        )

    def _title(self) -> str:
        title = self.metadata.get("title", "")
        return f'<title id="title1">{escape(title)}</title>\n' if title else ""

    def _said(self) -> str:
        if not self.metadata:
            return ""
        lines = []
        for name, value in self.metadata.items():
            if name in ("creator", "rights", "publisher"):
                lines.append(f"<dc:{name}><cc:Agent><dc:title>{escape(value)}</dc:title></cc:Agent></dc:{name}>")
            elif name == "keywords":
                items = "".join(f"<rdf:li>{escape(keyword)}</rdf:li>" for keyword in value.split(", "))
                lines.append(f"<dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject>")
            else:
                lines.append(f"<dc:{name}>{escape(value)}</dc:{name}>")
        work = f'<cc:Work rdf:about="">{"".join(lines)}</cc:Work>'
        return f'<metadata id="metadata1"><rdf:RDF>{work}</rdf:RDF></metadata>'

    def _add(self, kind: str, label: str, place: str, style: str) -> Named:
        named = self._next(kind, label)
        styled = f' style="{style}"' if style else ""
        self._parts.append(f"<{kind} {place}{styled} {_names(named)}/>")
        return named

    def _next(self, kind: str, label: str) -> Named:
        self._count += 3
        return self._named(f"{kind}{self._count}", label)

    def _named(self, name: str, label: str) -> Named:
        if label and label in self._labels:
            raise InvalidInput(f"two objects of a drawing are labelled {label!r}")
        self._labels.add(label)
        return Named(name, label)


def _names(named: Named) -> str:
    return f'id="{named.id}" inkscape:label={quoteattr(named.label)}'
