"""Questions about the contents of the workbooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import holds, match_answer
from fairground.verify.reading.workbook import Workbook
from fairground.worlds import Move, Say, World
from fairground_desk.calc.business import DEPARTMENTS
from fairground_desk.calc.sales import REGIONS
from fairground_desk.calc.survey import GROUP
from fairground_desk.calc.task import CalcTask, column, head, length, numbers
from fairground_desk.calc.workbooks import SALES, STAFF, STOCK, SURVEY, workbook


class Question(CalcTask):
    """A question; all files must stay as they are."""

    kind = "answer"
    answer_kind = "number"
    step_budget = 60

    def right(self, world: World, was: Workbook) -> Any:
        raise NotImplementedError

    def candidates(self, was: Workbook) -> Sequence[str]:
        return ()

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check the answer. No file may change, including the workbook."""
        was = self.book(world, before)
        right = self.right(world, was)
        correct = match_answer(self.answer_kind, right, answer, among=self.candidates(was), question=world.instruction)
        same = {path: content for path, content in before.files.items() if path.startswith("~/Documents")} == {
            path: content for path, content in after.files.items() if path.startswith("~/Documents")
        }
        return [
            holds("the answer is right", correct, expected=right, found=(answer or "")[:200]),
            holds("no file was changed", same, weight=0.0).model_copy(update={"integrity": True}),
        ]

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        return []

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Say(str(self.right(world, self.book(world, before))))]


class BestProduct(Question):
    """Find the product with the highest revenue."""

    name = "best-product"
    workbook = SALES
    answer_kind = "text"
    template = (
        'According to the sheet "Sales", which product brought the most revenue in the region {region} over the whole '
        "year? Answer with the product's name as it is written there, and leave the workbook unchanged."
    )
    instances = {region.lower(): {"region": region} for region in REGIONS}

    def right(self, world: World, was: Workbook) -> str:
        sums: dict[str, float] = {}
        sales = was["Sales"]
        for row in range(1, length(sales)):
            if sales.at(row, 1).value == world.parameters["region"]:
                product = str(sales.at(row, 2).value)
                sums[product] = sums.get(product, 0.0) + math.fsum(numbers([sales.at(row, 5)]))
        return max(sums, key=lambda product: sums[product])

    def candidates(self, was: Workbook) -> Sequence[str]:
        return sorted({str(cell.value) for cell in column(was["Sales"], 2)})


class HowMany(Question):
    """Count the rows of the stock that meet a condition."""

    name = "how-many"
    workbook = STOCK
    template = (
        'How many items of the sheet "Stock" {words}? Answer with the number, and change nothing in the workbook.'
    )
    instances = {
        "low": {"words": 'have fewer pieces in stock than their "Reorder at" says', "ask": "low"},
        "clearance": {"words": 'are of the category "Clearance"', "ask": "Clearance"},
        "premium": {"words": 'are of the category "Premium" and cost more than the average item', "ask": "premium"},
        "aisle": {"words": "lie in aisle C (their shelf begins with C)", "ask": "aisle"},
    }

    def right(self, world: World, was: Workbook) -> float:
        stock = was["Stock"]
        rows = range(1, length(stock))
        costs = numbers(column(stock, 6))
        usual = math.fsum(costs) / len(costs)
        category = [cell.value for cell in column(stock, 2)]
        there, level = numbers(column(stock, 4)), numbers(column(stock, 5))
        ways = {
            "low": lambda row: there[row - 1] < level[row - 1],
            "Clearance": lambda row: category[row - 1] == "Clearance",
            "premium": lambda row: category[row - 1] == "Premium" and costs[row - 1] > usual,
            "aisle": lambda row: str(stock.at(row, 7).value).startswith("C-"),
        }
        return sum(map(bool, map(ways[str(world.parameters["ask"])], rows)))


class WhoIs(Question):
    """Find a member of staff by what is known about them."""

    name = "who-is"
    workbook = STAFF
    answer_kind = "text"
    template = (
        'Who of the department {department} in the sheet "Staff" has been there longest (earliest date in "Since")? '
        "Answer with the full name; leave the workbook as it is."
    )
    instances = {department.lower(): {"department": department} for department in DEPARTMENTS}

    def right(self, world: World, was: Workbook) -> str:
        staff = was["Staff"]
        rows = [row for row in range(1, length(staff)) if staff.at(row, 2).value == world.parameters["department"]]
        days = [str(staff.at(row, 3).value) for row in rows]
        if len(rows) < 2 or days.count(min(days)) != 1:
            raise InvalidConfiguration(f"nobody of {world.parameters['department']} is the one who was there first")
        return str(staff.at(rows[days.index(min(days))], 1).value)

    def candidates(self, was: Workbook) -> Sequence[str]:
        return [str(cell.value) for cell in column(was["Staff"], 1)]


class GroupAverage(Question):
    """Compute a statistic of a group in a table of public data."""

    name = "group-average"
    workbook = SURVEY
    template = (
        'In the sheet "Data", what is the {words} of the column "{figure}" among the rows that have "{group}" in the '
        'column "{column}"? Answer with the number, rounded to one decimal. Do not change the workbook.'
    )
    instances = {
        "average": {"words": "average", "by": "mean"},
        "largest": {"words": "largest value", "by": "max"},
        "smallest": {"words": "smallest value", "by": "min"},
    }

    def phrase(self, world: World) -> str:
        """Name the group in the last row of the profile's table."""
        rows = workbook(str(world.profile["shop"]), SURVEY)[0].rows
        names = [getattr(cell, "value", cell) for cell in rows[0]]
        facts = {"figure": names[-1], "column": names[GROUP], "group": rows[-1][GROUP]}
        return self.template.format_map({**world.parameters, **facts})

    def right(self, world: World, was: Workbook) -> float:
        data = was["Data"]
        last = length(data) - 1
        group, place = data.at(last, GROUP).value, len(head(data)) - 1
        values = numbers(data.at(row, place) for row in range(1, last + 1) if data.at(row, GROUP).value == group)
        by = {"mean": math.fsum(values) / len(values), "max": max(values), "min": min(values)}[
            str(world.parameters["by"])
        ]
        return math.floor(by * 10 + 0.5) / 10


SCENARIOS = (BestProduct(), HowMany(), WhoIs(), GroupAverage())
