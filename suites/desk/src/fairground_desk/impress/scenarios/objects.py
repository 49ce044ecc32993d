"""Scenarios about pictures, tables and charts."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence

from fairground.core import Check, State, StateError
from fairground.verify import equal, holds
from fairground.verify.reading.prose import Chart, Shape, Table
from fairground.verify.reading.slides import Deck, Slide
from fairground.worlds import Move, World
from fairground_desk.impress.folders import EDITED, LATEST
from fairground_desk.impress.task import (
    DeckTask,
    about,
    added_shapes,
    done,
    find_slide,
    on,
    part_of,
    talk_of,
)


class InsertPicture(DeckTask):
    """Insert a picture from the user's folder at a position, with alternative text."""

    name = "insert-picture"
    template = (
        'Please put the picture {path} on the slide "{slide}" of the open presentation: embedded, not '
        "linked, {width} cm "
        "wide and {height} cm high, with its top left corner at X {x} cm, Y {y} cm. Its alternative text "
        '(the description for people who cannot see it) should be "{alt}". Save the presentation.'
    )
    instances = {
        "goals": {"role": "goals", "photo": 2, "x": 19.0, "y": 9.0, "width": 6.0, "height": 4.5,
                  "alt": "A picture to remember the goals by"},
        "closing": {"role": "closing", "photo": 3, "x": 20.0, "y": 10.0, "width": 4.0, "height": 3.0,
                    "alt": "Our mascot says goodbye"},
        "opening": {"role": "opening", "photo": 0, "x": 10.0, "y": 10.5, "width": 6.0, "height": 4.5,
                    "alt": "What this talk is about"},
    }  # fmt: skip

    def file(self, world: World) -> str:
        return f"~/Pictures/{talk_of(world).photos[int(world.parameters['photo'])]}.jpg"

    def words(self, world: World) -> Mapping[str, object]:
        sizes = {key: f"{world.parameters[key]:g}" for key in ("x", "y", "width", "height")}
        return {"slide": part_of(world).name, "path": self.file(world), **sizes}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check that the embedded bytes are those of the file."""
        wanted = hashlib.sha256(before.file(self.file(world))).hexdigest()
        digests = [shape.picture.digest if shape.picture else "" for shape in self._new(world, before, after)]
        return [*super().judge(world, before, after, answer),
                equal("it is this very picture, embedded", [wanted], digests, weight=1.0)]  # fmt: skip

    def _new(self, world: World, before: State, after: State) -> list[Shape]:
        name = part_of(world).name
        return added_shapes(*(find_slide(self.deck(world, state), name) for state in (before, after)))[0]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        new, _ = added_shapes(find_slide(was, name), find_slide(now, name))
        shape = new[0] if new else Shape()
        wanted = {key: float(world.parameters[key]) * 10 for key in ("x", "y", "width", "height")}
        return [
            equal("there is one picture more on the slide", ["image"], [shape.kind for shape in new], weight=1.0),
            about("it lies where asked", {key: wanted[key] for key in ("x", "y")}, shape, weight=1.0),
            about("it is as large as asked", {key: wanted[key] for key in ("width", "height")}, shape, weight=1.0),
            holds("it has the alternative text", world.parameters["alt"] in (shape.alt, shape.alt_title),
                  expected=world.parameters["alt"], found=[shape.alt, shape.alt_title], weight=1.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name = part_of(world).name
        return [on(name, added_shapes(find_slide(was, name), find_slide(now, name))[1])]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        sizes = [round(float(world.parameters[key]) * 1000) for key in ("x", "y", "width", "height")]
        return done(("picture", part_of(world).name, self.file(world), *sizes, world.parameters["alt"]))


class PlaceEditedPicture(InsertPicture):
    """Insert a picture that was edited in GIMP."""

    name = "place-edited-picture"
    template = (
        "I cut a picture and made it grey in GIMP; the result is in ~/Pictures/Edited (the only file there). "
        "Please put it "
        'on the slide "{slide}" of the open presentation, embedded, {width} cm wide and {height} cm high, with its top '
        'left corner at X {x} cm, Y {y} cm, and give it the alternative text "{alt}". Leave the picture\'s file as it '
        "is. Save the presentation."
    )
    instances = {
        "timeline": {"role": "timeline", "photo": 1, "x": 19.0, "y": 5.0, "width": 6.0, "height": 4.5,
                     "alt": "Grey picture beside the dates"},
        "agenda": {"role": "agenda", "photo": 1, "x": 20.0, "y": 10.0, "width": 4.0, "height": 3.0,
                   "alt": "A small grey picture"},
        "background": {"role": "background", "photo": 1, "x": 21.0, "y": 11.0, "width": 4.8, "height": 3.6,
                       "alt": "Where it all began"},
    }  # fmt: skip

    def file(self, world: World) -> str:
        return f"{EDITED}/{talk_of(world).photos[int(world.parameters['photo'])]} small.png"


class AddTable(DeckTask):
    """Add a small table with texts."""

    name = "add-table"
    template = (
        'Please add a table to the slide "{slide}" of the open presentation, with {rows} rows and {columns} columns: '
        "{lines}. The rest of the slide stays as it is. Save it."
    )
    instances = {
        "dates": {"role": "closing", "cells": "Day,Place;Monday,Main hall;Thursday,Library"},
        "prices": {"role": "goals", "cells": "Ticket,Price;Adults,12;Children,5;Groups,80"},
        "rooms": {"role": "agenda", "cells": "Room,Seats,Floor;Blue,40,1;Green,25,2"},
    }

    def _grid(self, world: World) -> list[list[str]]:
        return [row.split(",") for row in str(world.parameters["cells"]).split(";")]

    def words(self, world: World) -> Mapping[str, object]:
        grid = self._grid(world)
        places = ("first", "second", "third", "fourth")
        rows = "; ".join(f"{place} row: {', '.join(row)}" for place, row in zip(places, grid, strict=False))
        return {"slide": part_of(world).name, "rows": len(grid), "columns": len(grid[0]), "lines": rows}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, grid = part_of(world).name, self._grid(world)
        new, _ = added_shapes(find_slide(was, name), find_slide(now, name))
        table = new[0].table if new and new[0].table else Table()
        actual = [[cell.strip() for cell in row] for row in table.grid]
        return [
            equal("there is one table more", ["table"], [shape.kind for shape in new], weight=1.0),
            equal("it has the right size", [len(grid), len(grid[0])], [table.rows, table.columns], weight=1.0),
            equal("its first row is right", grid[:1], actual[:1], weight=1.0),
            equal("the other rows are right", grid[1:], actual[1:], weight=1.0),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name = part_of(world).name
        return [on(name, added_shapes(find_slide(was, name), find_slide(now, name))[1])]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        grid = self._grid(world)
        return done(("table", part_of(world).name, grid, 2000, 11000, 14000, 1000 * len(grid)))


class _TableTask(DeckTask):
    """Base class of scenarios that change the table on a slide."""

    role = "figures"

    def wanted(self, world: World, was: Sequence[Sequence[str]], before: State) -> list[list[str]]:
        """Return the expected cells, computed from the original ones."""
        raise NotImplementedError

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": talk_of(world).part(self.role).name}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check the cells to change, all other cells, and the size of the table."""
        name = talk_of(world).part(self.role).name
        old, new = (table_of(find_slide(self.deck(world, state), name)) for state in (before, after))
        was, cells_after = (_cells(table) for table in (old, new))
        wanted = self.wanted(world, [list(row) for row in old.grid], before)
        cells = {(row, column): text for row, line in enumerate(wanted) for column, text in enumerate(line)}
        changed = {_place(*key): text for key, text in cells.items() if was.get(key) != text}
        unchanged = {_place(*key): text for key, text in cells.items() if was.get(key) == text}
        now = {_place(*key): text for key, text in cells_after.items()}
        grown = (len(wanted), len(wanted[0])) != (old.rows, old.columns)
        return [
            equal("the cells say what they should", changed, {key: now.get(key) for key in changed},
                  weight=3.0 if changed else 0.0),
            equal("the table has the right size", [len(wanted), len(wanted[0])], [new.rows, new.columns],
                  weight=1.0 if grown else 0.0),
            equal("the other cells say what they said", unchanged, {key: now.get(key) for key in unchanged},
                  weight=0.0),
            *super().judge(world, before, after, answer),
        ]  # fmt: skip

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        return []


class CellValue(_TableTask):
    """Correct a number in the table."""

    name = "cell-value"
    template = (
        'In the table on the slide "{slide}" of the open presentation the number for "{row}", column '
        '"{column}", is wrong. '
        "It should be {value}. Please correct that one cell, leave its format as it is, and save."
    )
    instances = {
        "first": {"row": 1, "column": 1, "value": "73"},
        "middle": {"row": 3, "column": 2, "value": "134"},
        "last": {"row": 5, "column": 3, "value": "26"},
        "second-last": {"row": 4, "column": 2, "value": "87"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        rows = talk_of(world).part(self.role).rows
        row, column = int(world.parameters["row"]), int(world.parameters["column"])
        return {**super().words(world), "row": rows[row][0], "column": rows[0][column]}

    def wanted(self, world: World, was: Sequence[Sequence[str]], before: State) -> list[list[str]]:
        grid = [list(row) for row in was]
        grid[int(world.parameters["row"])][int(world.parameters["column"])] = str(world.parameters["value"])
        return grid

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name = talk_of(world).part(self.role).name
        columns = len(talk_of(world).part(self.role).rows[0])
        at = int(world.parameters["row"]) * columns + int(world.parameters["column"])
        return [on(name, rf"shape\[[^\]]+ table\]\.table\.cell\[{at}\]\..*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        cell = (world.parameters["row"], world.parameters["column"], world.parameters["value"])
        return done(("cell", talk_of(world).part(self.role).name, *cell))


class UpdateFigures(_TableTask):
    """Update a column of the table from a CSV file."""

    name = "update-figures"
    template = (
        'The table on the slide "{slide}" of the open presentation is out of date. The file '
        "~/Documents/Lists/latest figures.csv has the right numbers (same rows and columns; open it in Calc or a text "
        'editor). Please bring the column "{column}" of the table on the slide up to date; the other columns '
        "stay as they "
        "are, even where the file says something else, and so does the file. Save the presentation."
    )
    instances = {"first": {"column": 1}, "second": {"column": 2}, "third": {"column": 3}}

    def words(self, world: World) -> Mapping[str, object]:
        head = talk_of(world).part(self.role).rows[0]
        return {**super().words(world), "column": head[int(world.parameters["column"])]}

    def _latest(self, before: State) -> list[list[str]]:
        return list(csv.reader(io.StringIO(before.text(LATEST))))

    def wanted(self, world: World, was: Sequence[Sequence[str]], before: State) -> list[list[str]]:
        column, latest = int(world.parameters["column"]), self._latest(before)
        return [[*row[:column], latest[at][column], *row[column + 1 :]] for at, row in enumerate(was)]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        part, column = talk_of(world).part(self.role), int(world.parameters["column"])
        cells = "|".join(str(row * len(part.rows[0]) + column) for row in range(1, len(part.rows)))
        return [on(part.name, rf"shape\[[^\]]+ table\]\.table\.cell\[(?:{cells})\]\..*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        column, name = int(world.parameters["column"]), talk_of(world).part(self.role).name
        rows = list(enumerate(self._latest(before)))[1:]
        return done(*(("cell", name, at, column, row[column]) for at, row in rows))


class TotalRow(_TableTask):
    """Add a row with totals."""

    name = "total-row"
    template = (
        'Please add a row at the end of the table on the slide "{slide}" of the open presentation: "{label}" '
        "in the first "
        "column, and below each of the other columns the sum of the numbers above. Nothing else changes. Save it."
    )
    instances = {"total": {"label": "Total"}, "sum": {"label": "Sum"}, "together": {"label": "All together"}}

    def wanted(self, world: World, was: Sequence[Sequence[str]], before: State) -> list[list[str]]:
        sums = [str(sum(int(row[column]) for row in was[1:])) for column in range(1, len(was[0]))]
        return [*map(list, was), [str(world.parameters["label"]), *sums]]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        part = talk_of(world).part(self.role)
        first, count = len(part.rows) * len(part.rows[0]), len(part.rows[0])
        cells = "|".join(str(at) for at in range(first, first + count))
        return [on(part.name, rf"shape\[[^\]]+ table\]\.table\.(?:rows|cell\[(?:{cells})\].*)")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name = talk_of(world).part(self.role).name
        grid = table_of(find_slide(self.deck(world, before), name)).grid
        return done(("add_row", name, self.wanted(world, grid, before)[-1]))


class AddPerson(_TableTask):
    """Add a person to the table."""

    name = "add-person"
    role = "team"
    template = (
        'Please add one more row at the end of the table on the slide "{slide}" of the open presentation, with these '
        "three cells: {cells}. The rows above stay as they are. Save it."
    )
    instances = {
        "amara": {"cells": "Amara Okafor,Press,2024"},
        "jonas": {"cells": "Jonas Berg,Volunteers,2023"},
        "priya": {"cells": "Priya Nair,Website,2025"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        listed = ", ".join(f'"{cell}"' for cell in str(world.parameters["cells"]).split(","))
        return {**super().words(world), "cells": listed}

    def wanted(self, world: World, was: Sequence[Sequence[str]], before: State) -> list[list[str]]:
        return [*map(list, was), str(world.parameters["cells"]).split(",")]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        part = talk_of(world).part(self.role)
        first = len(part.rows) * 3
        return [on(part.name, rf"shape\[[^\]]+ table\]\.table\.(?:rows|cell\[(?:{first}|{first + 1}|{first + 2})\].*)")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("add_row", talk_of(world).part(self.role).name, str(world.parameters["cells"]).split(",")))


class EditChart(DeckTask):
    """Change the title, a value or the kind of a chart."""

    name = "edit-chart"
    template = (
        'The chart on the slide "{slide}" of the open presentation needs a change: please {what}. Its other words and '
        "numbers stay as they are. Save the presentation."
    )
    instances = {
        "title": {"change": "title", "value": "The last four in comparison"},
        "number": {"change": "number", "row": 1, "column": 0, "value": 175},
        "lines": {"change": "kind", "value": "line"},
        "second-number": {"change": "number", "row": 3, "column": 1, "value": 58},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part, value = talk_of(world).part("trend"), world.parameters["value"]
        if world.parameters["change"] == "title":
            what = f'change the title inside the chart to "{value}"'
        elif world.parameters["change"] == "kind":
            what = "make it a line chart instead of a column chart, with the same data"
        else:
            row, column = int(world.parameters["row"]), int(world.parameters["column"])
            what = f'change the value of "{part.rows[0][column + 1]}" for "{part.rows[row + 1][0]}" to {value}'
        return {"slide": part.name, "what": what}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = talk_of(world).part("trend").name
        old, new = (chart_of(find_slide(deck, name)) for deck in (was, now))
        change, value = world.parameters["change"], world.parameters["value"]
        values = [list(series.values) for series in old.series]
        if change == "number":
            values[int(world.parameters["column"])][int(world.parameters["row"])] = float(value)
        title = value if change == "title" else old.title
        kind = value if change == "kind" else old.kind
        return [
            equal("the chart has the title", title, new.title, weight=2.0 if change == "title" else 0.0),
            equal("the chart has the numbers", values, [list(series.values) for series in new.series],
                  weight=2.0 if change == "number" else 0.0),
            equal("the chart is of the kind", kind, new.kind, weight=2.0 if change == "kind" else 0.0),
            equal("the chart has the same words", [list(old.categories), [series.name for series in old.series]],
                  [list(new.categories), [series.name for series in new.series]], weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        changed = {"title": "title", "kind": "kind", "number": r"series\[\d+\]\.values"}[
            str(world.parameters["change"])
        ]
        return [on(talk_of(world).part("trend").name, rf"shape\[[^\]]+ chart\]\.chart\.{changed}")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        change, value = world.parameters["change"], world.parameters["value"]
        values: dict[str, object] = {"title": value}
        if change == "kind":
            values = {"kind": "LineDiagram"}
        elif change == "number":
            values = {"cell": [world.parameters["row"], world.parameters["column"], value]}
        return done(("chart", talk_of(world).part("trend").name, values))


def table_of(slide: Slide) -> Table:
    """Return the slide's table; raises `StateError` if it has none."""
    for shape in slide.shapes:
        if shape.table is not None:
            return shape.table
    raise StateError(f"the slide {slide.name!r} has no table")


def _place(row: int, column: int) -> str:
    return f"row {row + 1}, column {column + 1}"


def _cells(table: Table) -> dict[tuple[int, int], str]:
    return {(cell.row, cell.column): cell.text.strip() for cell in table.cells}


def chart_of(slide: Slide) -> Chart:
    """Return the slide's chart, or an empty one, which fails its checks."""
    return next((shape.chart for shape in slide.shapes if shape.chart is not None), Chart())


SCENARIOS = (
    InsertPicture(),
    PlaceEditedPicture(),
    AddTable(),
    CellValue(),
    UpdateFigures(),
    TotalRow(),
    AddPerson(),
    EditChart(),
)
