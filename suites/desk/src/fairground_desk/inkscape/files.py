"""The other files in a user's folders: name badges, a sheet of marks, notes and pictures."""

from __future__ import annotations

from importlib.resources import files

from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import SvgWriter

PICTURES = ("astronaut", "brick", "clock", "coffee", "galaxies", "grass", "gravel", "moon")

_PEOPLE = (
    ("Amira Haddad", "Guest"),
    ("Bo Lindqvist", "Speaker"),
    ("Chidi Okonkwo", "Guest"),
    ("Dolores Ibarra", "Press"),
    ("Emil Horváth", "Speaker"),
    ("Fatou Sarr", "Guest"),
    ("Gwen Pritchard", "Staff"),
    ("Hiroto Abe", "Guest"),
    ("Ines Duarte", "Staff"),
    ("Jonas Weber", "Press"),
    ("Keala Mahoe", "Speaker"),
    ("Liu Yan", "Guest"),
)


def other_files(sheet: Sheet) -> dict[str, bytes]:
    """Return all files except the drawing, by path."""
    folder = sheet.path.rpartition("/")[0]
    contents = {f"~/Pictures/{name}.jpg": picture(name) for name in PICTURES}
    for number, (name, role) in enumerate(_PEOPLE, 1):
        place = f"~/Documents/Badges/badge-{number:02d}-{name.split()[-1].lower()}.svg"
        contents[place] = _badge(sheet, name, role)
    contents["~/Documents/Badges/list.csv"] = "".join(
        f"{number},{name},{role}\n" for number, (name, role) in enumerate(_PEOPLE, 1)
    ).encode()
    contents[f"{folder}/marks.svg"] = _marks(sheet)
    contents[f"{folder}/notes.txt"] = (
        f"{sheet.organisation}, {sheet.file}\n\n"
        f"- drawn by {sheet.person}, {sheet.year}\n"
        f"- colours: {', '.join(sheet.colors)}\n"
        f"- layers from below: {', '.join(layer.label for layer in vars(sheet.layers).values())}\n"
        "- drafts are marked with DRAFT in their names\n"
    ).encode()
    for quarter in range(1, 5):
        contents[f"~/Documents/Archive/{sheet.year - 1}-q{quarter}/{sheet.file}"] = _old(sheet, quarter)
    return contents


def picture(name: str) -> bytes:
    """Return a packaged photograph."""
    return files("fairground_desk.inkscape").joinpath(f"data/{name}.jpg").read_bytes()


def _badge(sheet: Sheet, name: str, role: str) -> bytes:
    out = SvgWriter(85, 54)
    with out.layer("Ground"):
        out.rect("Card", 0, 0, 85, 54, "#ffffff")
        out.rect("Edge", 0, 0, 85, 9, sheet.colors[len(role) % 3])
    with out.layer("Words"):
        out.text("Name", 42.5, 28, 8, name, anchor="middle", weight="bold")
        out.text("Role", 42.5, 38, 5, role, anchor="middle")
        out.text("House", 42.5, 48, 3.6, sheet.organisation, anchor="middle", fill="#666666")
    return out.finish()


def _marks(sheet: Sheet) -> bytes:
    out = SvgWriter(210, 148)
    with out.layer("Ground"):
        out.rect("Paper", 0, 0, 210, 148, "#ffffff")
    with out.layer("Marks"):
        for number in range(12):
            x, y = 20 + number % 4 * 46, 20 + number // 4 * 40
            out.rect(f"Mark {number + 1} square", x, y, 18, 18, sheet.colors[number % 3])
            out.circle(f"Mark {number + 1} disc", x + 22, y + 9, 6 + number % 5, "#333333")
            out.text(f"Mark {number + 1} name", x, y + 26, 3.4, f"Variant {number + 1}")
    return out.finish()


def _old(sheet: Sheet, quarter: int) -> bytes:
    out = SvgWriter(*sheet.size)
    with out.layer("Ground"):
        out.rect("Sheet", 0, 0, *sheet.size, "#ffffff")
    with out.layer("Main"):
        for number, block in enumerate(sheet.blocks):
            out.rect(block.label, 15 + number % 6 * 28, 40 + number // 6 * 30, 24, 10 + quarter * 3, "#cccccc")
        out.text("Title", 15, 25, 9, f"{sheet.organisation}, quarter {quarter} of {sheet.year - 1}")
    return out.finish()
