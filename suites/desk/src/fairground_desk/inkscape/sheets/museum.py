"""The ground floor of a city museum, for its leaflet: rooms, paths and exhibits."""

from __future__ import annotations

from fairground_desk.inkscape.sheet import Layers, Sheet, draw_legend, draw_plate, draw_stamp
from fairground_desk.inkscape.svgwriter import SvgWriter

_GALLERY, _SERVICE, _PUBLIC = "#c9dfa8", "#d9c7e3", "#f5d491"

_ROOMS = (
    ("Entrance hall", 20, 120, 46, 40, _PUBLIC),
    ("Cloakroom", 20, 96, 22, 22, _SERVICE),
    ("Ticket office", 44, 96, 22, 22, _SERVICE),
    ("Roman gallery", 68, 60, 42, 46, _GALLERY),
    ("Medieval gallery", 112, 60, 52, 46, _GALLERY),
    ("Harbour gallery", 166, 60, 38, 46, _GALLERY),
    ("Sculpture court", 68, 108, 60, 52, _PUBLIC),
    ("Print room", 130, 108, 34, 24, _GALLERY),
    ("Workshop", 130, 134, 34, 26, _SERVICE),
    ("Museum shop", 166, 108, 38, 24, _PUBLIC),
    ("Loading bay", 166, 134, 38, 26, _SERVICE),
)
_EXHIBITS = (
    ("Exhibit 1 mosaic", 76),
    ("Exhibit 2 altar", 84),
    ("Exhibit 3 galley", 101),
    ("Exhibit 4 anchor", 109),
    ("Exhibit 5 loom", 123),
)


def museum() -> Sheet:
    """Return the floor plan."""
    size = (297.0, 210.0)
    out = SvgWriter(*size, metadata={"title": "Ground floor, working copy", "creator": "Ilse Vandamme"})
    out.guide(20, upright=True)
    out.guide(160, upright=False)
    with out.layer("Paper", locked=True) as base:
        out.rect("Paper ground", 0, 0, 297, 210, "#fdfbf5")
        out.rect("Lawn", 12, 50, 206, 118, "#e7efe0", rx=3)
        north = out.line("Street Zeugstraat", [(8, 172), (222, 172)], "#9a9a9a", 3)
        banner = out.rect(
            "Header band", 0, 0, 297, 12, out.gradient("dusk", "#7a1f3d", "#f0b36a", (0, 0, 297, 12)),
        )  # fmt: skip
    with out.layer("Rooms") as main:
        blocks = tuple(out.rect(*room) for room in _ROOMS)
        dots = tuple(out.circle(name, x, 140, 2.5, "#a33b20") for name, x in _EXHIBITS)
        links = (
            out.line(
                "Visitor route", [(43, 150), (72, 150), (72, 112), (90, 84), (138, 84), (185, 84)], "#1f5fa8", 1.2
            ),
            out.line("Staff route", [(31, 107), (55, 107), (147, 147), (185, 147)], "#555555", 0.8, dash="2,2"),
            out.line("Fire exit east", [(204, 146), (214, 146)], "#c01818", 1.6),
            out.line("Fire exit west", [(20, 140), (14, 140)], "#c01818", 1.6),
            north,
        )
        strip = out.rect("Footer band", 0, 200, 297, 10, "#dddddd")
        photo = out.image("Photo of the clock tower", 228, 92, 54, 36, "../../Pictures/clock.jpg")
        lens = out.ellipse("Photo frame", 255, 110, 22, 15, "#ffffff")
        plate, tab = draw_plate(out, ("Sign plate", "Sign arrow"), (230, 140), ("#37474f", "#607d8b"))
        stamp = draw_stamp(out, "House mark", (262, 20), "#7a1f3d")
        first = out.rect("DRAFT partition wall", 94, 128, 30, 1.5, "#ff00aa")
        second = out.circle("DRAFT plinth", 118, 152, 3, "#ff00aa")
    with out.layer("Labels") as labels:
        captions = tuple(
            out.text(f"Name {name}", x + w / 2, y + h / 2, 3.4, name.replace(" ", "\n", 1), anchor="middle")
            for name, x, y, w, h, _ in _ROOMS
        )
        title = out.text("Plan title", 20, 32, 10, "Stadsmuseum Aalborre", weight="bold", fill="#7a1f3d")
        subtitle = out.text("Plan subtitle", 20, 42, 5, "Ground floor, season 2024")
        hours = out.text("Opening hours", 228, 182, 3.6, "Summer 2024: 10 to 18 h\nclosed on Mondays")
        imprint = out.text("Imprint", 20, 192, 3.2, "Drawn by I. Vandamme, 2024, scale about 1:400", fill="#666666")
        legend, parts = draw_legend(
            out, "Legend", (230, 52), (("Galleries", _GALLERY), ("Service", _SERVICE), ("Public areas", _PUBLIC))
        )
        third = out.text("DRAFT remark lift", 170, 120, 3, "lift here?", fill="#ff00aa")
    with out.layer("Review notes", hidden=True) as notes:
        out.rect("Note card", 120, 170, 60, 20, "#fff59d")
        out.text("Note text", 122, 178, 3.4, "Check the width of the\nloading bay with Ruben", fill="#5d4037")
        fourth = out.line("DRAFT arrow", [(150, 170), (185, 150)], "#ff00aa", 0.7)
    return Sheet(
        path="~/Documents/Leaflet/ground-floor.svg", organisation="Stadsmuseum Aalborre", person="Ilse Vandamme",
        size=size, block_word="room", colors=(_GALLERY, _SERVICE, _PUBLIC), layers=Layers(base, main, labels, notes),
        blocks=blocks, dots=dots, links=links[:4], captions=captions, title=title, subtitle=subtitle,
        dated=(subtitle, hours, imprint), year=2024, legend=legend, legend_parts=parts, stamp=stamp, plate=plate,
        tab=tab, drafts=(first, second, third, fourth), photo=photo, lens=lens, banner=banner, strip=strip,
        picture="~/Pictures/brick.jpg", write=out.finish,
    )  # fmt: skip
