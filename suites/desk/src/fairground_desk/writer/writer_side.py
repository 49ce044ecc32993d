"""Controls Writer over UNO. Runs inside the seat with the system's Python; the package never imports it.

Reads JSON from standard input; each of its `calls` is the name of a function below and its arguments.
"""

# mypy: ignore-errors
import json
import os
import sys

import uno
from com.sun.star.awt import Size
from com.sun.star.beans import PropertyValue
from com.sun.star.lang import Locale


def main():
    """Run the calls from standard input."""
    order = json.load(sys.stdin)
    writer = Writer(order["pipe"], order["home"])
    for name, *arguments in order["calls"]:
        CALLS[name](writer, *arguments)
    print("{}")


class Writer:
    """The running program and its current document."""

    def __init__(self, pipe, home):
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        self.context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        self.home = home
        self.desktop = self.make("com.sun.star.frame.Desktop")
        self.document = self.desktop.getCurrentComponent()
        self.controller = self.document.getCurrentController()
        self.view = self.controller.getViewCursor()

    def make(self, name):
        return self.context.ServiceManager.createInstanceWithContext(name, self.context)

    def blocks(self):
        """Yield the paragraphs and tables of the body, in order."""
        enumeration = self.document.Text.createEnumeration()
        while enumeration.hasMoreElements():
            yield enumeration.nextElement()

    def block(self, number):
        """Return a block by number, counted from 0."""
        for place, block in enumerate(self.blocks()):
            if place == number:
                return block
        raise ValueError(f"no block {number}")


def do(writer, name, arguments=None):
    """Run a `.uno:` menu command."""
    given = tuple(PropertyValue(Name=key, Value=value) for key, value in (arguments or {}).items())
    helper = writer.make("com.sun.star.frame.DispatchHelper")
    helper.executeDispatch(writer.controller.getFrame(), f".uno:{name}", "", 0, given)


def select(writer, first, last=None):
    """Select from the start of one block to the end of another."""
    begin, end = writer.block(first), writer.block(first if last is None else last)
    writer.view.gotoRange(begin.Start, False)
    writer.view.gotoRange(end.End, True)


def place(writer, number, at_end=False):
    """Move the cursor to the start or the end of a paragraph."""
    block = writer.block(number)
    writer.view.gotoRange(block.End if at_end else block.Start, False)


def break_before(writer):
    """Insert a page break before the current paragraph."""
    writer.view.BreakType = uno.Enum("com.sun.star.style.BreakType", "PAGE_BEFORE")


def find(writer, text, number=0):
    """Select an occurrence of a text, case-sensitive, by number from 0."""
    wanted = writer.document.createSearchDescriptor()
    wanted.SearchString, wanted.SearchCaseSensitive = text, True
    writer.controller.select(writer.document.findAll(wanted).getByIndex(number))


def find_all(writer, text):
    """Select every occurrence of a text."""
    do(
        writer,
        "ExecuteSearch",
        {
            "SearchItem.SearchString": text,
            "SearchItem.Command": 1,
            "SearchItem.TransliterateFlags": 0,
            "SearchItem.AlgorithmType": 0,
            "SearchItem.AlgorithmType2": 1,
        },
    )


def replace_all(writer, text, other):
    """Replace every occurrence of a text, case-sensitive."""
    do(
        writer,
        "ExecuteSearch",
        {
            "SearchItem.SearchString": text,
            "SearchItem.ReplaceString": other,
            "SearchItem.Command": 3,
            "SearchItem.TransliterateFlags": 0,
            "SearchItem.AlgorithmType": 0,
            "SearchItem.AlgorithmType2": 1,
        },
    )


def format(writer, properties):
    """Set properties of the selection."""
    for name, value in properties.items():
        writer.view.setPropertyValue(name, value)


def language(writer, name):
    """Set the language of the selection, such as `fr-FR`."""
    first, _, country = name.partition("-")
    writer.view.CharLocale = Locale(first, country, "")


def format_all(writer, text, properties):
    """Set properties of every occurrence of a text."""
    wanted = writer.document.createSearchDescriptor()
    wanted.SearchString, wanted.SearchCaseSensitive = text, True
    matches = writer.document.findAll(wanted)
    for number in range(matches.getCount()):
        for name, value in properties.items():
            matches.getByIndex(number).setPropertyValue(name, value)


def cell(writer, table, name):
    """Move the cursor into a table cell."""
    target = writer.document.TextTables.getByName(table).getCellByName(name)
    writer.controller.select(target)
    writer.view.gotoRange(target.Start, False)


def cells(writer, table, names):
    """Select a range of table cells, such as `A1:C1`."""
    writer.controller.select(writer.document.TextTables.getByName(table).getCellRangeByName(names))


def formula(writer, table, name, text):
    """Set the formula of a table cell."""
    writer.document.TextTables.getByName(table).getCellByName(name).setFormula(text)


def sort(writer, table, names, column, ascending, numeric):
    """Sort the rows of a cell range by a column, counted from 1."""
    cell_range = writer.document.TextTables.getByName(table).getCellRangeByName(names)
    described = list(cell_range.createSortDescriptor())
    field = uno.createUnoStruct("com.sun.star.table.TableSortField")
    field.Field, field.IsAscending = column, ascending
    field.FieldType = uno.Enum("com.sun.star.table.TableSortFieldType", "NUMERIC" if numeric else "ALPHANUMERIC")
    for option in described:
        if option.Name == "SortFields":
            option.Value = uno.Any("[]com.sun.star.table.TableSortField", (field,))
        if option.Name == "IsSortColumns":
            option.Value = False
    uno.invoke(cell_range, "sort", (uno.Any("[]com.sun.star.beans.PropertyValue", tuple(described)),))


def contents(writer, title, level):
    """Insert an up-to-date table of contents at the cursor."""
    index = writer.document.createInstance("com.sun.star.text.ContentIndex")
    index.Title, index.Level, index.CreateFromOutline = title, level, True
    writer.document.Text.insertTextContent(writer.view.Start, index, False)
    index.update()


def section(writer, name, columns, protected):
    """Turn the selection into a section."""
    text_section = writer.document.createInstance("com.sun.star.text.TextSection")
    text_section.Name, text_section.IsProtected = name, protected
    if columns > 1:
        shared = text_section.TextColumns
        shared.setColumnCount(columns)
        text_section.TextColumns = shared
    cursor = writer.document.Text.createTextCursorByRange(writer.view)
    writer.document.Text.insertTextContent(cursor, text_section, True)


def page(writer, properties):
    """Set properties of the current page style."""
    style = writer.document.StyleFamilies.getByName("PageStyles").getByName(writer.view.PageStyleName)
    for name, value in properties.items():
        style.setPropertyValue(name, value)


def page_columns(writer, count):
    """Set the number of columns of the current page style."""
    style = writer.document.StyleFamilies.getByName("PageStyles").getByName(writer.view.PageStyleName)
    shared = style.TextColumns
    shared.setColumnCount(count)
    style.TextColumns = shared


def metadata(writer, properties):
    """Set document properties, such as the title."""
    for name, value in properties.items():
        setattr(writer.document.DocumentProperties, name, tuple(value) if isinstance(value, list) else value)


def picture(writer, name, properties):
    """Set properties of a picture, by default the selected or last one; lengths are hundredths of a millimetre."""
    pictures = writer.document.GraphicObjects
    names = [key for key in pictures.ElementNames]
    image = pictures.getByName(name) if name else writer.controller.getSelection()
    if not hasattr(image, "Size"):
        image = pictures.getByName(names[-1])
    given = dict(properties)
    if "width" in given:
        size = image.Size
        width = given.pop("width")
        height = given.pop("height", None) or round(size.Height * width / size.Width)
        image.IsSyncWidthToHeight = image.IsSyncHeightToWidth = False
        image.Size = Size(width, height)
    for key, value in given.items():
        setattr(image, key, value)


def reference(writer, bookmark):
    """Insert a cross-reference to the text of a bookmark at the cursor."""
    field = writer.document.createInstance("com.sun.star.text.TextField.GetReference")
    field.ReferenceFieldSource, field.SourceName, field.ReferenceFieldPart = 2, bookmark, 2
    writer.document.Text.insertTextContent(writer.view.Start, field, False)
    writer.document.TextFields.refresh()


def insert_picture(writer, path):
    """Insert a picture from a file at the cursor."""
    url = uno.systemPathToFileUrl(path.replace("~", writer.home, 1))
    do(writer, "InsertGraphic", {"FileName": url, "AsLink": False})


def save_as(writer, path, kind):
    """Save under another name, which becomes the document's name; `kind` is the name of the export filter."""
    writer.document.storeAsURL(*_target(writer, path, kind))


def save_copy(writer, path, kind):
    """Save a copy; `kind` is the name of the export filter."""
    writer.document.storeToURL(*_target(writer, path, kind))


def _target(writer, path, kind):
    given = [PropertyValue(Name="FilterName", Value=kind)]
    if kind == "Text (encoded)":
        given.append(PropertyValue(Name="FilterOptions", Value="UTF8,LF,,,"))
    return uno.systemPathToFileUrl(path.replace("~", writer.home, 1)), tuple(given)


CALLS = {
    function.__name__.replace("_", "-"): function
    for function in (
        do,
        select,
        place,
        break_before,
        find,
        find_all,
        replace_all,
        format,
        language,
        format_all,
        cell,
        cells,
        formula,
        sort,
        contents,
        section,
        page,
        page_columns,
        metadata,
        picture,
        reference,
        insert_picture,
        save_as,
        save_copy,
    )
}


main()
sys.stdout.flush()
os._exit(0)  # skips the UNO bridge's shutdown, which may crash
