"""Office Open XML packages: the common structure of documents and presentations (.docx, .pptx)."""

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
EMU = 36_000  # per millimetre
TWIPS = 1440 / 25.4  # per millimetre


def tag(name: str) -> str:
    """A qualified name such as `w:p`, as the parser writes it."""
    space, _, local = name.partition(":")
    return f"{{{_NAMESPACES[space]}}}{local}"


def path(names: str) -> str:
    """A path of qualified names, such as `w:pPr/w:jc`."""
    return "/".join(tag(name) for name in names.split("/"))


def short(element: Element) -> str:
    """The short name of an element, such as `w:p`; unknown namespaces stay as they are."""
    if not isinstance(element.tag, str):
        return ""
    full, _, local = element.tag.removeprefix("{").partition("}")
    return f"{_SHORT[full]}:{local}" if full in _SHORT else element.tag


@dataclass(frozen=True)
class Relation:
    """A reference of a part to another one, by a short name."""

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
        # Cache of parts: a large picture may be shown a thousand times.
        self._relations: dict[str, dict[str, Relation]] = {}
        self._pictures: dict[str, Picture] = {}
        self.charts: dict[str, Chart | None] = {}

    def relations(self, part: str) -> dict[str, Relation]:
        """The relations of a part. Targets are names of entries, or URLs if they are external."""
        if part not in self._relations:
            self._relations[part] = self._read_relations(part)
        return self._relations[part]

    def _read_relations(self, part: str) -> dict[str, Relation]:
        folder, _, name = part.rpartition("/")
        entry = f"{folder}/_rels/{name}.rels".removeprefix("/")
        relations: dict[str, Relation] = {}
        if entry not in self.archive:
            return relations
        for element in self.archive.xml(entry).iterfind(tag("rel:Relationship")):
            target = element.get("Target", "")
            external = element.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).removeprefix("/")
            relations[element.get("Id", "")] = Relation(element.get("Type", "").rpartition("/")[2], target, external)
        return relations

    def related(self, part: str, kind: str) -> str:
        """The first entry of a kind that a part refers to; empty if there is none."""
        targets = [
            relation.target
            for relation in self.relations(part).values()
            if relation.kind == kind and not relation.external
        ]
        return targets[0] if targets and targets[0] in self.archive else ""

    def picture(self, relation: Relation | None, crop: tuple[float, float, float, float] = (0, 0, 0, 0)) -> Picture:
        """A picture. One outside of the file is not opened."""
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
    """The metadata of the file."""
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
    """The text with characters that the format writes by number, such as `_x000D_`, decoded."""
    if "_x" not in text:
        return text
    return re.sub(r"_x((?!D[89A-F])[0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), text, flags=re.IGNORECASE)


def millimetres(text: str | None, unit: float) -> float:
    """A whole number of units, in millimetres; 0 if it is not one."""
    return tidy(int(text) / unit) if text and re.fullmatch(r"-?[0-9]{1,12}", text) else 0.0


def whole(text: str | None, default: int = 0, most: int = 1_000_000_000) -> int:
    """A whole number from 0 to `most`; the default if it is not one."""
    return min(int(text), most) if text and re.fullmatch(r"[0-9]{1,10}", text) else default


def is_on(text: str | None) -> bool:
    """Whether a switch is on. One without a value is on."""
    return text not in ("0", "false", "off", "none")


def colour(text: str | None) -> str:
    """A colour as `#rrggbb`; empty if it is not one, such as `auto`."""
    return f"#{text.lower()}" if text and re.fullmatch("[0-9A-Fa-f]{6}", text) else ""
