"""Figures: places and ticks that are right, text that fits, markup that stands alone and can be told apart."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Outcome
from fairground.report.outcomes import OUTCOME_LOOKS
from fairground.report.palette import DARK, LIGHT
from fairground.report.plots import (
    NARROW,
    WIDE,
    Cell,
    Curve,
    Drawing,
    Dumbbell,
    Figure,
    Panel,
    Row,
    Spot,
    Stack,
    columns,
    dumbbells,
    figure,
    flow,
    forest,
    look_of,
    matrix,
    panels,
    scatter,
    stacks,
    theme,
)
from fairground.report.plots.bars import contrast, on
from fairground.report.plots.scale import (
    Scale,
    around,
    logarithmic,
    nice_step,
    percent,
    plainly,
    points,
    rounded,
    signed,
    whole,
)
from fairground.report.plots.scatter import front
from fairground.report.plots.svg import fit, printable, width_of
from fairground.stats.interval import Interval

EVIL = "</title></svg><script>alert(1)</script>\"' onload=x &lt; \u202e\x00\x9f\ufffe \ud800 var(--nothing)"
SVG = "{http://www.w3.org/2000/svg}"
numbers = st.floats(-1e9, 1e9, allow_nan=False)


# Viénot, Brettel and Mollon's matrices, on linear light; distances are in CIE Lab.
COLOUR_BLIND = (
    ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
)


def rate(value: float) -> str:
    return f"{value:.2f}"


def some_intervals(count: int) -> list[Interval]:
    return [Interval(0.1 + 0.8 * at / max(count - 1, 1), 0.05, 0.95) for at in range(count)]


def draw_forest(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    rows = [
        Row(f"{name} {at}", one, look_of(at), note="50.0 [5.0, 95.0]", ghost=one)
        for at, one in enumerate(some_intervals(count))
    ]
    return lambda width: forest(rows, width=width, write=percent, axis="Score", floor=0.0, ceiling=1.0)


def draw_columns(apps: int, count: int, name: str = "agent") -> Callable[[int], Drawing]:
    names = [f"{name} app {at}" for at in range(apps)]
    whom = [(f"{name} {at}", look_of(at)) for at in range(count)]
    values = [dict(zip(names, some_intervals(apps), strict=True)) for _ in whom]
    return lambda width: columns(names, whom, values, width=width, axis="Success rate", write=rate)


def draw_panels(count: int, name: str = "agent", step: bool = False) -> Callable[[int], Drawing]:
    xs = (0.0, 0.5, 1.0)
    curves = tuple(
        Curve(f"{name} {at}", look_of(at), xs, (1.0, 0.5, 0.0), (0.9, 0.4, 0.0), (1.0, 0.6, 0.1), step=step,
              points=at % 2 == 1, said=("a", "b", "c") if at % 2 else name)
        for at in range(count)
    )  # fmt: skip
    ghost = Curve("", look_of(0), xs, (0.5, 0.2, 0.0))
    shown = [Panel(f"{name} one", curves, ghost=ghost, at=0.1), Panel("two", curves)]
    return lambda width: panels(
        shown, width=width, across=2, x=(0.0, 1.0), ticks=(0.0, 0.5, 1.0), x_axis="x", y_axis="y", write_x=percent,
        write_y=percent, ghost="noise",
    )  # fmt: skip


def draw_stacks(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    rows = [
        Stack(f"{name} {at}", (2.0, 0.0, 1.0), (name, "b", "c"), ("2", "0", "1"), note="3 tasks") for at in range(count)
    ]
    names = [(f"{name} always", "always"), ("sometimes", "sometimes"), ("never", "never")]
    return lambda width: stacks(rows, names, width=width, axis="Share")


def draw_dumbbells(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    rows = [
        Dumbbell(axis, f"{name} {at}", look_of(at), Interval(0.1, 0.08, 0.2), 0.4, 0.05, 0.3, name)
        for axis in ("theme", name)
        for at in range(count)
    ]
    return lambda width: dumbbells(rows, width=width, axis="Shift", write=points, keys=("mean", "90th", "noise"))


def draw_flow(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    classes = [(f"{name} always", "always"), ("sometimes", "sometimes"), ("never", "never")]
    return lambda width: flow([[count, 1, 0], [2, 0, 3], [0, 4, 5]], classes, (name, f"{name} too"), width=width)


def draw_matrix(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    names = [f"{name} {at}" for at in range(count)]
    cells = [[None if a == b else Cell((a - b) / 20, str(a - b), name, a > b) for b in names_at] for a, names_at in
             ((a, range(count)) for a in range(count))]  # fmt: skip
    return lambda width: matrix(names, names, cells, width=width, corner=f"{name} corner")


def draw_table(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    cells = [[Cell(-0.5, "3", name)] * count for _ in range(4)]
    return lambda width: matrix([f"app {name}"] * 4, [f"{name} {at}" for at in range(count)], cells, width=width)


def draw_scatter(count: int, name: str = "agent") -> Callable[[int], Drawing]:
    spots = [
        Spot(f"{name} {at}", look_of(at), Interval(0.01 * 3**at, 0.009 * 3**at, math.inf), one, name)
        for at, one in enumerate(some_intervals(count))
    ]
    return lambda width: scatter(spots, width=width, x_axis="Cost", y_axis="Score", write=plainly)


KINDS: dict[str, Callable[..., Callable[[int], Drawing]]] = {
    "forest": draw_forest,
    "columns": lambda count, name="agent": draw_columns(5, count, name),
    "many apps": lambda count, name="agent": draw_columns(60, count, name),
    "panels": draw_panels,
    "stacks": draw_stacks,
    "dumbbells": draw_dumbbells,
    "flow": draw_flow,
    "matrix": draw_matrix,
    "table": draw_table,
    "scatter": draw_scatter,
}


def made(kind: str, count: int, name: str = "agent") -> Figure:
    return figure(kind.replace(" ", "-"), f"{name} title", f"{name} description", KINDS[kind](count, name))


@pytest.mark.parametrize("count", [1, 2, 5, 12])
@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_stands_alone(kind: str, count: int) -> None:
    text = made(kind, count).standalone()
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and "var(" not in text and 'class="wide"' not in text
    assert float(root.get("width", "")) == WIDE
    assert [child.tag for child in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}rect"]
    ground = root[2]
    assert (ground.get("fill"), ground.get("width")) == (LIGHT["card"], str(WIDE))
    assert not re.search(r"(?:href|src|url\()", text), "nothing comes from outside"
    assert root.get("role") == "img" and root.get("aria-labelledby") == root[0].get("id")


@pytest.mark.parametrize("count", [1, 2, 5, 12])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_drawn_outside_or_as_no_number(kind: str, count: int) -> None:
    for narrow, width in ((False, WIDE), (True, NARROW)):
        drawn = made(kind, count)
        height = (drawn.narrow if narrow else drawn.wide).height
        text = str(drawn.svg(narrow=narrow))
        assert "nan" not in text and "inf" not in re.sub(r">[^<]*<", "><", text)
        for x, y in re.findall(r'<text[^>]* x="([-\d.]+)" y="([-\d.]+)"', text):
            assert -0.5 <= float(x) <= width + 0.5 and 0 <= float(y) <= height


@pytest.mark.parametrize("kind", KINDS)
def test_both_widths_have_the_same_marks_in_the_same_order(kind: str) -> None:
    for count in (2, 3, 12):
        drawn = made(kind, count)
        marks = [str(one.body).count('class="m"') for one in (drawn.wide, drawn.narrow)]
        assert marks[0] == marks[1] > 0, "the script finds the words of a narrow mark by its place"
        said = [re.findall(r'class="m"><title>([^<]*)', str(one.body)) for one in (drawn.wide, drawn.narrow)]
        assert said[0] == said[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_is_never_markup(kind: str) -> None:
    drawn = made(kind, 3, EVIL)
    for text in (drawn.standalone(), str(drawn.svg()), str(drawn.svg(narrow=True))):
        root = ElementTree.fromstring(text.encode())
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "g", "path", "rect", "text"}
        names = {name for element in root.iter() for name in element.attrib}
        assert not {name for name in names if name.startswith("on")}
        assert "\u202e" not in text and "\x00" not in text
    assert "var(--nothing)" in drawn.standalone(), "what a stranger wrote is kept as it is"


@pytest.mark.parametrize("kind", KINDS)
def test_long_names_are_cut_and_told_in_full(kind: str) -> None:
    long = "n" * 300
    text = made(kind, 2, long).standalone()
    root = ElementTree.fromstring(text)
    shown = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    for element in root.iter(f"{SVG}text"):
        line = (element.text or "") if element.find(f"{SVG}title") is None else (element[0].tail or "")
        assert width_of(line, float(element.get("font-size", 12))) <= WIDE
    assert any(long in one for one in shown), "the title of a cut name has all of it"


def test_colours_and_markers_of_contenders_never_coincide() -> None:
    looks = [look_of(place) for place in range(64)]
    assert len({(look.colour, look.shape) for look in looks}) == 64
    assert len({look.colour for look in looks[:8]}) == len({look.shape for look in looks[:8]}) == 8
    assert len({look.dash for look in looks[:8]}) == 8


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_text_and_marks_stand_out_from_the_card(colours: dict[str, str]) -> None:
    for place in range(8):
        assert contrast(colours[f"c{place}"], colours["card"]) >= 3
    for name in ("ink", "muted", "accent", "good", "bad", "odd"):
        assert contrast(colours[name], colours["card"]) >= 4.5
        assert contrast(colours[name], colours["soft"]) >= 4.2


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colour_blind_readers_can_tell_the_first_colours_apart(colours: dict[str, str]) -> None:
    for matrix_ in COLOUR_BLIND:
        seen = [_lab(colours[f"c{place}"], matrix_) for place in range(4)]
        for one, other in itertools.combinations(seen, 2):
            assert math.dist(one, other) > 12


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_an_outcome_has_one_colour_that_anybody_can_tell_from_the_others(colours: dict[str, str]) -> None:
    for name in OUTCOME_LOOKS:
        assert contrast(colours[name], colours["card"]) >= 4.5
        assert contrast(colours[name], colours[f"{name}-soft"]) >= 4.5
        assert f".pill.{name}{{" in theme()
    assert len({look.sign for look in OUTCOME_LOOKS.values()}) == len(OUTCOME_LOOKS) == len(Outcome) + 1
    for matrix_ in (((1, 0, 0), (0, 1, 0), (0, 0, 1)), *COLOUR_BLIND):
        seen = [_lab(colours[name], matrix_) for name in OUTCOME_LOOKS]
        for one, other in itertools.combinations(seen, 2):
            assert math.dist(one, other) > 15


def _lab(colour: str, seen: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    red, green, blue = (min(max(sum(a * b for a, b in zip(row, linear, strict=True)), 0.0), 1.0) for row in seen)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    cube = [value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z)]
    return 116 * cube[1] - 16, 500 * (cube[0] - cube[1]), 200 * (cube[1] - cube[2])


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_in_bars_can_be_read(colours: dict[str, str]) -> None:
    for name in ("always", "sometimes", "never", "passed", "failed", "errored", *(f"c{place}" for place in range(8))):
        text = on(name).removeprefix("var(--").removesuffix(")")
        assert contrast(colours[text], colours[name]) >= 3.9, name


def test_both_themes_have_every_colour_and_paper_is_light() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert theme().count("--card:#ffffff") == 2, "by default, and in print"


@given(st.lists(numbers, min_size=1, max_size=6))
def test_a_scale_holds_its_values_and_has_round_ticks(values: list[float]) -> None:
    scale = around(values, 10, 300)
    assert scale.ticks == tuple(sorted(set(scale.ticks))) and 2 <= len(scale.ticks) <= 12
    for value in values:
        assert scale.holds(value)
        assert 10 <= scale(value) <= 300
    steps = {round(b - a, 6) for a, b in itertools.pairwise(scale.ticks)}
    assert max(steps) - min(steps) <= 1e-5 * max(1.0, max(map(abs, scale.ticks)))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_a_scale_of_rates_never_leaves_nought_to_one(values: list[float]) -> None:
    scale = around(values, 0, 100, floor=0.0, ceiling=1.0)
    assert 0 <= scale.low < scale.high <= 1
    assert all(scale.holds(value) for value in values)
    assert scale(scale.low) == 0 and scale(scale.high) == 100


def test_what_is_infinite_lies_at_the_edge() -> None:
    scale = around([1.0, math.inf, 2.0], 0, 100)
    assert scale(math.inf) == 100 and scale(-math.inf) == 0
    assert not scale.holds(math.inf)


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=6))
def test_a_logarithmic_scale_keeps_the_order(values: list[float]) -> None:
    scale = logarithmic(values, 0, 100)
    places = [scale(value) for value in sorted(values)]
    assert places == sorted(places) and len(scale.ticks) <= 24
    assert all(scale.low <= tick <= scale.high for tick in scale.ticks)


def test_numbers_are_written_with_few_digits() -> None:
    assert [percent(value) for value in (0.0, 0.4, 0.025, 1.0)] == ["0%", "40%", "2.5%", "100%"]
    assert [points(value) for value in (0.1, -0.025, 0.0, -0.0001)] == ["+10", "\u22122.5", "0", "0"]
    assert [plainly(value) for value in (0.0, 0.01234, 1.234, 123.4, 12345.0, math.inf, -2.5)] == [
        "0", "0.0123", "1.23", "123", "12,345", "∞", "\u22122.5",
    ]  # fmt: skip
    assert [rounded(value) for value in (-0.04, -1.25, 1234.5)] == ["0.0", "\u22121.2", "1,234.5"]
    assert signed(3.0) == "+3"


@given(st.floats(1e-12, 1e12))
def test_a_step_is_round_and_large_enough(rough: float) -> None:
    step = nice_step(rough)
    assert rough * (1 - 1e-8) <= step <= rough * 2.6
    assert round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6) in (1, 2, 2.5, 5)


@given(st.text(max_size=60), st.floats(10, 300))
def test_text_fits_its_room(said: str, room: float) -> None:
    shown = fit(said, room)
    assert width_of(shown) <= max(room, width_of("…"))
    assert shown == printable(said) or shown.endswith("…")


@given(st.text(max_size=600))
def test_printable_text_is_fit_for_xml(said: str) -> None:
    from fairground.report.html import text

    ElementTree.fromstring(f"<x>{text(printable(said))}</x>".encode())


def test_the_widths_of_letters_are_near_those_of_the_font() -> None:
    from PIL import ImageFont

    font = ImageFont.truetype("LiberationSans-Regular.ttf", 120)  # as wide as Helvetica, by design; set-up installs it
    for line in ("claude-opus [no memory]", "Success rate, mean of apps", "62.4 [58.1, 66.5]", "WIDGETS & Motors"):
        true = font.getlength(line) / 10
        assert true * 0.99 <= width_of(line, 12) <= true * 1.15, line


def test_an_interval_is_drawn_where_it_lies() -> None:
    row = Row("a", Interval(0.5, 0.25, 0.75), look_of(0), note="")
    drawing = forest([row], width=WIDE, write=percent, axis="", floor=0.0, ceiling=1.0, zero=0.0)
    line = re.search(r'<path d="M([\d.]+) [\d.]+H([\d.]+)" stroke="var\(--c0\)"', str(drawing.body))
    axis = re.search(r'<path d="M([\d.]+) [\d.]+H([\d.]+)" stroke="var\(--ghost\)"', str(drawing.body))
    assert line and axis
    start, end = float(axis[1]), float(axis[2])
    low, high = ((float(line[at]) - start) / (end - start) for at in (1, 2))
    assert low == pytest.approx(0.25, abs=0.003) and high == pytest.approx(0.75, abs=0.003)


@pytest.mark.parametrize("width", [340, WIDE])
def test_an_axis_of_rates_goes_from_0_to_100_percent_whatever_the_rates(width: int) -> None:
    low = Interval(0.05, 0.02, 0.11)
    spot = Spot("a", look_of(0), Interval(1.0, 0.5, 2.0), low)
    drawings = (
        forest([Row("a", low, look_of(0))], width=width, write=percent, axis="Score", floor=0.0, ceiling=1.0),
        scatter([spot], width=width, x_axis="Cost", y_axis="Score", write=plainly),
    )
    for drawing in drawings:
        assert ">0%<" in str(drawing.body) and ">100%<" in str(drawing.body)


def test_an_end_beyond_the_axis_is_an_arrow() -> None:
    def tips(high: float) -> int:
        rows = [Row("a", Interval(1.0, 0.5, high), look_of(0)), Row("b", Interval(2.0, 1.5, 2.5), look_of(1))]
        return str(forest(rows, width=WIDE, write=plainly, axis="").body).count('z" fill="var(--c0)"></path>')

    assert (tips(1.5), tips(math.inf)) == (0, 1)


def test_a_profile_falls_just_behind_the_rate_that_an_app_reached() -> None:
    # Two apps with rates 0.5 and 1: the share is 1 up to and with 0.5, then a half.
    curve = Curve("a", look_of(0), (0.0, 0.5, 0.6, 1.0), (1.0, 1.0, 0.5, 0.5), step=True)
    drawing = panels(
        [Panel("", (curve,))], width=WIDE, across=1, x=(0.0, 1.0), ticks=(0.0, 1.0), x_axis="", y_axis="",
        write_x=percent, write_y=percent,
    )  # fmt: skip
    found = re.search(r'd="(M[^"]+)" fill="none" stroke="var\(--c0\)"', str(drawing.body))
    assert found
    corners = [tuple(map(float, pair.split())) for pair in found[1][1:].split("L")]
    left, right = corners[0][0], corners[-1][0]
    middle = left + (right - left) / 2
    assert [round(x, 1) for x, _ in corners] == [left, round(middle, 1), round(middle, 1), right]
    assert corners[0][1] == corners[1][1] < corners[2][1] == corners[3][1]


def test_the_parts_of_a_bar_fill_it_in_proportion() -> None:
    row = Stack("a", (1.0, 2.0, 1.0), ("x", "y", "z"), ("", "", ""))
    names = [("one", "always"), ("two", "sometimes"), ("three", "never")]
    body = str(stacks([row], names, width=WIDE, axis="").body)
    boxes = [float(width) for width in re.findall(r'width="([\d.]+)" height="22"', body)]
    assert boxes[1] + 1 == pytest.approx(2 * (boxes[0] + 1), abs=0.2) and boxes[0] == pytest.approx(boxes[2], abs=0.2)


def test_the_ribbons_of_a_flow_are_as_thick_as_their_numbers() -> None:
    body = str(flow([[10, 0, 0], [5, 0, 0], [0, 0, 5]], [("a", "always"), ("b", "sometimes"), ("c", "never")],
                    ("x", "y"), width=WIDE).body)  # fmt: skip
    thick = [float(high) for high in re.findall(r"v([\d.]+)C", body)]
    assert len(thick) == 3 and thick[0] == pytest.approx(2 * thick[1], abs=0.2)
    assert body.count('fill="var(--more)"') == 1 and body.count('fill="var(--less)"') == 0


def test_the_pareto_front_has_those_that_nobody_beats() -> None:
    assert front([(1, 0.5), (2, 0.4), (3, 0.9), (3, 0.8), (1, 0.5)]) == [0, 4, 2]
    assert front([(1, 0.9), (2, 0.5)]) == [0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8))
def test_who_is_off_the_front_is_beaten_by_one_on_it(raw: list[tuple[int, int]]) -> None:
    found = [(float(cost), float(good)) for cost, good in raw]
    best = front(found)
    for place, (cost, good) in enumerate(found):
        beaten = any(found[at][0] <= cost and found[at][1] >= good and found[at] != (cost, good) for at in best)
        assert beaten == (place not in best)


def test_a_scale_says_what_it_holds() -> None:
    assert whole(0, 100)(0.25) == 25
    assert Scale(0, 1, 100, 0, ())(0.25) == 75, "an axis may run upwards"


def test_only_curves_with_whiskers_are_shifted_apart() -> None:
    xs = (0.0, 50.0, 100.0)

    def curve(place: int, *, points: bool) -> Curve:
        return Curve(f"c{place}", look_of(place), xs, (0.2,) * 3, (0.1,) * 3, (0.3,) * 3, points=points)

    def whiskers(*curves: Curve) -> list[float]:
        drawing = panels(
            [Panel("", curves)], width=700, across=1, x=(0, 100), ticks=(0.0, 100.0), x_axis="x", y_axis="y",
            write_x=str, write_y=str,
        )  # fmt: skip
        return [float(at) for at in re.findall(r'<path d="M([\d.]+) [\d.]+V', str(drawing))]

    alone = whiskers(curve(0, points=True))
    assert whiskers(curve(0, points=True), curve(1, points=False), curve(2, points=False)) == alone
    both = whiskers(curve(0, points=True), curve(1, points=True))
    assert both[0] < alone[0] < both[3]
