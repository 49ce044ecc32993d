"""Runs inside of the seat with the system's own Python, and has Calc do things over UNO. Never imported by ours.

The order comes as JSON on the standard input: calls, each the name of a function below and its arguments.
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
    """A new sheet; a negative place counts from behind."""
    count = doc.Sheets.Count
    doc.Sheets.insertNewByName(name, place if place >= 0 else count + 1 + place)


def rename_sheet(doc, old, new):
    """Another name for a sheet."""
    doc.Sheets.getByName(old).Name = new


def move_sheet(doc, name, place):
    """To another place; a negative one is the end."""
    doc.Sheets.moveByName(name, place if place >= 0 else doc.Sheets.Count)


def tab_colour(doc, name, colour):
    """Colours the tab."""
    doc.Sheets.getByName(name).TabColor = colour


def show_sheet(doc, name):
    """Brings a sheet to the front."""
    doc.CurrentController.setActiveSheet(doc.Sheets.getByName(name))


def put(doc, sheet, first, rows):
    """Texts, numbers and formulas, row by row, as if typed."""
    start = cells(doc, sheet, first).RangeAddress
    for down, row in enumerate(rows):
        for across, entry in enumerate(row):
            cell = doc.Sheets.getByName(sheet).getCellByPosition(start.StartColumn + across, start.StartRow + down)
            if isinstance(entry, str):
                cell.setFormula(entry)
            else:
                cell.setValue(entry)


def fill_down(doc, sheet, address, formula):
    """A formula in the first cell of a range, copied to the others."""
    found = cells(doc, sheet, address)
    found.getCellByPosition(0, 0).setFormula(formula)
    found.fillAuto(uno.Enum("com.sun.star.sheet.FillDirection", "TO_BOTTOM"), 1)


def clear(doc, sheet, address):
    """Empties cells."""
    cells(doc, sheet, address).clearContents(1 | 2 | 4 | 16)


def sort(doc, sheet, address, keys):
    """Rows below a head, by columns counted from 0: `[[2, true], [4, false]]`."""
    fields = []
    for column, ascending in keys:
        field = uno.createUnoStruct("com.sun.star.table.TableSortField")
        field.Field, field.IsAscending = column, ascending
        fields.append(field)
    wanted = uno.Any("[]com.sun.star.table.TableSortField", tuple(fields))
    uno.invoke(cells(doc, sheet, address), "sort", (properties(SortFields=wanted, ContainsHeader=True),))


def filter_rows(doc, sheet, address, column, value):
    """Only the rows shown that have a value in a column of a range with a head."""
    found = cells(doc, sheet, address)
    descriptor = found.createFilterDescriptor(True)
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
    found.filter(descriptor)


def without_duplicates(doc, sheet, address, target, first):
    """A copy of a list without the rows that repeat another one."""
    source = cells(doc, sheet, address)
    descriptor = source.createFilterDescriptor(True)
    descriptor.SkipDuplicates = True
    descriptor.ContainsHeader = True
    descriptor.CopyOutputData = True
    descriptor.OutputPosition = cells(doc, target, first).getCellByPosition(0, 0).CellAddress
    source.filter(descriptor)


def cell_style(doc, name, looks):
    """A style of cells, new or changed."""
    styles = doc.StyleFamilies.getByName("CellStyles")
    if not styles.hasByName(name):
        styles.insertByName(name, doc.createInstance("com.sun.star.style.CellStyle"))
    for key, value in looks.items():
        setattr(styles.getByName(name), key, value)


def condition(doc, sheet, address, operator, one, other, style):
    """A conditional format; operators as UNO names them, such as `LESS`."""
    found = cells(doc, sheet, address)
    rules = found.ConditionalFormat
    kind = uno.Enum("com.sun.star.sheet.ConditionOperator", operator)
    rules.addNew(properties(Operator=kind, Formula1=one, Formula2=other, StyleName=style))
    found.ConditionalFormat = rules


def looks(doc, sheet, address, values):
    """Properties of cells, by UNO's names."""
    found = cells(doc, sheet, address)
    for key, value in values.items():
        if key == "HoriJustify":
            value = uno.Enum("com.sun.star.table.CellHoriJustify", value)
        setattr(found, key, value)


def number_format(doc, sheet, address, code):
    """A format by its code, such as `#,##0.00`."""
    formats = doc.NumberFormats
    locale = uno.createUnoStruct("com.sun.star.lang.Locale")
    locale.Language, locale.Country = "en", "US"
    key = formats.queryKey(code, locale, False)
    cells(doc, sheet, address).NumberFormat = formats.addNew(code, locale) if key < 0 else key


def column_width(doc, sheet, address, millimetres):
    """Makes columns as wide as this."""
    columns(doc, sheet, address, Width=millimetres * 100)


def hide_columns(doc, sheet, address):
    """Hides the columns of a range."""
    columns(doc, sheet, address, IsVisible=False)


def columns(doc, sheet, address, **values):
    """Sets properties of the columns of a range."""
    found = cells(doc, sheet, address).Columns
    for number in range(found.Count):
        for key, value in values.items():
            setattr(found.getByIndex(number), key, value)


def hide_rows(doc, sheet, address):
    """Hides the rows of a range."""
    cells(doc, sheet, address).Rows.IsVisible = False


def merge(doc, sheet, address):
    """Makes one cell of many."""
    cells(doc, sheet, address).merge(True)


def freeze(doc, sheet, rows, columns):
    """Keeps rows and columns in sight."""
    show_sheet(doc, sheet)
    doc.CurrentController.freezeAtPosition(columns, rows)


def comment(doc, sheet, address, text):
    """Attaches a comment."""
    found = doc.Sheets.getByName(sheet)
    found.Annotations.insertNew(found.getCellRangeByName(address).CellAddress, text)


def name_range(doc, name, sheet, address):
    """Gives cells a name."""
    found = cells(doc, sheet, address)
    doc.NamedRanges.addNewByName(name, found.AbsoluteName, uno.createUnoStruct("com.sun.star.table.CellAddress"), 0)


def validate(doc, sheet, address, kind, operator, one, other, title, message):
    """A rule for entries; kinds and operators as UNO names them."""
    found = cells(doc, sheet, address)
    rule = found.Validation
    rule.Type = uno.Enum("com.sun.star.sheet.ValidationType", kind)
    if operator:
        rule.setOperator(uno.Enum("com.sun.star.sheet.ConditionOperator", operator))
    rule.setFormula1(one)
    rule.setFormula2(other)
    rule.ShowErrorMessage = True
    rule.ErrorAlertStyle = uno.Enum("com.sun.star.sheet.ValidationAlertStyle", "STOP")
    rule.ErrorTitle, rule.ErrorMessage = title, message
    found.Validation = rule


def chart(doc, sheet, ranges, kind, title, x_title, y_title, where):
    """A chart of ranges with heads, at a place in millimetres."""
    areas = tuple(cells(doc, source, address).RangeAddress for source, address in ranges)
    charts = doc.Sheets.getByName(sheet).Charts
    box = Rectangle(where[0] * 100, where[1] * 100, 14000, 8000)
    charts.addNewByName(f"Chart {charts.Count + 1}", box, areas, True, True)
    made = charts.getByIndex(charts.Count - 1).EmbeddedObject
    names = {"bar": "Bar", "line": "Line", "pie": "Pie", "area": "Area", "scatter": "XY"}
    made.setDiagram(made.createInstance(f"com.sun.star.chart.{names[kind]}Diagram"))
    if title:
        made.HasMainTitle = True
        made.Title.String = title
    if x_title:
        made.Diagram.HasXAxisTitle = True
        made.Diagram.XAxisTitle.String = x_title
    if y_title:
        made.Diagram.HasYAxisTitle = True
        made.Diagram.YAxisTitle.String = y_title


def pivot(doc, source, address, target, first, name, rows, columns, data, function):
    """A pivot table; fields by their heads."""
    tables = doc.Sheets.getByName(target).DataPilotTables
    descriptor = tables.createDataPilotDescriptor()
    descriptor.setSourceRange(cells(doc, source, address).RangeAddress)
    fields = descriptor.DataPilotFields
    for names, where in ((rows, "ROW"), (columns, "COLUMN"), ([data], "DATA")):
        for one in names:
            field = fields.getByName(one)
            field.Orientation = uno.Enum("com.sun.star.sheet.DataPilotFieldOrientation", where)
            if where == "DATA":
                field.Function = uno.Enum("com.sun.star.sheet.GeneralFunction", function)
    tables.insertNewByName(name, cells(doc, target, first).getCellByPosition(0, 0).CellAddress, descriptor)


def print_range(doc, sheet, address):
    """What of a sheet is printed."""
    doc.Sheets.getByName(sheet).setPrintAreas((cells(doc, sheet, address).RangeAddress,))


def repeat_rows(doc, sheet, first, last):
    """Rows, counted from 0, that every page begins with."""
    found = doc.Sheets.getByName(sheet)
    area = CellRangeAddress()
    area.StartRow, area.EndRow = first, last
    found.setTitleRows(area)
    found.setPrintTitleRows(True)


def landscape(doc, sheet):
    """Turns the paper of a sheet's page style."""
    style = doc.StyleFamilies.getByName("PageStyles").getByName(doc.Sheets.getByName(sheet).PageStyle)
    if not style.IsLandscape:
        style.IsLandscape = True
        style.Width, style.Height = style.Height, style.Width


def protect(doc, sheet, password):
    """Protects a sheet."""
    doc.Sheets.getByName(sheet).protect(password)


def goal_seek(doc, sheet, formula, variable, goal):
    """Changes a number until a formula gives what is wanted."""
    found = doc.Sheets.getByName(sheet)
    where = [found.getCellRangeByName(one).CellAddress for one in (formula, variable)]
    result = doc.seekGoal(where[0], where[1], goal)
    found.getCellRangeByName(variable).setValue(round(result.Result, 10))


def describe(doc, title, subject, keywords, description):
    """What the file says about itself."""
    about = doc.DocumentProperties
    about.Title, about.Subject, about.Keywords, about.Description = title, subject, tuple(keywords), description


def export(doc, path, kind, options):
    """A copy in another format, below the home folder."""
    doc.storeToURL(f"file://{path.replace('~', HOME, 1)}", properties(FilterName=kind, FilterOptions=options))


def cells(doc, sheet, address):
    """A range of a sheet."""
    return doc.Sheets.getByName(sheet).getCellRangeByName(address)


def properties(**values):
    """As UNO wants them."""
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


def main():
    """Carries the calls out, in the document in front."""
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
# Without the bridge's own tidying up, which at times ends in a crash when all is done.
os._exit(code)
