"""The process diagram of a coffee roastery, for its audit: steps, ducts and measuring points."""

from __future__ import annotations

from fairground_desk.inkscape.sheet import Layers, Sheet, draw_legend, draw_plate, draw_stamp
from fairground_desk.inkscape.svgwriter import SvgWriter

_COLD, _HOT, _PACKED = "#bcd7f0", "#f3b8a0", "#d8cbb5"

_STEPS = (
    ("Green store", 15, 60, 34, 20, _COLD),
    ("Cleaning", 59, 60, 34, 20, _COLD),
    ("Weighing", 103, 60, 34, 20, _COLD),
    ("Roaster one", 147, 52, 36, 28, _HOT),
    ("Roaster two", 147, 92, 36, 28, _HOT),
    ("Afterburner", 193, 52, 30, 28, _HOT),
    ("Cooling sieve", 103, 96, 34, 24, _COLD),
    ("Blending", 59, 96, 34, 24, _PACKED),
    ("Grinding", 15, 96, 34, 24, _PACKED),
    ("Packing line", 15, 136, 78, 22, _PACKED),
    ("Gas supply", 193, 92, 30, 28, _HOT),
    ("Dispatch", 103, 136, 80, 22, _PACKED),
)
_POINTS = (("Sensor T1", 24), ("Sensor T2", 39), ("Sensor T3", 71), ("Sensor P1", 96), ("Sensor P2", 110))


def roastery() -> Sheet:
    """Return the process diagram."""
    size = (279.4, 215.9)
    out = SvgWriter(*size, family="Liberation Sans", metadata={"title": "Process", "creator": "Q. Sandoval"})
    out.guide(15, upright=True)
    out.guide(170, upright=False)
    with out.layer("Frame", locked=True) as base:
        out.rect("Sheet colour", 0, 0, 279.4, 215.9, "#fbf7f2")
        out.rect("Hall outline", 8, 46, 222, 120, "#f3ece2", rx=2)
        banner = out.rect(
            "Warm bar", 8, 8, 222, 6, out.gradient("roast", "#3b1f12", "#d98e4a", (8, 8, 222, 6)),
        )  # fmt: skip
    with out.layer("Process") as main:
        links = (
            out.line("Duct green beans", [(49, 70), (59, 70)], "#4f6d3a", 1.4),
            out.line("Duct charge", [(137, 70), (147, 70)], "#4f6d3a", 1.4),
            out.line("Duct hot beans", [(147, 106), (137, 106)], "#8c3b1b", 1.8),
            out.line("Exhaust", [(183, 66), (193, 66)], "#777777", 1.2, dash="2,1"),
            out.line("Gas main", [(193, 106), (183, 106)], "#c79a00", 1.2),
        )
        blocks = tuple(out.rect(*step) for step in _STEPS)
        dots = tuple(out.circle(name, x, 182, 2.8, "#1565c0") for name, x in _POINTS)
        strip = out.rect("Cold bar", 8, 206, 222, 5, "#d0d0d0")
        photo = out.image("Photo of a cup", 222, 160, 48, 32, "../../Pictures/coffee.jpg")
        lens = out.ellipse("Cup cutout", 246, 176, 20, 13, "#ffffff")
        plate, tab = draw_plate(out, ("Label roll", "Label cutter"), (232, 104), ("#6d4c41", "#ffb300"))
        stamp = draw_stamp(out, "Roaster crest", (250, 16), "#3b1f12")
        first = out.rect("DRAFT silo", 232, 56, 16, 30, "#00c853")
        second = out.circle("DRAFT valve", 188, 86, 2.2, "#00c853")
    with out.layer("Names") as labels:
        captions = tuple(
            out.text(f"Step {name}", x + w / 2, y + h / 2 + 1.5, 4, name, anchor="middle")
            for name, x, y, w, h, _ in _STEPS
        )
        title = out.text("Diagram title", 15, 30, 10, "From sack to bag", weight="bold", fill="#3b1f12")
        subtitle = out.text("Diagram subtitle", 15, 40, 5, "Process diagram for the 2022 audit")
        limits = out.text("Limit values", 130, 180, 3.6, "Emission limits of 2022\nCO below 50 mg/m3")
        imprint = out.text("Diagram imprint", 15, 200, 3.2, "Q. Sandoval, Tostaduría Andina, 2022", fill="#777777")
        legend, parts = draw_legend(
            out, "Key of zones", (185, 176), (("Cold zone", _COLD), ("Hot zone", _HOT), ("Packed goods", _PACKED))
        )
        third = out.text("DRAFT question", 232, 92, 3.4, "new silo?", fill="#00c853")
    with out.layer("Auditor comments", hidden=True) as notes:
        out.rect("Comment card", 110, 20, 56, 18, "#fff59d")
        out.text("Comment text", 113, 28, 3.4, "Show the second exhaust\nbefore the visit", fill="#5d4037")
        fourth = out.line("DRAFT line", [(183, 100), (193, 86)], "#00c853", 0.8)
    return Sheet(
        path="~/Documents/Audit/process.svg", organisation="Tostaduría Andina", person="Quilla Sandoval", size=size,
        block_word="step", colors=(_COLD, _HOT, _PACKED), layers=Layers(base, main, labels, notes), blocks=blocks,
        dots=dots, links=links[:4], captions=captions, title=title, subtitle=subtitle,
        dated=(subtitle, limits, imprint), year=2022, legend=legend, legend_parts=parts, stamp=stamp, plate=plate,
        tab=tab, drafts=(first, second, third, fourth), photo=photo, lens=lens, banner=banner, strip=strip,
        picture="~/Pictures/astronaut.jpg", write=out.finish,
    )  # fmt: skip
