"""Runs inside of the seat with the system's own Python, and has Impress do things over UNO. Never imported by ours.

The order comes as JSON on the standard input: calls, each the name of a function below and its arguments. Slides go by
their names, shapes by their names or by the role that a slide's layout gives them. Lengths are hundredths of a
millimetre, colours are numbers.
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
    """Saves under its own name."""
    doc.store()


# Slides


def go(doc, slide):
    """Shows a slide."""
    doc.CurrentController.setCurrentPage(page_of(doc, slide))


def choose(doc, slide, shape):
    """Shows a slide and selects a shape on it."""
    go(doc, slide)
    doc.CurrentController.select(shape_of(doc, slide, shape))


def dispatch(doc, name, arguments):
    """What a menu does, `.uno:...`, on the slide and the shape that are chosen."""
    helper = CONTEXT.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", CONTEXT)
    values = tuple(named("com.sun.star.beans.PropertyValue", one, value) for one, value in arguments.items())
    helper.executeDispatch(doc.CurrentController.Frame, name, "", 0, values)


def insert_slide(doc, after, layout, name):
    """A new slide with a layout, by its number."""
    pages = doc.DrawPages
    made = pages.insertNewByIndex(place_of(doc, after))
    made.Layout = layout
    if name:
        made.Name = name


def duplicate(doc, slide, name):
    """A copy right after the slide, with a name of its own."""
    doc.duplicate(page_of(doc, slide))
    doc.DrawPages.getByIndex(place_of(doc, slide) + 1).Name = name


def delete(doc, slide):
    """Takes a slide away."""
    doc.DrawPages.remove(page_of(doc, slide))


def set_slide(doc, slide, values):
    """Properties of a slide: `Name`, `Visible`, `TransitionType`, `FooterText`, ..."""
    set_all(page_of(doc, slide), values)


def set_slides(doc, values, but=()):
    """The same properties on all slides, but for some."""
    for one in each(doc.DrawPages):
        if one.Name not in but:
            set_all(one, values)


def set_master(doc, ground):
    """The colour behind all slides of the first master."""
    made = doc.createInstance("com.sun.star.drawing.Background")
    made.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
    made.FillColor = ground
    doc.MasterPages.getByIndex(0).Background = made


def set_ground(doc, slide, ground):
    """The colour behind one slide."""
    made = doc.createInstance("com.sun.star.drawing.Background")
    made.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
    made.FillColor = ground
    page_of(doc, slide).Background = made


def set_size(doc, width, height):
    """The size of all slides."""
    for pages in (doc.DrawPages, doc.MasterPages):
        for one in each(pages):
            one.Width, one.Height = width, height


def notes(doc, slide, text):
    """What the speaker sees."""
    for shape in each(page_of(doc, slide).NotesPage):
        if shape.ShapeType == "com.sun.star.presentation.NotesShape":
            shape.String = text
            shape.IsEmptyPresentationObject = False


def comment(doc, slide, author, text):
    """A remark on a slide."""
    made = page_of(doc, slide).createAndInsertAnnotation()
    made.Author = author
    made.TextRange.String = text


# Text


def write(doc, slide, shape, text):
    """Replaces all text of a shape; an empty line of bullets stays one."""
    target = shape_of(doc, slide, shape)
    target.String = text
    if target.ShapeType.endswith("OutlinerShape"):
        for one in each(target):
            one.NumberingLevel = 0


def write_line(doc, slide, shape, number, text):
    """Replaces the text of one paragraph."""
    line = list(each(shape_of(doc, slide, shape)))[number]
    cursor = line.Text.createTextCursorByRange(line.Start)
    cursor.gotoRange(line.End, True)
    cursor.String = text


def add_line(doc, slide, shape, text):
    """One more paragraph at the end."""
    target = shape_of(doc, slide, shape)
    target.insertControlCharacter(target.End, 0, False)
    target.insertString(target.End, text, False)


def indent(doc, slide, shape, number, level):
    """The level of a bullet, from 0."""
    list(each(shape_of(doc, slide, shape)))[number].NumberingLevel = level


def format_line(doc, slide, shape, number, values):
    """Properties of all letters of one paragraph."""
    set_all(list(each(shape_of(doc, slide, shape)))[number], values)


def format_word(doc, word, values):
    """Properties of a word wherever it stands on slides."""
    for text in texts(doc):
        for cursor in occurrences(text, word):
            set_all(cursor, values)


def replace(doc, old, new):
    """One text for another on all slides, as the dialog Find and Replace does."""
    for text in texts(doc):
        for cursor in reversed(list(occurrences(text, old))):
            cursor.String = new


def link(doc, slide, shape, number, shown, address):
    """Makes the last words of a paragraph a link."""
    line = list(each(shape_of(doc, slide, shape)))[number]
    cursor = line.Text.createTextCursorByRange(line.End)
    cursor.goLeft(len(shown), True)
    field = doc.createInstance("com.sun.star.text.TextField.URL")
    field.Representation, field.URL = shown, address
    cursor.String = ""
    line.Text.insertTextContent(cursor, field, True)


# Shapes


def set_shape(doc, slide, shape, values):
    """Properties of a shape: `FillColor`, `LineColor`, `Name`, `Description`, ..."""
    set_all(shape_of(doc, slide, shape), values)


def place(doc, slide, shape, x, y, width, height):
    """Where a shape lies; None keeps what is."""
    target = shape_of(doc, slide, shape)
    was, large = target.Position, target.Size
    put(target, was.X if x is None else x, was.Y if y is None else y,
        large.Width if width is None else width, large.Height if height is None else height)  # fmt: skip


def add_shape(doc, slide, service, x, y, width, height, values, text=""):
    """A new shape, such as `RectangleShape`."""
    made = doc.createInstance(f"com.sun.star.drawing.{service}")
    page_of(doc, slide).add(made)
    put(made, x, y, width, height)
    if text:
        made.String = text
    set_all(made, values)


def remove_shape(doc, slide, shape):
    """Takes a shape away."""
    page_of(doc, slide).remove(shape_of(doc, slide, shape))


def picture(doc, slide, path, x, y, width, height, alt):
    """A picture from a file."""
    provider = CONTEXT.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider")
    url = named("com.sun.star.beans.PropertyValue", "URL", url_of(path))
    made = doc.createInstance("com.sun.star.drawing.GraphicObjectShape")
    page_of(doc, slide).add(made)
    made.Graphic = provider.queryGraphic((url,))
    put(made, x, y, width, height)
    made.Description = alt


def table(doc, slide, rows, x, y, width, height):
    """A new table with texts."""
    made = doc.createInstance("com.sun.star.drawing.TableShape")
    page_of(doc, slide).add(made)
    put(made, x, y, width, height)
    model = made.Model
    model.Rows.insertByIndex(0, len(rows) - 1)
    model.Columns.insertByIndex(0, len(rows[0]) - 1)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            model.getCellByPosition(column, row).String = text


def cell(doc, slide, row, column, text):
    """The text of a cell of the slide's table."""
    shape_of(doc, slide, "table").Model.getCellByPosition(column, row).String = text


def add_row(doc, slide, texts):
    """A row at the end of the slide's table."""
    model = shape_of(doc, slide, "table").Model
    model.Rows.insertByIndex(model.Rows.Count, 1)
    for column, text in enumerate(texts):
        model.getCellByPosition(column, model.Rows.Count - 1).String = text


def delete_row(doc, slide, number):
    """Takes a row of the slide's table away."""
    shape_of(doc, slide, "table").Model.Rows.removeByIndex(number, 1)


def delete_column(doc, slide, number):
    """Takes a column of the slide's table away."""
    shape_of(doc, slide, "table").Model.Columns.removeByIndex(number, 1)


def chart(doc, slide, values):
    """The slide's chart: `title`, `kind` (a diagram's service), `cell` (row, column, number), `legend`."""
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
    """How slides come in; all of them when none is named."""
    for one in each(doc.DrawPages):
        if not slides or one.Name in slides:
            set_all(one, values)


def animate(doc, slide, shape, preset, trigger, seconds):
    """An entrance: `appear` or `fade-in`; trigger 1 is a click, 2 with the one before, 3 after it."""
    make = CONTEXT.ServiceManager.createInstance
    target = shape_of(doc, slide, shape)

    def node(service, kind, *more):
        made = make(f"com.sun.star.animations.{service}")
        pairs = [("node-type", kind), *more] if kind is not None else []
        made.UserData = tuple(named("com.sun.star.beans.NamedValue", *pair) for pair in pairs)
        return made

    root = page_of(doc, slide).AnimationNode
    main = node("SequenceTimeContainer", 4)
    click, inner = node("ParallelTimeContainer", None), node("ParallelTimeContainer", None)
    if trigger == 1:
        # Waits for the next event of the user.
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
    """Settings of the show: `IsEndless`, `Pause`, `FirstPage`, ..."""
    set_all(doc.Presentation, values)


def custom_show(doc, name, slides):
    """A custom show of some slides, in this order."""
    shows = doc.CustomPresentations
    made = shows.createInstance()
    for number, slide in enumerate(slides):
        made.insertByIndex(number, page_of(doc, slide))
    shows.insertByName(name, made)


# The file


def properties(doc, values):
    """What the file says about itself."""
    about = doc.DocumentProperties
    for name, value in values.items():
        setattr(about, name, tuple(value) if isinstance(value, list) else value)


def export(doc, path, filter_name, options=None):
    """Writes the presentation in another format."""
    make = "com.sun.star.beans.PropertyValue"
    given = [named(make, "FilterName", filter_name), named(make, "Overwrite", True)]
    if options:
        data = tuple(named(make, name, value) for name, value in options.items())
        given.append(named(make, "FilterData", uno.Any("[]com.sun.star.beans.PropertyValue", data)))
    doc.storeToURL(url_of(path), tuple(given))


def picture_of(doc, slide, path, width, height):
    """One slide as a PNG."""
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
    """The slide with this name."""
    for one in each(doc.DrawPages):
        if one.Name == name:
            return one
    raise ValueError(f"no slide {name!r}")


def place_of(doc, name):
    """Counted from 0."""
    return page_of(doc, name).Number - 1


def shape_of(doc, slide, key):
    """By name, or by role; `outline 2` is the second of its role."""
    shapes = list(each(page_of(doc, slide)))
    for one in shapes:
        if one.Name == key:
            return one
    role, _, number = key.partition(" ")
    found = [one for one in shapes if one.ShapeType == f"com.sun.star.{ROLES.get(role, role)}"]
    if len(found) < int(number or 1):
        raise ValueError(f"no shape {key!r} on {slide!r}")
    return found[int(number or 1) - 1]


def texts(doc):
    """Everything on slides that holds letters: shapes, and cells of tables."""
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
    """A cursor over each place of a word, from the first."""
    whole = text.String
    at = whole.find(word)
    while at >= 0:
        cursor = text.createTextCursor()
        cursor.gotoStart(False)
        cursor.goRight(at, False)
        cursor.goRight(len(word), True)
        yield cursor
        at = whole.find(word, at + len(word))


def each(container):
    """What a container holds."""
    if hasattr(container, "getByIndex") and hasattr(container, "Count"):
        yield from [container.getByIndex(number) for number in range(container.Count)]
        return
    walk = container.createEnumeration()
    while walk.hasMoreElements():
        yield walk.nextElement()


# Values


def set_all(target, values):
    """Properties of anything; `enum:awt.FontSlant.ITALIC` is a named value."""
    for name, value in values.items():
        if isinstance(value, str) and value.startswith("enum:"):
            kind, _, one = value.removeprefix("enum:").rpartition(".")
            value = uno.Enum(f"com.sun.star.{kind}", one)
        setattr(target, name, value)


def put(shape, x, y, width, height):
    """Places a shape."""
    shape.setPosition(uno.createUnoStruct("com.sun.star.awt.Point", x, y))
    shape.setSize(uno.createUnoStruct("com.sun.star.awt.Size", width, height))


def named(kind, name, value):
    """A property as UNO wants it."""
    made = uno.createUnoStruct(kind)
    made.Name, made.Value = name, value
    return made


def url_of(path):
    """The address of a file."""
    return uno.systemPathToFileUrl(path.replace("~", HOME, 1))


def main():
    """Carries the calls out."""
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
os._exit(0)  # at once: taking the bridge to the program down is known to crash now and then
