"""Tasks about pages: size and margins, headers and footers."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Document, PageStyle
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.tasks import save, uno
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import LEASE, MINUTES
from fairground_desk.writer.reading import nothing_else
from fairground_desk.writer.task import WriterTask, people

_ALIGN = {"left": "LeftPara", "center": "CenterPara", "right": "RightPara"}
_SHOWN = {"left": "on the left", "center": "in the middle", "right": "on the right"}


class PageNumbers(WriterTask):
    """The pages of the lease get their numbers."""

    name = "page-numbers"
    document = LEASE
    template = (
        "Give the pages of this lease a footer with the page number: “{words}”, where {meaning}. It stands {place}: "
        "one paragraph, aligned that way. The numbers must be fields, so that each page shows its own. The footer is "
        "the same on all pages; there is no header. Change nothing else, and save the document."
    )
    instances = {
        "plain": {"words": "1", "pattern": "#", "align": "center"},
        "page": {"words": "Page 1", "pattern": "Page #", "align": "right"},
        "page-of": {"words": "Page 1 of 3", "pattern": "Page # of %", "align": "center"},
        "slash": {"words": "1 / 3", "pattern": "# / %", "align": "left"},
    }

    def facts(self, world: World) -> dict[str, object]:
        """Where it stands, and what the figures mean."""
        count = "%" in str(world.parameters["pattern"])
        meaning = "1 stands for the number of the page" + (" and 3 for how many pages there are" if count else "")
        return {"place": _SHOWN[str(world.parameters["align"])], "meaning": meaning}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One paragraph in the footer, with fields where numbers are, aligned as asked."""
        pattern, align = str(world.parameters["pattern"]), world.parameters["align"]
        footer = [one for one in now.page.footer if one.text or one.runs]
        one = footer[0] if footer else None
        shown = "".join(_MARKS.get(run.field, run.text if not run.field else "?") for run in one.runs) if one else ""
        fields = [run.field for run in one.runs if run.field] if one else []
        wanted = [{"#": "page-number", "%": "page-count"}[mark] for mark in pattern if mark in "#%"]
        name = was.page.name
        return [
            equal("the footer is one paragraph", 1, len(footer)),
            holds("it has the page number as a field", "page-number" in fields, expected="page-number", found=fields),
            equal("its fields are the right ones", wanted, fields),
            equal("it reads as asked", pattern, shown.strip(), weight=2.0),
            holds(
                "it is aligned as asked",
                one is not None and one.alignment == align,
                expected=align,
                found=one.alignment if one else None,
            ),
            _other_pages(now.page, "footer"),
            nothing_else("nothing else changed", was, now, [f"page[{name}].footer[*", "style[Footer]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Footer on, into it, fields and words in turn."""
        align = ("do", _ALIGN[str(world.parameters["align"])])
        moves: list[Move] = [Press("escape"), writer(("page", {"FooterIsOn": True}), ("do", "JumpToFooter"), align)]
        for part in _parts(str(world.parameters["pattern"])):
            if part == "#":
                moves.append(uno("InsertPageNumberField"))
            elif part == "%":
                moves.append(uno("InsertPageCountField"))
            else:
                moves.append(Enter(part))
        return [*moves, save()]


class HeaderText(WriterTask):
    """The minutes get a header."""

    name = "header-text"
    document = MINUTES
    template = (
        "Give the pages of these minutes a header that says “{text}”, {place} and in {look} letters: one paragraph, "
        "the same on all pages. There is no footer. Leave the minutes themselves, their tracked changes and their "
        "comments as they are, and save the document."
    )
    instances = {
        "confidential": {"words": "Confidential", "align": "right", "look": "bold"},
        "draft": {"words": "Draft, not yet approved", "align": "center", "look": "italic"},
        "board": {"words": "Board of {name}", "align": "left", "look": "italic"},
        "day": {"words": "Meeting of {day}", "align": "right", "look": "italic"},
    }

    def facts(self, world: World) -> dict[str, object]:
        return {"text": self._text(world), "place": _SHOWN[str(world.parameters["align"])]}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One paragraph in the header with this text, so set."""
        look, align = str(world.parameters["look"]), world.parameters["align"]
        header = [one for one in now.page.header if one.text]
        one = header[0] if header else None
        runs = [run for run in one.runs if run.text.strip()] if one else []
        other = {"bold": "italic", "italic": "bold"}[look]
        name = was.page.name
        return [
            equal("the header is one paragraph", 1, len(header)),
            equal("it says what it should", self._text(world), one.text.strip() if one else None, weight=2.0),
            holds(
                "it is aligned as asked",
                one is not None and one.alignment == align,
                expected=align,
                found=one.alignment if one else None,
            ),
            holds(
                f"it is {look}",
                bool(runs) and all(getattr(run, look) for run in runs),
                expected=look,
                found=[run.text for run in runs if getattr(run, look)],
            ),
            holds(
                f"it is not {other}, nor underlined",
                bool(runs) and not any(getattr(run, other) or run.underline or run.strike for run in runs),
                expected="only what was asked for",
                found=len(runs),
            ),
            _other_pages(now.page, "header"),
            nothing_else("nothing else changed", was, now, [f"page[{name}].header[*", "style[Header]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Header on, into it, format and words."""
        look = "ctrl+b" if world.parameters["look"] == "bold" else "ctrl+i"
        align = ("do", _ALIGN[str(world.parameters["align"])])
        return [
            Press("escape"),
            writer(("page", {"HeaderIsOn": True}), ("do", "JumpToHeader"), align),
            Press(look),
            Enter(self._text(world)),
            save(),
        ]

    def _text(self, world: World) -> str:
        one = people(world)
        return str(world.parameters["words"]).format(name=one.name, day=one.minutes.day)


class PageSetup(WriterTask):
    """The lease is to be printed on other paper."""

    name = "page-setup"
    document = LEASE
    template = (
        "Set the pages of this lease up differently: {words}. All pages are to change; everything else about them, and "
        "the text, stays as it is. Save the document."
    )
    instances = {
        "a5": {"words": "A5 in portrait (148 x 210 mm)", "width": 148.0, "height": 210.0},
        "landscape": {"words": "A4 in landscape (297 x 210 mm)", "width": 297.0, "height": 210.0},
        "letter": {"words": "Letter in portrait (215.9 x 279.4 mm)", "width": 215.9, "height": 279.4},
        "margins": {"words": "margins of 3 cm on the left and right, and of 2.5 cm above and below", "margin": 30.0},
        "columns": {"words": "the text in two columns, on every page", "columns": 2},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Size, direction, margins and columns are as asked, or as they were."""
        asked, old, new = world.parameters, was.page, now.page
        width, height = float(asked.get("width", old.width)), float(asked.get("height", old.height))
        side = float(asked.get("margin", old.margins[1]))
        above = 25.0 if "margin" in asked else old.margins[0]
        margins = (above, side, above, side)
        columns = int(asked.get("columns", 1))
        changed = (new.width, new.height, new.orientation, new.margins, new.columns) != (
            old.width,
            old.height,
            old.orientation,
            old.margins,
            old.columns,
        )
        near = [abs(one - other) < 0.6 for one, other in zip(new.margins, margins, strict=True)]
        flat = changed and new.orientation == ("landscape" if width > height else "portrait")
        used = [one.name for one in now.pages if one.used]
        touched = {
            "width": ["width", "height", "orientation"],
            "margin": ["margins"],
            "columns": ["columns"],
        }[next(name for name in ("width", "margin", "columns") if name in asked)]
        moved = _moved(old, new, touched)
        return [
            holds(
                "the page is as wide as asked", moved and abs(new.width - width) < 0.6, expected=width, found=new.width
            ),
            holds(
                "it is as high as asked", moved and abs(new.height - height) < 0.6, expected=height, found=new.height
            ),
            holds("it stands or lies as asked", moved and flat, expected=[width, height], found=new.orientation),
            holds("its margins are as asked", moved and all(near), expected=margins, found=new.margins),
            holds(
                "it has as many columns as asked", moved and new.columns == columns, expected=columns, found=new.columns
            ),
            equal("one page style is used", [old.name], used, weight=0.0, integrity=True),
            nothing_else("nothing else changed", was, now, [f"page[{old.name}].{name}" for name in touched]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        asked = world.parameters
        if "columns" in asked:
            return [Press("escape"), writer(("page-columns", asked["columns"])), save()]
        if "margin" in asked:
            sides = {"LeftMargin": 3000, "RightMargin": 3000, "TopMargin": 2500, "BottomMargin": 2500}
            return [Press("escape"), writer(("page", sides)), save()]
        width, height = round(float(asked["width"]) * 100), round(float(asked["height"]) * 100)
        size = {"IsLandscape": width > height, "Width": width, "Height": height}
        return [Press("escape"), writer(("page", size)), save()]


_MARKS = {"page-number": "#", "page-count": "%"}


def _parts(pattern: str) -> list[str]:
    found = [""]
    for mark in pattern:
        if mark in "#%":
            found += [mark, ""]
        else:
            found[-1] += mark
    return [part for part in found if part]


def _other_pages(page: PageStyle, part: str) -> Check:
    first, left = getattr(page, f"{part}_first"), getattr(page, f"{part}_left")
    there = bool(getattr(page, part))
    return holds(
        f"the {part} is the same on all pages",
        there and not first and not left,
        expected="one for all",
        found=[len(first), len(left)],
    )


def _moved(old: PageStyle, new: PageStyle, names: Sequence[str]) -> bool:
    """Whether anything that was to change did: what already was right earns nothing."""
    return any(getattr(old, name) != getattr(new, name) for name in names)


SCENARIOS = (PageNumbers(), HeaderText(), PageSetup())
