"""Drawings: those that Inkscape wrote and measured, and those that nobody honest would."""

from __future__ import annotations

import base64
import json
import math
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import InvalidInput, StateError
from fairground.verify.reading.svg import Box, Drawing, Stop, drawing_leaves, read_svg
from fairground.verify.reading.svg_geometry import IDENTITY, parse_path, parse_transform
from fairground.verify.reading.svg_style import length, parse_color

pytestmark = pytest.mark.process

SPACES = (
    'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
    'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
DOT = base64.b64encode(
    bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55")
    + bytes.fromhex("0000000a49444154789c63680000008200813d54cf7f0000000049454e44ae426082")
).decode()


def svg(body: str, head: str = 'width="200" height="100"') -> bytes:
    return f"<svg {SPACES} {head}>{body}</svg>".encode()


POSTER = svg(
    f"""
<title>Poster</title>
<defs>
 <linearGradient id="base"><stop offset="0" style="stop-color:#ff0000;stop-opacity:1"/>
  <stop offset="1" style="stop-color:#0000ff;stop-opacity:0.5"/></linearGradient>
 <linearGradient id="used" xlink:href="#base" x1="10" y1="0" x2="90" y2="0" gradientUnits="userSpaceOnUse"/>
 <filter id="soft"><feGaussianBlur stdDeviation="2.5"/></filter>
 <clipPath id="window"><rect id="pane" x="10" y="10" width="20" height="10"/></clipPath>
</defs>
<sodipodi:namedview id="view" pagecolor="#FFEEDD" inkscape:document-units="mm">
 <sodipodi:guide id="g1" position="30,247" orientation="0,-1"/>
 <sodipodi:guide id="g2" position="70,0" orientation="1,0"/>
 <inkscape:grid id="grid" type="xygrid" spacingx="5" spacingy="10"/>
</sodipodi:namedview>
<metadata id="m"><rdf:RDF><cc:Work rdf:about=""><dc:title>Summer fair</dc:title>
 <dc:creator><cc:Agent><dc:title>Ada</dc:title></cc:Agent></dc:creator>
 <dc:subject><rdf:Bag><rdf:li>fair</rdf:li><rdf:li>summer</rdf:li></rdf:Bag></dc:subject>
 <cc:license rdf:resource="http://creativecommons.org/licenses/by/4.0/"/></cc:Work></rdf:RDF></metadata>
<g id="back" inkscape:groupmode="layer" inkscape:label="Background" style="display:inline" sodipodi:insensitive="true">
 <rect id="sky" x="0" y="0" width="210" height="100" style="fill:url(#used);stroke:none;filter:url(#soft)"/></g>
<g id="front" inkscape:groupmode="layer" inkscape:label="Front" style="display:none;fill:#00aa00">
 <g id="pair" transform="translate(10,20)" style="stroke:#123456;stroke-width:2" opacity="0.5">
  <circle id="sun" cx="20" cy="30" r="10"/>
  <path id="tri" d="m 0,0 h 30 v 40 z" style="fill:rgb(255,128,0);fill-opacity:0.25;stroke-dasharray:4,2"
   inkscape:label="Triangle"/></g>
 <text id="words" xml:space="preserve" x="50" y="60" transform="scale(2)"
  style="font-family:'DejaVu Sans';font-size:12px;text-anchor:middle"><tspan sodipodi:role="line" id="t1" x="50"
  y="60">First <tspan id="t2" style="font-weight:bold;fill:#ff0000">bold</tspan></tspan><tspan sodipodi:role="line"
  id="t3" x="50" y="75">Second</tspan></text>
 <use id="clone" xlink:href="#pair" x="5" transform="translate(100,0)"/>
 <image id="dot" x="1" y="2" width="3" height="4" xlink:href="data:image/png;base64,{DOT}"/>
 <image id="linked" width="5" height="5" xlink:href="photo.png"/>
 <rect id="cut" x="0" y="0" width="50" height="50" clip-path="url(#window)"/>
</g>""",
    'width="210mm" height="297mm" viewBox="0 0 210 297"',
)


def inkscape(folder: Path, *arguments: str) -> str:
    """Runs Inkscape on its own profile; returns what it says."""
    program = shutil.which("inkscape")
    if program is None:
        pytest.skip("Inkscape is not installed")
    environment = {**os.environ, "HOME": str(folder), "INKSCAPE_PROFILE_DIR": str(folder / "profile")}
    environment.pop("DISPLAY", None)
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("inkscape")
    (made / "poster.svg").write_bytes(POSTER)
    return made


@pytest.fixture(scope="module")
def saved(folder: Path) -> bytes:
    inkscape(folder, "poster.svg", "--actions=export-filename:saved.svg;export-do")
    return (folder / "saved.svg").read_bytes()


@pytest.fixture(params=["as typed", "as Inkscape saved it"])
def poster(request: pytest.FixtureRequest, saved: bytes) -> Drawing:
    return read_svg(POSTER if request.param == "as typed" else saved)


def test_the_page_and_what_belongs_to_it_are_read(poster: Drawing) -> None:
    assert (poster.size, poster.viewbox, poster.unit) == (("210mm", "297mm"), (0, 0, 210, 297), "mm")
    assert poster.width == pytest.approx(793.7008, abs=1e-3)
    assert poster.length_in("mm", 30) == pytest.approx(30)
    assert poster.length_in("in", 25.4) == pytest.approx(1)
    assert poster.page_color == "#ffeedd"
    assert poster.metadata["title"] == "Summer fair"
    assert (poster.metadata["creator"], poster.metadata["keywords"]) == ("Ada", "fair, summer")
    assert poster.metadata["license"].endswith("by/4.0/")
    assert [(guide.orientation, guide.x, guide.y) for guide in poster.guides] == [
        ("horizontal", 30, 50),
        ("vertical", 70, 297),
    ]
    assert [grid.spacing for grid in poster.grids] == [(5, 10)]
    with pytest.raises(InvalidInput, match="unit"):
        poster.length_in("feet", 1)


def test_layers_groups_and_the_order_of_objects_are_read(poster: Drawing) -> None:
    assert [(layer.label, layer.visible, layer.locked) for layer in poster.layers] == [
        ("Background", True, True),
        ("Front", False, False),
    ]
    assert [part.id for part in poster.inside("Front")] == [
        *("pair", "sun", "tri", "words", "clone", "dot", "linked", "cut")
    ]
    assert (poster["sun"].parents, poster["sun"].layer, poster["sun"].visible) == (("front", "pair"), "front", False)
    assert poster["Triangle"].id == "tri"
    with pytest.raises(StateError, match=r"0 objects named 'moon'"):
        poster["moon"]


def test_styles_are_inherited_and_resolved(poster: Drawing) -> None:
    sun, triangle = poster["sun"].style, poster["tri"].style
    assert (sun.fill.color, sun.stroke.color, sun.stroke_width) == ("#00aa00", "#123456", 2)
    assert (triangle.fill.color, triangle.fill.opacity, triangle.dashes) == ("#ff8000", 0.25, (4, 2))
    assert (sun.opacity, poster["pair"].style.opacity) == (1, 0.5)
    sky = poster["sky"].style
    assert (sky.fill.kind, sky.stroke.kind) == ("linear", "none")
    assert sky.fill.gradient is not None
    assert sky.fill.gradient.stops == (Stop(0, "#ff0000", 1), Stop(1, "#0000ff", 0.5))
    assert sky.filters[0].startswith("feGaussianBlur") and "stdDeviation=2.5" in sky.filters[0]


def test_shapes_are_measured_with_their_transforms(poster: Drawing) -> None:
    assert poster["sun"].box == Box(20, 40, 20, 20)
    assert poster["sun"].geometry == {"cx": 20, "cy": 30, "r": 10}
    assert poster["tri"].box == Box(10, 20, 30, 40)
    assert poster["tri"].shape is not None
    assert (poster["tri"].shape.nodes, poster["tri"].shape.closed) == (3, True)
    assert poster["tri"].shape.area == pytest.approx(600)
    assert poster["pair"].box == Box(10, 20, 30, 40)
    assert poster["clone"].box == Box(115, 20, 30, 40)
    assert (poster["clone"].kind, poster["clone"].href) == ("use", "pair")
    assert (poster["words"].box, poster["front"].box) == (None, None)
    assert (poster["cut"].clip, poster["cut"].clip_box) == ("window", Box(10, 10, 20, 10))


def test_texts_say_their_lines_and_how_they_look(poster: Drawing) -> None:
    text = poster["words"].text
    assert text is not None
    assert text.text == "First bold\nSecond"
    assert (text.anchor, text.position) == ("middle", (100, 120))
    assert [(span.text, span.weight, span.fill.color) for span in text.spans] == [
        ("First ", 400, "#00aa00"),
        ("bold", 700, "#ff0000"),
        ("\nSecond", 400, "#00aa00"),
    ]
    assert {(span.family, span.size) for span in text.spans} == {("DejaVu Sans", 24)}


def test_pictures_in_a_drawing_are_embedded_or_linked(poster: Drawing) -> None:
    embedded, linked = poster["dot"].picture, poster["linked"].picture
    assert embedded is not None and linked is not None
    assert (embedded.mime, embedded.link, embedded.data[:4]) == ("image/png", "", b"\x89PNG")
    assert (linked.link, linked.digest) == ("photo.png", "")
    assert poster["dot"].box == Box(1, 2, 3, 4)


def test_a_save_by_inkscape_changes_no_leaf_and_an_edit_does(saved: bytes) -> None:
    leaves = drawing_leaves(read_svg(saved))
    before = drawing_leaves(read_svg(POSTER))
    assert {name for name in leaves.keys() | before if leaves.get(name) != before.get(name)} <= {
        *("metadata.format", "metadata.type")
    }
    edited = drawing_leaves(read_svg(saved.replace(b"#123456", b"#123457")))
    assert {name for name in leaves if leaves[name] != edited[name]} == {
        f"object[{name}].style.stroke.color" for name in ("pair", "sun", "tri")
    }
    json.dumps(read_svg(saved).to_json())


def random_drawing(rng: random.Random, head: str) -> str:
    """Shapes of every kind, in groups, under transforms."""

    def n(low: float = -50, high: float = 150) -> str:
        return f"{rng.uniform(low, high):.3f}"

    def transform() -> str:
        kinds = {
            "translate": (n(), n()),
            "rotate": (n(-180, 180), n(), n()),
            "scale": (n(0.2, 2), n(0.2, 2)),
            "skewX": (n(-40, 40),),
            "matrix": (n(0.5, 1), n(-1, 1), n(-1, 1), n(0.5, 1), n(), n()),
        }
        names = rng.sample(list(kinds), rng.randint(0, 2))
        return " ".join(f"{name}({','.join(kinds[name])})" for name in names)

    shapes = []
    for number in range(40):
        kind = rng.choice(("rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "path"))
        attributes = {
            "rect": f'x="{n()}" y="{n()}" width="{n(1, 90)}" height="{n(1, 90)}"',
            "circle": f'cx="{n()}" cy="{n()}" r="{n(1, 50)}"',
            "ellipse": f'cx="{n()}" cy="{n()}" rx="{n(1, 50)}" ry="{n(1, 50)}"',
            "line": f'x1="{n()}" y1="{n()}" x2="{n()}" y2="{n()}"',
            "polyline": 'points="' + " ".join(f"{n()},{n()}" for _ in range(5)) + '"',
            "polygon": 'points="' + " ".join(f"{n()} {n()}" for _ in range(5)) + '"',
            "path": f'd="M{n()} {n()}C{n()} {n()},{n()} {n()},{n()} {n()}s{n()} {n()} {n()} {n()}'
            f"Q{n()},{n()} {n()},{n()}t{n()} {n()}zm{n()},{n()}"
            f'A{n(1, 60)} {n(1, 60)} {n()} {rng.randint(0, 1)}{rng.randint(0, 1)}{n()} {n()}h{n()}V{n()}"',
        }[kind]
        shape = f'<{kind} id="s{number}" transform="{transform()}" {attributes}/>'
        if rng.random() < 0.4:
            shape = f'<g id="g{number}" transform="{transform()}">{shape}</g>'
            shape += f'<use id="u{number}" xlink:href="#g{number}" x="{n()}" y="{n()}" transform="{transform()}"/>'
        shapes.append(shape)
    return f'<svg {SPACES} {head}><g id="all" style="fill:#336699;stroke:none">{"".join(shapes)}</g></svg>'


@pytest.mark.parametrize(
    ("seed", "head"),
    [
        (1, 'width="300" height="200"'),
        (2, 'width="150mm" height="100mm" viewBox="0 0 150 100"'),
        (3, 'width="4in" height="4in" viewBox="-10 -20 200 200"'),
    ],
)
def test_what_inkscape_measures_is_what_is_read(folder: Path, seed: int, head: str) -> None:
    """Property: boxes of generated shapes, clones and groups are those that `inkscape --query-all` says."""
    drawn = random_drawing(random.Random(seed), head)
    (folder / f"random{seed}.svg").write_text(drawn)
    drawing = read_svg(drawn.encode())
    x0, y0, width, _height = drawing.viewbox
    scale = drawing.width / width
    lines = [line.split(",") for line in inkscape(folder, "--query-all", f"random{seed}.svg").splitlines()]
    said = {name: [float(value) for value in values] for name, *values in lines}
    assert len(drawing.objects) > 40
    for part in drawing.objects:
        box = part.box
        assert box is not None
        found = [(box.x - x0) * scale, (box.y - y0) * scale, box.width * scale, box.height * scale]
        near = 1e-3 * max(1.0, *map(abs, found))
        assert found == pytest.approx(said[part.id], abs=near), part.id


def test_what_inkscape_makes_of_objects_is_read(folder: Path) -> None:
    """Inkscape's own actions: turn into a path, unite, clone, and rotate."""
    body = '<rect id="a" x="0" y="0" width="40" height="40"/><rect id="b" x="20" y="20" width="40" height="40"/>'
    (folder / "two.svg").write_bytes(svg(body + '<circle id="c" cx="150" cy="50" r="20"/>'))
    actions = "select-by-id:a,b;path-union;select-clear;select-by-id:c;object-to-path;export-filename:one.svg;export-do"
    inkscape(folder, "two.svg", f"--actions={actions}")
    made = read_svg((folder / "one.svg").read_bytes())
    united, circle = (part for part in made.objects if part.kind == "path")
    united, circle = (united, circle) if united.id != "c" else (circle, united)
    assert united.shape is not None and circle.shape is not None
    assert (united.shape.area, united.shape.nodes) == (pytest.approx(2800), 8)
    assert united.box == Box(0, 0, 60, 60)
    assert circle.shape.area == pytest.approx(math.pi * 400, rel=1e-3)


# Those that nobody honest writes

CLONES = '<g id="c0"><rect width="1" height="1"/></g>' + "".join(
    f'<g id="c{n}">' + f'<use xlink:href="#c{n - 1}"/>' * 10 + "</g>" for n in range(1, 12)
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html/>",
        b"\x1f\x8b" + bytes(50),
        b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
        svg("", 'width="0" height="10"'),
        svg("", 'width="wide" height="10"'),
        svg("", 'width="10" height="10" viewBox="0 0 10"'),
        svg("", 'width="10" height="10" viewBox="0 0 nan 10"'),
        svg('<rect id="a"/><rect id="a"/>'),
        svg('<use id="a" xlink:href="#a"/>'),
        svg('<g id="a"><use xlink:href="#a"/></g>'),
        svg(CLONES),
        svg('<path d="L 1 1"/>'),
        svg('<path d="M 1 1 L 1"/>'),
        svg('<path d="M 1 1 X 3"/>'),
        svg('<path d="M 1 1 L 1e400 1"/>'),
        svg('<path d="M 1 1 A 1 1 0 2 0 3 3"/>'),
        svg('<path d="M0 0' + "h1" * 200_001 + '"/>'),
        svg('<polygon points="1 2 3"/>'),
        svg('<rect transform="turn(3)" width="1" height="1"/>'),
        svg('<rect transform="rotate(1,2)" width="1" height="1"/>'),
        svg('<rect transform="' + "scale(1000)" * 5 + '" width="1" height="1"/>'),
        svg('<rect transform="' + "scale(1)" * 201 + '" width="1" height="1"/>'),
        svg('<rect width="1e999" height="1"/>'),
        svg('<rect width="3 apples" height="1"/>'),
        svg('<image width="1" height="1" xlink:href="data:image/png;base64,!!"/>'),
        svg("<g/>" * 20_001),
        svg("<g>" * 250 + "</g>" * 250),
        svg("<style>" + ".a{}" * 300_000 + "</style>"),
        svg("<text>" + "x" * 300_000 + "</text>"),
        svg('<rect style="fill:' + "x" * 200_000 + '"/>'),
    ],
    ids=range(31),
)
def test_what_is_malformed_or_too_much_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="drawing"):
        read_svg(data)


def test_hostile_style_sheets_take_no_long_time() -> None:
    for text in ("/*" * 200_000, "{" * 400_000, "a" * 900_000, ";" * 90_000):
        read_svg(svg(f"<style>{text}</style><rect width='1' height='1'/>"))


def test_gradients_that_refer_to_each_other_come_to_an_end() -> None:
    body = '<linearGradient id="a" xlink:href="#b"/><linearGradient id="b" xlink:href="#a"/>'
    found = read_svg(svg(body + '<rect width="1" height="1" fill="url(#a)"/>'))
    assert found.objects[0].style.fill.kind == "linear"
    assert [gradient.stops for gradient in found.gradients] == [(), ()]


def test_rules_of_style_sheets_count_below_the_own_style() -> None:
    rules = "<style>/* all */ rect{fill:red} .big, .b{stroke:blue} #c{fill:lime} g > rect{fill:pink}</style>"
    body = '<rect id="a" fill="gray"/><rect id="b" class="big x" style="fill:#abc"/><rect id="c"/>'
    drawing = read_svg(svg(rules + body))
    assert [drawing[name].style.fill.color for name in "abc"] == ["#ff0000", "#aabbcc", "#00ff00"]
    assert drawing["b"].style.stroke.color == "#0000ff"
    assert drawing.unread_rules == ("g > rect",)


def test_what_is_in_a_nested_drawing_is_not_overlooked() -> None:
    rect = '<rect id="r" width="10" height="10"/>'
    drawing = read_svg(svg(f'<svg id="in" x="50" y="10" width="100" height="50" viewBox="0 0 10 10">{rect}</svg>'))
    assert drawing["r"].box == Box(75, 10, 50, 50)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red", ("#ff0000", 1)),
        ("#ABC", ("#aabbcc", 1)),
        ("#11223380", ("#112233", 0.502)),
        ("rgb(10%, 100, 300)", ("#1a64ff", 1)),
        ("rgba(1, 2, 3, 0.5)", ("#010203", 0.5)),
        ("hsl(120, 100%, 50%)", ("#00ff00", 1)),
        ("transparent", ("#000000", 0)),
        ("url(#x)", None),
        ("#12", None),
        ("rgb(1,2)", None),
    ],
)
def test_colours_are_understood(text: str, expected: object) -> None:
    assert parse_color(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1in", 96), ("25.4mm", 96), ("2.54cm", 96), ("72pt", 96), ("6pc", 96), ("96px", 96), ("-3", -3)],
)
def test_units_are_understood(text: str, expected: float) -> None:
    assert length(text) == pytest.approx(expected)


@given(st.floats(1, 100), st.floats(1, 100), st.floats(-180, 180), st.floats(0.1, 10))
def test_the_area_of_an_ellipse_survives_turning_and_grows_with_scale(
    rx: float, ry: float, turn: float, by: float
) -> None:
    outline = parse_path(f"M {rx:.6f} 0 A {rx:.6f} {ry:.6f} 0 1 1 {-rx:.6f} 0 A {rx:.6f} {ry:.6f} 0 1 1 {rx:.6f} 0 z")
    matrix = parse_transform(f"rotate({turn:.6f}) scale({by:.6f})")
    assert outline.area(IDENTITY) == pytest.approx(math.pi * rx * ry, rel=1e-3)
    assert outline.area(matrix) == pytest.approx(math.pi * rx * ry * by * by, rel=1e-3)
    box = outline.box(matrix)
    angle = math.radians(turn)
    assert box is not None
    assert box.width == pytest.approx(2 * by * math.hypot(rx * math.cos(angle), ry * math.sin(angle)), rel=2e-3)


@given(st.data())
def test_a_damaged_drawing_gives_a_drawing_or_an_error(data: st.DataObject) -> None:
    raw = bytearray(POSTER)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from([b"", b"9", b"-", b"%", b"(", b"e", b";"])
        )
    try:
        drawing = read_svg(bytes(raw))
        json.dumps(drawing.to_json())
        drawing_leaves(drawing)
    except StateError as error:
        assert error.message.startswith("drawing (.svg): ")


@given(st.text(alphabet="MmLlHhVvCcSsQqTtAaZz0123456789.-+eE, ", max_size=60))
def test_any_path_data_is_an_outline_or_an_error(text: str) -> None:
    try:
        outline = parse_path(text)
        box, area = outline.box(), outline.area()
        assert box is None or (math.isfinite(box.width) and math.isfinite(area))
    except StateError:
        pass
