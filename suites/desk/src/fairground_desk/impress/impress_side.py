"""Controls Impress over UNO. Runs inside the seat with the system's Python; the package never imports it.

Reads JSON from standard input: a list of calls, each the name of a function below and its arguments. Slides are
identified by name, shapes by name or by their role in the slide's layout. Lengths are hundredths of a millimetre,
colours are integers.
"""

# mypy: ignore-errors
import json
import os
import sys

import uno

HOME = ""
CONTEXT = None
ROLES = {
    "title": "presentation.TitleTextShape",
    "subtitle": "presentation.SubtitleShape",
    "outline": "presentation.OutlinerShape",
    "table": "drawing.TableShape",
    "chart": "drawing.OLE2Shape",
}


def store(doc):
    """Save the presentation under its own name."""
    doc.store()


# Slides


def go(doc, slide):
    """Show a slide."""
    doc.CurrentController.setCurrentPage(page_of(doc, slide))


def choose(doc, slide, shape):
    """Show a slide and select a shape on it."""
    go(doc, slide)
    doc.CurrentController.select(shape_of(doc, slide, shape))


def dispatch(doc, name, arguments):
    """Run a `.uno:` menu command on the current slide and selection."""
    helper = CONTEXT.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", CONTEXT)
    values = tuple(named("com.sun.star.beans.PropertyValue", key, value) for key, value in arguments.items())
    helper.executeDispatch(doc.CurrentController.Frame, name, "", 0, values)


def insert_slide(doc, after, layout, name):
    """Insert a slide with the layout of this number."""
    pages = doc.DrawPages
    page = pages.insertNewByIndex(place_of(doc, after))
    page.Layout = layout
    if name:
        page.Name = name


def duplicate(doc, slide, name):
    """Duplicate a slide and name the copy."""
    doc.duplicate(page_of(doc, slide))
    doc.DrawPages.getByIndex(place_of(doc, slide) + 1).Name = name


def delete(doc, slide):
    """Delete a slide."""
    doc.DrawPages.remove(page_of(doc, slide))


def set_slide(doc, slide, values):
    """Set properties of a slide: `Name`, `Visible`, `TransitionType`, `FooterText`, ..."""
    set_all(page_of(doc, slide), values)


def set_slides(doc, values, but=()):
    """Set the same properties on all slides except some."""
    for page in each(doc.DrawPages):
        if page.Name not in but:
            set_all(page, values)


def set_master(doc, ground):
    """Set the background colour of the first master."""
    background = doc.createInstance("com.sun.star.drawing.Background")
    background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
    background.FillColor = ground
    doc.MasterPages.getByIndex(0).Background = background


def set_ground(doc, slide, ground):
    """Set the background colour of one slide."""
    background = doc.createInstance("com.sun.star.drawing.Background")
    background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
    background.FillColor = ground
    page_of(doc, slide).Background = background


def set_size(doc, width, height):
    """Set the size of all slides."""
    for pages in (doc.DrawPages, doc.MasterPages):
        for page in each(pages):
            page.Width, page.Height = width, height


def notes(doc, slide, text):
    """Set the speaker's notes of a slide."""
    for shape in each(page_of(doc, slide).NotesPage):
        if shape.ShapeType == "com.sun.star.presentation.NotesShape":
            shape.String = text
            shape.IsEmptyPresentationObject = False


def comment(doc, slide, author, text):
    """Add a comment to a slide."""
    annotation = page_of(doc, slide).createAndInsertAnnotation()
    annotation.Author = author
    annotation.TextRange.String = text


# Text


def write(doc, slide, shape, text):
    """Replace all text of a shape; in an outline, every line becomes a first-level bullet."""
    target = shape_of(doc, slide, shape)
    target.String = text
    if target.ShapeType.endswith("OutlinerShape"):
        for paragraph in each(target):
            paragraph.NumberingLevel = 0


def write_line(doc, slide, shape, number, text):
    """Replace the text of one paragraph."""
    line = list(each(shape_of(doc, slide, shape)))[number]
    cursor = line.Text.createTextCursorByRange(line.Start)
    cursor.gotoRange(line.End, True)
    cursor.String = text


def add_line(doc, slide, shape, text):
    """Append a paragraph."""
    target = shape_of(doc, slide, shape)
    target.insertControlCharacter(target.End, 0, False)
    target.insertString(target.End, text, False)


def indent(doc, slide, shape, number, level):
    """Set the level of a bullet, counted from 0."""
    list(each(shape_of(doc, slide, shape)))[number].NumberingLevel = level


def format_line(doc, slide, shape, number, values):
    """Set character properties of one paragraph."""
    set_all(list(each(shape_of(doc, slide, shape)))[number], values)


def format_word(doc, word, values):
    """Set character properties of every occurrence of a word on the slides."""
    for text in texts(doc):
        for cursor in occurrences(text, word):
            set_all(cursor, values)


def replace(doc, old, new):
    """Replace a text on all slides, as Find and Replace does."""
    for text in texts(doc):
        for cursor in reversed(list(occurrences(text, old))):
            cursor.String = new


def link(doc, slide, shape, number, shown, address):
    """Turn the last words of a paragraph into a link."""
    line = list(each(shape_of(doc, slide, shape)))[number]
    cursor = line.Text.createTextCursorByRange(line.End)
    cursor.goLeft(len(shown), True)
    field = doc.createInstance("com.sun.star.text.TextField.URL")
    field.Representation, field.URL = shown, address
    cursor.String = ""
    line.Text.insertTextContent(cursor, field, True)


# Shapes


def set_shape(doc, slide, shape, values):
    """Set properties of a shape: `FillColor`, `LineColor`, `Name`, `Description`, ..."""
    set_all(shape_of(doc, slide, shape), values)


def place(doc, slide, shape, x, y, width, height):
    """Move and resize a shape; None keeps the current value."""
    target = shape_of(doc, slide, shape)
    was, large = target.Position, target.Size
    put(target, was.X if x is None else x, was.Y if y is None else y,
        large.Width if width is None else width, large.Height if height is None else height)  # fmt: skip


def add_shape(doc, slide, service, x, y, width, height, values, text=""):
    """Add a shape, such as `RectangleShape`."""
    shape = doc.createInstance(f"com.sun.star.drawing.{service}")
    page_of(doc, slide).add(shape)
    put(shape, x, y, width, height)
    if text:
        shape.String = text
    set_all(shape, values)


def remove_shape(doc, slide, shape):
    """Remove a shape."""
    page_of(doc, slide).remove(shape_of(doc, slide, shape))


def picture(doc, slide, path, x, y, width, height, alt):
    """Insert a picture from a file."""
    provider = CONTEXT.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider")
    url = named("com.sun.star.beans.PropertyValue", "URL", url_of(path))
    shape = doc.createInstance("com.sun.star.drawing.GraphicObjectShape")
    page_of(doc, slide).add(shape)
    shape.Graphic = provider.queryGraphic((url,))
    put(shape, x, y, width, height)
    shape.Description = alt


def table(doc, slide, rows, x, y, width, height):
    """Insert a table with texts."""
    shape = doc.createInstance("com.sun.star.drawing.TableShape")
    page_of(doc, slide).add(shape)
    put(shape, x, y, width, height)
    model = shape.Model
    model.Rows.insertByIndex(0, len(rows) - 1)
    model.Columns.insertByIndex(0, len(rows[0]) - 1)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            model.getCellByPosition(column, row).String = text


def cell(doc, slide, row, column, text):
    """Set the text of a cell of the slide's table."""
    shape_of(doc, slide, "table").Model.getCellByPosition(column, row).String = text


def add_row(doc, slide, texts):
    """Append a row to the slide's table."""
    model = shape_of(doc, slide, "table").Model
    model.Rows.insertByIndex(model.Rows.Count, 1)
    for column, text in enumerate(texts):
        model.getCellByPosition(column, model.Rows.Count - 1).String = text


def delete_row(doc, slide, number):
    """Delete a row of the slide's table."""
    shape_of(doc, slide, "table").Model.Rows.removeByIndex(number, 1)


def delete_column(doc, slide, number):
    """Delete a column of the slide's table."""
    shape_of(doc, slide, "table").Model.Columns.removeByIndex(number, 1)


def chart(doc, slide, values):
    """Change the slide's chart: `title`, `kind` (a diagram service), `cell` (row, column, number), `legend`."""
    model = shape_of(doc, slide, "chart").Model
    if "title" in values:
        model.HasMainTitle = True
        model.Title.String = values["title"]
    if "kind" in values:
        model.Diagram = model.createInstance(f"com.sun.star.chart.{values['kind']}")
    if "cell" in values:
        row, column, number = values["cell"]
        data = [list(line) for line in model.Data.Data]
        data[row][column] = float(number)
        model.Data.Data = tuple(map(tuple, data))
    if "legend" in values:
        model.HasLegend = values["legend"]
    if "y_title" in values:
        model.Diagram.HasYAxisTitle = True
        model.Diagram.YAxisTitle.String = values["y_title"]
    model.setModified(True)
    doc.setModified(True)


# The show


def transition(doc, slides, values):
    """Set the transition of the named slides, or of all slides if none is named."""
    for page in each(doc.DrawPages):
        if not slides or page.Name in slides:
            set_all(page, values)


def animate(doc, slide, shape, preset, trigger, seconds):
    """Add an entrance effect, `appear` or `fade-in`; trigger 1 is on click, 2 with previous, 3 after previous."""
    make = CONTEXT.ServiceManager.createInstance
    target = shape_of(doc, slide, shape)

    def node(service, kind, *more):
        child = make(f"com.sun.star.animations.{service}")
        pairs = [("node-type", kind), *more] if kind is not None else []
        child.UserData = tuple(named("com.sun.star.beans.NamedValue", *pair) for pair in pairs)
        return child

    root = page_of(doc, slide).AnimationNode
    main = node("SequenceTimeContainer", 4)
    click, inner = node("ParallelTimeContainer", None), node("ParallelTimeContainer", None)
    if trigger == 1:
        # Waits for the next user event.
        click.Begin = uno.Enum("com.sun.star.animations.Timing", "INDEFINITE")
    inner.Begin = 0.0
    effect = node("ParallelTimeContainer", trigger, ("preset-class", 1), ("preset-id", f"ooo-entrance-{preset}"))
    effect.Begin = 0.0
    effect.Fill = 3
    show = make("com.sun.star.animations.AnimateSet")
    show.Target, show.AttributeName, show.To = target, "Visibility", True
    show.Begin, show.Duration, show.Fill = 0.0, 0.001, 3
    effect.appendChild(show)
    if preset == "fade-in":
        fade = make("com.sun.star.animations.TransitionFilter")
        fade.Target, fade.Transition, fade.Subtype, fade.Duration = target, 37, 101, seconds
        effect.appendChild(fade)
    inner.appendChild(effect)
    click.appendChild(inner)
    main.appendChild(click)
    root.appendChild(main)
    doc.setModified(True)


def show(doc, values):
    """Change settings of the slide show: `IsEndless`, `Pause`, `FirstPage`, ..."""
    set_all(doc.Presentation, values)


def custom_show(doc, name, slides):
    """Create a custom show with these slides, in this order."""
    shows = doc.CustomPresentations
    custom = shows.createInstance()
    for number, slide in enumerate(slides):
        custom.insertByIndex(number, page_of(doc, slide))
    shows.insertByName(name, custom)


# The file


def properties(doc, values):
    """Set the document properties."""
    about = doc.DocumentProperties
    for name, value in values.items():
        setattr(about, name, tuple(value) if isinstance(value, list) else value)


def export(doc, path, filter_name, options=None):
    """Export the presentation to another format."""
    make = "com.sun.star.beans.PropertyValue"
    given = [named(make, "FilterName", filter_name), named(make, "Overwrite", True)]
    if options:
        data = tuple(named(make, name, value) for name, value in options.items())
        given.append(named(make, "FilterData", uno.Any("[]com.sun.star.beans.PropertyValue", data)))
    doc.storeToURL(url_of(path), tuple(given))


def picture_of(doc, slide, path, width, height):
    """Export one slide as a PNG."""
    make = "com.sun.star.beans.PropertyValue"
    writer = CONTEXT.ServiceManager.createInstance("com.sun.star.drawing.GraphicExportFilter")
    writer.setSourceDocument(page_of(doc, slide))
    size = (named(make, "PixelWidth", width), named(make, "PixelHeight", height))
    writer.filter(
        (
            named(make, "URL", url_of(path)),
            named(make, "MediaType", "image/png"),
            named(make, "FilterData", uno.Any("[]com.sun.star.beans.PropertyValue", size)),
        )
    )


# Finding


def page_of(doc, name):
    """Return the slide with this name."""
    for page in each(doc.DrawPages):
        if page.Name == name:
            return page
    raise ValueError(f"no slide {name!r}")


def place_of(doc, name):
    """Return the index of a slide, counted from 0."""
    return page_of(doc, name).Number - 1


def shape_of(doc, slide, key):
    """Return a shape by name or role; `outline 2` is the second shape with that role."""
    shapes = list(each(page_of(doc, slide)))
    for shape in shapes:
        if shape.Name == key:
            return shape
    role, _, number = key.partition(" ")
    matching = [shape for shape in shapes if shape.ShapeType == f"com.sun.star.{ROLES.get(role, role)}"]
    if len(matching) < int(number or 1):
        raise ValueError(f"no shape {key!r} on {slide!r}")
    return matching[int(number or 1) - 1]


def texts(doc):
    """Yield everything on the slides that holds text: shapes and table cells."""
    for page in each(doc.DrawPages):
        for shape in each(page):
            if shape.ShapeType.endswith("TableShape"):
                model = shape.Model
                for row in range(model.Rows.Count):
                    for column in range(model.Columns.Count):
                        yield model.getCellByPosition(column, row)
            elif hasattr(shape, "createTextCursor"):
                yield shape


def occurrences(text, word):
    """Yield a cursor for each occurrence of a word, in order."""
    content = text.String
    at = content.find(word)
    while at >= 0:
        cursor = text.createTextCursor()
        cursor.gotoStart(False)
        cursor.goRight(at, False)
        cursor.goRight(len(word), True)
        yield cursor
        at = content.find(word, at + len(word))


def each(container):
    """Yield the elements of a UNO container."""
    if hasattr(container, "getByIndex") and hasattr(container, "Count"):
        yield from [container.getByIndex(number) for number in range(container.Count)]
        return
    walk = container.createEnumeration()
    while walk.hasMoreElements():
        yield walk.nextElement()


# Values


def set_all(target, values):
    """Set properties of any object; `enum:awt.FontSlant.ITALIC` is an enum value."""
    for name, value in values.items():
        if isinstance(value, str) and value.startswith("enum:"):
            kind, _, member = value.removeprefix("enum:").rpartition(".")
            value = uno.Enum(f"com.sun.star.{kind}", member)
        setattr(target, name, value)


def put(shape, x, y, width, height):
    """Set the position and size of a shape."""
    shape.setPosition(uno.createUnoStruct("com.sun.star.awt.Point", x, y))
    shape.setSize(uno.createUnoStruct("com.sun.star.awt.Size", width, height))


def named(kind, name, value):
    """Return a UNO struct with a name and a value, such as `PropertyValue`."""
    struct = uno.createUnoStruct(kind)
    struct.Name, struct.Value = name, value
    return struct


def url_of(path):
    """Return the URL of a file."""
    return uno.systemPathToFileUrl(path.replace("~", HOME, 1))


def main():
    """Run the calls from standard input."""
    global HOME, CONTEXT
    order = json.load(sys.stdin)
    HOME = order["home"]
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    CONTEXT = resolver.resolve(f"uno:pipe,name={order['pipe']};urp;StarOffice.ComponentContext")
    desktop = CONTEXT.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", CONTEXT)
    for name, *arguments in order["calls"]:
        globals()[name](desktop.CurrentComponent, *arguments)


main()
os._exit(0)  # skips the UNO bridge's shutdown, which sometimes crashes
