"""Runs inside of the sandbox, beside `office_side.py`: makes texts, and tells what Writer says of them."""

# mypy: ignore-errors
import uno
from office_side import parted

ALIGNED = {0: "left", 1: "right", 2: "justify", 3: "center"}
CASES = {0: "", 1: "upper", 2: "lower", 3: "title", 4: "small"}
NUMBERS = {4: "1", 0: "A", 9: "A", 1: "a", 10: "a", 2: "I", 3: "i"}
BULLETS, NOTHING, PICTURE = 6, 5, 8
TEXTS = ("Text", "TextField")  # portions of paragraphs that have letters
LOOKS = (
    *("CharWeightAsian", "CharWeightComplex", "CharPostureAsian", "CharPostureComplex"),
    *("CharWeight", "CharPosture", "CharUnderline", "CharStrikeout", "CharColor", "CharBackColor", "CharHeight"),
    *("CharFontName", "CharEscapement", "CharEscapementHeight", "CharCaseMap", "CharHidden", "HyperLinkURL"),
    "CharStyleName",
)


def build(document, recipe, context):
    """Makes a text as the recipe says."""
    build_page(document, recipe["page"])
    body = document.Text
    kept = []
    for number, block in enumerate(recipe["blocks"]):
        if block["kind"] == "table":
            build_table(document, block)
            continue
        if number and recipe["blocks"][number - 1]["kind"] != "table":
            body.insertControlCharacter(body.End, 0, False)
        kept.append((block, build_paragraph(document, block)))
    for block, cursor in kept:
        if block["section"]:
            build_section(document, cursor, block["section"])
    about = document.DocumentProperties
    about.Title, about.Subject, about.Description = recipe["title"], recipe["subject"], recipe["description"]
    about.Author, about.Keywords = recipe["author"], tuple(recipe["keywords"])
    for name, text in recipe["custom"].items():
        about.UserDefinedProperties.addProperty(name, 128, text)
    if recipe["changes"]:
        build_changes(document, kept, recipe["changes"])


def build_page(document, recipe):
    """The page style of all pages."""
    page = document.StyleFamilies.getByName("PageStyles").getByName("Standard")
    page.IsLandscape = recipe["landscape"]
    page.Width, page.Height = (29700, 21000) if recipe["landscape"] else (21000, 29700)
    page.TopMargin, page.RightMargin, page.BottomMargin, page.LeftMargin = recipe["margins"]
    for part in ("Header", "Footer"):
        if recipe[part] is not None:
            setattr(page, f"{part}IsOn", True)
            getattr(page, f"{part}Text").String = recipe[part]


def build_paragraph(document, recipe):
    """A paragraph at the end of the text."""
    body = document.Text
    start = body.createTextCursorByRange(body.End)
    start.setAllPropertiesToDefault()
    start.NumberingStyleName = ""
    start.ParaStyleName = recipe["style"]
    for piece in recipe["pieces"]:
        build_piece(document, piece)
    cursor = body.createTextCursorByRange(body.End)
    cursor.gotoStartOfParagraph(False)
    cursor.gotoEndOfParagraph(True)
    for name, content in recipe["properties"].items():
        if name == "ParaAdjust":
            content = uno.Enum("com.sun.star.style.ParagraphAdjust", content)
        elif name == "BreakType":
            content = uno.Enum("com.sun.star.style.BreakType", content)
        elif name == "ParaLineSpacing":
            mode, height = content
            content = uno.createUnoStruct("com.sun.star.style.LineSpacing", mode, height)
        setattr(cursor, name, content)
    return cursor


def build_piece(document, piece):
    """Letters that look the same, with what is anchored at them."""
    body = document.Text
    cursor = body.createTextCursorByRange(body.End)
    if piece["field"]:
        field = document.createInstance(f"com.sun.star.text.TextField.{piece['field']}")
        if piece["field"] == "PageNumber":
            field.NumberingType = 4
            field.SubType = uno.Enum("com.sun.star.text.PageNumberType", "CURRENT")
        body.insertTextContent(cursor, field, False)
        return
    body.insertString(cursor, piece["text"], True)
    cursor.setPropertiesToDefault(LOOKS[:-2])
    if cursor.HyperLinkURL:
        cursor.setPropertyToDefault("HyperLinkURL")
    for name, content in piece["look"].items():
        if name.startswith("CharPosture"):
            content = uno.Enum("com.sun.star.awt.FontSlant", content)
        setattr(cursor, name, content)
    if piece["bookmark"]:
        bookmark = document.createInstance("com.sun.star.text.Bookmark")
        bookmark.Name = piece["bookmark"]
        body.insertTextContent(cursor, bookmark, True)
    if piece["comment"]:
        comment = document.createInstance("com.sun.star.text.textfield.Annotation")
        comment.Author, comment.Content = piece["comment"]
        body.insertTextContent(body.createTextCursorByRange(body.End), comment, False)
    if piece["note"]:
        kind, text = piece["note"]
        note = document.createInstance(f"com.sun.star.text.{kind}")
        body.insertTextContent(body.createTextCursorByRange(body.End), note, False)
        note.String = text


def build_table(document, recipe):
    """A table after the last paragraph; an empty paragraph follows it."""
    body = document.Text
    table = document.createInstance("com.sun.star.text.TextTable")
    table.initialize(recipe["rows"], recipe["columns"])
    body.insertTextContent(body.End, table, False)
    table.Name = recipe["name"]
    for row, line in enumerate(recipe["texts"]):
        for column, text in enumerate(line):
            table.getCellByPosition(column, row).String = text
    table.RepeatHeadline = recipe["header"]
    if recipe["back"] is not None:
        table.getCellByName("A1").BackColor = recipe["back"]
    if recipe["merged"]:
        cursor = table.createCursorByCellName(recipe["merged"][0])
        cursor.gotoCellByName(recipe["merged"][1], True)
        cursor.mergeRange()


def build_section(document, cursor, recipe):
    """A section around a paragraph."""
    section = document.createInstance("com.sun.star.text.TextSection")
    section.Name = recipe["name"]
    columns = document.createInstance("com.sun.star.text.TextColumns")
    columns.setColumnCount(recipe["columns"])
    section.TextColumns = columns
    section.IsProtected = recipe["protected"]
    document.Text.insertTextContent(cursor, section, True)


def build_changes(document, kept, recipe):
    """Tracked insertions and deletions, at the ends of paragraphs."""
    document.RecordChanges = True
    body = document.Text
    for place, text in recipe["inserted"]:
        cursor = body.createTextCursorByRange(kept[place % len(kept)][1].End)
        body.insertString(cursor, text, False)
    for place, start, count in recipe["deleted"]:
        cursor = body.createTextCursorByRange(kept[place % len(kept)][1].Start)
        for step in range(start + count):
            if not cursor.isEndOfParagraph():
                cursor.goRight(1, step >= start)
        if not cursor.isCollapsed():
            cursor.String = ""
    document.RecordChanges = recipe["recording"]


def fragile(document):
    """Whether closing it from outside is known to crash the program now and then."""
    return False


def tell(document, kind):
    """What Writer says of a text."""
    blocks = [tell_block(document, one, kind) for one in each(document.Text)]
    style = getattr(next(each(document.Text)), "PageStyleName", "") or "Standard"
    about = document.DocumentProperties
    custom = about.UserDefinedProperties
    told = {
        "blocks": blocks,
        "notes": [["footnote", one.String] for one in notes(document) if not is_endnote(one)],
        "comments": sorted([one.Author, one.Content, one.Resolved] for one in comments(document)),
        "bookmarks": bookmarks(document),
        "changes": sorted(tell_changes(document)),
        "tracking": document.RecordChanges,
        "page": tell_page(document.StyleFamilies.getByName("PageStyles").getByName(style)),
        "about": {
            "title": about.Title,
            "subject": about.Subject,
            "description": about.Description,
            "author": about.Author,
            "keywords": list(about.Keywords),
            "custom": {
                one.Name: str(custom.getPropertyValue(one.Name))
                for one in custom.PropertySetInfo.Properties
                if one.Name != "AppVersion"  # of the program, and no property of the text's own
            },
        },
    }
    if kind == "docx":
        # A DOCX has its keywords in one text, which Writer parts at spaces; and its margins reach to the text, and not
        # to the header or footer as in Writer.
        told["about"]["keywords"] = " ".join(about.Keywords).split()
        del told["page"]["margins_mm"]
        # Writer loses the last letter of a bookmark there that stands before a note.
        told["bookmarks"] = sorted(told["bookmarks"])
    if kind == "odt":
        # Writer forgets the texts of endnotes when it opens a DOCX.
        told["endnotes"] = [["endnote", one.String] for one in notes(document) if is_endnote(one)]
        told["sections"] = {
            one.Name: [one.TextColumns.ColumnCount or 1, one.IsProtected] for one in items(document.TextSections)
        }
    return told


def tell_block(document, block, kind):
    """A paragraph or a table."""
    if block.supportsService("com.sun.star.text.TextTable"):
        return tell_table(block, kind)
    runs = []
    for text, look in letters(block, kind):
        if runs and runs[-1][1] == look:
            runs[-1][0] += text
        elif text:
            runs.append([text, look])
    for run in runs:
        if run[1]["field"]:
            run[0] = "#"  # what number stands there is worked out anew when the file is opened
    spacing = block.ParaLineSpacing
    kinds = list_kind(block)
    told = {
        "text": "".join(text for text, _ in runs),
        "runs": runs,
        "style": block.ParaStyleName,
        "heading": block.OutlineLevel,
        "alignment": ALIGNED.get(block.ParaAdjust, "left"),
        "left_mm": block.ParaLeftMargin / 100,
        "right_mm": block.ParaRightMargin / 100,
        "first_mm": block.ParaFirstLineIndent / 100,
        "above_mm": block.ParaTopMargin / 100,
        "below_mm": block.ParaBottomMargin / 100,
        "spacing": f"{spacing.Height}%" if spacing.Mode == 0 else [spacing.Mode, round(spacing.Height / 35.2778)],
        "keep": block.ParaKeepTogether,
        "list": kinds[0],
        "level": kinds[1],
        "how": kinds[2],
    }
    if kinds[0]:
        # Where a list stands follows from the list, and a paragraph says only what differs from it.
        del told["left_mm"], told["first_mm"]
    return told


def list_kind(block):
    """What stands before a paragraph."""
    if not block.NumberingIsNumber or block.NumberingRules is None or not block.NumberingStyleName:
        return "", 0, ""
    level = {one.Name: one.Value for one in block.NumberingRules.getByIndex(block.NumberingLevel)}
    kind = level["NumberingType"]
    if kind == BULLETS:
        # The bullet of the font Symbol has a number of its own there.
        return "bullet", block.NumberingLevel + 1, level.get("BulletChar", "").replace("\uf0b7", "•")
    return ("", 0, "") if kind == NOTHING else ("number", block.NumberingLevel + 1, NUMBERS.get(kind, str(kind)))


def letters(paragraph, file):
    """The pieces of text of a paragraph that count, with their looks; without what was deleted, and without notes."""
    kept = [(one, kind) for one, kind, deleted in portions(paragraph) if kind in TEXTS and not deleted]
    for (portion, kind), pieces in zip(kept, parted([one.String for one, _ in kept]), strict=True):
        for text, writing in pieces:
            found = look(portion, kind, writing)
            if file == "docx" and found["link"]:
                # Writer gives links in a DOCX the look of links, whatever the file says.
                found["underline"] = found["colour"] = found["script"] = None
            yield text, found


def portions(paragraph):
    """The portions of a paragraph with their kinds, and whether they were deleted; without remarks."""
    deleted = 0
    for portion in each(paragraph):
        kind = portion.TextPortionType
        if kind == "Redline":
            if portion.RedlineType == "Delete":
                deleted += 1 if portion.IsStart else -1
        elif not is_remark(portion, kind):
            yield portion, kind, deleted > 0


def is_remark(portion, kind):
    """Whether it is where a remark is anchored."""
    return kind == "TextField" and portion.TextField.supportsService("com.sun.star.text.textfield.Annotation")


def look(portion, kind, writing):
    """How letters look."""
    raised = portion.CharEscapement
    return {
        "bold": getattr(portion, f"CharWeight{writing}") >= 150,
        "italic": getattr(portion, f"CharPosture{writing}").value == "ITALIC",
        "underline": portion.CharUnderline != 0,
        "strike": portion.CharStrikeout != 0,
        "colour": hexed(portion.CharColor),
        "highlight": hexed(portion.CharBackColor),
        "font": portion.CharFontName,
        "size": round(portion.CharHeight, 1),
        "script": "super" if raised > 0 else "sub" if raised < 0 else "",
        "caps": CASES[portion.CharCaseMap],
        "hidden": portion.CharHidden,
        "link": portion.HyperLinkURL,
        "field": kind == "TextField",
    }


def tell_table(table, kind):
    """A table."""
    cells = {}
    for name in table.CellNames:
        cell = table.getCellByName(name)
        cells[name] = {"text": cell.String, "background": hexed(cell.BackColor)}
    told = {"cells": cells, "header": table.HeaderRowCount if table.RepeatHeadline else 0}
    if kind == "odt":
        told["name"] = table.Name
    return told


def tell_page(page):
    """How pages look."""
    return {
        "width_mm": page.Width / 100,
        "height_mm": page.Height / 100,
        "landscape": page.IsLandscape,
        "margins_mm": [page.TopMargin / 100, page.RightMargin / 100, page.BottomMargin / 100, page.LeftMargin / 100],
        "header": page.HeaderText.String if page.HeaderIsOn else "",
        "footer": page.FooterText.String if page.FooterIsOn else "",
    }


def notes(document):
    """The footnotes and endnotes whose places were not deleted."""
    for paragraph in paragraphs(document):
        for portion, kind, deleted in portions(paragraph):
            if kind == "Footnote" and not deleted:
                yield portion.Footnote


def is_endnote(note):
    """Endnotes are footnotes too."""
    return note.supportsService("com.sun.star.text.Endnote")


def bookmarks(document):
    """The text of each bookmark that was not deleted as a whole.

    Asked for it, Writer gives what was deleted of it too, and the numbers of notes.
    """
    texts, within, kept = {}, set(), set()
    for paragraph in paragraphs(document):
        texts |= {name: texts[name] + "\n" for name in within}
        for portion, kind, deleted in portions(paragraph):
            if kind == "Bookmark":
                name = portion.Bookmark.Name
                texts.setdefault(name, "")
                (within.add if portion.IsStart and not portion.IsCollapsed else within.discard)(name)
                kept |= set() if deleted else {name}
            elif kind in TEXTS and not deleted:
                texts |= {name: texts[name] + portion.String for name in within}
    return {name: texts[name] for name in kept if not name.startswith("_")}


def paragraphs(document):
    """Those of the body that are in no table."""
    return (one for one in each(document.Text) if not one.supportsService("com.sun.star.text.TextTable"))


def comments(document):
    """The remarks."""
    for one in each(document.TextFields):
        if one.supportsService("com.sun.star.text.textfield.Annotation"):
            yield one


def tell_changes(document):
    """Tracked changes: kind, text, and author; asked for the text, Writer gives the numbers of notes with it."""
    texts, within = {}, set()
    for paragraph in paragraphs(document):
        for portion in each(paragraph):
            kind = portion.TextPortionType
            if kind == "Redline":
                (within.add if portion.IsStart else within.discard)(portion.RedlineIdentifier)
            elif kind in TEXTS and not is_remark(portion, kind):
                texts |= {name: texts.get(name, "") + portion.String for name in within}
    for one in each(document.Redlines):
        yield [one.RedlineType.lower(), texts.get(one.RedlineIdentifier, ""), one.RedlineAuthor]


def each(container):
    """What a container enumerates."""
    walk = container.createEnumeration()
    while walk.hasMoreElements():
        yield walk.nextElement()


def items(container):
    """What a container holds, by number."""
    return (container.getByIndex(number) for number in range(container.Count))


def hexed(colour):
    """A colour as readers write it; automatic and transparent ones are none."""
    return f"#{colour:06x}" if colour >= 0 else ""
