"""Runs inside of the seat with the system's own Python, and has Writer do what a macro would. Never imported by ours.

The order comes as JSON on the standard input: `calls`, each a name below and its arguments.
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
    """Carries one order out."""
    order = json.load(sys.stdin)
    writer = Writer(order["pipe"], order["home"])
    for name, *arguments in order["calls"]:
        CALLS[name](writer, *arguments)
    print("{}")


class Writer:
    """The running program and the document in front."""

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
        """Paragraphs and tables of the body in their order."""
        found = self.document.Text.createEnumeration()
        while found.hasMoreElements():
            yield found.nextElement()

    def block(self, number):
        """One of them, counted from 0."""
        for place, one in enumerate(self.blocks()):
            if place == number:
                return one
        raise ValueError(f"no block {number}")


def do(writer, name, arguments=None):
    """What a menu does."""
    given = tuple(PropertyValue(Name=key, Value=value) for key, value in (arguments or {}).items())
    helper = writer.make("com.sun.star.frame.DispatchHelper")
    helper.executeDispatch(writer.controller.getFrame(), f".uno:{name}", "", 0, given)


def select(writer, first, last=None):
    """Selects paragraphs from the first letter of one to the last of another."""
    begin, end = writer.block(first), writer.block(first if last is None else last)
    writer.view.gotoRange(begin.Start, False)
    writer.view.gotoRange(end.End, True)


def place(writer, number, at_end=False):
    """Puts the cursor at the start or the end of a paragraph."""
    block = writer.block(number)
    writer.view.gotoRange(block.End if at_end else block.Start, False)


def break_before(writer):
    """Lets a new page begin with the paragraph of the cursor."""
    writer.view.BreakType = uno.Enum("com.sun.star.style.BreakType", "PAGE_BEFORE")


def find(writer, text, number=0):
    """Selects an occurrence of a text, exactly as it is written; counted from 0."""
    wanted = writer.document.createSearchDescriptor()
    wanted.SearchString, wanted.SearchCaseSensitive = text, True
    writer.controller.select(writer.document.findAll(wanted).getByIndex(number))


def find_all(writer, text):
    """Selects every occurrence of a text."""
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
    """Replaces every occurrence of a text, exactly as it is written."""
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
    """Gives the selection properties."""
    for name, value in properties.items():
        writer.view.setPropertyValue(name, value)


def language(writer, name):
    """Gives the selection a language, such as `fr-FR`."""
    first, _, country = name.partition("-")
    writer.view.CharLocale = Locale(first, country, "")


def format_all(writer, text, properties):
    """Gives every occurrence of a text properties."""
    wanted = writer.document.createSearchDescriptor()
    wanted.SearchString, wanted.SearchCaseSensitive = text, True
    found = writer.document.findAll(wanted)
    for number in range(found.getCount()):
        for name, value in properties.items():
            found.getByIndex(number).setPropertyValue(name, value)


def cell(writer, table, name):
    """Puts the cursor into a cell of a table."""
    found = writer.document.TextTables.getByName(table).getCellByName(name)
    writer.controller.select(found)
    writer.view.gotoRange(found.Start, False)


def cells(writer, table, names):
    """Selects cells of a table, such as `A1:C1`."""
    writer.controller.select(writer.document.TextTables.getByName(table).getCellRangeByName(names))


def formula(writer, table, name, text):
    """Gives a cell of a table a formula."""
    writer.document.TextTables.getByName(table).getCellByName(name).setFormula(text)


def sort(writer, table, names, column, ascending, numeric):
    """Sorts rows of a table, given by their cells, by a column from 1."""
    found = writer.document.TextTables.getByName(table).getCellRangeByName(names)
    described = list(found.createSortDescriptor())
    field = uno.createUnoStruct("com.sun.star.table.TableSortField")
    field.Field, field.IsAscending = column, ascending
    field.FieldType = uno.Enum("com.sun.star.table.TableSortFieldType", "NUMERIC" if numeric else "ALPHANUMERIC")
    for one in described:
        if one.Name == "SortFields":
            one.Value = uno.Any("[]com.sun.star.table.TableSortField", (field,))
        if one.Name == "IsSortColumns":
            one.Value = False
    uno.invoke(found, "sort", (uno.Any("[]com.sun.star.beans.PropertyValue", tuple(described)),))


def contents(writer, title, level):
    """Inserts a table of contents at the cursor, and fills it."""
    index = writer.document.createInstance("com.sun.star.text.ContentIndex")
    index.Title, index.Level, index.CreateFromOutline = title, level, True
    writer.document.Text.insertTextContent(writer.view.Start, index, False)
    index.update()


def section(writer, name, columns, protected):
    """Makes the selection a section."""
    made = writer.document.createInstance("com.sun.star.text.TextSection")
    made.Name, made.IsProtected = name, protected
    if columns > 1:
        shared = made.TextColumns
        shared.setColumnCount(columns)
        made.TextColumns = shared
    cursor = writer.document.Text.createTextCursorByRange(writer.view)
    writer.document.Text.insertTextContent(cursor, made, True)


def page(writer, properties):
    """Gives the page style of the cursor properties."""
    style = writer.document.StyleFamilies.getByName("PageStyles").getByName(writer.view.PageStyleName)
    for name, value in properties.items():
        style.setPropertyValue(name, value)


def page_columns(writer, count):
    """Sets the pages in columns."""
    style = writer.document.StyleFamilies.getByName("PageStyles").getByName(writer.view.PageStyleName)
    shared = style.TextColumns
    shared.setColumnCount(count)
    style.TextColumns = shared


def metadata(writer, properties):
    """Gives the document properties such as a title."""
    for name, value in properties.items():
        setattr(writer.document.DocumentProperties, name, tuple(value) if isinstance(value, list) else value)


def picture(writer, name, properties):
    """Gives a picture properties; an empty name stands for the last one, lengths are hundredths of a millimetre."""
    found = writer.document.GraphicObjects
    names = [one for one in found.ElementNames]
    one = found.getByName(name) if name else writer.controller.getSelection()
    if not hasattr(one, "Size"):
        one = found.getByName(names[-1])
    given = dict(properties)
    if "width" in given:
        size = one.Size
        width = given.pop("width")
        height = given.pop("height", None) or round(size.Height * width / size.Width)
        one.IsSyncWidthToHeight = one.IsSyncHeightToWidth = False
        one.Size = Size(width, height)
    for key, value in given.items():
        setattr(one, key, value)


def reference(writer, bookmark):
    """Inserts a cross-reference to the text of a bookmark at the cursor."""
    field = writer.document.createInstance("com.sun.star.text.TextField.GetReference")
    field.ReferenceFieldSource, field.SourceName, field.ReferenceFieldPart = 2, bookmark, 2
    writer.document.Text.insertTextContent(writer.view.Start, field, False)
    writer.document.TextFields.refresh()


def insert_picture(writer, path):
    """Inserts a picture from a file at the cursor."""
    url = uno.systemPathToFileUrl(path.replace("~", writer.home, 1))
    do(writer, "InsertGraphic", {"FileName": url, "AsLink": False})


def save_as(writer, path, kind):
    """Saves under another name, which the document has from then on; the format is named by its filter."""
    writer.document.storeAsURL(*_target(writer, path, kind))


def save_copy(writer, path, kind):
    """Saves a copy in a format that is named by its filter."""
    writer.document.storeToURL(*_target(writer, path, kind))


def _target(writer, path, kind):
    given = [PropertyValue(Name="FilterName", Value=kind)]
    if kind == "Text (encoded)":
        given.append(PropertyValue(Name="FilterOptions", Value="UTF8,LF,,,"))
    return uno.systemPathToFileUrl(path.replace("~", writer.home, 1)), tuple(given)


CALLS = {
    one.__name__.replace("_", "-"): one
    for one in (
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
os._exit(0)  # taking the bridge down may crash, and everything is done
