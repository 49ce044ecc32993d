"""Reading PowerPoint presentations (.pptx), as written by LibreOffice and PowerPoint, or crafted by an attacker."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.drawingml import Theme, picture
from fairground.verify.reading.ooxml import EMU, Package, millimetres, path, read_metadata, short, tag, whole
from fairground.verify.reading.pptx_shapes import Sheet, identities, shapes_of
from fairground.verify.reading.prose import Budget, Paragraph
from fairground.verify.reading.slides import Animation, Background, Deck, Master, Show, Slide, Transition

MAX_SLIDES = 2_000
MAX_MASTERS = 200
MAX_EFFECTS = 5_000
_WHAT = "presentation (.pptx)"
_MAIN = "ppt/presentation.xml"


@lru_cache(maxsize=4)
def read_pptx(data: bytes) -> Deck:
    """Read a presentation.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    package = Package(data, _WHAT, _MAIN)
    reader = _Reader(package, package.archive.xml(_MAIN))
    return reader.deck()


class _Reader:
    def __init__(self, package: Package, root: Element) -> None:
        self._package, self._root = package, root
        self._budget = Budget(_WHAT)
        self._relations = package.relations(_MAIN)
        self._parts: dict[str, Element] = {}
        self._themes: dict[str, Theme] = {}
        self._noted: set[str] = set()

    def deck(self) -> Deck:
        listed = self._root.findall(path("p:sldIdLst/p:sldId"))
        if len(listed) > MAX_SLIDES:
            raise StateError(f"{_WHAT}: {len(listed)} slides, expected at most {MAX_SLIDES}")
        parts = [self._target(element) for element in listed]
        if len(set(parts)) != len(parts):
            raise StateError(f"{_WHAT}: it lists one slide twice")
        masters = {self._target(master): None for master in self._root.iterfind(path("p:sldMasterIdLst/p:sldMasterId"))}
        if len(masters) > MAX_MASTERS:
            raise StateError(f"{_WHAT}: {len(masters)} masters, expected at most {MAX_MASTERS}")
        size = self._root.find(tag("p:sldSz"))
        return Deck(
            slides=tuple(self._slide(part, place) for place, part in enumerate(parts, start=1)),
            masters=tuple(self._master(part) for part in masters),
            width=0.0 if size is None else millimetres(size.get("cx"), EMU),
            height=0.0 if size is None else millimetres(size.get("cy"), EMU),
            show=self._show(),
            metadata=read_metadata(self._package),
        )

    def _target(self, element: Element) -> str:
        relation = self._relations.get(element.get(tag("r:id"), ""))
        if relation is None or relation.external:
            raise StateError(f"{_WHAT}: it lists a slide that is not there")
        return relation.target

    def _xml(self, part: str) -> Element:
        """A part, parsed once, because many slides share a layout."""
        if part not in self._parts:
            self._parts[part] = self._package.archive.xml(part)
        return self._parts[part]

    def _sheet(self, root: Element, part: str, layout: str, master: str) -> Sheet:
        roots = [root, *(self._xml(inherited) for inherited in (layout, master) if inherited)]
        trees = [tree for ancestor in roots if (tree := ancestor.find(path("p:cSld/p:spTree"))) is not None]
        return Sheet(
            self._package,
            self._budget,
            self._theme(master or part),
            tuple(trees),
            self._xml(master).find(tag("p:txStyles")) if master else root.find(tag("p:txStyles")),
            self._root.find(tag("p:defaultTextStyle")),
            self._package.relations(part),
        )

    def _theme(self, master: str) -> Theme:
        if master not in self._themes:
            part = self._package.related(master, "theme")
            names = self._xml(master).find(tag("p:clrMap"))
            root = self._package.archive.xml(part) if part else None
            self._themes[master] = Theme(root, {} if names is None else dict(names.attrib))
        return self._themes[master]

    def _slide(self, part: str, place: int) -> Slide:
        root = self._package.archive.xml(part)
        layout = self._package.related(part, "slideLayout")
        master = self._package.related(layout, "slideMaster") if layout else ""
        sheet = self._sheet(root, part, layout, master)
        shapes = shapes_of(sheet)
        by_role = {shape.role: shape for shape in shapes if shape.role in _FIELDS}
        date = by_role.get("date-time")
        dated = date is not None and any(run.field for line in date.paragraphs for run in line.runs)
        slide = root.find(tag("p:cSld"))
        return Slide(
            name=("" if slide is None else slide.get("name", "")) or f"Slide {place}",
            layout=self._layout(layout),
            master=self._master_name(master),
            hidden=root.get("show") in ("0", "false"),
            shapes=tuple(shape for shape in shapes if shape.role not in _FIELDS),
            notes=self._notes(part),
            background=self._background(root, sheet),
            transition=_transition(root),
            animations=_animations(root, sheet),
            footer=by_role["footer"].text if "footer" in by_role else "",
            date="<date>" if dated else "" if date is None else date.text,
            numbered="page-number" in by_role,
        )

    def _layout(self, part: str) -> str:
        if not part:
            return ""
        root = self._xml(part)
        slide = root.find(tag("p:cSld"))
        return _LAYOUTS.get(root.get("type", ""), "" if slide is None else slide.get("name", ""))[:200]

    def _master_name(self, part: str) -> str:
        theme = self._package.related(part, "theme") if part else ""
        return self._xml(theme).get("name", "")[:200] if theme else ""

    def _master(self, part: str) -> Master:
        root = self._xml(part)
        sheet = self._sheet(root, part, "", "")
        return Master(name=self._master_name(part), background=self._background(root, sheet), shapes=shapes_of(sheet))

    def _notes(self, part: str) -> tuple[Paragraph, ...]:
        notes = self._package.related(part, "notesSlide")
        if not notes:
            return ()
        if notes in self._noted:
            raise StateError(f"{_WHAT}: two slides share their notes")
        self._noted.add(notes)
        root = self._package.archive.xml(notes)
        sheet = self._sheet(root, notes, "", self._package.related(notes, "notesMaster"))
        shapes = [shape for shape in shapes_of(sheet) if shape.role == "outline"]
        return tuple(paragraph for shape in shapes for paragraph in shape.paragraphs)

    def _background(self, root: Element, sheet: Sheet) -> Background:
        properties = root.find(path("p:cSld/p:bg/p:bgPr"))
        if properties is None:
            plain = root.find(path("p:cSld/p:bg/p:bgRef"))
            return Background("" if plain is None else sheet.theme.colour(plain))
        fill = sheet.theme.fill(properties)
        image = (
            picture(self._package, properties.find(tag("a:blipFill")), sheet.relations) if fill == "bitmap" else None
        )
        return Background(fill, image)

    def _show(self) -> Show:
        part = self._package.related(_MAIN, "presProps")
        properties = self._package.archive.xml(part).find(tag("p:showPr")) if part else None
        if properties is None:
            return Show()
        return Show(
            endless=properties.get("loop") in ("1", "true"),
            full_screen=properties.find(tag("p:browse")) is None,
            manual=properties.get("useTimings") in ("0", "false"),
        )


def _transition(root: Element) -> Transition:
    element = next(root.iter(tag("p:transition")), None)
    if element is None:
        return Transition()
    effect = next((child for child in element if short(child) != "p:sndAc"), None)
    name = "" if effect is None else effect.tag.rpartition("}")[2]
    after = element.get("advTm")
    return Transition(
        kind=name[:60],
        subtype="" if effect is None else effect.get("dir", "")[:60],
        duration=whole(element.get(tag("p14:dur"))) / 1000 if name else 0.0,
        speed={"slow": "slow", "med": "medium", "fast": "fast"}.get(element.get("spd", ""), "") if name else "",
        advance=None if after is None else whole(after) / 1000,
        sound=element.find(tag("p:sndAc")) is not None,
    )


def _animations(root: Element, sheet: Sheet) -> tuple[Animation, ...]:
    timing = root.find(tag("p:timing"))
    if timing is None or not sheet.trees:
        return ()
    names = identities(sheet.trees[0])
    effects: list[Animation] = []
    for node in timing.iter(tag("p:cTn")):
        kind = _CLASSES.get(node.get("presetClass", ""))
        if kind is None:
            continue
        if len(effects) >= MAX_EFFECTS:
            raise StateError(f"{_WHAT}: more than {MAX_EFFECTS} effects on a slide")
        target = next(node.iter(tag("p:spTgt")), None)
        inner = [whole(part.get("dur")) / 1000 for part in node.iter(tag("p:cTn"))]
        delay = node.find(path("p:stCondLst/p:cond"))
        effect = Animation(
            effect=f"{kind}-{_EFFECTS.get((kind, node.get('presetID', '')), node.get('presetID', '')[:10])}",
            kind=kind,
            target="" if target is None else names.get(target.get("spid", ""), ""),
            trigger=_TRIGGERS.get(node.get("nodeType", ""), ""),
            duration=max(inner),
        )
        effects.append(replace(effect, delay=0.0 if delay is None else whole(delay.get("delay")) / 1000))
    return tuple(effects)


_FIELDS = frozenset({"footer", "date-time", "page-number"})
_LAYOUTS = {
    "title": "title slide",
    "obj": "title, content",
    "twoObj": "title, two contents",
    "titleOnly": "title only",
    "blank": "blank",
    "objOnly": "centered text",
    "tx": "title, content",
}
_CLASSES = {"entr": "entrance", "exit": "exit", "emph": "emphasis", "path": "motion-path"}
_TRIGGERS = {"clickEffect": "on-click", "withEffect": "with-previous", "afterEffect": "after-previous"}
# The most common effect numbers, by their names in the animation pane.
_EFFECTS = {
    **{(kind, "1"): name for kind, name in (("entrance", "appear"), ("exit", "disappear"))},
    **{
        ("entrance", number): name
        for number, name in (("2", "fly-in"), ("10", "fade-in"), ("22", "wipe"), ("23", "zoom"))
    },
    **{
        ("exit", number): name
        for number, name in (("2", "fly-out"), ("10", "fade-out"), ("22", "wipe"), ("23", "zoom"))
    },
    **{("emphasis", number): name for number, name in (("6", "grow-and-shrink"), ("8", "spin"))},
}
