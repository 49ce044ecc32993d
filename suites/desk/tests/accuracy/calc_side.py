"""Runs inside of the sandbox, beside `office_side.py`: makes workbooks, and tells what Calc says of them."""

# mypy: ignore-errors
import uno
from office_side import parted, value

LOOKS = ("CellBackColor", "CharColor", "HoriJustify", "IsTextWrapped", "NumberFormat")
FIRST_DAY, LAST_DAY = -693593, 2958466  # between them lie the years 1 to 9999, which Python knows
LONGEST = 1_000_000_000  # days, of which Python's spans of time have fewer
ALIGNED = {"LEFT": "left", "CENTER": "center", "RIGHT": "right", "BLOCK": "justify"}
OPERATORS = {"GREATER": ">{0}", "LESS": "<{0}", "EQUAL": "={0}", "BETWEEN": "between({0},{1})"}
CHARTS = {
    "BarDiagram": "bar",
    "LineDiagram": "line",
    "PieDiagram": "pie",
    "AreaDiagram": "area",
    "XYDiagram": "scatter",
}
ANCHORS = ("A1", "A11", "E11", "G1", "B2", "F13")  # places that are asked whether a merged block begins there
RULED = (
    "A1",
    "A10",
    "A11",
    "E1",
    "E2",
    "E3",
    "E6",
    "E7",
    "E9",
    "F2",
    "F3",
    "F6",
    "F7",
    "L10",
    "M1",
)  # likewise, of rules
FAR = 14  # columns that are asked for their widths
OOXML = 3  # how formulas are written in XLSX


def build(document, recipe, context):
    """Makes a workbook as the recipe says."""
    sheets = document.Sheets
    for number, one in enumerate(recipe["sheets"]):
        if number:
            sheets.insertNewByName(one["name"], number)
        else:
            sheets.getByIndex(0).Name = one["name"]
    while sheets.Count > len(recipe["sheets"]):
        sheets.removeByName(sheets.getByIndex(sheets.Count - 1).Name)
    for number, one in enumerate(recipe["sheets"]):
        build_sheet(document, sheets.getByIndex(number), one)
    for name, (sheet, area) in recipe["names"].items():
        cells = sheets.getByIndex(sheet).getCellRangeByName(area)
        document.NamedRanges.addNewByName(
            name, cells.AbsoluteName, uno.createUnoStruct("com.sun.star.table.CellAddress"), 0
        )
    about = document.DocumentProperties
    about.Title, about.Subject, about.Description = recipe["title"], recipe["subject"], recipe["description"]
    about.Keywords = tuple(recipe["keywords"])
    for name, text in recipe["custom"].items():
        about.UserDefinedProperties.addProperty(name, 128, text)
    for number, one in enumerate(recipe["sheets"]):
        document.CurrentController.setActiveSheet(sheets.getByIndex(number))
        rows, columns = one["frozen"]
        if rows or columns:
            document.CurrentController.freezeAtPosition(columns, rows)
    for number, one in enumerate(recipe["sheets"]):
        sheets.getByIndex(number).IsVisible = one["visible"]
        if one["protected"]:
            sheets.getByIndex(number).protect("")


def build_sheet(document, sheet, recipe):
    """One sheet."""
    for one in recipe["cells"]:
        build_cell(document, sheet.getCellByPosition(*one["at"]), one)
    for area in recipe["merged"]:
        sheet.getCellRangeByName(area).merge(True)
    for column, width in recipe["widths"]:
        sheet.Columns.getByIndex(column).Width = width * 100
    for column in recipe["hidden_columns"]:
        sheet.Columns.getByIndex(column).IsVisible = False
    for row in recipe["hidden_rows"]:
        sheet.Rows.getByIndex(row).IsVisible = False
    if recipe["tab"] is not None:
        sheet.TabColor = recipe["tab"]
    if recipe["print"]:
        sheet.setPrintAreas((sheet.getCellRangeByName(recipe["print"]).RangeAddress,))
    if recipe["repeated"]:
        first, last = recipe["repeated"]
        sheet.setTitleRows(sheet.getCellRangeByName(f"A{first + 1}:A{last + 1}").RangeAddress)
        sheet.setPrintTitleRows(True)
    build_page(document, sheet, recipe["page"])
    if recipe["condition"]:
        build_condition(document, sheet, recipe["condition"])
    if recipe["rule"]:
        build_rule(sheet, recipe["rule"])
    if recipe["filter"]:
        name = f"filter{sheet.RangeAddress.Sheet}"
        document.DatabaseRanges.addNewByName(name, sheet.getCellRangeByName(recipe["filter"]).RangeAddress)
        document.DatabaseRanges.getByName(name).AutoFilter = True
    if recipe["chart"]:
        build_chart(sheet, recipe["chart"])


def build_cell(document, cell, recipe):
    """One cell."""
    kind, content = recipe["kind"], recipe["value"]
    if kind == "text":
        cell.setString(content)
    elif kind == "number":
        cell.setValue(content)
    else:
        cell.setFormula(content)
    if recipe["format"]:
        formats, english = document.NumberFormats, uno.createUnoStruct("com.sun.star.lang.Locale", "en", "US", "")
        key = formats.queryKey(recipe["format"], english, False)
        cell.NumberFormat = formats.addNew(recipe["format"], english) if key == -1 else key
    for name, content in recipe["look"].items():
        if name == "align":
            cell.HoriJustify = uno.Enum("com.sun.star.table.CellHoriJustify", content)
        elif name.startswith("CharPosture"):
            setattr(cell, name, uno.Enum("com.sun.star.awt.FontSlant", content))
        else:
            setattr(cell, name, content)
    if recipe["comment"]:
        cell.Spreadsheet.Annotations.insertNew(cell.CellAddress, recipe["comment"])


def build_page(document, sheet, recipe):
    """A page style of the sheet's own."""
    styles = document.StyleFamilies.getByName("PageStyles")
    name = f"Page {sheet.RangeAddress.Sheet}"
    styles.insertByName(name, document.createInstance("com.sun.star.style.PageStyle"))
    sheet.PageStyle = name
    style = styles.getByName(name)
    style.Width, style.Height = (29700, 21000) if recipe["landscape"] else (21000, 29700)
    style.IsLandscape = recipe["landscape"]
    for part in ("Header", "Footer"):
        text = recipe[part]
        setattr(style, f"{part}IsOn", bool(text))
        if text:
            name = f"RightPage{part}Content"
            content = getattr(style, name)
            content.LeftText.String, content.CenterText.String, content.RightText.String = text
            setattr(style, name, content)
    if recipe["scale"]:
        style.PageScale = recipe["scale"]


def build_condition(document, sheet, recipe):
    """A conditional format with a style of its own."""
    styles = document.StyleFamilies.getByName("CellStyles")
    name = f"Look {sheet.RangeAddress.Sheet}"
    styles.insertByName(name, document.createInstance("com.sun.star.style.CellStyle"))
    style = styles.getByName(name)
    style.CellBackColor, style.CharColor = recipe["back"], recipe["colour"]
    if recipe["bold"]:
        style.CharWeight = 150.0
    cells = sheet.getCellRangeByName(recipe["range"])
    rules = cells.ConditionalFormat
    operator = uno.Enum("com.sun.star.sheet.ConditionOperator", recipe["operator"])
    given = [value("Operator", operator), value("StyleName", name)]
    given += [value(f"Formula{place}", text) for place, text in enumerate(recipe["limits"], 1)]
    rules.addNew(tuple(given))
    cells.ConditionalFormat = rules


def build_rule(sheet, recipe):
    """A rule for entries."""
    cells = sheet.getCellRangeByName(recipe["range"])
    rule = cells.Validation
    rule.Type = uno.Enum("com.sun.star.sheet.ValidationType", "WHOLE")
    rule.setOperator(uno.Enum("com.sun.star.sheet.ConditionOperator", "BETWEEN"))
    rule.setFormula1(str(recipe["least"]))
    rule.setFormula2(str(recipe["most"]))
    rule.IgnoreBlankCells = recipe["empty"]
    rule.ShowErrorMessage = True
    rule.ErrorTitle, rule.ErrorMessage = recipe["title"], recipe["message"]
    cells.Validation = rule


def build_chart(sheet, recipe):
    """A chart of some cells."""
    box = uno.createUnoStruct("com.sun.star.awt.Rectangle")
    box.X, box.Y, box.Width, box.Height = 30000, 1000, 8000, 6000
    area = sheet.getCellRangeByName(recipe["range"]).RangeAddress
    sheet.Charts.addNewByName(f"Chart {sheet.RangeAddress.Sheet}", box, (area,), recipe["head"], recipe["head"])
    chart = sheet.Charts.getByIndex(0).EmbeddedObject
    chart.setDiagram(chart.createInstance(f"com.sun.star.chart.{recipe['kind']}"))
    if recipe["title"]:
        chart.HasMainTitle = True
        chart.Title.String = recipe["title"]
    if recipe["subtitle"]:
        chart.HasSubTitle = True
        chart.SubTitle.String = recipe["subtitle"]
    chart.HasLegend = recipe["legend"]
    if recipe["x_title"] and recipe["kind"] != "PieDiagram":
        chart.Diagram.HasXAxisTitle = True
        chart.Diagram.XAxisTitle.String = recipe["x_title"]


def fragile(document):
    """Whether closing it from outside is known to crash the program now and then."""
    return any(sheet.Charts.Count for sheet in document.Sheets)


def tell(document, kind):
    """What Calc says of a workbook; of XLSX only what our reader reads of it."""
    # Some results are only worked out when somebody looks.
    document.calculateAll()
    whole = kind == "ods"
    parser = document.createInstance("com.sun.star.sheet.FormulaParser")
    parser.CompileEnglish, parser.FormulaConvention = True, OOXML
    told = {"sheets": {}}
    for sheet in document.Sheets:
        told["sheets"][sheet.Name] = tell_sheet(document, sheet, None if whole else parser)
        if whole:
            told["sheets"][sheet.Name] |= tell_beside(document, sheet)
    if whole:
        told["names"] = {one.Name: place(document, one.ReferredCells.RangeAddress) for one in document.NamedRanges}
        ranges = [one for one in document.DatabaseRanges if one.AutoFilter]
        told["filters"] = sorted(place(document, one.DataArea) for one in ranges)
        about = document.DocumentProperties
        custom = about.UserDefinedProperties
        told["about"] = {
            "title": about.Title,
            "subject": about.Subject,
            "description": about.Description,
            "keywords": list(about.Keywords),
            "custom": {one.Name: custom.getPropertyValue(one.Name) for one in custom.PropertySetInfo.Properties},
        }
    return told


def tell_sheet(document, sheet, parser):
    """Cells, merged blocks and visibility."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    last = cursor.RangeAddress
    cells, merged = {}, []
    comments = {(one.Position.Row, one.Position.Column): one.String for one in sheet.Annotations}
    for row in range(last.EndRow + 1):
        for column in range(last.EndColumn + 1):
            cell = sheet.getCellByPosition(column, row)
            if cell.Type.value != "EMPTY" or (parser is None and (row, column) in comments):
                told = tell_cell(document, cell, parser)
                if parser is None:
                    told["comment"] = comments.get((row, column), "")
                cells[f"{letters(column)}{row + 1}"] = told
    for start in ANCHORS:
        block = sheet.createCursorByRange(sheet.getCellRangeByName(start))
        block.collapseToMergedArea()
        if area(block.RangeAddress) != start:
            merged.append(area(block.RangeAddress))
    return {"cells": cells, "merged": sorted(merged), "visible": sheet.IsVisible}


def tell_cell(document, cell, parser):
    """One cell."""
    look = dict(zip(LOOKS, cell.getPropertyValues(LOOKS), strict=True))
    kind, said = cell_value(cell)
    number = number_format(document, look["NumberFormat"])
    if kind == "number" and number["kind"] in ("date", "time", "bool"):
        kind = number["kind"]
    if kind == "bool" and said not in (0.0, 1.0):
        kind = "number"
    if kind == "date" and not FIRST_DAY <= said < LAST_DAY:
        kind = "number"
    if kind == "time" and abs(said) >= LONGEST:
        kind = "number"
    if kind in ("date", "time"):
        said = round(said, 7)
    writings = {one for _, one in next(parted([cell.String]))} if kind == "text" else ()
    writings = writings or {""}
    formula = ""
    if cell.Type.value == "FORMULA":
        formula = cell.Formula if parser is None else "=" + parser.printFormula(cell.getTokens(), cell.CellAddress)
    if parser is not None:
        # XLSX has truth values and fewer errors than Calc, which takes the first for formulas.
        formula = "" if formula in ("=TRUE()", "=FALSE()") else formula
        kind = "number" if kind == "bool" else kind
        number = number if number["kind"] != "bool" else {**number, "kind": "general"}
        said = "#VALUE!" if kind == "error" and said.startswith("Err:") else said
    told = {
        "kind": kind,
        "value": said,
        "formula": formula,
        "bold": all(cell.getPropertyValue(f"CharWeight{writing}") >= 150 for writing in writings),
        "format": number,
    }
    if parser is None:
        told |= {
            "text": cell.String,
            "italic": all(cell.getPropertyValue(f"CharPosture{one}").value == "ITALIC" for one in writings),
            # Black letters are the usual ones.
            "colour": hexed(look["CharColor"]) if look["CharColor"] > 0 else "",
            "background": hexed(look["CellBackColor"]),
            "align": ALIGNED.get(look["HoriJustify"].value, ""),
            "wrap": bool(look["IsTextWrapped"]),
        }
    return told


def cell_value(cell):
    """What kind of thing a cell holds, and the thing."""
    if cell.Type.value == "EMPTY":
        return "empty", None
    if cell.getError():
        return "error", cell.String
    text = cell.Type.value == "TEXT" or (cell.Type.value == "FORMULA" and cell.FormulaResultType2 == 2)
    return ("text", cell.String) if text else ("number", cell.Value)


def number_format(document, key):
    """How a number is shown."""
    found = document.NumberFormats.getByKey(key)
    kinds = ((2, "date"), (4, "time"), (8, "currency"), (128, "percentage"), (1024, "bool"), (256, "text"))
    kind = next((name for bit, name in kinds if found.Type & bit), "number" if found.Type & 16 else "other")
    if found.Type & (32 | 64):
        kind = "other"
    if kind == "number" and found.StandardFormat:
        kind = "general"
    counted = kind in ("number", "currency", "percentage")
    return {
        "kind": kind,
        "decimals": found.Decimals if counted else None,
        "grouped": bool(found.ThousandsSeparator) if counted else False,
        "symbol": found.CurrencySymbol if kind == "currency" else "",
    }


def tell_beside(document, sheet):
    """What a sheet has beside its cells."""
    columns = [sheet.Columns.getByIndex(number) for number in range(FAR)]
    rows = [sheet.Rows.getByIndex(number) for number in range(40)]
    style = document.StyleFamilies.getByName("PageStyles").getByName(sheet.PageStyle)
    controller = document.CurrentController
    frozen = [0, 0]
    if sheet.IsVisible:
        controller.setActiveSheet(sheet)
        frozen = [controller.SplitRow, controller.SplitColumn] if controller.hasFrozenPanes() else [0, 0]
    return {
        "widths": [round(column.Width / 100) for column in columns],
        "hidden_columns": [number for number, column in enumerate(columns) if not column.IsVisible],
        "hidden_rows": [number for number, row in enumerate(rows) if not row.IsVisible],
        "tab": hexed(sheet.TabColor),
        "protected": sheet.isProtected(),
        "print": [place(document, one) for one in sheet.getPrintAreas()],
        "repeated": [sheet.getTitleRows().StartRow, sheet.getTitleRows().EndRow] if sheet.getPrintTitleRows() else None,
        "frozen": frozen,
        "page": {
            "style": sheet.PageStyle,
            "landscape": style.IsLandscape,
            "size": [round(style.Width / 100), round(style.Height / 100)],
            "header": region(style, "Header"),
            "footer": region(style, "Footer"),
            "scale": f"{style.PageScale}%",
        },
        "conditions": list(tell_conditions(document, sheet)),
        "rules": tell_rules(sheet),
        "charts": [tell_chart(one.EmbeddedObject) for one in sheet.Charts],
    }


def region(style, part):
    """The three texts of a header or footer."""
    if not getattr(style, f"{part}IsOn"):
        return ""
    content = getattr(style, f"RightPage{part}Content")
    sides = (content.LeftText.String, content.CenterText.String, content.RightText.String)
    return " | ".join(sides) if sides[0] or sides[2] else sides[1]


def tell_conditions(document, sheet):
    """Conditional formats in order."""
    styles = document.StyleFamilies.getByName("CellStyles")
    names = {uno.getConstantByName(f"com.sun.star.sheet.ConditionFormatOperator.{name}"): name for name in OPERATORS}
    for one in sheet.ConditionalFormats.getConditionalFormats():
        for number in range(one.getCount()):
            entry = one.getByIndex(number)
            style = styles.getByName(entry.StyleName)
            yield {
                "range": " ".join(area(block) for block in one.Range.RangeAddresses),
                "rule": OPERATORS[names[entry.Operator]].format(entry.Formula1, entry.Formula2),
                "bold": style.CharWeight >= 150,
                "colour": hexed(style.CharColor) if style.CharColor > 0 else "",
                "background": hexed(style.CellBackColor),
            }


def tell_rules(sheet):
    """Cells that have a rule for entries, with the rule."""
    found = {}
    for name in RULED:
        rule = sheet.getCellRangeByName(name).Validation
        if rule.Type.value == "WHOLE":
            found[name] = {
                "between": [rule.getFormula1(), rule.getFormula2()],
                "empty": rule.IgnoreBlankCells,
                "title": rule.ErrorTitle,
                "message": rule.ErrorMessage,
            }
    return found


def tell_chart(chart):
    """One chart."""
    series = []
    diagram = chart.FirstDiagram
    for system in diagram.CoordinateSystems:
        for kind in system.ChartTypes:
            for one in kind.DataSeries:
                found = {"values": "", "label": ""}
                for sequence in one.DataSequences:
                    if sequence.Values.Role in ("values-y", "values"):
                        found["values"] = unquoted(sequence.Values.SourceRangeRepresentation)
                        found["label"] = unquoted(sequence.Label.SourceRangeRepresentation) if sequence.Label else ""
                series.append(found)
    pie = chart.Diagram.DiagramType.endswith("PieDiagram")
    return {
        "kind": CHARTS[chart.Diagram.DiagramType.rpartition(".")[2]],
        "title": chart.Title.String if chart.HasMainTitle else "",
        "subtitle": chart.SubTitle.String if chart.HasSubTitle else "",
        "x_title": chart.Diagram.XAxisTitle.String if not pie and chart.Diagram.HasXAxisTitle else "",
        "legend": bool(chart.HasLegend),
        "series": series,
    }


def place(document, address):
    """A range with its sheet, as people write it."""
    name = document.Sheets.getByIndex(address.Sheet).Name
    plain = all(letter.isalnum() or letter == "_" for letter in name)
    quoted = name if plain else "'" + name.replace("'", "''") + "'"
    return f"{quoted}.{area(address)}"


def unquoted(text):
    """A range as people write it: without `$`, and without quotes around a name that needs none."""
    name, _, rest = text.replace("$", "").rpartition(".")
    inner = name[1:-1] if name.startswith("'") else name
    return f"{inner if all(letter.isalnum() or letter == '_' for letter in inner) else name}.{rest}"


def area(address):
    """A range without its sheet."""
    first = f"{letters(address.StartColumn)}{address.StartRow + 1}"
    last = f"{letters(address.EndColumn)}{address.EndRow + 1}"
    return first if first == last else f"{first}:{last}"


def letters(column):
    """The letters of a column; there are not many."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[column]


def hexed(colour):
    """A colour as readers write it."""
    return f"#{colour:06x}" if colour >= 0 else ""
