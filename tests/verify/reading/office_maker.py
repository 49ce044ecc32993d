"""Run by the system's Python, which knows UNO: makes documents in a real LibreOffice, and writes down its own account.

Usage: office_maker.py (documents|slides) FOLDER. Leaves files in several formats and `account.json` in the folder.
Documents are left open: the program is known to crash now and then when one with a chart is closed from outside.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

uno: Any = importlib.import_module("uno")
WORDS = [
    *("market", "river", "ledger", "quiet", "amber", "report", "über", "a&b", "<tag>"),
    *("north", "seven", "copper", "letter", "window"),
]
FILTERS = {
    "odt": "writer8",
    "docx": "MS Word 2007 XML",
    "odp": "impress8",
    "pptx": "Impress MS PowerPoint 2007 XML",
}


def main(kind: str, folder: Path) -> None:
    """Starts the program, makes the documents, and ends it."""
    pipe = f"fairground{os.getpid()}"
    argv = ["soffice", "--headless", "--norestore", "--nologo", f"--accept=pipe,name={pipe};urp;"]
    argv.append(f"-env:UserInstallation=file://{folder}/profile")
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        context = _connect(pipe, process)
        desktop = context.ServiceManager.createInstance("com.sun.star.frame.Desktop")
        make = {"documents": _documents, "slides": _slides}[kind]
        account = make(desktop, folder, context)
        (folder / "account.json").write_text(json.dumps(account))
    finally:
        # The program is two processes, a starter and itself.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _connect(pipe: str, process: subprocess.Popen[bytes]) -> Any:
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    give_up = time.monotonic() + 90
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            if time.monotonic() > give_up or process.poll() not in (None, 0):
                raise
            time.sleep(0.05)


def _property(name: str, value: object) -> Any:
    made = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    made.Name, made.Value = name, value
    return made


def _new(desktop: Any, kind: str) -> Any:
    return desktop.loadComponentFromURL(f"private:factory/{kind}", "_blank", 0, (_property("Hidden", True),))


def _open(desktop: Any, path: Path) -> Any:
    return desktop.loadComponentFromURL(f"file://{path}", "_blank", 0, (_property("Hidden", True),))


def _store(document: Any, folder: Path, name: str, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        document.storeToURL(f"file://{folder}/{name}.{kind}", (_property("FilterName", FILTERS[kind]),))


# Documents


def _documents(desktop: Any, folder: Path, context: Any) -> dict[str, Any]:
    document = _new(desktop, "swriter")
    _rich(document, folder, context)
    _store(document, folder, "rich", ("odt",))
    _store(_open(desktop, folder / "rich.odt"), folder, "again", ("odt",))
    _store(document, folder, "rich", ("docx",))
    accounts = {}
    for seed in range(4):
        document = _new(desktop, "swriter")
        _random_document(document, random.Random(seed))
        accounts[f"random{seed}"] = _account(document)
        _store(document, folder, f"random{seed}", ("odt", "docx"))
    return accounts


def _say(document: Any, text: str, **properties: Any) -> Any:
    """Adds a paragraph at the end and gives it properties."""
    body = document.Text
    cursor = body.createTextCursorByRange(body.End)
    if document.Text.String:
        body.insertControlCharacter(cursor, 0, False)
    cursor.gotoEnd(False)
    for name in ("CharWeight", "CharPosture", "CharUnderline"):
        cursor.setPropertyToDefault(name)
    cursor.setAllPropertiesToDefault()
    cursor.NumberingStyleName = ""
    cursor.ParaStyleName = properties.pop("ParaStyleName", "Standard")
    body.insertString(cursor, text, False)
    cursor.gotoStartOfParagraph(True)
    for name, value in properties.items():
        setattr(cursor, name, value)
    return cursor


def _part(document: Any, paragraph: Any, word: str) -> Any:
    """A cursor over one word of a paragraph."""
    search = document.createSearchDescriptor()
    search.SearchString = word
    found = document.findNext(paragraph.Start, search)
    return found.Text.createTextCursorByRange(found)


def _rich(document: Any, folder: Path, context: Any) -> None:
    page = document.StyleFamilies.getByName("PageStyles").getByName("Standard")
    page.IsLandscape, page.Width, page.Height = True, 29700, 21000
    page.LeftMargin, page.RightMargin, page.TopMargin, page.BottomMargin = 2500, 1500, 2000, 1800
    page.HeaderIsOn = page.FooterIsOn = True
    page.HeaderText.String = "Grant report"
    footer = page.FooterText
    footer.String = "Page "
    number = document.createInstance("com.sun.star.text.TextField.PageNumber")
    number.NumberingType = 4
    footer.insertTextContent(footer.End, number, False)
    heading = document.StyleFamilies.getByName("ParagraphStyles").getByName("Heading 1")
    heading.CharColor = 0x1F4E79
    body = document.Text
    _say(document, "Annual report", ParaStyleName="Title")
    _say(document, "Introduction", ParaStyleName="Heading 1")
    words = _say(document, "plain bold italic under struck coloured marked large raised link")
    for word, name, value in (
        ("bold", "CharWeight", 150.0),
        ("italic", "CharPosture", uno.Enum("com.sun.star.awt.FontSlant", "ITALIC")),
        ("under", "CharUnderline", 1),
        ("struck", "CharStrikeout", 1),
        ("coloured", "CharColor", 0xC00000),
        ("marked", "CharBackColor", 0xFFFF00),
        ("large", "CharHeight", 18.0),
        ("large", "CharFontName", "Liberation Mono"),
        ("raised", "CharEscapement", 33),
        ("raised", "CharEscapementHeight", 58),
        ("link", "HyperLinkURL", "https://example.org/a?b=c"),
    ):
        setattr(_part(document, words, word), name, value)
    _say(document, "Second", ParaStyleName="Heading 2")
    spacing = uno.createUnoStruct("com.sun.star.style.LineSpacing")
    spacing.Mode, spacing.Height = 0, 150
    center = uno.Enum("com.sun.star.style.ParagraphAdjust", "CENTER")
    block = uno.Enum("com.sun.star.style.ParagraphAdjust", "BLOCK")
    _say(document, "two   spaces\tand a tab 株式", ParaAdjust=center, ParaLineSpacing=spacing)
    _say(document, "indented", ParaAdjust=block, ParaLeftMargin=1000, ParaFirstLineIndent=500, ParaTopMargin=300)
    for text, style in (("first", "List 1"), ("second", "List 1")):
        _say(document, text, NumberingStyleName=style)
    _say(document, "deeper", NumberingStyleName="List 1", NumberingLevel=1)
    _say(document, "counted", NumberingStyleName="Numbering 123")
    before = uno.Enum("com.sun.star.style.BreakType", "PAGE_BEFORE")
    noted = _say(document, "after the break with a note", BreakType=before)
    for service, text in (("Footnote", "A footnote."), ("Endnote", "An endnote.")):
        note = document.createInstance(f"com.sun.star.text.{service}")
        body.insertTextContent(noted.End, note, False)
        note.String = text
    marked = _say(document, "a bookmarked place and a remark")
    bookmark = document.createInstance("com.sun.star.text.Bookmark")
    bookmark.Name = "place"
    body.insertTextContent(_part(document, marked, "place"), bookmark, True)
    comment = document.createInstance("com.sun.star.text.textfield.Annotation")
    comment.Author, comment.Content = "Ada", "Is this so?"
    body.insertTextContent(_part(document, marked, "remark"), comment, True)
    _table(document)
    _say(document, "below the table")
    _picture(document, folder, context)
    _chart(document)
    _section(document)
    _say(document, "a frame holder")
    frame = document.createInstance("com.sun.star.text.TextFrame")
    frame.setSize(uno.createUnoStruct("com.sun.star.awt.Size", 4000, 2000))
    body.insertTextContent(body.End, frame, False)
    frame.Text.String = "in a box"
    _say(document, "changed: old gone")
    document.RecordChanges = True
    _part(document, body.Start, "gone").String = ""
    body.insertString(body.End, " new", False)
    document.RecordChanges = False
    index = document.createInstance("com.sun.star.text.ContentIndex")
    index.CreateFromOutline, index.Title = True, "Contents"
    body.insertTextContent(body.Start, index, False)
    index.update()
    about = document.DocumentProperties
    about.Title, about.Subject, about.Author, about.Keywords = "The title", "The subject", "Ada", ("one", "two")
    about.Description = "Some words"
    about.UserDefinedProperties.addProperty("Project", 128, "Heron")


def _table(document: Any) -> None:
    _say(document, "")
    table = document.createInstance("com.sun.star.text.TextTable")
    table.initialize(4, 3)
    document.Text.insertTextContent(document.Text.End, table, False)
    table.Name = "Budget"
    rows = [("Item", "2023", "2024"), ("Pens", "10", "12"), ("Ink", "5", "7"), ("Both of it", "", "")]
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            table.getCellByPosition(column, row).String = value
    table.RepeatHeadline = True
    cursor = table.createCursorByCellName("A4")
    cursor.gotoCellByName("B4", True)
    cursor.mergeRange()
    for name in ("B2", "B3"):
        cell = table.getCellByName(name)
        cell.Value = float(cell.String)
    table.getCellByName("C3").Formula = "=<B2>+<B3>"
    table.getCellByName("A1").BackColor = 0xDDDDDD


def _picture(document: Any, folder: Path, context: Any) -> None:
    provider = context.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider")
    graphic = provider.queryGraphic((_property("URL", f"file://{folder}/picture.png"),))
    picture = document.createInstance("com.sun.star.text.TextGraphicObject")
    picture.Graphic = graphic
    picture.setSize(uno.createUnoStruct("com.sun.star.awt.Size", 3000, 2000))
    _say(document, "a picture")
    document.Text.insertTextContent(document.Text.End, picture, False)
    picture.Name, picture.Title, picture.Description = "Logo", "Our logo", "A red square"


def _chart(document: Any) -> None:
    made = document.createInstance("com.sun.star.text.TextEmbeddedObject")
    made.CLSID = "12dcae26-281f-416f-a234-c3086127382e"
    _say(document, "a chart")
    document.Text.insertTextContent(document.Text.End, made, False)
    made.Name = "Trend"
    _fill_chart(made.getEmbeddedObject(), "Growth")


def _fill_chart(chart: Any, title: str) -> None:
    chart.HasMainTitle, chart.HasLegend = True, True
    chart.Title.String = title
    chart.createInternalDataProvider(False)
    chart.Diagram = chart.createInstance("com.sun.star.chart.LineDiagram")
    chart.Data.setData(((1.0, 2.5), (3.0, 4.0), (5.0, -6.0)))
    chart.Data.setColumnDescriptions(("North", "South"))
    chart.Data.setRowDescriptions(("Jan", "Feb", "Mar"))


def _section(document: Any) -> None:
    cursor = _say(document, "in two columns")
    section = document.createInstance("com.sun.star.text.TextSection")
    section.Name = "Leaflet"
    columns = document.createInstance("com.sun.star.text.TextColumns")
    columns.setColumnCount(2)
    section.TextColumns = columns
    document.Text.insertTextContent(cursor, section, True)
    document.Text.insertControlCharacter(document.Text.End, 0, False)


def _random_document(document: Any, dice: random.Random) -> None:
    for _ in range(dice.randint(3, 12)):
        style = dice.choice(["Standard", "Heading 1", "Heading 2", "Text body", "Quotations", "Preformatted Text"])
        text = " ".join(dice.choices(WORDS, k=dice.randint(1, 9)))
        adjust = uno.Enum("com.sun.star.style.ParagraphAdjust", dice.choice(["LEFT", "RIGHT", "CENTER", "BLOCK"]))
        cursor = _say(document, text, ParaStyleName=style, ParaAdjust=adjust)
        inner = cursor.Text.createTextCursorByRange(cursor.Start)
        for _ in range(dice.randint(0, 3)):
            inner.goRight(dice.randint(1, 6), True)
            setattr(inner, *dice.choice(RANDOM_LOOKS))
            inner.collapseToEnd()


RANDOM_LOOKS = [
    ("CharWeight", 150.0),
    ("CharWeight", 100.0),
    ("CharHeight", 17.0),
    ("CharColor", 0x00AA55),
    ("CharUnderline", 1),
    ("CharStrikeout", 1),
    ("CharFontName", "Liberation Serif"),
]


def _account(document: Any) -> list[dict[str, Any]]:
    """What the program itself says of each paragraph, letter by letter."""
    account = []
    for paragraph in _each(document.Text):
        letters = []
        for portion in _each(paragraph):
            look = {
                "bold": portion.CharWeight > 140,
                "size": round(portion.CharHeight, 1),
                "colour": portion.CharColor,
                "underline": portion.CharUnderline != 0,
                "strike": portion.CharStrikeout != 0,
                "font": portion.CharFontName,
                "italic": portion.CharPosture.value == "ITALIC",
            }
            letters += [look] * len(portion.String)
        account.append(
            {
                "text": paragraph.String,
                "style": paragraph.ParaStyleName,
                "level": paragraph.OutlineLevel,
                "alignment": int(paragraph.ParaAdjust),
                "above": paragraph.ParaTopMargin / 100,
                "left": paragraph.ParaLeftMargin / 100,
                "letters": letters,
            }
        )
    return account


def _each(container: Any) -> Any:
    if hasattr(container, "getByIndex"):
        yield from (container.getByIndex(number) for number in range(container.Count))
        return
    walk = container.createEnumeration()
    while walk.hasMoreElements():
        yield walk.nextElement()


# Slides


def _slides(desktop: Any, folder: Path, context: Any) -> dict[str, Any]:
    deck = _new(desktop, "simpress")
    pages = deck.DrawPages
    first = pages.getByIndex(0)
    first.Name = "Opening"
    first.getByIndex(0).String = "Quarterly review"
    first.getByIndex(1).String = "Spring"
    second = pages.insertNewByIndex(1)
    second.Name, second.Layout = "Points", 1
    second.getByIndex(0).String = "Points"
    outline = second.getByIndex(1)
    outline.String = "one\ntwo\nthree"
    cursor = outline.createTextCursor()
    cursor.gotoStart(False)
    cursor.goRight(3, True)
    cursor.CharWeight, cursor.CharColor = 150.0, 0x336699
    cursor.collapseToEnd()
    cursor.goRight(2, False)
    cursor.NumberingLevel = 1
    shape = _add(deck, second, "RectangleShape", 2000, 12000, 5000, 2500)
    shape.Name, shape.FillColor, shape.LineColor = "Box", 0xFFCC00, 0x0000FF
    solid = uno.Enum("com.sun.star.drawing.LineStyle", "SOLID")
    shape.LineStyle, shape.String = solid, "boxed"
    turned = _add(deck, second, "EllipseShape", 12000, 11000, 4000, 2000)
    turned.Name, turned.RotateAngle = "Turned", 3000
    words = _add(deck, second, "TextShape", 18000, 12000, 6000, 1500)
    words.Name, words.String = "Words", "free words"
    third = pages.insertNewByIndex(2)
    third.Name, third.Layout = "Things", 20
    third.Visible = False
    provider = context.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider")
    picture = _add(deck, third, "GraphicObjectShape", 3000, 3000, 6000, 4000)
    picture.Graphic = provider.queryGraphic((_property("URL", f"file://{folder}/picture.png"),))
    picture.Name, picture.Title, picture.Description = "Photo", "A photo", "Something red"
    table = _add(deck, third, "TableShape", 12000, 3000, 10000, 3000)
    table.Name = "Grid"
    model = table.Model
    model.Rows.insertByIndex(0, 1)
    model.Columns.insertByIndex(0, 1)
    for column in range(2):
        for row in range(2):
            model.getCellByPosition(column, row).String = f"r{row}c{column}"
    chart = _add(deck, third, "OLE2Shape", 3000, 9000, 8000, 5000)
    chart.CLSID = "12dcae26-281f-416f-a234-c3086127382e"
    chart.Name = "Sales"
    _fill_chart(chart.Model, "Sales so far")
    group = deck.createInstance("com.sun.star.drawing.GroupShape")
    third.add(group)
    group.Name = "Pair"
    for number in range(2):
        inner = deck.createInstance("com.sun.star.drawing.RectangleShape")
        group.add(inner)
        _place(inner, 15000 + 3000 * number, 9000, 2000, 2000)
        inner.Name = f"Inner{number}"
    notes = second.NotesPage
    for inner in _each(notes):
        if inner.ShapeType == "com.sun.star.presentation.NotesShape":
            inner.String = "say this\nslowly"
            inner.IsEmptyPresentationObject = False
    first.TransitionType, first.TransitionSubtype, first.TransitionDuration = 37, 101, 1.5
    second.IsFooterVisible = second.IsPageNumberVisible = True
    second.FooterText = "Confidential"
    background = deck.createInstance("com.sun.star.drawing.Background")
    background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
    background.FillColor = 0xEEEEFF
    second.Background = background
    _animate(context, second, shape)
    deck.Presentation.IsEndless = True
    about = deck.DocumentProperties
    about.Title, about.Author = "Review", "Ada"
    account = {"rich": [_page(page) for page in _each(pages)]}
    _store(deck, folder, "rich", ("odp",))
    _store(_open(desktop, folder / "rich.odp"), folder, "again", ("odp",))
    _store(deck, folder, "rich", ("pptx",))
    for seed in range(3):
        deck = _new(desktop, "simpress")
        _random_deck(deck, random.Random(seed))
        account[f"random{seed}"] = [_page(page) for page in _each(deck.DrawPages)]
        _store(deck, folder, f"random{seed}", ("odp", "pptx"))
    return account


def _add(deck: Any, page: Any, service: str, x: int, y: int, width: int, height: int) -> Any:
    shape = deck.createInstance(f"com.sun.star.drawing.{service}")
    page.add(shape)
    _place(shape, x, y, width, height)
    return shape


def _place(shape: Any, x: int, y: int, width: int, height: int) -> None:
    shape.setPosition(uno.createUnoStruct("com.sun.star.awt.Point", x, y))
    shape.setSize(uno.createUnoStruct("com.sun.star.awt.Size", width, height))


def _animate(context: Any, page: Any, shape: Any) -> None:
    """One entrance on a click, as the animation pane writes it."""
    make = context.ServiceManager.createInstance

    def node(service: str, kind: int | None) -> Any:
        made = make(f"com.sun.star.animations.{service}")
        if kind is not None:
            made.UserData = (_named("node-type", kind),)
        return made

    root = page.AnimationNode
    main = node("SequenceTimeContainer", 4)
    click = node("ParallelTimeContainer", None)
    inner = node("ParallelTimeContainer", None)
    effect = node("ParallelTimeContainer", 1)
    effect.UserData = (
        _named("node-type", 1),
        _named("preset-class", 1),
        _named("preset-id", "ooo-entrance-appear"),
    )
    show = make("com.sun.star.animations.AnimateSet")
    show.Target, show.AttributeName, show.To = shape, "Visibility", True
    effect.appendChild(show)
    inner.appendChild(effect)
    click.appendChild(inner)
    main.appendChild(click)
    root.appendChild(main)


def _named(name: str, value: object) -> Any:
    made = uno.createUnoStruct("com.sun.star.beans.NamedValue")
    made.Name, made.Value = name, value
    return made


def _random_deck(deck: Any, dice: random.Random) -> None:
    for number in range(dice.randint(1, 4)):
        page = deck.DrawPages.insertNewByIndex(number)
        page.Name = f"{dice.choice(WORDS[:6])} {number}"
        for place in range(dice.randint(1, 4)):
            service = dice.choice(["RectangleShape", "EllipseShape", "TextShape"])
            box = [dice.randint(0, 20000), dice.randint(0, 12000), dice.randint(800, 6000), dice.randint(1200, 3000)]
            shape = _add(deck, page, service, *box)
            shape.Name = f"shape {place}"
            shape.String = " ".join(dice.choices(WORDS, k=dice.randint(1, 4)))
            if service != "TextShape":
                shape.FillColor = dice.randint(0, 0xFFFFFF)


def _page(page: Any) -> dict[str, Any]:
    return {
        "name": page.Name,
        "shapes": [
            {
                "name": shape.Name,
                "text": shape.String if hasattr(shape, "String") else "",
                "box": [shape.Position.X, shape.Position.Y, shape.Size.Width, shape.Size.Height],
                "service": shape.ShapeType,
                "fill": shape.FillColor if hasattr(shape, "FillColor") and shape.FillStyle.value == "SOLID" else None,
            }
            for shape in _each(page)
        ],
    }


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
