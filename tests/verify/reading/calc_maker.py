"""Run by the system's Python, which knows UNO: makes workbooks in a real LibreOffice, and writes down its own account.

Usage: calc_maker.py FOLDER COUNT. Leaves `book-N.ods` and `account.json` in the folder. What is in a workbook is drawn
at random from its number, so that the same number gives the same workbook.
"""

# mypy: ignore-errors
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

uno = importlib.import_module("uno")
WORDS = ("North", "über", "a&b", "<tag>", "two  spaces", "x;y", 'say "so"', "1e3x")
COLOURS = (0xFF0000, 0x00A933, 0xFFFFA6, 0x2A6099)


def main(folder, count):
    """Starts the program, makes the workbooks, and ends it."""
    pipe = f"fairground{os.getpid()}"
    argv = ["soffice", "--headless", "--norestore", "--nologo", f"--accept=pipe,name={pipe};urp;"]
    argv.append(f"-env:UserInstallation=file://{folder}/profile")
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        desktop = connect(pipe).ServiceManager.createInstance("com.sun.star.frame.Desktop")
        account = {}
        for number in range(count):
            document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, ())
            fill(document, random.Random(number))
            name = f"book-{number}.ods"
            document.storeToURL(f"file://{folder}/{name}", (value("FilterName", "calc8"),))
            # What the program says of the file, and not of what it has in memory.
            again = desktop.loadComponentFromURL(f"file://{folder}/{name}", "_blank", 0, ())
            account[name] = tell(again)
        (folder / "account.json").write_text(json.dumps(account))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def connect(pipe):
    """The running program's context."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    give_up = time.monotonic() + 120
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.1)


def value(name, content):
    """A property as UNO wants it."""
    made = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    made.Name, made.Value = name, content
    return made


def fill(document, draw):
    """Something of everything, at random."""
    sheets = document.Sheets
    sheets.getByIndex(0).Name = "One"
    sheets.insertNewByName("Two words", 1)
    for sheet in (sheets.getByIndex(0), sheets.getByIndex(1)):
        for row in range(draw.randrange(4, 12)):
            for column in range(4):
                fill_cell(document, sheet.getCellByPosition(column, row), draw, row)
        for column in draw.sample(range(6), 3):
            sheet.Columns.getByIndex(column).Width = draw.randrange(10, 90) * 100
        sheet.Columns.getByIndex(7).IsVisible = draw.random() < 0.5
        if draw.random() < 0.7:
            sheet.getCellRangeByName("A20:C21").merge(True)
        if draw.random() < 0.6:
            sheet.TabColor = draw.choice(COLOURS)
        if draw.random() < 0.6:
            sheet.setPrintAreas((sheet.getCellRangeByName("A1:C9").RangeAddress,))
        sheet.Rows.getByIndex(14).IsVisible = draw.random() < 0.5
        add_rule(sheet, draw)
        add_condition(sheet, draw)
        if draw.random() < 0.4:
            sheet.protect("")
    first = sheets.getByIndex(0)
    origin = uno.createUnoStruct("com.sun.star.table.CellAddress")
    document.NamedRanges.addNewByName("Some", first.getCellRangeByName("B2:B7").AbsoluteName, origin, 0)
    add_chart(first, draw)
    document.DocumentProperties.Title = draw.choice(WORDS)
    if draw.random() < 0.6:
        style = document.StyleFamilies.getByName("PageStyles").getByName(first.PageStyle)
        style.IsLandscape, style.Width, style.Height = True, style.Height, style.Width
    document.CurrentController.setActiveSheet(first)
    document.CurrentController.freezeAtPosition(draw.randrange(0, 3), draw.randrange(0, 3))


def fill_cell(document, cell, draw, row):
    """One cell."""
    kind = draw.randrange(5)
    if kind == 0:
        cell.setString(draw.choice(WORDS))
    elif kind == 1:
        cell.setValue(round(draw.uniform(-1e4, 1e4), draw.randrange(5)))
    elif kind == 2:
        cell.setFormula(draw.choice((f"=SUM(A1:C{row + 1})*0", "=1/0", f'="a"&{row}', "=2*3.5")))
    if kind == 4:
        return
    if draw.random() < 0.3:
        cell.CharWeight = 150.0
    if draw.random() < 0.3:
        cell.CellBackColor = draw.choice(COLOURS)
    if draw.random() < 0.2:
        cell.CharPosture = uno.Enum("com.sun.star.awt.FontSlant", "ITALIC")
    if draw.random() < 0.2:
        cell.HoriJustify = uno.Enum("com.sun.star.table.CellHoriJustify", draw.choice(("LEFT", "CENTER", "RIGHT")))
    if kind < 3 and draw.random() < 0.2:
        cell.Spreadsheet.Annotations.insertNew(cell.CellAddress, draw.choice(WORDS))


def add_rule(sheet, draw):
    """A rule for entries."""
    area = sheet.getCellRangeByName(draw.choice(("E2:E9", "E2", "E3:F6")))
    rule = area.Validation
    rule.Type = uno.Enum("com.sun.star.sheet.ValidationType", "WHOLE")
    rule.setOperator(uno.Enum("com.sun.star.sheet.ConditionOperator", "BETWEEN"))
    rule.setFormula1(str(draw.randrange(5)))
    rule.setFormula2(str(draw.randrange(10, 20)))
    rule.ErrorTitle = draw.choice(WORDS)
    rule.ShowErrorMessage = True
    area.Validation = rule


def add_condition(sheet, draw):
    """A conditional format."""
    area = sheet.getCellRangeByName("A1:B6")
    rules = area.ConditionalFormat
    less = uno.Enum("com.sun.star.sheet.ConditionOperator", "LESS")
    limit, style = str(draw.randrange(50)), draw.choice(("Good", "Bad"))
    rules.addNew((value("Operator", less), value("Formula1", limit), value("StyleName", style)))
    area.ConditionalFormat = rules


def add_chart(sheet, draw):
    """A chart with a title."""
    box = uno.createUnoStruct("com.sun.star.awt.Rectangle")
    box.X, box.Y, box.Width, box.Height = 12000, 1000, 8000, 6000
    sheet.Charts.addNewByName("Chart", box, (sheet.getCellRangeByName("A1:B5").RangeAddress,), True, True)
    chart = sheet.Charts.getByIndex(0).EmbeddedObject
    chart.setDiagram(chart.createInstance(f"com.sun.star.chart.{draw.choice(('Bar', 'Line', 'Pie', 'Area'))}Diagram"))
    chart.HasMainTitle = True
    chart.Title.String = draw.choice(WORDS)


def tell(document):
    """The program's own account of a workbook."""
    document.calculateAll()
    about = {sheet.Name: tell_sheet(document, sheet) for sheet in document.Sheets}
    names = {one.Name: one.Content for one in document.NamedRanges}
    controller = document.CurrentController
    frozen = [controller.SplitRow, controller.SplitColumn] if controller.hasFrozenPanes() else [0, 0]
    return {"sheets": about, "names": names, "title": document.DocumentProperties.Title, "frozen": frozen}


def tell_sheet(document, sheet):
    """One sheet."""
    cells = {}
    for row in range(22):
        for column in range(8):
            cell = sheet.getCellByPosition(column, row)
            if cell.Type.value != "EMPTY":
                cells[f"{'ABCDEFGH'[column]}{row + 1}"] = tell_cell(cell)
    style = document.StyleFamilies.getByName("PageStyles").getByName(sheet.PageStyle)
    columns = [sheet.Columns.getByIndex(at) for at in range(8)]
    rule = sheet.getCellRangeByName("E3").Validation
    return {
        "cells": cells,
        "widths": [column.Width for column in columns],
        "hidden": [not column.IsVisible for column in columns],
        "row 15 hidden": not sheet.Rows.getByIndex(14).IsVisible,
        "merged": sheet.getCellRangeByName("A20").IsMerged,
        "tab": sheet.TabColor,
        "protected": sheet.isProtected(),
        "print": len(sheet.getPrintAreas()),
        "landscape": style.IsLandscape,
        "comments": {one.Position.Row * 100 + one.Position.Column: one.String for one in sheet.Annotations},
        "rule": [rule.Type.value, rule.getFormula1(), rule.getFormula2(), rule.ErrorTitle],
        "condition": sheet.getCellRangeByName("A1").ConditionalFormat.getByIndex(0).getFormula1(),
        "charts": [
            [one.EmbeddedObject.Diagram.DiagramType.rpartition(".")[2], one.EmbeddedObject.Title.String]
            for one in sheet.Charts
        ],
    }


def tell_cell(cell):
    """One cell."""
    number = cell.Type.value == "VALUE" or (cell.Type.value == "FORMULA" and cell.FormulaResultType2 == 1)
    return {
        "value": cell.Value if number and not cell.getError() else None,
        "text": cell.String,
        "error": cell.getError() != 0,
        "formula": cell.Formula if cell.Type.value == "FORMULA" else "",
        "bold": cell.CharWeight >= 150,
        "italic": cell.CharPosture.value == "ITALIC",
        "background": cell.CellBackColor,
        "align": cell.HoriJustify.value,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
