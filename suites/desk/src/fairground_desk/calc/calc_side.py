"""Functions that control Calc over UNO. Runs inside the seat with the system's Python; our code never imports it.

The standard input is a JSON list of calls, each the name of a function below and its arguments.
"""

# mypy: ignore-errors
import json
import os
import sys
import traceback

import uno
from com.sun.star.awt import Rectangle
from com.sun.star.beans import PropertyValue
from com.sun.star.sheet import TableFilterField2
from com.sun.star.table import CellRangeAddress

HOME = ""


def insert_sheet(doc, name, place):
    """Insert a sheet; a negative position counts from the end."""
    count = doc.Sheets.Count
    doc.Sheets.insertNewByName(name, place if place >= 0 else count + 1 + place)


def rename_sheet(doc, old, new):
    """Rename a sheet."""
    doc.Sheets.getByName(old).Name = new


def move_sheet(doc, name, place):
    """Move a sheet; a negative position is the end."""
    doc.Sheets.moveByName(name, place if place >= 0 else doc.Sheets.Count)


def tab_colour(doc, name, colour):
    """Set the colour of a sheet's tab."""
    doc.Sheets.getByName(name).TabColor = colour


def show_sheet(doc, name):
    """Activate a sheet."""
    doc.CurrentController.setActiveSheet(doc.Sheets.getByName(name))


def put(doc, sheet, first, rows):
    """Enter texts, numbers and formulas row by row, as if typed."""
    start = cells(doc, sheet, first).RangeAddress
    for down, row in enumerate(rows):
        for across, entry in enumerate(row):
            cell = doc.Sheets.getByName(sheet).getCellByPosition(start.StartColumn + across, start.StartRow + down)
            if isinstance(entry, str):
                cell.setFormula(entry)
            else:
                cell.setValue(entry)


def fill_down(doc, sheet, address, formula):
    """Enter a formula in the first cell of a range, and fill it down."""
    area = cells(doc, sheet, address)
    area.getCellByPosition(0, 0).setFormula(formula)
    area.fillAuto(uno.Enum("com.sun.star.sheet.FillDirection", "TO_BOTTOM"), 1)


def clear(doc, sheet, address):
    """Clear the contents of cells."""
    cells(doc, sheet, address).clearContents(1 | 2 | 4 | 16)


def sort(doc, sheet, address, keys):
    """Sort the rows below a header row, by columns counted from 0: `[[2, true], [4, false]]`."""
    fields = []
    for column, ascending in keys:
        field = uno.createUnoStruct("com.sun.star.table.TableSortField")
        field.Field, field.IsAscending = column, ascending
        fields.append(field)
    wanted = uno.Any("[]com.sun.star.table.TableSortField", tuple(fields))
    uno.invoke(cells(doc, sheet, address), "sort", (properties(SortFields=wanted, ContainsHeader=True),))


def filter_rows(doc, sheet, address, column, value):
    """Filter a range with a header row: show only the rows that have this value in a column."""
    area = cells(doc, sheet, address)
    descriptor = area.createFilterDescriptor(True)
    field = TableFilterField2()
    field.Field = column
    field.Operator = 2
    field.IsNumeric = not isinstance(value, str)
    if isinstance(value, str):
        field.StringValue = value
    else:
        field.NumericValue = value
    descriptor.setFilterFields2((field,))
    descriptor.ContainsHeader = True
    area.filter(descriptor)


def without_duplicates(doc, sheet, address, target, first):
    """Copy a list without its duplicate rows."""
    source = cells(doc, sheet, address)
    descriptor = source.createFilterDescriptor(True)
    descriptor.SkipDuplicates = True
    descriptor.ContainsHeader = True
    descriptor.CopyOutputData = True
    descriptor.OutputPosition = cells(doc, target, first).getCellByPosition(0, 0).CellAddress
    source.filter(descriptor)


def cell_style(doc, name, looks):
    """Create or change a cell style."""
    styles = doc.StyleFamilies.getByName("CellStyles")
    if not styles.hasByName(name):
        styles.insertByName(name, doc.createInstance("com.sun.star.style.CellStyle"))
    for key, value in looks.items():
        setattr(styles.getByName(name), key, value)


def condition(doc, sheet, address, operator, one, other, style):
    """Add a conditional format; operators have UNO's names, such as `LESS`."""
    area = cells(doc, sheet, address)
    rules = area.ConditionalFormat
    kind = uno.Enum("com.sun.star.sheet.ConditionOperator", operator)
    rules.addNew(properties(Operator=kind, Formula1=one, Formula2=other, StyleName=style))
    area.ConditionalFormat = rules


def looks(doc, sheet, address, values):
    """Set properties of cells, by UNO's names."""
    area = cells(doc, sheet, address)
    for key, value in values.items():
        if key == "HoriJustify":
            value = uno.Enum("com.sun.star.table.CellHoriJustify", value)
        setattr(area, key, value)


def number_format(doc, sheet, address, code):
    """Set a number format by its code, such as `#,##0.00`."""
    formats = doc.NumberFormats
    locale = uno.createUnoStruct("com.sun.star.lang.Locale")
    locale.Language, locale.Country = "en", "US"
    key = formats.queryKey(code, locale, False)
    cells(doc, sheet, address).NumberFormat = formats.addNew(code, locale) if key < 0 else key


def column_width(doc, sheet, address, millimetres):
    """Set the width of columns."""
    columns(doc, sheet, address, Width=millimetres * 100)


def hide_columns(doc, sheet, address):
    """Hide the columns of a range."""
    columns(doc, sheet, address, IsVisible=False)


def columns(doc, sheet, address, **values):
    """Set properties of the columns of a range."""
    chosen = cells(doc, sheet, address).Columns
    for number in range(chosen.Count):
        for key, value in values.items():
            setattr(chosen.getByIndex(number), key, value)


def hide_rows(doc, sheet, address):
    """Hide the rows of a range."""
    cells(doc, sheet, address).Rows.IsVisible = False


def merge(doc, sheet, address):
    """Merge the cells of a range."""
    cells(doc, sheet, address).merge(True)


def freeze(doc, sheet, rows, columns):
    """Freeze rows and columns."""
    show_sheet(doc, sheet)
    doc.CurrentController.freezeAtPosition(columns, rows)


def comment(doc, sheet, address, text):
    """Add a comment to a cell."""
    table = doc.Sheets.getByName(sheet)
    table.Annotations.insertNew(table.getCellRangeByName(address).CellAddress, text)


def name_range(doc, name, sheet, address):
    """Define a named range."""
    area = cells(doc, sheet, address)
    doc.NamedRanges.addNewByName(name, area.AbsoluteName, uno.createUnoStruct("com.sun.star.table.CellAddress"), 0)


def validate(doc, sheet, address, kind, operator, one, other, title, message):
    """Set a validation rule; kinds and operators have UNO's names."""
    area = cells(doc, sheet, address)
    rule = area.Validation
    rule.Type = uno.Enum("com.sun.star.sheet.ValidationType", kind)
    if operator:
        rule.setOperator(uno.Enum("com.sun.star.sheet.ConditionOperator", operator))
    rule.setFormula1(one)
    rule.setFormula2(other)
    rule.ShowErrorMessage = True
    rule.ErrorAlertStyle = uno.Enum("com.sun.star.sheet.ValidationAlertStyle", "STOP")
    rule.ErrorTitle, rule.ErrorMessage = title, message
    area.Validation = rule


def chart(doc, sheet, ranges, kind, title, x_title, y_title, where):
    """Insert a chart of ranges with headers, at a position in millimetres."""
    areas = tuple(cells(doc, source, address).RangeAddress for source, address in ranges)
    charts = doc.Sheets.getByName(sheet).Charts
    box = Rectangle(where[0] * 100, where[1] * 100, 14000, 8000)
    charts.addNewByName(f"Chart {charts.Count + 1}", box, areas, True, True)
    embedded = charts.getByIndex(charts.Count - 1).EmbeddedObject
    names = {"bar": "Bar", "line": "Line", "pie": "Pie", "area": "Area", "scatter": "XY"}
    embedded.setDiagram(embedded.createInstance(f"com.sun.star.chart.{names[kind]}Diagram"))
    if title:
        embedded.HasMainTitle = True
        embedded.Title.String = title
    if x_title:
        embedded.Diagram.HasXAxisTitle = True
        embedded.Diagram.XAxisTitle.String = x_title
    if y_title:
        embedded.Diagram.HasYAxisTitle = True
        embedded.Diagram.YAxisTitle.String = y_title


def pivot(doc, source, address, target, first, name, rows, columns, data, function):
    """Insert a pivot table; fields are given by their headers."""
    tables = doc.Sheets.getByName(target).DataPilotTables
    descriptor = tables.createDataPilotDescriptor()
    descriptor.setSourceRange(cells(doc, source, address).RangeAddress)
    fields = descriptor.DataPilotFields
    for names, where in ((rows, "ROW"), (columns, "COLUMN"), ([data], "DATA")):
        for head in names:
            field = fields.getByName(head)
            field.Orientation = uno.Enum("com.sun.star.sheet.DataPilotFieldOrientation", where)
            if where == "DATA":
                field.Function = uno.Enum("com.sun.star.sheet.GeneralFunction", function)
    tables.insertNewByName(name, cells(doc, target, first).getCellByPosition(0, 0).CellAddress, descriptor)


def print_range(doc, sheet, address):
    """Set the print range of a sheet."""
    doc.Sheets.getByName(sheet).setPrintAreas((cells(doc, sheet, address).RangeAddress,))


def repeat_rows(doc, sheet, first, last):
    """Repeat rows, counted from 0, at the top of every printed page."""
    table = doc.Sheets.getByName(sheet)
    area = CellRangeAddress()
    area.StartRow, area.EndRow = first, last
    table.setTitleRows(area)
    table.setPrintTitleRows(True)


def landscape(doc, sheet):
    """Set the sheet's page style to landscape."""
    style = doc.StyleFamilies.getByName("PageStyles").getByName(doc.Sheets.getByName(sheet).PageStyle)
    if not style.IsLandscape:
        style.IsLandscape = True
        style.Width, style.Height = style.Height, style.Width


def protect(doc, sheet, password):
    """Protect a sheet."""
    doc.Sheets.getByName(sheet).protect(password)


def goal_seek(doc, sheet, formula, variable, goal):
    """Change a number until a formula has the wanted result."""
    table = doc.Sheets.getByName(sheet)
    where = [table.getCellRangeByName(cell).CellAddress for cell in (formula, variable)]
    result = doc.seekGoal(where[0], where[1], goal)
    table.getCellRangeByName(variable).setValue(round(result.Result, 10))


def describe(doc, title, subject, keywords, description):
    """Set the document properties."""
    about = doc.DocumentProperties
    about.Title, about.Subject, about.Keywords, about.Description = title, subject, tuple(keywords), description


def export(doc, path, kind, options):
    """Export a copy in another format, below the home folder."""
    doc.storeToURL(f"file://{path.replace('~', HOME, 1)}", properties(FilterName=kind, FilterOptions=options))


def cells(doc, sheet, address):
    """Return a cell range of a sheet."""
    return doc.Sheets.getByName(sheet).getCellRangeByName(address)


def properties(**values):
    """Return a tuple of UNO property values."""
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


def main():
    """Carry out the calls in the active document."""
    global HOME
    order = json.load(sys.stdin)
    HOME = order["home"]
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    context = resolver.resolve(f"uno:pipe,name={order['pipe']};urp;StarOffice.ComponentContext")
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    doc = desktop.getCurrentComponent()
    if doc is None or not doc.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
        raise RuntimeError("no workbook is in front")
    for name, *arguments in order["calls"]:
        globals()[name](doc, *arguments)


try:
    main()
    code = 0
except Exception:
    traceback.print_exc()
    code = 1
sys.stderr.flush()
# Skip the cleanup of the UNO bridge, which sometimes crashes.
os._exit(code)
