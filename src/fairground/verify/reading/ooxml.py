"""Office Open XML packages: what documents and presentations (.docx, .pptx) have in common on the outside."""

from __future__ import annotations

import hashlib
import posixpath
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import Archive
from fairground.verify.reading.odf import tidy
from fairground.verify.reading.prose import Chart, Metadata, Picture

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/"
_NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "a": f"{_DRAWING}main",
    "c": f"{_DRAWING}chart",
    "pic": f"{_DRAWING}picture",
    "wp": f"{_DRAWING}wordprocessingDrawing",
    "r": f"{_OFFICE}relationships",
    "vt": f"{_OFFICE}docPropsVTypes",
    "custom": f"{_OFFICE}custom-properties",
    "core": "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
    "rel": "http://schemas.openxmlformats.org/package/2006/relationships",
    "dc": "http://purl.org/dc/elements/1.1/",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
    "v": "urn:schemas-microsoft-com:vml",
}
_SHORT = {full: short for short, full in _NAMESPACES.items()}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EMU = 36_000  # in a millimetre
TWIPS = 1440 / 25.4  # in a millimetre


def tag(name: str) -> str:
    """A qualified name as the parser writes it: `w:p`."""
    space, _, local = name.partition(":")
    return f"{{{_NAMESPACES[space]}}}{local}"


def path(names: str) -> str:
    """A path of qualified names, such as `w:pPr/w:jc`."""
    return "/".join(tag(name) for name in names.split("/"))


def short(element: Element) -> str:
    """The name of an element as one writes it, such as `w:p`; foreign ones stay as they are."""
    if not isinstance(element.tag, str):
        return ""
    full, _, local = element.tag.removeprefix("{").partition("}")
    return f"{_SHORT[full]}:{local}" if full in _SHORT else element.tag


@dataclass(frozen=True)
class Relation:
    """What a part refers to by a short name."""

    kind: str
    target: str
    external: bool


class Package:
    """An opened file of the expected kind."""

    def __init__(self, data: bytes, what: str, main: str) -> None:
        if data.startswith(_OLE):
            raise StateError(f"{what}: it is encrypted with a password, or in an older format")
        self.what = what
        self.archive = Archive(data, what=what)
        if main not in self.archive:
            raise StateError(f"{what}: no entry {main!r}, so it is another kind of file")
        # Parts that were read: one large picture may be shown a thousand times.
        self._relations: dict[str, dict[str, Relation]] = {}
        self._pictures: dict[str, Picture] = {}
        self.charts: dict[str, Chart | None] = {}

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to, with targets as names of entries, or as addresses where they lie outside."""
        if part not in self._relations:
            self._relations[part] = self._read_relations(part)
        return self._relations[part]

    def _read_relations(self, part: str) -> dict[str, Relation]:
        folder, _, name = part.rpartition("/")
        entry = f"{folder}/_rels/{name}.rels".removeprefix("/")
        found: dict[str, Relation] = {}
        if entry not in self.archive:
            return found
        for element in self.archive.xml(entry).iterfind(tag("rel:Relationship")):
            target = element.get("Target", "")
            external = element.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).removeprefix("/")
            found[element.get("Id", "")] = Relation(element.get("Type", "").rpartition("/")[2], target, external)
        return found

    def related(self, part: str, kind: str) -> str:
        """The one entry of a kind that a part refers to; empty for none."""
        found = [one.target for one in self.relations(part).values() if one.kind == kind and not one.external]
        return found[0] if found and found[0] in self.archive else ""

    def picture(self, relation: Relation | None, crop: tuple[float, float, float, float] = (0, 0, 0, 0)) -> Picture:
        """A picture; one outside of the file is not opened."""
        if relation is None or relation.external or relation.target not in self.archive:
            return Picture(link="" if relation is None else relation.target, crop=crop)
        name = relation.target
        if name not in self._pictures:
            content = self.archive.read(name)
            kind = name.rpartition(".")[2].lower()
            digest = hashlib.sha256(content).hexdigest()
            self._pictures[name] = Picture(digest, {"jpg": "jpeg"}.get(kind, kind), len(content))
        return replace(self._pictures[name], crop=crop)


def read_metadata(package: Package) -> Metadata:
    """What the file says about itself."""
    core = package.archive.xml("docProps/core.xml") if "docProps/core.xml" in package.archive else Element("none")
    custom: list[tuple[str, str]] = []
    if "docProps/custom.xml" in package.archive:
        for element in package.archive.xml("docProps/custom.xml").iterfind(tag("custom:property")):
            value = "".join(text for child in element for text in child.itertext())
            custom.append((element.get("name", ""), unescaped(value)))

    def one(name: str) -> str:
        return core.findtext(tag(name)) or ""

    return Metadata(
        title=one("dc:title"),
        subject=one("dc:subject"),
        description=one("dc:description"),
        keywords=tuple(word.strip() for word in re.split("[,;]", one("core:keywords")) if word.strip()),
        author=one("dc:creator"),
        language=one("dc:language"),
        custom=tuple(sorted(custom)),
    )


def unescaped(text: str) -> str:
    """A text with those letters that the format writes by number, such as `_x000D_`."""
    if "_x" not in text:
        return text
    return re.sub(r"_x((?!D[89A-F])[0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), text, flags=re.IGNORECASE)


def millimetres(text: str | None, unit: float) -> float:
    """A whole number of a unit in millimetres; 0 for what is none."""
    return tidy(int(text) / unit) if text and re.fullmatch(r"-?[0-9]{1,12}", text) else 0.0


def whole(text: str | None, default: int = 0, most: int = 1_000_000_000) -> int:
    """A whole number from 0, at most so large; the default for what is none."""
    return min(int(text), most) if text and re.fullmatch(r"[0-9]{1,10}", text) else default


def is_on(text: str | None) -> bool:
    """Whether a switch is on; one without a value is."""
    return text not in ("0", "false", "off", "none")


def colour(text: str | None) -> str:
    """A colour as `#rrggbb`; empty for what is none, such as `auto`."""
    return f"#{text.lower()}" if text and re.fullmatch("[0-9A-Fa-f]{6}", text) else ""
