"""Four users with pictures to work on: the files in their folders, and the role of each file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from fairground_desk.gimp import pictures as made
from fairground_desk.gimp.pictures import Colours, Rgb
from fairground_desk.gimp.xcfwriter import NewLayer, TextOf, write_xcf

PROJECT_SIZE = (600, 400)
BADGE_PIXELS = 120
SET_SIZE = (480, 360)


@dataclass(frozen=True)
class Studio:
    """The pictures of one user.

    Tasks are about the photograph, the second picture, the sign, the set and the project. The other files make the
    folder realistic.

    Attributes:
        owner: Name of the user.
        folder: Folder below `~/Pictures`.
        photo: Name of the main photograph, both as a file (without `.jpg`) and in `data/`.
        second: Name of another photograph.
        sign: Name of a PNG file with a round sign on white.
        project: Name of an XCF file.
        layers: Names of its layers, from the top: caption (text), sign, tint, background.
        caption: Text of the text layer.
        color: Colour of the sign.
        tint: Colour of the layer over the background.
        letter: Letter in the sign.
        set_folder: Folder with a set of similar pictures, below `folder`.
        set_names: Names of the pictures in the set.
        archive: Older pictures: maps a folder to names of photographs.
        slides: Folder below `~/Documents` with the pictures of the next presentation.
    """

    owner: str
    folder: str
    photo: tuple[str, str]
    second: tuple[str, str]
    sign: str
    project: str
    layers: tuple[str, str, str, str]
    caption: str
    color: Rgb
    tint: Rgb
    letter: str
    set_folder: str
    set_names: tuple[str, ...]
    set_pictures: tuple[str, ...]
    archive: Mapping[str, tuple[str, ...]]
    slides: str

    @property
    def home(self) -> str:
        return f"~/Pictures/{self.folder}"

    @property
    def photo_path(self) -> str:
        return f"{self.home}/{self.photo[0]}.jpg"

    @property
    def second_path(self) -> str:
        return f"{self.home}/{self.second[0]}.jpg"

    @property
    def sign_path(self) -> str:
        return f"{self.home}/{self.sign}.png"

    @property
    def project_path(self) -> str:
        return f"{self.home}/{self.project}.xcf"

    @property
    def set_paths(self) -> tuple[str, ...]:
        return tuple(f"{self.home}/{self.set_folder}/{name}.jpg" for name in self.set_names)

    @property
    def slides_folder(self) -> str:
        """Folder in which a presentation expects its pictures."""
        return f"~/Documents/{self.slides}"


STUDIOS: Mapping[str, Studio] = {
    "roastery": Studio(
        owner="Amina Yusuf, Harbour Roastery", folder="Webshop", photo=("house-blend-hero", "coffee"),
        second=("table-flowers", "flower"), sign="roastery-sign", project="autumn-banner",
        layers=("Headline", "Seal", "Warm wash", "Photo"), caption="Autumn roast", color=(150, 62, 30),
        tint=(232, 150, 60), letter="H", set_folder="Product shots",
        set_names=("espresso-250g", "filter-250g", "decaf-250g", "house-1kg", "gift-box"),
        set_pictures=("coffee", "flower", "cat", "coffee", "flower"),
        archive={"2023 opening": ("flower", "coffee", "cat"), "2024 spring market": ("coffee", "china", "flower"),
                 "Supplier visits": ("china", "flower"), "Instagram": ("cat", "coffee", "flower", "china")},
        slides="Trade fair talk/images",
    ),
    "orbit-club": Studio(
        owner="Tomasz Wieczorek, Orbit Astronomy Club", folder="Newsletter", photo=("portrait-collins", "astronaut"),
        second=("launch-night", "rocket"), sign="club-badge", project="issue-42-cover",
        layers=("Masthead", "Club badge", "Night wash", "Cover photo"), caption="Orbit No. 42", color=(34, 60, 140),
        tint=(20, 24, 90), letter="O", set_folder="Deep sky",
        set_names=("m31-frame-01", "m31-frame-02", "moon-south", "falcon-pad", "xdf-crop"),
        set_pictures=("hubble", "hubble", "moon", "rocket", "hubble"),
        archive={"Issue 40": ("moon", "rocket", "hubble"), "Issue 41": ("rocket", "astronaut", "moon"),
                 "Star party 2024": ("hubble", "moon", "hubble", "astronaut"), "Members": ("astronaut", "cat")},
        slides="Annual meeting/pictures",
    ),
    "town-museum": Studio(
        owner="Ines Ferreira, Museu da Ribeira", folder="Digitisation", photo=("plate-017-temple", "china"),
        second=("tray-03-coins", "coins"), sign="museum-stamp", project="exhibition-panel",
        layers=("Panel title", "Stamp", "Sepia wash", "Plate"), caption="Pavilions", color=(110, 84, 40),
        tint=(190, 140, 70), letter="R", set_folder="Scans 2025-03",
        set_names=("scan-0031", "scan-0032", "scan-0033", "scan-0034", "scan-0035"),
        set_pictures=("coins", "page", "china", "coins", "page"),
        archive={"Scans 2025-01": ("page", "coins", "page"), "Scans 2025-02": ("coins", "china", "page", "coins"),
                 "Loans": ("china", "coins"), "Catalogue": ("page", "china", "coins")},
        slides="Board meeting/figures",
    ),
    "pathology-lab": Studio(
        owner="Dr. Rajesh Menon, Tissue Imaging Core", folder="Figures", photo=("fig2-glands", "tissue"),
        second=("fig4-fundus", "retina"), sign="core-logo", project="graphical-abstract",
        layers=("Label", "Logo", "Highlight", "Micrograph"), caption="Glands, 20x", color=(0, 110, 100),
        tint=(120, 200, 190), letter="T", set_folder="Slide scans",
        set_names=("s101-he", "s102-he", "s103-ihc", "s104-ihc", "s105-control"),
        set_pictures=("tissue", "retina", "tissue", "tissue", "retina"),
        archive={"Revision 1": ("tissue", "retina"), "Revision 2": ("retina", "tissue", "tissue"),
                 "Poster 2024": ("tissue", "moon", "retina"), "Teaching": ("retina", "tissue", "cat")},
        slides="Lab seminar/figures",
    ),
}  # fmt: skip


@cache
def build(name: str) -> Mapping[str, bytes]:
    """Return all files of a profile by path."""
    studio = STUDIOS[name]
    files = {
        studio.photo_path: made.jpeg(made.photograph(studio.photo[1]), quality=92, comment=f"(c) {studio.owner}"),
        studio.second_path: made.jpeg(made.photograph(studio.second[1]), quality=90),
        studio.sign_path: made.png(made.badge(240, studio.color, studio.letter, (255, 255, 255))),
        studio.project_path: _project(studio),
        f"{studio.home}/README.txt": _readme(studio).encode(),
        f"{studio.slides_folder}/speaker-notes.txt": f"Notes for the talk\n\n{studio.owner}\n".encode(),
        f"{studio.slides_folder}/divider.png": made.png(made.stripes(320, 180, studio.color, studio.tint, 20)),
    }
    for number, (path, picture) in enumerate(zip(studio.set_paths, studio.set_pictures, strict=True)):
        files[path] = made.jpeg(_part(picture, number, SET_SIZE), quality=88)
    number = len(files)
    for folder, pictures in studio.archive.items():
        for picture in pictures:
            number += 1
            small = _part(picture, number, (240, 180))
            files[f"{studio.home}/Archive/{folder}/{picture}-{number:03d}.jpg"] = made.jpeg(small, quality=80)
        proof = made.stripes(200, 60, studio.tint, studio.color, 3 + number)
        files[f"{studio.home}/Archive/{folder}/swatch.png"] = made.png(proof)
        files[f"{studio.home}/Archive/{folder}/credits.txt"] = f"{folder}\nPictures: {studio.owner}\n".encode()
    return files


def _project(studio: Studio) -> bytes:
    width, height = PROJECT_SIZE
    top, sign, tint, ground = studio.layers
    white = (255, 255, 255)
    layers = [
        NewLayer(top, made.lettering(studio.caption, 44, white), x=40, y=300,
                 text=TextOf(studio.caption, "DejaVu Sans Bold", 40.0, white)),
        NewLayer(sign, made.badge(BADGE_PIXELS, studio.color, studio.letter), x=450, y=24),
        NewLayer(tint, made.plain(width, height, studio.tint, 255), opacity=0.25),
        NewLayer(ground, made.covering(made.photograph(studio.photo[1]), width, height)),
    ]  # fmt: skip
    return write_xcf(PROJECT_SIZE, layers, dpi=96.0, comment=f"{studio.owner}: {studio.caption}")


def _part(picture: str, number: int, size: tuple[int, int]) -> Colours:
    """Cut out a part of a photograph that depends on `number`, so that no two files are the same."""
    photo = made.photograph(picture)
    height, width = photo.shape[0] * 3 // 4, photo.shape[1] * 3 // 4
    left = (number * 37) % (photo.shape[1] - width)
    top = (number * 23) % (photo.shape[0] - height)
    return made.covering(photo[top : top + height, left : left + width], *size)


def _readme(studio: Studio) -> str:
    names = "\n".join(f"- {name}.jpg" for name in studio.set_names)
    return (
        f"{studio.owner}\n\n{studio.photo[0]}.jpg is the picture of record; keep it as it is.\n"
        f"{studio.project}.xcf has the layers {', '.join(studio.layers)}.\n\n{studio.set_folder}:\n{names}\n"
    )
