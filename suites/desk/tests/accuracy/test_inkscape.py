"""Inkscape: what it measures and paints of the drawings that it saved, and what is read from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import pytest

from fairground.core import State
from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.verify.reading.picture import read_picture
from fairground.verify.reading.svg import Drawing, DrawingObject, read_svg
from fairground_desk.inkscape.inspector import INKSCAPE

from .agreement import Tally
from .drawing import Draw

SPACES = (
    'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
    'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"'
)
PAGES = (
    'width="300" height="200"',
    'width="150mm" height="100mm" viewBox="0 0 150 100"',
    'width="4in" height="4in" viewBox="-10 -20 200 200"',
    'width="20cm" height="10cm" viewBox="0 0 400 200"',
)
ACROSS, DOWN, CELL = 6, 4, 40
COLOURS = ("#f00", "#12ab34", "rgb(10, 200, 30)", "rgb(50%,0%,100%)", "navy", "rebeccapurple", "#FFFFFF", "black")
ACTIONS = (
    "object-to-path",
    "object-flip-horizontal",
    "object-rotate-90-cw",
    "transform-translate:7.5,-3",
    "transform-rotate:30",
    "transform-scale:12",
)
NEAR = 2  # levels of a colour, for what is rounded on the way to the picture

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = open_sandbox(SandboxSpec())
    try:
        yield made
    finally:
        made.discard()


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 100), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_inkscape_and_the_reader_agree_on_the_boxes_of_saved_drawings(sandbox: Sandbox, numbers: Iterable[int]) -> None:
    drawings = {number: shapes(Draw(4000 + number), number) for number in numbers}
    saved = _saved(sandbox, drawings)
    asked = _shell(sandbox, [f"file-open:s{number}.svg; query-all; file-close" for number in drawings])
    said = {}
    for line in asked.splitlines():
        name, *values = line.removeprefix("> ").rsplit(",", 4)
        if len(values) == 4:
            said[name] = [float(value) for value in values]
    tally = Tally()
    for number, data in saved.items():
        drawing = read_svg(data)
        own = {part.id: said[part.id] for part in drawing.objects if part.id in said}
        assert len(own) > 10
        tally.compare(f"drawing {number}", _near(own, found := _boxes(drawing)), found)
        assert drawing.size[0] in PAGES[number % len(PAGES)]
    print(tally)
    assert tally.properties > 40 * tally.documents


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 100), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_inkscape_paints_saved_drawings_as_they_are_read(sandbox: Sandbox, numbers: Iterable[int]) -> None:
    drawings: dict[int, tuple[str, list[str]]] = {number: (painted(Draw(5000 + number)), []) for number in numbers}
    saved = _saved(sandbox, drawings)
    _shell(sandbox, [_export(number, "p", "png") for number in drawings])
    _shell(sandbox, [_export(number, "l", "svg", "export-plain-svg; ") for number in drawings])
    tally = Tally()
    for number, data in saved.items():
        drawing = read_svg(data)
        pixels = read_picture(sandbox.read_file(f"~/p{number}.png")).pixels
        seen = {
            part.id: [int(level) for level in pixels[int(y) * CELL + CELL // 2, int(x) * CELL + CELL // 2]]
            for part in drawing.objects
            if part.id.startswith("at-")
            for x, y in [part.id.split("-")[1:3]]
        }
        read = {name: _colour(drawing, name) for name in seen}
        tally.compare(f"drawing {number} as painted", _rounded(seen, read), read)
        plain = read_svg(sandbox.read_file(f"~/l{number}.svg"))
        tally.compare(f"drawing {number} as plain SVG", _looks(plain), _looks(drawing))
        state = State(files={"~/Documents/a.svg": data}, data={})
        texts = INKSCAPE.ask(state, "texts", {"drawing": "~/Documents/a.svg"})
        assert sorted(texts.values()) == sorted(part.text.text for part in drawing.objects if part.text is not None)
    print(tally)
    assert tally.properties > 40 * tally.documents


def shapes(draw: Draw, number: int) -> tuple[str, list[str]]:
    """Shapes of every kind, in groups and under transforms; and actions that Inkscape carries out before it saves."""

    def n(low: float = -50, high: float = 150) -> str:
        return f"{draw.uniform(low, high):.3f}"

    def transform() -> str:
        kinds = {
            "translate": (n(), n()),
            "rotate": (n(-180, 180), n(), n()),
            "scale": (n(0.2, 2), n(0.2, 2)),
            "skewY": (n(-40, 40),),
            "matrix": (n(0.5, 1), n(-1, 1), n(-1, 1), n(0.5, 1), n(), n()),
        }
        names = draw.sample(list(kinds), draw.randint(0, 2))
        said = " ".join(f"{name}({','.join(kinds[name])})" for name in names)
        return f'transform="{said}"' if names else ""

    def shape(name: str) -> str:
        kind = draw.choice(("rect", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "path"))
        attributes = {
            "rect": f'x="{n()}" y="{n()}" width="{n(1, 90)}" height="{n(1, 90)}"'
            + draw.choice(("", f' rx="{n(0, 60)}"', f' rx="{n(0, 30)}" ry="{n(0, 60)}"')),
            "circle": f'cx="{n()}" cy="{n()}" r="{n(1, 50)}"',
            "ellipse": f'cx="{n()}" cy="{n()}" rx="{n(1, 50)}" ry="{n(1, 50)}"',
            "line": f'x1="{n()}" y1="{n()}" x2="{n()}" y2="{n()}"',
            "polyline": 'points="' + " ".join(f"{n()},{n()}" for _ in range(5)) + '"',
            "polygon": 'points="' + " ".join(f"{n()} {n()}" for _ in range(5)) + '"',
            "path": f'd="M{n()} {n()}C{n()} {n()},{n()} {n()},{n()} {n()}s{n()} {n()} {n()} {n()}'
            f"Q{n()},{n()} {n()},{n()}t{n()} {n()}zm{n()},{n()}"
            f'A{n(1, 60)} {n(1, 60)} {n()} {draw.randint(0, 1)}{draw.randint(0, 1)}{n()} {n()}h{n()}V{n()}"',
        }[kind]
        return f'<{kind} id="{name}" {transform()} {attributes}/>'

    body = []
    for place in range(20):
        name = f"d{number}-{place}"
        made = shape(name)
        if draw.likely(0.4):
            made = f'<g id="{name}-g" {transform()}>{made}{shape(f"{name}-b")}</g>'
            made += f'<use id="{name}-u" xlink:href="#{name}-g" x="{n()}" y="{n()}" {transform()}/>'
        body.append(made)
    steps = [
        f"select-by-id:d{number}-{place}; {draw.choice(ACTIONS)}; select-clear" for place in draw.sample(range(20), 4)
    ]
    page = PAGES[number % len(PAGES)]
    drawn = f'<svg {SPACES} {page}><g id="d{number}" style="fill:#336699;stroke:none">{"".join(body)}</g></svg>'
    return drawn, steps


def painted(draw: Draw) -> str:
    """Squares in a grid, coloured in every way that colours are said; and some words."""
    body, rules = [], []
    for row in range(DOWN):
        for column in range(ACROSS):
            name = f"at-{column}-{row}"
            colour, share, part = (
                draw.choice(COLOURS),
                draw.choice(("1", "0.5", ".25")),
                draw.choice(("1", "0.4", "0.75")),
            )
            box = f'id="{name}" x="{column * CELL + 5}" y="{row * CELL + 5}" width="30" height="30"'
            # Inkscape hides by `display`, and paints what `visibility` should hide.
            hidden = draw.choice(("", "", "", "display:none"))
            rules.append(f".c{column}{row} {{ fill: {colour}; fill-opacity: {share} }}")
            ways = (
                f'<rect {box} fill="{colour}" fill-opacity="{share}" opacity="{part}" style="{hidden}"/>',
                f'<rect {box} style="fill:{colour};fill-opacity:{share};opacity:{part};{hidden}"/>',
                f'<rect {box} class="c{column}{row}" opacity="{part}" style="{hidden}"/>',
                f'<g fill="{colour}" style="{hidden}"><rect {box} fill-opacity="{share}"/></g>',
                f'<g opacity="{part}" style="{hidden}"><g fill="{colour}"><rect {box}/></g></g>',
                f'<g color="{colour}"><rect {box} fill="currentColor" style="{hidden}"/></g>',
                f'<rect {box} style="fill:none;{hidden}"/>',
                f'<g inkscape:groupmode="layer" inkscape:label="Layer {name}" style="{hidden}"><rect {box}/></g>',
                f'<rect {box} fill="{colour}" style="stroke:{draw.choice(COLOURS)};stroke-width:3.5"/>',
            )
            body.append(draw.choice(ways))
    words = [
        f'<text id="text-{number}" x="{number * 9}" y="{DOWN * CELL + 30}" font-size="{draw.randint(5, 30)}" '
        f'style="{draw.choice(("", "white-space:pre"))}">{escape(draw.text()[:80])}'
        f'<tspan font-weight="bold">{escape(draw.text()[:40])}</tspan></text>'
        for number in range(4)
    ]
    size = f'width="{ACROSS * CELL}" height="{DOWN * CELL}"'
    return f"<svg {SPACES} {size}><style>{''.join(rules)}</style>{''.join(body)}{''.join(words)}</svg>"


def _saved(sandbox: Sandbox, drawings: dict[int, tuple[str, list[str]]]) -> dict[int, bytes]:
    """The drawings after Inkscape has opened, changed and saved them."""
    lines = []
    for number, (drawn, steps) in drawings.items():
        sandbox.write_file(f"~/d{number}.svg", drawn.encode())
        lines.append(
            "; ".join([f"file-open:d{number}.svg", *steps, f"export-filename:s{number}.svg; export-do; file-close"])
        )
    _shell(sandbox, lines)
    return {number: sandbox.read_file(f"~/s{number}.svg") for number in drawings}


def _export(number: int, name: str, kind: str, more: str = "") -> str:
    return (
        f"file-open:s{number}.svg; export-type:{kind}; export-area-page; {more}"
        f"export-filename:{name}{number}.{kind}; export-do; file-close"
    )


def _shell(sandbox: Sandbox, lines: Iterable[str]) -> str:
    """What one Inkscape says to many commands."""
    given = "".join(f"{line}\n" for line in (*lines, "quit"))
    return sandbox.run(["inkscape", "--shell"], input=given.encode(), timeout=600.0).stdout.decode()


def _boxes(drawing: Drawing) -> dict[str, list[float]]:
    """Boxes as Inkscape gives them: in pixels from the page's corner."""
    x0, y0, width, _height = drawing.viewbox
    scale = drawing.width / width
    return {
        part.id: [(part.box.x - x0) * scale, (part.box.y - y0) * scale, part.box.width * scale, part.box.height * scale]
        for part in drawing.objects
        if part.box is not None
    }


def _near(said: dict[str, list[float]], read: dict[str, list[float]]) -> dict[str, list[float]]:
    """What Inkscape says, to the digits that it prints."""
    found = {}
    for name, values in said.items():
        ours = read.get(name, values)
        near = 2e-3 * max(1.0, *map(abs, values))
        found[name] = [b if abs(a - b) < near else a for a, b in zip(values, ours, strict=True)]
    return found


def _colour(drawing: Drawing, name: str) -> list[int]:
    """Red, green, blue and alpha of what is read of an object, alone on an empty page."""
    parts = {part.id: part for part in drawing.objects}
    part = parts[name]
    paint = part.style.fill
    if not part.visible or paint.kind == "none":
        return [0, 0, 0, 0]
    alpha = paint.opacity * part.style.opacity
    for group in part.parents:
        alpha *= parts[group].style.opacity
    levels = [int(paint.color[at : at + 2], 16) for at in (1, 3, 5)]
    return [*levels, round(alpha * 255)]


def _rounded(seen: dict[str, list[int]], read: dict[str, list[int]]) -> dict[str, list[int]]:
    """What was painted; levels as near as rounding makes them count as the ones that were read."""
    found = {}
    for name, levels in seen.items():
        # The less opaque, the coarser are the colours that Inkscape paints with.
        near = NEAR + 255 // max(levels[3], 1)
        close = [other if abs(one - other) <= near else one for one, other in zip(levels, read[name], strict=True)]
        found[name] = close
    return found


def _looks(drawing: Drawing) -> dict[str, Any]:
    return {part.id: _look(part) for part in drawing.objects}


def _look(part: DrawingObject) -> dict[str, Any]:
    """What plain SVG keeps; layers are groups in it."""
    return {
        "kind": "group" if part.kind == "layer" else part.kind,
        "parents": part.parents,
        "visible": part.visible,
        "fill": [part.style.fill.kind, part.style.fill.color, part.style.fill.opacity],
        "stroke": [part.style.stroke.kind, part.style.stroke.color, part.style.stroke_width],
        "opacity": part.style.opacity,
        "text": None if part.text is None else [(span.text, span.size, span.weight) for span in part.text.spans],
    }
