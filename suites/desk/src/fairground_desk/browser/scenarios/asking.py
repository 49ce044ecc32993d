"""Questions that the web sites, or the browser's own history, answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import holds, match_answer
from fairground.worlds import Move, Say, World
from fairground_desk.browser.inspector import history_of
from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.scenarios.browser_task import BrowserTask, go
from fairground_desk.browser.sites.reading import GUIDES


class Question(BrowserTask):
    """Something to find out. Nothing may change meanwhile.

    Attributes:
        answer_kind: As of `match_answer`.
    """

    kind = "answer"
    answer_kind = "text"

    @abstractmethod
    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        """The right answer, other candidates, and an address where it can be read."""

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        expected, others, _ = self.solution(world, before)
        among = [one for one in dict.fromkeys(others) if one != expected]
        passed = match_answer(self.answer_kind, expected, answer, among=among, question=world.instruction)
        return [holds("the answer is right", passed, expected=expected, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        expected, _, url = self.solution(world, before)
        return [*go(url), Say(str(expected))]


class Extreme(Question):
    """Which record of a group is first in a column."""

    name = "find-record"
    template = (
        "Among the records of {site} with {group_name} {group}: which {noun} has the {which} {column}? Give its name."
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
        """From the records; where two share it there is no question."""
        owner, column = self.person(world), int(world.parameters["column"])
        group = self._group(world, owner)
        rows = [row for row in owner.records if row[1] == group]
        values = [float(row[column]) for row in rows]
        best = (max if world.parameters["pick"] == "highest" else min)(values)
        if values.count(best) != 1 or sum(row[0] == rows[values.index(best)][0] for row in rows) != 1:
            raise InvalidConfiguration(f"{world.id}: {values.count(best)} records of {group} have {best:g}")
        names = [str(row[0]) for row in rows]
        found = names[values.index(best)]
        others = [name for name in names if name not in found and found not in name]
        return found, others, owner.url("catalogue", f"/records?group={group.replace(' ', '%20')}")

    def _group(self, world: World, person: Person) -> str:
        groups = sorted({str(row[1]) for row in person.records})
        return groups[int(world.parameters["group"]) % len(groups)]


class CheapestProduct(Question):
    """What can be had, for how much."""

    name = "cheapest-product"
    template = (
        "What does the cheapest product of the category {category} at {site} cost that is in stock? Give the price."
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
        price = min(one.price for one in owner.products if one.category == category and one.stock)
        return f"{price:.2f}", (), owner.url("shop", f"/products?category={category.replace(' ', '%20')}")

    def _category(self, world: World) -> str:
        names = list(dict.fromkeys(one.category for one in self.person(world).products))
        return names[int(world.parameters["category"])]


class GuideKeeper(Question):
    """Two pages: who keeps a guide, and how that colleague is reached."""

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
        """As the guide and the directory say."""
        owner = self.person(world)
        number = (int(world.parameters["guide"]) - 1) * 3 + 2
        keeper = owner.staff[number % len(owner.staff)]
        return int(keeper.extension), (), owner.url("intranet", f"/staff/{number % len(owner.staff) + 1}")


class JointPrice(Question):
    """Two events, several people."""

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
        one, other = (person.events[int(world.parameters[name]) - 1].title for name in ("first", "second"))
        return {"first": one, "second": other, "site": person.host("events")}

    def solution(self, world: World, before: State) -> tuple[Any, Sequence[str], str]:
        owner, told = self.person(world), world.parameters
        one, other = (owner.events[int(told[name]) - 1].price for name in ("first", "second"))
        return f"{one * int(told['people']) + other * int(told['more']):.2f}", (), owner.url("events", "/programme")


class LastVisited(Question):
    """What the history knows."""

    name = "last-visited"
    template = (
        "Look into the browser's history: which {noun} on {site} did I open last? Pages that were opened today "
        "do not count. "
        "Give its title, without the name of the site."
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
        """From the visits that were there at the start."""
        owner, site = self.person(world), str(world.parameters["site"])
        names = _visited(before, owner, site)
        if not names:
            raise InvalidConfiguration(f"{world.id}: the history has no page of {site}")
        every = [*names, *(name for one in SITES if one != site for name in _visited(before, owner, one))]
        others = [name for name in every if name not in names[-1] and names[-1] not in name]
        return names[-1], others, f"chrome://history/?q={owner.host(site)}"


def _visited(state: State, owner: Person, site: str) -> list[str]:
    """Titles of a site's pages that were visited, without its own name, in order."""
    own = f" - {owner.titles[site]}"
    visits = [one for one in history_of(state).visits if one.url.startswith(owner.url(site)) and one.seconds == _STAY]
    return [one.title.removesuffix(own) for one in visits if one.title.endswith(own)]


_STAY = 45.0  # seconds that each visit of the past lasted: what the start of the seat opened is not among them

SCENARIOS = (Extreme(), CheapestProduct(), GuideKeeper(), JointPrice(), LastVisited())
