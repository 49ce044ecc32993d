"""Home folders of four people: photographs, invoices, projects, downloads. Invented; the same bytes every time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from PIL import Image

FOLDERS = ("~/Desktop", "~/Documents", "~/Downloads", "~/Pictures", "~/Projects")
_DAY = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Home:
    """A user's home folder.

    Attributes:
        album: A folder of photographs, taken over several months.
        second: Another folder of photographs.
        clients: Names of clients with invoices, as in file names.
        projects: Two project folders.
        months: Months in which the photographs of the album were taken.
        papers: Names of documents, without extensions.
    """

    owner: str
    seed: int
    album: str
    second: str
    clients: tuple[str, ...]
    projects: tuple[str, str]
    months: tuple[str, ...]
    papers: tuple[str, ...]
    subjects: tuple[str, ...]


HOMES: Final[Mapping[str, Home]] = {
    "photographer": Home(
        "Nadia El-Amin", 3, "Medina walks", "Studio", ("atlas-hotel", "rif-tours", "zellij"),
        ("wedding-book", "web-gallery"), ("2025-11", "2025-12", "2026-01"),
        ("price list", "model release", "studio rent", "insurance", "exhibition text"),
        ("door", "souk", "lamp", "stairs", "mosaic", "harbour"),
    ),
    "accountant": Home(
        "Piotr Zielinski", 5, "Tatra hikes", "Office party", ("bakery-wanda", "cykl-serwis", "optyk-lux"),
        ("year-end", "payroll-move"), ("2025-09", "2025-10", "2026-02"),
        ("engagement letter", "VAT calendar", "audit plan", "fee table", "office rules"),
        ("ridge", "lake", "hut", "pine", "snow", "trail"),
    ),
    "teacher": Home(
        "Mele Taufa", 7, "Reef field trip", "Class of 2026", ("school-board", "library-trust", "bus-company"),
        ("map-atlas", "science-fair"), ("2026-02", "2026-03", "2026-05"),
        ("syllabus", "reading list", "exam rules", "parents letter", "seating plan"),
        ("coral", "crab", "boat", "tide", "sand", "net"),
    ),
    "joiner": Home(
        "Hannah Lindqvist", 13, "Workshop", "Timber yard", ("cafe-mocka", "villa-strand", "kontor-ab"),
        ("oak-table", "window-seat"), ("2025-08", "2025-10", "2026-01"),
        ("tool list", "safety sheet", "wood prices", "delivery terms", "garden shed plan"),
        ("plane", "joint", "plank", "chair", "lathe", "shelf"),
    ),
}  # fmt: skip


def build(home: Home) -> dict[str, bytes]:
    """Return the content of every file, by path."""
    draw = Random(home.seed)
    files: dict[str, bytes] = {}
    for path, content in _every(home, draw):
        files[path] = content
    return files


def photo_names(home: Home, draw: Random) -> list[str]:
    """Return the names of the album's photographs: `IMG_20251104_0012.jpg`."""
    days = [f"{month.replace('-', '')}{draw.randint(1, 28):02}" for month in home.months for _ in range(6)]
    return [f"IMG_{day}_{number:04}.jpg" for number, day in enumerate(sorted(days), 11)]


def _every(home: Home, draw: Random) -> Iterator[tuple[str, bytes]]:
    yield from _pictures(home, draw)
    yield from _documents(home, draw)
    yield from _projects(home, draw)
    yield from _downloads(home, draw)
    yield "~/Desktop/read me first.txt", _prose(home, draw, 6)


def _pictures(home: Home, draw: Random) -> Iterator[tuple[str, bytes]]:
    photos = [(name, _photo(draw)) for name in photo_names(home, draw)]
    for name, content in photos:
        yield f"~/Pictures/{home.album}/{name}", content
    # Two photographs have duplicates under other names.
    for at, name in ((2, "copy of harbour.jpg"), (9, "best one.jpg")):
        yield f"~/Pictures/{home.album}/{name}", photos[at][1]
    for number, subject in enumerate(home.subjects, 1):
        yield f"~/Pictures/{home.second}/{subject}-{number}.jpg", _photo(draw)
        yield f"~/Pictures/{home.second}/{subject}-{number}.png", _photo(draw, "PNG")


def _documents(home: Home, draw: Random) -> Iterator[tuple[str, bytes]]:
    for client in home.clients:
        for month in (1, 2, 3, 4):
            yield f"~/Documents/Invoices/2026-{month:02} {client}.pdf", _paper(f"Invoice {month} {client}", draw)
    for paper in home.papers:
        yield f"~/Documents/{paper}.txt", _prose(home, draw, draw.randint(4, 30))
    for number in range(1, 5):
        yield f"~/Documents/Notes/meeting {number}.md", _prose(home, draw, 5 * number)
        yield f"~/Documents/Notes/meeting {number}.md.bak", _prose(home, draw, 5 * number - 1)
    yield "~/Documents/.drafts/letter.txt", _prose(home, draw, 7)
    yield "~/Documents/.drafts/offer.txt", _prose(home, draw, 9)
    yield "~/Documents/Contracts/lease.pdf", _paper("Lease", draw)
    yield "~/Documents/Contracts/telephone.pdf", _paper("Telephone", draw)


def _projects(home: Home, draw: Random) -> Iterator[tuple[str, bytes]]:
    for at, project in enumerate(home.projects):
        base = f"~/Projects/{project}"
        yield f"{base}/plan.md", _prose(home, draw, 12)
        yield f"{base}/budget.csv", _table(draw, 18 + 7 * at)
        yield f"{base}/.settings", b"theme=plain\n"
        for number in range(1, 5 + at):
            yield f"{base}/drafts/version {number}.txt", _prose(home, draw, 6 + number)
        for name in ("logo", "cover")[: 1 + at]:
            yield f"{base}/images/{name}.png", _photo(draw, "PNG")
        yield f"{base}/run.sh", b"#!/bin/sh\necho building\n"
        yield f"{base}/build.log", _prose(home, draw, 20)
        yield f"{base}/old.tmp", _prose(home, draw, 3)


def _downloads(home: Home, draw: Random) -> Iterator[tuple[str, bytes]]:
    for number, client in enumerate(home.clients, 1):
        yield f"~/Downloads/statement-{client}.pdf", _paper(f"Statement {client}", draw)
        yield f"~/Downloads/table_{number}.csv", _table(draw, 9 * number)
    manual = _paper("Manual", draw)
    ticket = _paper("Ticket", draw)
    yield "~/Downloads/manual.pdf", manual
    yield "~/Downloads/manual (1).pdf", manual
    yield "~/Downloads/ticket.pdf", ticket
    yield "~/Downloads/ticket (1).pdf", _paper("Ticket back", draw)
    for number in range(1, 5):
        yield f"~/Downloads/scan{number:04}.png", _photo(draw, "PNG")
    for subject in home.subjects[:3]:
        yield f"~/Downloads/{subject}-wallpaper.jpg", _photo(draw)
    for name in ("fonts", "backup"):
        yield f"~/Downloads/{name}.zip", _archive(home, draw)
    yield "~/Downloads/song list.txt", _prose(home, draw, 8)
    yield "~/Downloads/licence.txt", _prose(home, draw, 22)


def _photo(draw: Random, kind: str = "JPEG") -> bytes:
    """A small picture of sky, ground and sun."""
    sky, ground, sun = (np.array([draw.randint(40, 230) for _ in range(3)], float) for _ in range(3))
    rows = np.linspace(0, 1, 64)[:, None, None]
    pixels = sky * (1 - rows) + ground * rows + np.zeros((1, 96, 1))
    y, x = np.mgrid[:64, :96]
    pixels[(y - draw.randint(8, 30)) ** 2 + (x - draw.randint(12, 84)) ** 2 < draw.randint(20, 90)] = sun
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, kind)
    return stream.getvalue()


def _paper(title: str, draw: Random) -> bytes:
    """A PDF page with a title and a number."""
    text = f"BT /F1 18 Tf 72 720 Td ({title} no. {draw.randint(1000, 9999)}) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
    )
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)
    return body + b"xref\n0 5\n0000000000 65535 f \n" + table + end


def _table(draw: Random, rows: int) -> bytes:
    lines = [f"{number},{draw.randint(1, 40)},{draw.randint(100, 9999) / 100:.2f}" for number in range(1, rows + 1)]
    return ("row,pieces,price\n" + "".join(f"{line}\n" for line in lines)).encode()


def _prose(home: Home, draw: Random, lines: int) -> bytes:
    def words(some: Sequence[str]) -> str:
        return draw.choice(some)

    return "".join(
        f"{home.owner} looks at the {words(home.subjects)} of {words(home.clients)} ({draw.randint(1, 999)}).\n"
        for _ in range(lines)
    ).encode()


def _archive(home: Home, draw: Random) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(3):
            archive.writestr(zipfile.ZipInfo(f"part-{number}.txt", _DAY), _prose(home, draw, 4))
    return stream.getvalue()
