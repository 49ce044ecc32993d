"""What can be asked about Impress: its saved presentations, what is not saved, its settings, its files."""

from __future__ import annotations

from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import contains, equal, holds, plain
from fairground.verify.reading.odp import read_odp
from fairground.verify.reading.pptx import read_pptx
from fairground.verify.reading.prose import Chart, Metadata, Shape
from fairground.verify.reading.slides import Animation, Background, Deck, Show, Slide, Transition, deck_leaves
from fairground.verify.reading.xmlsettings import read_recent_files, read_registry
from fairground.worlds import Inspector
from fairground_desk.office import REGISTRY

RECENT = "~/.local/share/recently-used.xbel"

INSPECTOR = Inspector(
    "impress",
    channels={
        "presentations": "saved files in `~/Documents` and `~/Pictures`: ODP and PPTX, parsed without LibreOffice",
        "unsaved": "a copy that LibreOffice writes of a document with unsaved changes when an attempt ends",
        "UNO": "which documents are open, whether modified, which slide is shown",
        "profile": "`registrymodifications.xcu` and `recently-used.xbel`",
    },
)


def open_deck(state: State, path: str = "") -> Deck:
    """A recorded presentation by its path; the first `.odp` of the user unless given.

    Raises:
        StateError: It is not there, or cannot be read.
    """
    if not path:
        path = next(
            (name for name in sorted(state.files) if name.startswith("~/Documents/") and name.endswith(".odp")), ""
        )
        if not path:
            raise StateError("there is no presentation (.odp) in ~/Documents")
    content = state.file(path)
    return read_pptx(content) if path.endswith(".pptx") else read_odp(content)


# Content


@INSPECTOR.query("content")
def titles(state: State, path: str = "") -> tuple[str, ...]:
    """The titles of all slides, in order.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return open_deck(state, path).titles


@INSPECTOR.query("content")
def text(state: State, slide: str, path: str = "") -> dict[str, Any]:
    """The words on one slide, by shape.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    return {shape.name or shape.role or shape.kind: shape.text for shape in _slide(state, slide, path).all_shapes()}


@INSPECTOR.query("content")
def notes(state: State, slide: str, path: str = "") -> list[str]:
    """What the speaker sees, by paragraph.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    return [paragraph.text for paragraph in _slide(state, slide, path).notes]


@INSPECTOR.query("content")
def table(state: State, slide: str, path: str = "") -> list[list[str]]:
    """The cells of the first table on a slide, row by row.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    for shape in _slide(state, slide, path).all_shapes():
        if shape.table is not None:
            return [list(row) for row in shape.table.grid]
    raise StateError(f"the slide {slide!r} has no table")


@INSPECTOR.query("content")
def chart(state: State, slide: str, path: str = "") -> Chart:
    """The first chart on a slide: its kind, words and numbers.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    for shape in _slide(state, slide, path).all_shapes():
        if shape.chart is not None:
            return shape.chart
    raise StateError(f"the slide {slide!r} has no chart")


@INSPECTOR.query("content")
def search(state: State, words: str, path: str = "") -> list[dict[str, Any]]:
    """Where words are written, on slides and in notes; letters count as they are.

    Args:
        words: What to look for.
        path: Of the presentation; the user's first one unless given.
    """
    if not words:
        raise StateError("there are no words to look for")
    places = []
    for slide in open_deck(state, path).slides:
        for shape in slide.all_shapes():
            if words in shape.text:
                places.append({"slide": slide.name, "in": shape.name or shape.role, "times": shape.text.count(words)})
        if words in slide.notes_text:
            places.append({"slide": slide.name, "in": "notes", "times": slide.notes_text.count(words)})
    return places


@INSPECTOR.query("content")
def comments(state: State, path: str = "") -> list[dict[str, str]]:
    """All comments, with their slides and authors.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return [
        {"slide": slide.name, "author": comment.author, "text": comment.text}
        for slide in open_deck(state, path).slides
        for comment in slide.comments
    ]


# Structure


@INSPECTOR.query("structure")
def slides(state: State, path: str = "") -> list[dict[str, Any]]:
    """All slides in order: name, title, layout, whether hidden, how many shapes.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return [
        {
            "name": slide.name,
            "title": slide.title,
            "layout": slide.layout,
            "hidden": slide.hidden,
            "shapes": len(slide.shapes),
        }
        for slide in open_deck(state, path).slides
    ]


@INSPECTOR.query("structure")
def shapes(state: State, slide: str, path: str = "") -> list[dict[str, Any]]:
    """What stands on a slide, from back to front: name, role, kind, place and size in millimetres.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    fields = ("name", "role", "kind", "x", "y", "width", "height", "alt")
    return [{key: getattr(shape, key) for key in fields} for shape in _slide(state, slide, path).all_shapes()]


@INSPECTOR.query("structure")
def transition(state: State, slide: str, path: str = "") -> Transition:
    """How a slide comes in, and when the next one does.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    return _slide(state, slide, path).transition


@INSPECTOR.query("structure")
def animations(state: State, slide: str, path: str = "") -> tuple[Animation, ...]:
    """The effects on a slide, in order.

    Args:
        slide: Name of the slide.
        path: Of the presentation; the user's first one unless given.
    """
    return _slide(state, slide, path).animations


# Formatting


@INSPECTOR.query("formatting")
def shape(state: State, slide: str, name: str, path: str = "") -> Shape:
    """All of one shape: colours, place, words and how they look.

    Args:
        slide: Name of the slide.
        name: Of the shape, or its role, such as `title`.
        path: Of the presentation; the user's first one unless given.
    """
    return _slide(state, slide, path).shape(name)


@INSPECTOR.query("formatting")
def backgrounds(state: State, path: str = "") -> dict[str, Background]:
    """What lies behind masters and slides that have a background of their own.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    deck = open_deck(state, path)
    masters = {f"master {master.name}": master.background for master in deck.masters}
    return masters | {slide.name: slide.background for slide in deck.slides if slide.background.fill}


@INSPECTOR.query("formatting")
def footers(state: State, path: str = "") -> list[dict[str, Any]]:
    """What slides show at their edge: footer, date, number.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return [
        {"slide": slide.name, "footer": slide.footer, "date": slide.date, "numbered": slide.numbered}
        for slide in open_deck(state, path).slides
    ]


@INSPECTOR.query("formatting")
def size(state: State, path: str = "") -> dict[str, float]:
    """Width and height of the slides, in millimetres.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    deck = open_deck(state, path)
    return {"width": deck.width, "height": deck.height}


# Settings, metadata, history


@INSPECTOR.query("settings")
def show(state: State, path: str = "") -> Show:
    """How the presentation is played, with its custom shows.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return open_deck(state, path).show


@INSPECTOR.query("settings")
def setting(state: State, name: str) -> Any:
    """A setting of LibreOffice that differs from its default.

    Args:
        name: Such as `/org.openoffice.Office.Common/Misc/FirstRun`.
    """
    registry = read_registry(state.file(REGISTRY))
    if name not in registry:
        raise StateError(f"LibreOffice's settings do not mention {name!r}")
    return registry[name]


@INSPECTOR.query("metadata")
def metadata(state: State, path: str = "") -> Metadata:
    """What the file says about itself: title, subject, keywords, author.

    Args:
        path: Of the presentation; the user's first one unless given.
    """
    return open_deck(state, path).metadata


@INSPECTOR.query("history")
def recent(state: State) -> list[str]:
    """Files that the desktop lists as recently used; an empty list when it has none."""
    content = state.files.get(RECENT)
    return [] if content is None else [document.path for document in read_recent_files(content)]


# Files and the running program


@INSPECTOR.query("files")
def files(state: State, folder: str = "~/Documents") -> list[dict[str, Any]]:
    """What lies in a folder and below.

    Args:
        folder: Such as `~/Pictures`.
    """
    listed = [entry for entry in state.get("files") if str(entry["path"]).startswith(f"{folder.rstrip('/')}/")]
    if not listed:
        raise StateError(f"nothing was recorded in {folder}")
    return listed


@INSPECTOR.query("live")
def documents(state: State) -> list[dict[str, Any]]:
    """The open documents: place, kind, whether modified, which slide is shown; recorded when an attempt ends."""
    live = state.get("live")
    if "error" in live:
        raise StateError(f"LibreOffice did not answer: {live['error']}")
    return list(live["documents"])


@INSPECTOR.query("live")
def unsaved(state: State) -> dict[str, list[str]]:
    """Presentations with changes that were not saved, each with the places that differ from the saved file."""
    differences = {}
    for name, content in state.files.items():
        if name.startswith("unsaved:"):
            now = deck_leaves(read_odp(content))
            path = name.removeprefix("unsaved:")
            was = deck_leaves(open_deck(state, path)) if path in state.files else {}
            differences[path] = [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)][:200]
    return differences


# Checks


@INSPECTOR.check("content")
def check_title(state: State, slide: str, expected: str, path: str = "") -> Check:
    """Whether a slide has a title.

    Args:
        slide: Name of the slide.
        expected: The title.
        path: Of the presentation; the user's first one unless given.
    """
    return equal(f"the title of {slide!r} is {expected!r}", expected, _slide(state, slide, path).title)


@INSPECTOR.check("content")
def check_text(state: State, slide: str, expected: str, path: str = "") -> Check:
    """Whether a slide says something.

    Args:
        slide: Name of the slide.
        expected: Words that stand on it.
        path: Of the presentation; the user's first one unless given.
    """
    return contains(f"{slide!r} says {expected!r}", expected, _slide(state, slide, path).text)


@INSPECTOR.check("structure")
def check_order(state: State, names: list[str], path: str = "") -> Check:
    """Whether the slides are these, in this order.

    Args:
        names: Their names, as a JSON list.
        path: Of the presentation; the user's first one unless given.
    """
    return equal("the slides are in order", names, [slide.name for slide in open_deck(state, path).slides])


@INSPECTOR.check("structure")
def check_hidden(state: State, slide: str, expected: bool = True, path: str = "") -> Check:
    """Whether a slide is hidden in the show.

    Args:
        slide: Name of the slide.
        expected: False for one that is shown.
        path: Of the presentation; the user's first one unless given.
    """
    return equal(f"{slide!r} is {'hidden' if expected else 'shown'}", expected, _slide(state, slide, path).hidden)


@INSPECTOR.check("live")
def check_saved(state: State) -> Check:
    """Whether no open document has unsaved changes."""
    changed = [document.get("title") for document in documents(state) if document.get("modified")]
    return holds("everything is saved", not changed, expected=[], found=plain(changed))


def _slide(state: State, name: str, path: str) -> Slide:
    return open_deck(state, path).slide(name)
