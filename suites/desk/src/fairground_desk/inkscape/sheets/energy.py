"""An infographic of a grid operator: real data on renewable electricity in Iowa, one bar per year."""

from __future__ import annotations

import csv
from importlib.resources import files

from fairground_desk.inkscape.sheet import Layers, Sheet, draw_legend, draw_plate, draw_stamp
from fairground_desk.inkscape.svgwriter import SvgWriter

_LOW, _MIDDLE, _HIGH = "#f2c879", "#8fc7a1", "#2d8f8b"

_TURBINES = (("Dot Adair", 22), ("Dot Carroll", 45), ("Dot Hardin", 58), ("Dot Ida", 92), ("Dot Story", 113))


def figures(source: str = "Renewables") -> dict[int, int]:
    """Return gigawatt hours by year."""
    text = files("fairground_desk.inkscape").joinpath("data/iowa-electricity.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {int(row["year"][:4]): int(row["net_generation"]) for row in rows if row["source"] == source}


def energy() -> Sheet:
    """Return the infographic."""
    size = (210.0, 297.0)
    out = SvgWriter(*size, metadata={"title": "Renewables, first draft", "language": "en"})
    out.guide(15, upright=True)
    out.guide(195, upright=True)
    years = figures()
    with out.layer("Backdrop", locked=True) as base:
        out.rect("Sheet", 0, 0, 210, 297, "#f4f8f7")
        out.rect("Chart ground", 12, 60, 186, 122, "#ffffff", rx=2)
        banner = out.rect("Top stripe", 0, 0, 210, 9, out.gradient("wind", "#0b5563", "#9be3c9", (0, 0, 210, 9)))
    with out.layer("Chart") as main:
        blocks = []
        for number, (year, value) in enumerate(years.items()):
            height = round(value / 200, 1)
            color = _LOW if value < 3000 else _MIDDLE if value < 12000 else _HIGH
            blocks.append(out.rect(f"Bar {year}", 18 + number * 10.4, 172 - height, 8, height, color))
        links = (
            out.line("Axis", [(15, 172), (196, 172)], "#333333", 0.6),
            out.line("Line 5000", [(15, 147), (196, 147)], "#9aa5a5", 0.3, dash="1,1"),
            out.line("Line 10000", [(15, 122), (196, 122)], "#9aa5a5", 0.3, dash="1,1"),
            out.line("Trend", [(22, 165), (100, 150), (194, 68)], "#c2571a", 0.9),
            out.line("Line 20000", [(15, 72), (196, 72)], "#9aa5a5", 0.3, dash="1,1"),
        )
        dots = tuple(out.circle(name, x, 210, 3, "#0b5563") for name, x in _TURBINES)
        strip = out.rect("Bottom stripe", 0, 288, 210, 9, "#cccccc")
        photo = out.image("Photo of the fields", 140, 196, 54, 36, "../../Pictures/grass.jpg")
        lens = out.ellipse("Oval", 167, 214, 23, 15, "#ffffff")
        plate, tab = draw_plate(out, ("Key figure card", "Key figure flag"), (18, 228), ("#0b5563", "#e08e45"))
        stamp = draw_stamp(out, "Grid mark", (178, 16), "#0b5563")
        first = out.rect("DRAFT bar 2018", 195, 70, 3, 20, "#e100ff")
        second = out.line("DRAFT forecast", [(194, 68), (205, 60)], "#e100ff", 1)
    with out.layer("Words") as labels:
        captions = tuple(
            out.text(f"Year {year}", 22 + number * 10.4, 177, 2.8, str(year), anchor="middle")
            for number, year in enumerate(years)
        )
        title = out.text("Headline", 15, 28, 11, "Wind takes over", weight="bold", fill="#0b5563")
        subtitle = out.text("Lead", 15, 40, 5, "Electricity from renewables in Iowa, report 2018")
        unit = out.text("Unit", 15, 50, 3.6, "Gigawatt hours a year; as of March 2018", fill="#555555")
        source = out.text("Source", 15, 280, 3, "Figures: U.S. EIA; graphics: Prairie Grid 2018", fill="#777777")
        legend, parts = draw_legend(
            out, "Colour key", (70, 232), (("below 3000", _LOW), ("3000 to 12000", _MIDDLE), ("above 12000", _HIGH))
        )
        third = out.text("DRAFT comment", 120, 100, 4, "tax credit ends", fill="#e100ff")
    with out.layer("Editor remarks", hidden=True) as notes:
        out.rect("Remark box", 30, 90, 60, 18, "#fff9c4")
        out.text("Remark", 33, 98, 3.6, "Ask Lena for the figures\nof the other states", fill="#5d4037")
        fourth = out.circle("DRAFT highlight", 100, 150, 5, "#e100ff")
    return Sheet(
        path="~/Documents/Annual report/renewables.svg", organisation="Prairie Grid", person="Dana Whitfield",
        size=size, block_word="bar", colors=(_LOW, _MIDDLE, _HIGH), layers=Layers(base, main, labels, notes),
        blocks=tuple(blocks), dots=dots, links=links[:4], captions=captions, title=title, subtitle=subtitle,
        dated=(subtitle, unit, source), year=2018, legend=legend, legend_parts=parts, stamp=stamp, plate=plate,
        tab=tab, drafts=(first, second, third, fourth), photo=photo, lens=lens, banner=banner, strip=strip,
        picture="~/Pictures/moon.jpg", write=out.finish,
    )  # fmt: skip
