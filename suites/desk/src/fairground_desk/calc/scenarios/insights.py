"""Charts, pivot tables and goal seeks over existing data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.workbook import Sheet, Workbook
from fairground.verify.reading.workbook_parts import PivotField
from fairground.worlds import Move, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.business import BUSINESSES
from fairground_desk.calc.task import CalcTask, head, length, numbers
from fairground_desk.calc.workbooks import BUDGET, SALES, STOCK
from fairground_desk.tasks import save


class InsertChart(CalcTask):
    """Insert a chart of the right kind, from the right cells, with its titles."""

    name = "insert-chart"
    workbook = "{file}"
    template = (
        'Insert a {kind_name} into the sheet "{sheet}" that shows {words}. Title: "{title}"; title of the X axis: '
        '"{x}"; title of the Y axis: "{y}". The cells themselves stay as they are. Save the workbook.'
    )
    instances = {
        "budget": {
            "file": BUDGET,
            "sheet": "Budget",
            "kind": "bar",
            "kind_name": "column chart (upright bars)",
            "words": 'for every cost item (A2:A13) the figure in its column "Year" (N2:N13), without the total, with '
            "the head N1 as the name of the series",
            "ranges": "A1:A13 N1:N13",
            "values": "N2:N13",
            "labels": "N1",
            "categories": "A2:A13",
            "title": "What the year should cost",
            "x": "Cost item",
            "y": "Planned",
        },
        "january": {
            "file": BUDGET,
            "sheet": "Actual",
            "kind": "line",
            "kind_name": "line chart",
            "words": "the actual figures of January (B2:B13) over the cost items (A2:A13), with the head B1 as the "
            "name of the series",
            "ranges": "A1:A13 B1:B13",
            "values": "B2:B13",
            "labels": "B1",
            "categories": "A2:A13",
            "title": "January in detail",
            "x": "Item",
            "y": "Spent",
        },
        "lead": {
            "file": STOCK,
            "sheet": "Suppliers",
            "kind": "bar",
            "kind_name": "column chart (upright bars)",
            "words": "how many lead days (C2:C7) each supplier (A2:A7) has, with the head C1 as the name of the series",
            "ranges": "A1:A7 C1:C7",
            "values": "C2:C7",
            "labels": "C1",
            "categories": "A2:A7",
            "title": "Waiting for deliveries",
            "x": "Supplier",
            "y": "Days",
        },
        "targets": {
            "file": SALES,
            "sheet": "Targets",
            "kind": "line",
            "kind_name": "line chart",
            "words": "the targets of all four quarters (four lines, from B2:E6, named by the heads B1 to E1) over the "
            "regions (A2:A6)",
            "ranges": "A1:E6",
            "values": "B2:B6 C2:C6 D2:D6 E2:E6",
            "labels": "B1 C1 D1 E1",
            "categories": "A2:A6",
            "title": "Targets by region",
            "x": "Region",
            "y": "Revenue",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        charts = now[name].charts
        chart = charts[0] if charts else None
        series = chart.series if chart else ()

        def here(text: str) -> list[str]:
            return [f"{name}.{part}" for part in text.split()]

        return [
            equal("there is one chart", 1, len(charts)),
            equal("it is of the right kind", wanted["kind"], chart.kind if chart else None, weight=2.0),
            holds(
                "it stands upright, in one layer",
                chart is not None and not chart.sideways and not chart.stacked,
                found=chart,
            ),
            equal(
                "its values are the right cells",
                here(str(wanted["values"])),
                [line.values for line in series],
                weight=2.0,
            ),
            equal("its series are named by the heads", here(str(wanted["labels"])), [line.label for line in series]),
            equal(
                "its categories are the right cells",
                here(str(wanted["categories"])) * max(1, len(series)),
                [line.categories for line in series],
            ),
            equal("its title is as asked", wanted["title"], chart.title if chart else None),
            equal("the X axis has its title", wanted["x"], chart.x_title if chart else None),
            equal("the Y axis has its title", wanted["y"], chart.y_title if chart else None),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.charts"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted, name = world.parameters, world.parameters["sheet"]
        ranges = [[name, area] for area in str(wanted["ranges"]).split()]
        titles = [wanted[key] for key in ("title", "x", "y")]
        return [calc(("chart", name, ranges, wanted["kind"], *titles, [20, 80])), save()]


class PieChart(CalcTask):
    """Insert a pie chart of the shares of a total."""

    name = "pie-chart"
    workbook = BUDGET
    template = (
        'Insert a pie chart into the sheet "{sheet}" that shows the shares of the cost items (names in A2:A13) in the '
        'figures of the column "{month}" ({letter}2:{letter}13, with the head {letter}1 as the name of the series), '
        'and give it the title "{title}". Leave the cells alone. Save the workbook.'
    )
    instances = {
        "planned": {"sheet": "Budget", "month": "Year", "letter": "N", "title": "Where the money should go"},
        "spent": {"sheet": "Actual", "month": "Year", "letter": "N", "title": "Where the money went"},
        "december": {"sheet": "Actual", "month": "Dec", "letter": "M", "title": "Costs of December"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        charts = now[name].charts
        chart = charts[0] if charts else None
        series = chart.series[0] if chart and len(chart.series) == 1 else None
        at = wanted["letter"]
        return [
            equal("there is one chart", 1, len(charts)),
            equal("it is a pie", "pie", chart.kind if chart else None, weight=2.0),
            equal(
                "its values are the right cells", f"{name}.{at}2:{at}13", series.values if series else None, weight=2.0
            ),
            equal("its series is named by the head", f"{name}.{at}1", series.label if series else None),
            equal("its names are the cost items", f"{name}.A2:A13", series.categories if series else None),
            equal("its title is as asked", wanted["title"], chart.title if chart else None),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.charts"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted, name = world.parameters, world.parameters["sheet"]
        ranges = [[name, "A1:A13"], [name, f"{wanted['letter']}1:{wanted['letter']}13"]]
        return [calc(("chart", name, ranges, "pie", wanted["title"], "", "", [20, 80])), save()]


class Pivot(CalcTask):
    """Build a pivot table of a year of sales."""

    name = "pivot"
    workbook = SALES
    template = (
        'Make a pivot table of the whole list in sheet "Sales": {words}. It belongs on a new sheet named "{sheet}", '
        "behind the others. Save the workbook; the list and the other sheets stay as they are."
    )
    instances = {
        "revenue": {
            "sheet": "Revenue by region",
            "rows": "Region",
            "columns": "Product",
            "data": "Revenue",
            "function": "sum",
            "words": "regions as rows, products as columns, and the sum of the revenue as data",
        },
        "units": {
            "sheet": "Units by product",
            "rows": "Product",
            "columns": "",
            "data": "Units",
            "function": "sum",
            "words": "products as rows, no columns, and the sum of the units as data",
        },
        "average": {
            "sheet": "Usual sale",
            "rows": "Region",
            "columns": "",
            "data": "Revenue",
            "function": "average",
            "words": "regions as rows, no columns, and the average of the revenue as data",
        },
        "largest": {
            "sheet": "Largest sale",
            "rows": "Product",
            "columns": "Region",
            "data": "Units",
            "function": "max",
            "words": "products as rows, regions as columns, and the largest number (maximum) of units as data",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        sheet = now[name] if name in now.names else Sheet(name)
        last = length(was["Sales"])
        pivot = now.pivots[0] if len(now.pivots) == 1 else None
        groups = {"row": wanted["rows"], "column": wanted["columns"]}
        fields = pivot.fields if pivot else ()
        shown = set(numbers(cell for cell in sheet.cells.values()))
        missing = [
            key
            for key, value in self._figures(world, was).items()
            if not any(math.isclose(value, figure, rel_tol=1e-9, abs_tol=1e-6) for figure in shown)
        ]
        return [
            equal("the new sheet is the last one", [*was.names, name], list(now.names)),
            holds(
                "there is one pivot table, on the new sheet",
                pivot is not None and _sheet(pivot.target) == name,
                found=now.pivots,
            ),
            equal("it is made from the whole list", f"Sales.A1:F{last}", pivot.source if pivot else None, weight=2.0),
            *(
                equal(
                    f"its {where} fields are as asked",
                    [field] if field else [],
                    [field.source for field in fields if field.orientation == where] if pivot else None,
                    weight=1.0 if field else 0.0,
                )
                for where, field in groups.items()
            ),
            equal(
                "its data is as asked",
                [PivotField(str(wanted["data"]), "data", str(wanted["function"]))],
                [field for field in fields if field.orientation not in groups] if pivot else None,
                weight=2.0,
            ),
            holds(
                "the table shows the right figures",
                bool(shown) and not missing,
                found=f"missing: {missing[:5]}",
                weight=2.0,
            ),
        ]

    def _figures(self, world: World, was: Workbook) -> Mapping[str, float]:
        """Every value of the pivot table by row and column, computed from the list."""
        wanted, sales = world.parameters, was["Sales"]
        heads = head(sales)
        keys = [heads.index(str(wanted[axis])) for axis in ("rows", "columns") if wanted[axis]]
        data = heads.index(str(wanted["data"]))
        groups: dict[str, list[float]] = {}
        for row in range(1, length(sales)):
            key = " / ".join(str(sales.at(row, at).value) for at in keys)
            groups.setdefault(key, []).extend(numbers([sales.at(row, data)]))
        ways: Mapping[str, Callable[[list[float]], float]] = {"sum": math.fsum, "average": statistics.fmean, "max": max}
        by = ways[str(wanted["function"])]
        return {key: by(values) for key, values in groups.items()}

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", "pivots", "filters", f"{world.parameters['sheet']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        last = length(self.book(world, before)["Sales"])
        columns = [wanted["columns"]] if wanted["columns"] else []
        function = str(wanted["function"]).upper()
        pivot = (
            "pivot",
            "Sales",
            f"A1:F{last}",
            wanted["sheet"],
            "A1",
            "Table",
            [wanted["rows"]],
            columns,
            wanted["data"],
            function,
        )
        return [calc(("insert_sheet", wanted["sheet"], -1), pivot), save()]


class GoalSeek(CalcTask):
    """Change an input by goal seek until a formula has the wanted result."""

    name = "goal-seek"
    workbook = BUDGET
    template = (
        'In the sheet "Pricing", the result of the workshop should be exactly {goal}. Find out what "{label}" (cell '
        "{cell}) has to be for that, with everything else unchanged, and put that value into the cell (to the cent or "
        'better); the formula of "Result" stays. Write "Goal: {goal}" into cell A9 as a reminder. Save the workbook.'
    )
    instances = {
        "price": {"label": "Price of a seat", "cell": "B3"},
        "cost": {"label": "Cost of a seat", "cell": "B5"},
        "fixed": {"label": "Fixed costs", "cell": "B6"},
    }

    def goal(self, world: World) -> int:
        """Return a round target that suits the business."""
        return round(BUSINESSES[str(world.profile["shop"])].rent * 0.35 / 100) * 100 + 50

    def phrase(self, world: World) -> str:
        return self.template.format_map({**world.parameters, "goal": self.goal(world)})

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        sheet, cell = now["Pricing"], str(world.parameters["cell"])
        result, before = sheet["B7"], was["Pricing"]
        price, seats, each, fixed = (numbers([before[f"B{row}"]])[0] for row in (3, 4, 5, 6))
        goal = float(self.goal(world))
        right = {
            "B3": (goal + fixed) / seats + each,
            "B5": price - (goal + fixed) / seats,
            "B6": price * seats - each * seats - goal,
        }[cell]
        return [
            close_to("the result is the goal", goal, result.value, within=0.25, weight=2.0),
            close_to("the value is the one that leads to it", right, sheet[cell].value, within=0.0101, weight=3.0),
            holds(
                "it is a plain value",
                not sheet[cell].formula and sheet[cell].value != before[cell].value,
                found=sheet[cell].formula,
            ),
            equal("the formula of the result stayed", before["B7"].formula, result.formula, weight=0.0, integrity=True),
            equal("the reminder is written", f"Goal: {self.goal(world)}", sheet["A9"].value),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"Pricing!{world.parameters['cell']}.value", "Pricing!B7.value", "Pricing!A9.kind", "Pricing!A9.value"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        goal = self.goal(world)
        return [
            calc(
                ("goal_seek", "Pricing", "B7", world.parameters["cell"], str(goal)),
                ("put", "Pricing", "A9", [[f"Goal: {goal}"]]),
            ),
            save(),
        ]


def _sheet(area: str) -> str:
    return area.rpartition(".")[0].strip("'")


SCENARIOS = (InsertChart(), PieChart(), Pivot(), GoalSeek())
