"""Files that the sites offer: tables, leaflets, charts. The bytes are the same on every run."""

from __future__ import annotations

import csv
import io
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from PIL import Image, ImageDraw

from fairground_desk.browser.person import Person

_INK = ((38, 70, 83), (42, 157, 143), (138, 177, 125), (233, 196, 106), (244, 162, 97), (231, 111, 81))


def record_csv(person: Person, group: str = "") -> bytes:
    """Return the catalogue as CSV, all of it or a group."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("Number", *person.columns))
    for number, row in enumerate(person.records, 1):
        if not group or row[1] == group:
            writer.writerow((number, *row))
    return text.getvalue().encode()


def record_pdf(title: str, lines: Sequence[str]) -> bytes:
    """Return a one-page PDF with a title and lines."""
    shown = [("/F1 20 Tf", title), *(("/F1 11 Tf", line) for line in lines)]
    stream = ["BT 60 770 Td 26 TL"]
    for font, text in shown:
        latin = text.encode("latin-1", "replace").decode("latin-1")
        escaped = latin.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        stream.append(f"{font} ({escaped}) Tj T*")
    content = "\n".join([*stream, "ET"]).encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, entry in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, entry)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + head + table + tail


@lru_cache(maxsize=32)
def chart(person: Person, column: int) -> bytes:
    """Return a bar chart: the number of records per value of a column, or per eight ranges of numbers."""
    values = [row[column] for row in person.records]
    if isinstance(values[0], str):
        bars = Counter(str(value) for value in values).most_common(8)
    else:
        numbers = [float(value) for value in values]
        low, high = min(numbers), max(numbers)
        step = (high - low) / 8 or 1.0
        bars = [
            (f"{low + step * k:g}", sum(low + step * k <= x < low + step * (k + 1) for x in numbers)) for k in range(8)
        ]
    picture = Image.new("RGB", (640, 400), (250, 250, 247))
    draw = ImageDraw.Draw(picture)
    draw.text(
        (24, 16),
        f"{person.titles['catalogue']}: {person.columns[column]}".encode("ascii", "replace").decode(),
        fill=(20, 20, 20),
    )
    most = max(count for _, count in bars) or 1
    for place, (name, count) in enumerate(bars):
        left, top = 40 + place * 74, 360 - round(290 * count / most)
        draw.rectangle((left, top, left + 54, 360), fill=_INK[(place + zlib.crc32(person.key.encode())) % len(_INK)])
        draw.text((left, 364), name.encode("ascii", "replace").decode()[:9], fill=(60, 60, 60))
        draw.text((left + 14, top - 14), str(count), fill=(60, 60, 60))
    draw.line((30, 360, 620, 360), fill=(90, 90, 90), width=2)
    stored = io.BytesIO()
    picture.save(stored, "PNG")
    return stored.getvalue()
