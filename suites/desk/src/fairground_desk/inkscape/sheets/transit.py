"""A network map of trams and ferries: districts, lines and stops."""

from __future__ import annotations

from fairground_desk.inkscape.sheet import Layers, Sheet, draw_legend, draw_plate, draw_stamp
from fairground_desk.inkscape.svgwriter import SvgWriter

_RING, _INNER, _COAST = "#cfe8ef", "#f7d6d0", "#e3e0b8"

_DISTRICTS = (
    ("Hamamatsu North", 30, 60, 70, 44, _RING),
    ("Kita", 104, 60, 52, 44, _RING),
    ("Sanarudai", 160, 60, 60, 44, _RING),
    ("Old Castle", 30, 108, 58, 40, _INNER),
    ("Station Square", 92, 108, 64, 40, _INNER),
    ("Takabayashi", 160, 108, 60, 40, _INNER),
    ("Fish Market", 30, 152, 46, 50, _COAST),
    ("Nakatajima Dunes", 80, 152, 76, 50, _COAST),
    ("Harbour", 160, 152, 60, 50, _COAST),
    ("Airfield", 224, 60, 50, 88, _RING),
)
_STOPS = (
    ("Stop Castle Park", 40),
    ("Stop Music Hall", 58),
    ("Stop Central", 103),
    ("Stop Act Tower", 118),
    ("Stop River", 161),
    ("Stop Stadium", 205),
)


def transit() -> Sheet:
    """Return the network map."""
    size = (420.0, 297.0)
    out = SvgWriter(*size, family="Liberation Sans", metadata={"title": "Network 2023", "rights": "Entetsu Kotsu"})
    out.guide(30, upright=True)
    out.guide(210, upright=True)
    out.guide(130, upright=False)
    with out.layer("Ground", locked=True) as base:
        out.rect("Sheet ground", 0, 0, 420, 297, "#ffffff")
        out.rect("Sea", 0, 206, 420, 60, "#b8d4ea")
        banner = out.rect(
            "Colour band", 30, 270, 250, 10, out.gradient("sea", "#003f72", "#7fc4e8", (30, 270, 250, 10)),
        )  # fmt: skip
    with out.layer("Network") as main:
        blocks = tuple(out.rect(*district) for district in _DISTRICTS)
        links = (
            out.line("Line 1 Red", [(36, 128), (140, 128), (215, 128), (250, 104)], "#d4213d", 2.6),
            out.line("Line 2 Blue", [(64, 64), (64, 128), (64, 198)], "#1b4f9c", 2.6),
            out.line("Line 3 Green", [(124, 64), (124, 128), (190, 176)], "#2f8f46", 2.6),
            out.line("Ferry A", [(190, 200), (240, 236), (330, 236)], "#0b6fa4", 1.4, dash="3,3"),
            out.line("Night bus N7", [(36, 82), (124, 82), (210, 82), (210, 176)], "#444444", 1.2, dash="1,2"),
        )
        dots = tuple(out.circle(name, x, 128, 3.2, "#202020") for name, x in _STOPS)
        strip = out.rect("Grey band", 30, 284, 250, 6, "#c8c8c8")
        photo = out.image("Photo of the night sky", 310, 60, 80, 52, "../../Pictures/galaxies.jpg")
        lens = out.ellipse("Round window", 350, 86, 34, 22, "#fafafa")
        plate, tab = draw_plate(out, ("Notice board", "Notice flap"), (312, 130), ("#22577a", "#57cc99"))
        stamp = draw_stamp(out, "Operator mark", (366, 18), "#d4213d")
        first = out.rect("DRAFT depot", 226, 152, 22, 14, "#ff7a00")
        second = out.line("DRAFT extension", [(250, 104), (270, 104), (270, 70)], "#ff7a00", 2)
    with out.layer("Lettering") as labels:
        captions = tuple(
            out.text(f"District {name}", x + 3, y + 6, 4.2, name, fill="#37506b") for name, x, y, *_ in _DISTRICTS
        )
        title = out.text("Map title", 30, 36, 14, "Trams and ferries", weight="bold", fill="#003f72")
        subtitle = out.text("Map subtitle", 30, 48, 6, "Network map, valid from April 2023")
        fares = out.text("Fare notice", 312, 190, 4.4, "Day ticket 2023: 800 yen\nchildren 400 yen")
        imprint = out.text("Map imprint", 312, 284, 3.4, "Plan: M. Okabe, edition 2023/2", fill="#777777")
        legend, parts = draw_legend(
            out, "Map key", (312, 208), (("Outer ring", _RING), ("Inner city", _INNER), ("Coast", _COAST))
        )
        third = out.text("DRAFT stop name", 252, 70, 4, "Airfield East?", fill="#ff7a00")
    with out.layer("Corrections", hidden=True) as notes:
        out.rect("Correction slip", 180, 30, 70, 18, "#fff3b0")
        out.text("Correction text", 183, 38, 4, "Move the ferry label\nas agreed on Tuesday", fill="#5d4037")
        fourth = out.circle("DRAFT circle", 190, 200, 6, "#ff7a00")
    return Sheet(
        path="~/Documents/Maps/network-map.svg", organisation="Entetsu Kotsu", person="Mio Okabe", size=size,
        block_word="district", colors=(_RING, _INNER, _COAST), layers=Layers(base, main, labels, notes),
        blocks=blocks, dots=dots, links=links[:4], captions=captions, title=title, subtitle=subtitle,
        dated=(subtitle, fares, imprint), year=2023, legend=legend, legend_parts=parts, stamp=stamp, plate=plate,
        tab=tab, drafts=(first, second, third, fourth), photo=photo, lens=lens, banner=banner, strip=strip,
        picture="~/Pictures/gravel.jpg", write=out.finish,
    )  # fmt: skip
