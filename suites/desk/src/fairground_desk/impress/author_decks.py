"""Generates `data/*.odp` from `talks.py` with a real LibreOffice.

Run it in this folder with the system's Python, which has UNO: `/usr/bin/python3 author_decks.py`.
The files are committed, because LibreOffice writes dates and its own version into them. Each file is opened and saved
a second time, so that a later save changes only what the user changed.
"""

# mypy: ignore-errors
from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uno

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from talks import TALKS  # noqa: E402

TITLE, BULLETS, TWO, TITLE_ONLY = 0, 1, 3, 19
LEFT, TOP, WIDTH = 2000, 4200, 24000


def main():
    """Start LibreOffice, generate the decks, and stop it."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"decks{os.getpid()}"
        argv = ["soffice", "--headless", "--norestore", "--nologo", f"--accept=pipe,name={pipe};urp;"]
        argv.append(f"-env:UserInstallation=file://{folder}/profile")
        process = subprocess.Popen(argv, start_new_session=True)
        try:
            context = connect(pipe)
            desktop = context.ServiceManager.createInstance("com.sun.star.frame.Desktop")
            for name, talk in TALKS.items():
                deck = desktop.loadComponentFromURL("private:factory/simpress", "_blank", 0, (prop("Hidden", True),))
                Author(context, deck, talk).write()
                first = f"file://{folder}/{name}.odp"
                deck.storeToURL(first, (prop("FilterName", "impress8"),))
                again = desktop.loadComponentFromURL(first, "_blank", 0, (prop("Hidden", True),))
                again.storeToURL(f"file://{HERE}/data/{name}.odp", (prop("FilterName", "impress8"),))
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher and the program itself
            process.wait()


def connect(pipe):
    """Return the program's component context, waiting until it accepts connections."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    give_up = time.monotonic() + 90
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def prop(name, value):
    """Return a UNO `PropertyValue`."""
    prop_value = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    prop_value.Name, prop_value.Value = name, value
    return prop_value


def enum(kind, value):
    """Return a UNO enum value."""
    return uno.Enum(f"com.sun.star.{kind}", value)


class Author:
    """Writes one talk into an empty deck."""

    def __init__(self, context, deck, talk):
        self.context, self.deck, self.talk = context, deck, talk

    def write(self):
        self.master()
        pages = self.deck.DrawPages
        for number, part in enumerate(self.talk.parts):
            page = pages.getByIndex(0) if number == 0 else pages.insertNewByIndex(number - 1)
            page.Name = part.name
            getattr(self, part.kind)(page, part)
            page.getByIndex(0).String = part.title
            page.Visible = not part.hidden
            self.notes(page, part)
            if part.role == "opening":
                page.TransitionType, page.TransitionSubtype, page.TransitionDuration = 37, 101, 1.5
            if part.role == "risks":
                remark = page.createAndInsertAnnotation()
                remark.Author = self.talk.author
                remark.TextRange.String = "Shorten this before the talk?"
                remark.DateTime = uno.createUnoStruct("com.sun.star.util.DateTime", 0, 0, 30, 9, 4, 3, 2024, False)
                remark.Position = uno.createUnoStruct("com.sun.star.geometry.RealPoint2D", 10.0, 10.0)
        about = self.deck.DocumentProperties
        about.Title, about.Author, about.Subject = self.talk.title, self.talk.author, self.talk.organisation

    def master(self):
        """Set the colours and fonts of the master, which all slides inherit."""
        master = self.deck.MasterPages.getByIndex(0)
        ground = self.deck.createInstance("com.sun.star.drawing.Background")
        ground.FillStyle, ground.FillColor = enum("drawing.FillStyle", "SOLID"), self.talk.ground
        master.Background = ground
        styles = self.deck.StyleFamilies.getByName(master.Name)
        title = styles.getByName("title")
        title.CharColor, title.CharFontName, title.CharHeight = self.talk.accent, self.talk.font, 36.0
        title.CharWeight = 150.0
        for name in ("subtitle", *(f"outline{level}" for level in range(1, 10))):
            styles.getByName(name).CharFontName = self.talk.font
        styles.getByName("outline1").CharHeight = 26.0

    def title(self, page, part):
        page.Layout = TITLE
        page.getByIndex(1).String = part.lines[0]

    def bullets(self, page, part):
        page.Layout = BULLETS
        listed(page.getByIndex(1), part.lines)

    def two(self, page, part):
        page.Layout = TWO
        at = part.lines.index("---")
        listed(page.getByIndex(1), part.lines[:at])
        listed(page.getByIndex(2), part.lines[at + 1 :])

    def table(self, page, part):
        page.Layout = TITLE_ONLY
        shape = self.add(page, "drawing.TableShape", LEFT, TOP, WIDTH, 1300 * len(part.rows), f"{part.name} table")
        model = shape.Model
        for _ in range(len(part.rows) - 1):
            model.Rows.insertByIndex(0, 1)
        for _ in range(len(part.rows[0]) - 1):
            model.Columns.insertByIndex(0, 1)
        for number in range(model.Columns.Count):
            model.Columns.getByIndex(number).Width = WIDTH // model.Columns.Count
        for row, cells in enumerate(part.rows):
            for column, text in enumerate(cells):
                cell = model.getCellByPosition(column, row)
                cell.String = text
                cell.CharHeight = 18.0
        for number in range(model.Rows.Count):
            model.Rows.getByIndex(number).Height = 1300
        shape.setSize(size(WIDTH, 1300 * len(part.rows)))

    def chart(self, page, part):
        """Add a column chart of the rows."""
        page.Layout = TITLE_ONLY
        shape = self.add(page, "drawing.OLE2Shape", LEFT, TOP, WIDTH, 10500, f"{part.name} chart")
        shape.CLSID = "12dcae26-281f-416f-a234-c3086127382e"
        chart = shape.Model
        chart.createInternalDataProvider(False)
        chart.Diagram = chart.createInstance("com.sun.star.chart.BarDiagram")
        chart.HasMainTitle, chart.HasLegend = True, True
        chart.Title.String = part.title
        head, *rows = part.rows
        chart.Data.setData(tuple(tuple(map(float, row[1:])) for row in rows))
        chart.Data.setColumnDescriptions(head[1:])
        chart.Data.setRowDescriptions(tuple(row[0] for row in rows))

    def photo(self, page, part):
        """Add a picture with alternative text and a caption."""
        page.Layout = TITLE_ONLY
        shape = self.add(page, "drawing.GraphicObjectShape", 7000, 3900, 12800, 9600, "Photo")
        provider = self.context.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider")
        shape.Graphic = provider.queryGraphic((prop("URL", f"file://{HERE}/data/{self.talk.photo}.jpg"),))
        shape.Description = self.talk.photo_alt
        words = self.add(page, "drawing.TextShape", 3000, 13900, 22000, 1200, "Caption")
        words.String = part.lines[0]
        words.CharHeight, words.CharFontName = 16.0, self.talk.font

    def boxes(self, page, part):
        """Add three boxes in a row, connected by arrows."""
        page.Layout = TITLE_ONLY
        for number, text in enumerate(part.lines):
            box = self.add(page, "drawing.RectangleShape", LEFT + number * 9000, 6500, 6000, 3000, f"Box {number + 1}")
            box.String = text
            box.FillStyle, box.FillColor = enum("drawing.FillStyle", "SOLID"), self.talk.accent
            box.LineStyle, box.LineColor = enum("drawing.LineStyle", "SOLID"), 0x404040
            box.CharColor, box.CharHeight, box.CharFontName = 0xFFFFFF, 24.0, self.talk.font
            if number:
                arrow = self.add(page, "drawing.LineShape", number * 9000 - 1000, 8000, 3000, 0, f"Arrow {number}")
                arrow.LineColor, arrow.LineWidth = 0x404040, 80

    def notes(self, page, part):
        for number in range(page.NotesPage.Count):
            shape = page.NotesPage.getByIndex(number)
            if shape.ShapeType == "com.sun.star.presentation.NotesShape":
                shape.String = f"Speaker: {part.speaker}\n{part.notes}"
                shape.IsEmptyPresentationObject = False

    def add(self, page, service, x, y, width, height, name):
        """Add a shape; lengths are hundredths of a millimetre."""
        shape = self.deck.createInstance(f"com.sun.star.{service}")
        page.add(shape)
        shape.setPosition(uno.createUnoStruct("com.sun.star.awt.Point", x, y))
        shape.setSize(size(width, height))
        shape.Name = name
        return shape


def listed(shape, lines):
    """Turn paragraphs into first-level bullets."""
    shape.String = "\n".join(lines)
    walk = shape.createEnumeration()
    while walk.hasMoreElements():
        walk.nextElement().NumberingLevel = 0


def size(width, height):
    """Return a UNO `Size`."""
    return uno.createUnoStruct("com.sun.star.awt.Size", width, height)


main()
