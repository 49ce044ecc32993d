"""Scenarios about pages: size, margins, headers and footers."""

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
    """Add page numbers to the lease."""

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
        """The alignment, and the meaning of the numbers."""
        count = "%" in str(world.parameters["pattern"])
        meaning = "1 stands for the number of the page" + (" and 3 for how many pages there are" if count else "")
        return {"place": _SHOWN[str(world.parameters["align"])], "meaning": meaning}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check for one footer paragraph with page fields, aligned as asked."""
        pattern, align = str(world.parameters["pattern"]), world.parameters["align"]
        footer = [paragraph for paragraph in now.page.footer if paragraph.text or paragraph.runs]
        line = footer[0] if footer else None
        shown = "".join(_MARKS.get(run.field, run.text if not run.field else "?") for run in line.runs) if line else ""
        fields = [run.field for run in line.runs if run.field] if line else []
        wanted = [{"#": "page-number", "%": "page-count"}[mark] for mark in pattern if mark in "#%"]
        name = was.page.name
        return [
            equal("the footer is one paragraph", 1, len(footer)),
            holds("it has the page number as a field", "page-number" in fields, expected="page-number", found=fields),
            equal("its fields are the right ones", wanted, fields),
            equal("it reads as asked", pattern, shown.strip(), weight=2.0),
            holds(
                "it is aligned as asked",
                line is not None and line.alignment == align,
                expected=align,
                found=line.alignment if line else None,
            ),
            _other_pages(now.page, "footer"),
            nothing_else("nothing else changed", was, now, [f"page[{name}].footer[*", "style[Footer]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Turn the footer on, then insert fields and text in turn."""
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
    """Add a header to the minutes."""

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
        """Check for one header paragraph with this text and format."""
        look, align = str(world.parameters["look"]), world.parameters["align"]
        header = [paragraph for paragraph in now.page.header if paragraph.text]
        line = header[0] if header else None
        runs = [run for run in line.runs if run.text.strip()] if line else []
        unwanted = {"bold": "italic", "italic": "bold"}[look]
        name = was.page.name
        return [
            equal("the header is one paragraph", 1, len(header)),
            equal("it says what it should", self._text(world), line.text.strip() if line else None, weight=2.0),
            holds(
                "it is aligned as asked",
                line is not None and line.alignment == align,
                expected=align,
                found=line.alignment if line else None,
            ),
            holds(
                f"it is {look}",
                bool(runs) and all(getattr(run, look) for run in runs),
                expected=look,
                found=[run.text for run in runs if getattr(run, look)],
            ),
            holds(
                f"it is not {unwanted}, nor underlined",
                bool(runs) and not any(getattr(run, unwanted) or run.underline or run.strike for run in runs),
                expected="only what was asked for",
                found=len(runs),
            ),
            _other_pages(now.page, "header"),
            nothing_else("nothing else changed", was, now, [f"page[{name}].header[*", "style[Header]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Turn the header on, then set the format and type the text."""
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
        organisation = people(world)
        return str(world.parameters["words"]).format(name=organisation.name, day=organisation.minutes.day)


class PageSetup(WriterTask):
    """Change the page setup of the lease."""

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
        """Check size, orientation, margins and columns; those not named must be unchanged."""
        wanted, old, new = world.parameters, was.page, now.page
        width, height = float(wanted.get("width", old.width)), float(wanted.get("height", old.height))
        side = float(wanted.get("margin", old.margins[1]))
        above = 25.0 if "margin" in wanted else old.margins[0]
        margins = (above, side, above, side)
        columns = int(wanted.get("columns", 1))
        changed = (new.width, new.height, new.orientation, new.margins, new.columns) != (
            old.width,
            old.height,
            old.orientation,
            old.margins,
            old.columns,
        )
        near = [abs(margin - target) < 0.6 for margin, target in zip(new.margins, margins, strict=True)]
        flat = changed and new.orientation == ("landscape" if width > height else "portrait")
        used = [page.name for page in now.pages if page.used]
        touched = {
            "width": ["width", "height", "orientation"],
            "margin": ["margins"],
            "columns": ["columns"],
        }[next(name for name in ("width", "margin", "columns") if name in wanted)]
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
        wanted = world.parameters
        if "columns" in wanted:
            return [Press("escape"), writer(("page-columns", wanted["columns"])), save()]
        if "margin" in wanted:
            sides = {"LeftMargin": 3000, "RightMargin": 3000, "TopMargin": 2500, "BottomMargin": 2500}
            return [Press("escape"), writer(("page", sides)), save()]
        width, height = round(float(wanted["width"]) * 100), round(float(wanted["height"]) * 100)
        size = {"IsLandscape": width > height, "Width": width, "Height": height}
        return [Press("escape"), writer(("page", size)), save()]


_MARKS = {"page-number": "#", "page-count": "%"}


def _parts(pattern: str) -> list[str]:
    parts = [""]
    for mark in pattern:
        if mark in "#%":
            parts += [mark, ""]
        else:
            parts[-1] += mark
    return [part for part in parts if part]


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
    """Return whether anything that had to change did, so that values that were already right earn nothing."""
    return any(getattr(old, name) != getattr(new, name) for name in names)


SCENARIOS = (PageNumbers(), HeaderText(), PageSetup())
