"""Runs inside of the sandbox, beside `office_side.py`: makes presentations, and tells what Impress says of them."""

# mypy: ignore-errors
import math

import uno
from office_side import parted, value

ROLES = {"TitleTextShape": "title", "OutlinerShape": "outline", "SubtitleShape": "subtitle"}
KINDS = {
    **{"RectangleShape": "rectangle", "EllipseShape": "ellipse", "TextShape": "text", "LineShape": "line"},
    **{"GroupShape": "group", "TableShape": "table", "ConnectorShape": "connector"},
    **dict.fromkeys(ROLES, "text"),
}
LAYOUTS = {0: "title slide", 1: "title, content", 3: "title, two contents", 19: "title only", 20: "blank"}
TRANSITIONS = {37: "fade", 1: "barWipe", 36: "slideWipe", 35: "pushWipe"}
SUBTYPES = {101: "crossfade", 1: "leftToRight", 97: "fromLeft", 98: "fromTop"}
ALIGNED = {0: "left", 1: "right", 2: "justify", 3: "center"}


def build(document, recipe, context):
    """Makes a presentation as the recipe says."""
    pages = document.DrawPages
    for number, one in enumerate(recipe["slides"]):
        page = pages.getByIndex(0) if number == 0 else pages.insertNewByIndex(number)
        build_slide(document, page, one)
    show = document.Presentation
    show.IsEndless, show.IsAutomatic = recipe["endless"], False
    about = document.DocumentProperties
    about.Title, about.Subject, about.Author = recipe["title"], recipe["subject"], recipe["author"]


def build_slide(document, page, recipe):
    """One slide."""
    page.Layout = recipe["layout"]
    page.Name = recipe["name"]
    for number, text in enumerate(recipe["filled"]):
        if number < page.Count and text:
            page.getByIndex(number).String = text
    for one in recipe["shapes"]:
        build_shape(document, page, one)
    page.Visible = recipe["visible"]
    if recipe["transition"]:
        page.TransitionType, page.TransitionSubtype, page.TransitionDuration = recipe["transition"]
    if recipe["advance"]:
        page.Change, page.Duration = 1, recipe["advance"]
    page.IsFooterVisible = recipe["footer"] is not None
    if recipe["footer"] is not None:
        page.FooterText = recipe["footer"]
    page.IsPageNumberVisible = recipe["numbered"]
    if recipe["background"] is not None:
        background = document.createInstance("com.sun.star.drawing.Background")
        background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
        background.FillColor = recipe["background"]
        page.Background = background
    if recipe["notes"]:
        for shape in each(page.NotesPage):
            if shape.ShapeType == "com.sun.star.presentation.NotesShape":
                shape.String = recipe["notes"]
                shape.IsEmptyPresentationObject = False


def build_shape(document, page, recipe):
    """One shape."""
    kind = recipe["kind"]
    if kind == "GroupShape":
        group = document.createInstance("com.sun.star.drawing.GroupShape")
        page.add(group)
        for inner in recipe["children"]:
            build_shape(document, group, inner)
        group.Name = recipe["name"]
        return
    shape = document.createInstance(f"com.sun.star.drawing.{kind}")
    page.add(shape)
    x, y, width, height = recipe["box"]
    shape.setPosition(uno.createUnoStruct("com.sun.star.awt.Point", x, y))
    shape.setSize(uno.createUnoStruct("com.sun.star.awt.Size", width, height))
    if kind == "CustomShape":
        shape.CustomShapeGeometry = (value("Type", recipe["form"]),)
    if hasattr(shape, "TextAutoGrowHeight"):
        shape.TextAutoGrowHeight = shape.TextAutoGrowWidth = False
    shape.Name, shape.Title, shape.Description = recipe["name"], recipe["alt_title"], recipe["alt"]
    if kind == "TableShape":
        build_table(shape.Model, recipe["texts"])
        return
    if recipe["fill"] and kind != "LineShape":
        shape.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", recipe["fill"][0])
        shape.FillColor = recipe["fill"][1]
    if recipe["line"]:
        shape.LineStyle = uno.Enum("com.sun.star.drawing.LineStyle", recipe["line"][0])
        shape.LineColor, shape.LineWidth = recipe["line"][1:]
    for number, (text, looks, align) in enumerate(recipe["paragraphs"]):
        build_text(shape, number, text, looks, align)
    if recipe["turned"]:
        shape.RotateAngle = recipe["turned"] * 100


def build_text(shape, number, text, looks, align):
    """One more paragraph of a shape."""
    body = shape.Text
    if number:
        body.insertControlCharacter(body.End, 0, False)
    cursor = body.createTextCursorByRange(body.End)
    body.insertString(cursor, text, True)
    for name in (
        "CharWeightComplex",
        "CharWeight",
        "CharPosture",
        "CharUnderline",
        "CharColor",
        "CharHeight",
        "CharFontName",
    ):
        cursor.setPropertyToDefault(name)
    for name, content in looks.items():
        setattr(cursor, name, uno.Enum("com.sun.star.awt.FontSlant", content) if name == "CharPosture" else content)
    cursor.ParaAdjust = uno.Enum("com.sun.star.style.ParagraphAdjust", align)


def build_table(model, texts):
    """Fills a table."""
    if len(texts) > 1:
        model.Rows.insertByIndex(0, len(texts) - 1)
    if len(texts[0]) > 1:
        model.Columns.insertByIndex(0, len(texts[0]) - 1)
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            model.getCellByPosition(column, row).String = text


def fragile(document):
    """Whether closing it from outside is known to crash the program now and then."""
    return True


def tell(document, kind):
    """What Impress says of a presentation."""
    about = document.DocumentProperties
    first = document.DrawPages.getByIndex(0)
    return {
        "slides": [tell_slide(document, page, kind) for page in each(document.DrawPages)],
        "size_mm": [first.Width / 100, first.Height / 100],
        "endless": document.Presentation.IsEndless,
        "about": {"title": about.Title, "subject": about.Subject, "author": about.Author},
    }


def tell_slide(document, page, kind):
    """One slide."""
    background = page.Background
    notes = [one for one in each(page.NotesPage) if one.ShapeType == "com.sun.star.presentation.NotesShape"]
    said = [one.String for one in notes if not one.IsEmptyPresentationObject]
    told = {
        "visible": page.Visible,
        "shapes": [tell_shape(one, kind) for one in each(page)],
        "notes": said[0] if said else "",
        "background": "" if background is None else fill(background),
        "moving": page.TransitionType != 0,
        "advance": page.Duration if page.Change == 1 else None,
        "footer": page.FooterText if page.IsFooterVisible else "",
        "numbered": page.IsPageNumberVisible,
    }
    if kind == "odp":
        # A PPTX of Impress has no names of slides; opening it, Impress takes their titles.
        told["name"] = page.Name
        told["layout"] = LAYOUTS[page.Layout]
        told["seconds"] = round(page.TransitionDuration, 3) if page.TransitionType else 0.0
        told["transition"] = [TRANSITIONS.get(page.TransitionType, ""), SUBTYPES.get(page.TransitionSubtype, "")]
    return told


def tell_shape(shape, kind):
    """One shape, with what it holds."""
    service = shape.ShapeType.rpartition(".")[2]
    matrix = shape.Transformation
    first, second, third = matrix.Line1, matrix.Line2, matrix.Line3
    assert third.Column3 == 1.0
    wide, high = math.hypot(first.Column1, second.Column1), math.hypot(first.Column2, second.Column2)
    middle = [line.Column3 + (line.Column1 + line.Column2) / 2 for line in (first, second)]
    form = KINDS.get(service, service)
    if service == "CustomShape":
        named = {one.Name: one.Value for one in shape.CustomShapeGeometry}.get("Type", "")
        form = named.removeprefix("ooxml-")
        form = {"rect": "rectangle"}.get(form, form)
    if kind == "pptx" and form == "text" and service not in ROLES:
        form = "rectangle"  # a box of text is only a rectangle with words in it there
    empty = bool(getattr(shape, "IsEmptyPresentationObject", False))
    told = {
        "name": shape.Name if not shape.Name.startswith("PlaceHolder ") else "",
        "kind": form,
        "role": ROLES.get(service, ""),
        "empty": empty,
        "box_mm": [(middle[0] - wide / 2) / 100, (middle[1] - high / 2) / 100, wide / 100, high / 100],
        # A line's angle is where it leads, and a group's that of what it holds.
        "turned": getattr(shape, "RotateAngle", 0) / 100 % 360 if form not in ("line", "group") else 0.0,
        "alt_title": shape.Title,
        "alt": shape.Description,
    }
    if form == "table" or (service in ROLES and not empty):
        # These grow with their words when they are opened.
        del told["box_mm"]
    if form == "group":
        told["children"] = [tell_shape(one, kind) for one in each(shape)]
    elif form == "table":
        model = shape.Model
        told["texts"] = [
            [model.getCellByPosition(column, row).String for column in range(model.ColumnCount)]
            for row in range(model.RowCount)
        ]
    else:
        told["fill"] = fill(shape) if form != "line" else None
        told["line"] = "none" if shape.LineStyle.value == "NONE" else hexed(shape.LineColor)
        told["line_mm"] = 0.0 if shape.LineStyle.value == "NONE" else shape.LineWidth / 100
        told["paragraphs"] = [] if empty or not shape.String else [paragraph(one) for one in lines(shape)]
    return told


def lines(shape):
    """The paragraphs of a shape."""
    walk = shape.createEnumeration()
    while walk.hasMoreElements():
        yield walk.nextElement()


def paragraph(one):
    """A paragraph."""
    runs = []
    portions = list(lines(one))
    parts = zip(portions, parted([portion.String for portion in portions]), strict=True)
    for portion, text, writing in ((portion, *piece) for portion, pieces in parts for piece in pieces):
        look = {
            "bold": getattr(portion, f"CharWeight{writing}") >= 150,
            "italic": getattr(portion, f"CharPosture{writing}").value == "ITALIC",
            "underline": portion.CharUnderline != 0,
            "colour": hexed(portion.CharColor),
            "size": round(portion.CharHeight, 1),
            "font": portion.CharFontName,
        }
        if runs and runs[-1][1] == look:
            runs[-1][0] += text
        else:
            runs.append([text, look])
    return {"alignment": ALIGNED.get(one.ParaAdjust, "left"), "runs": runs}


def fill(shape):
    """How something is filled."""
    style = shape.FillStyle.value
    return hexed(shape.FillColor) if style == "SOLID" else style.lower()


def each(container):
    """What a container holds."""
    return (container.getByIndex(number) for number in range(container.Count))


def hexed(colour):
    """A colour as readers write it."""
    return f"#{colour:06x}" if colour >= 0 else ""
