"""Questions that the web sites or the browser's history answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import holds, match_answer, with_form
from fairground.worlds import Move, Say, World
from fairground_desk.browser.inspector import history_of
from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.scenarios.browser_task import BrowserTask, go
from fairground_desk.browser.sites.reading import GUIDES


class Question(BrowserTask):
    """A question to answer; nothing else may change.

    Attributes:
        answer_kind: See `match_answer`.
    """

    kind = "answer"
    answer_kind = "text"

    def phrase(self, world: World) -> str:
        return with_form(super().phrase(world), self.answer_kind)

    @abstractmethod
    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        """Return the right answer, wrong candidates, and an address that shows the answer."""

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        expected, others, _ = self.solution(world, before)
        among = [candidate for candidate in dict.fromkeys(others) if candidate != expected]
        passed = match_answer(self.answer_kind, expected, answer, among=among, question=world.instruction)
        return [holds("the answer is right", passed, expected=expected, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        expected, _, url = self.solution(world, before)
        return [*go(url), Say(str(expected))]


class Extreme(Question):
    """Find the record of a group that has the extreme value in a column."""

    name = "find-record"
    template = (
        "Among the records of {site} with {group_name} {group}: which {noun} has the {which} {column}? Answer with its "
        "name."
    )
    instances = {
        "highest": {"group": 0, "column": 5, "pick": "highest"},
        "lowest": {"group": 1, "column": 5, "pick": "lowest"},
        "highest-other": {"group": 2, "column": 4, "pick": "highest"},
        "lowest-other": {"group": 0, "column": 4, "pick": "lowest"},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {
            "site": person.host("catalogue"), "group_name": person.columns[1], "group": self._group(world, person),
            "noun": person.noun, "which": world.parameters["pick"],
            "column": person.columns[int(world.parameters["column"])],
        }  # fmt: skip

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        """Raises if two records share the extreme value, because the question then has no answer."""
        owner, column = self.person(world), int(world.parameters["column"])
        group = self._group(world, owner)
        rows = [row for row in owner.records if row[1] == group]
        values = [float(row[column]) for row in rows]
        best = (max if world.parameters["pick"] == "highest" else min)(values)
        if values.count(best) != 1 or sum(row[0] == rows[values.index(best)][0] for row in rows) != 1:
            raise InvalidConfiguration(f"{world.id}: {values.count(best)} records of {group} have {best:g}")
        names = [str(row[0]) for row in rows]
        best_name = names[values.index(best)]
        others = [name for name in names if name not in best_name and best_name not in name]
        return best_name, others, owner.url("catalogue", f"/records?group={group.replace(' ', '%20')}")

    def _group(self, world: World, person: Person) -> str:
        groups = sorted({str(row[1]) for row in person.records})
        return groups[int(world.parameters["group"]) % len(groups)]


class CheapestProduct(Question):
    """Find the price of the cheapest product in stock."""

    name = "cheapest-product"
    template = (
        "What does the cheapest product of the category {category} at {site} cost that is in stock? "
        "Answer with the price as a number."
    )
    instances = {
        "first": {"category": 0},
        "second": {"category": 1},
        "third": {"category": 2},
        "fourth": {"category": 3},
    }
    answer_kind = "number"

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"category": self._category(world), "site": person.host("shop")}

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        owner, category = self.person(world), self._category(world)
        price = min(product.price for product in owner.products if product.category == category and product.stock)
        return f"{price:.2f}", (), owner.url("shop", f"/products?category={category.replace(' ', '%20')}")

    def _category(self, world: World) -> str:
        names = list(dict.fromkeys(product.category for product in self.person(world).products))
        return names[int(world.parameters["category"])]


class GuideKeeper(Question):
    """Find who keeps a guide, then that colleague's extension: two pages."""

    name = "guide-keeper"
    template = (
        "On the intranet ({site}) there is a guide “{guide}”. What is the telephone extension of "
        "the colleague who keeps it?"
    )
    instances = {"visitors": {"guide": 1}, "expenses": {"guide": 2}, "equipment": {"guide": 3}, "fire": {"guide": 5}}
    answer_kind = "number"

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"site": person.host("intranet"), "guide": GUIDES[int(world.parameters["guide"]) - 1]}

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        owner = self.person(world)
        number = (int(world.parameters["guide"]) - 1) * 3 + 2
        keeper = owner.staff[number % len(owner.staff)]
        return int(keeper.extension), (), owner.url("intranet", f"/staff/{number % len(owner.staff) + 1}")


class JointPrice(Question):
    """Compute the price of two events for several people."""

    name = "price-of-courses"
    template = (
        "We want to send {people} colleagues to “{first}” and {more} to “{second}” (see {site}). What does that cost "
        "altogether, at the prices of the programme?"
    )
    instances = {
        "small": {"first": 1, "people": 2, "second": 2, "more": 3},
        "team": {"first": 4, "people": 4, "second": 7, "more": 2},
        "department": {"first": 6, "people": 5, "second": 8, "more": 10},
    }
    answer_kind = "number"

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        first, second = (person.events[int(world.parameters[name]) - 1].title for name in ("first", "second"))
        return {"first": first, "second": second, "site": person.host("events")}

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        owner, parameters = self.person(world), world.parameters
        first, second = (owner.events[int(parameters[name]) - 1].price for name in ("first", "second"))
        return (
            f"{first * int(parameters['people']) + second * int(parameters['more']):.2f}",
            (),
            owner.url("events", "/programme"),
        )


class LastVisited(Question):
    """Find which page of a site was opened last before today, from the browser's history."""

    name = "last-visited"
    template = (
        "Look into the browser's history: which {noun} on {site} did I open last? Pages that were opened today "
        "do not count. "
        "Answer with its title, without the name of the site."
    )
    instances = {
        "article": {"site": "library", "noun": "article"},
        "product": {"site": "shop", "noun": "product"},
        "report": {"site": "news", "noun": "report"},
        "event": {"site": "events", "noun": "event"},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"site": person.host(str(world.parameters["site"]))}

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        owner, site = self.person(world), str(world.parameters["site"])
        names = _visited(before, owner, site)
        if not names:
            raise InvalidConfiguration(f"{world.id}: the history has no page of {site}")
        every = [
            *names,
            *(name for neighbour in SITES if neighbour != site for name in _visited(before, owner, neighbour)),
        ]
        others = [name for name in every if name not in names[-1] and names[-1] not in name]
        return names[-1], others, f"chrome://history/?q={owner.host(site)}"


def _visited(state: State, owner: Person, site: str) -> list[str]:
    """Titles of the visited pages of a site, without the site's name, in order."""
    own = f" - {owner.titles[site]}"
    visits = [
        visit for visit in history_of(state).visits if visit.url.startswith(owner.url(site)) and visit.seconds == _STAY
    ]
    return [visit.title.removesuffix(own) for visit in visits if visit.title.endswith(own)]


_STAY = 45.0  # seconds per visit in the prepared history; pages opened when the seat started have another duration

SCENARIOS = (Extreme(), CheapestProduct(), GuideKeeper(), JointPrice(), LastVisited())
