"""PDF files for tests, written here object by object; and one as a browser's library writes it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

WORDS = b"BT /F1 12 Tf 1 0 0 1 72 700 Tm <00010002> Tj 30 0 Td (\\001\\003) Tj ET"
MARGIN = b"/Artifact <</Type /Pagination>> BDC BT /F1 9 Tf 1 0 0 1 20 20 Tm <0003> Tj ET EMC"
LETTERS = (
    b"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <0048> endbfchar "
    b"2 beginbfrange <0002> <0003> <0069> <0103> <0103> [<0065>] endbfrange"
)


def stream(data: bytes, facts: bytes = b"", *, packed: bool = True) -> bytes:
    """A stream, packed or not."""
    body = zlib.compress(data) if packed else data
    told = b"/Filter /FlateDecode " if packed else b""
    return b"<<%s%s/Length %d>> stream\n%s\nendstream" % (told, facts, len(body), body)


def objects(content: bytes = WORDS, *, title: bytes = b"(A page)", box: bytes = b"[0 0 595 842]") -> dict[int, bytes]:
    """The objects of a document of one page."""
    return {
        1: b"<</Type /Catalog /Pages 2 0 R>>",
        2: b"<</Type /Pages /Count 1 /Kids [3 0 R]>>",
        3: b"<</Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R /Annots [8 0 R] "
        b"/Resources <</Font <</F1 5 0 R>>>>>>" % box,
        4: stream(content),
        5: b"<</Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Sans /Encoding /Identity-H /ToUnicode 6 0 R>>",
        6: stream(LETTERS),
        7: b"<</Title %s /Producer (Skia/PDF m1) /CreationDate (D:20260101)>>" % title,
        8: b"<</Type /Annot /Subtype /Link /A <</S /URI /URI (http://a.example/)>>>>",
    }


def pdf(parts: Mapping[int, bytes] | None = None, *, trailer: bytes = b"") -> bytes:
    """A file of these objects, with a plain table."""
    parts = objects() if parts is None else parts
    found, places = b"%PDF-1.4\n%\xd3\xeb\xe9\xe1\n", {}
    for number, part in parts.items():
        places[number] = len(found)
        found += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(
        b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
        for number in range(max(parts) + 1)
    )
    return found + b"xref\n0 %d\n%strailer\n<</Size %d /Root 1 0 R /Info 7 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (
        max(parts) + 1, table, max(parts) + 1, trailer, len(found),
    )  # fmt: skip


def packed_pdf() -> bytes:
    """The same document, its objects in a stream and its table packed, as newer programs write it."""
    parts = objects()
    plain = {number: part for number, part in parts.items() if b"stream" not in part}
    head, body = b"", b""
    for number, part in plain.items():
        head += b"%d %d " % (number, len(body))
        body += part + b" "
    found, places = b"%PDF-1.5\n", {}
    holder = stream(head + body, b"/Type /ObjStm /N %d /First %d " % (len(plain), len(head)))
    for number, part in {4: parts[4], 6: parts[6], 9: holder}.items():
        places[number] = len(found)
        found += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    rows = [(0, 0, 255)]
    for number in range(1, 10):
        rows.append((2, 9, list(plain).index(number)) if number in plain else (1, places[number], 0))
    rows.append((1, len(found), 0))
    table, above = b"", bytes(4)
    for kind, where, place in rows:
        row = bytes([kind]) + where.to_bytes(2, "big") + bytes([place])
        table += b"\x02" + bytes((now - was) & 255 for now, was in zip(row, above, strict=True))
        above = row
    facts = b"/Type /XRef /W [1 2 1] /Size 11 /Root 1 0 R /Info 7 0 R /DecodeParms <</Predictor 12 /Columns 4>> "
    return found + b"10 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (stream(table, facts), len(found))
