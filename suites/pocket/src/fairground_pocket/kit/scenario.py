"""Tasks as data: a template, domains, facts, injected rows, what must hold afterwards and what may change.

Subclass `Task`, one page each. Everything is looked up in the recorded state before, so that a verdict can be
made again from the recording alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from fairground.core import Check, InvalidConfiguration, InvalidInput, State
from fairground.verify import equal, holds, match_answer
from fairground.worlds import Move, Say, Scenario, Tap, World
from fairground_pocket.kit.changes import SUFFIX, Allowance, Comparison
from fairground_pocket.kit.constraints import Constraint
from fairground_pocket.kit.database import Database
from fairground_pocket.kit.facts import Known, Many, look_up
from fairground_pocket.kit.instances import Domain, instances
from fairground_pocket.kit.shell import HOME

if TYPE_CHECKING:
    from fairground_pocket.kit.app import PocketApp


_HELD: dict[tuple[Any, ...], tuple[bool, ...]] = {}
_MOST_HELD = 8  # an attempt is judged several times in a row; keeping more would keep databases


@dataclass(frozen=True)
class Expect:
    """One criterion: SQL over `before.TABLE` and `after.TABLE` whose first value must equal `value`.

    Attributes:
        name: What is checked, in words.
        sql: May use `:parameters` and `:fact_columns`.
        value: What it must give; a text may have `{placeholders}`.
        weight: Its share of the reward.
    """

    name: str
    sql: str
    value: Any = 1
    weight: float = 1.0


@dataclass(frozen=True)
class Answer:
    """What is to be said, computed from the data before.

    Attributes:
        sql: Gives the answer: one value, or, for kind `list`, one a row.
        kind: How it is compared; see `fairground.verify.match_answer`.
        among: SQL for other values that a guess could name, one a row: an answer that names one of them is wrong.
    """

    sql: str
    kind: str = "number"
    among: str = ""


@dataclass(frozen=True)
class Row:
    """A row that is put into the data before the agent begins; texts may have `{placeholders}` of `given`."""

    table: str
    values: Mapping[str, Any]
    app: str = ""


Injection: TypeAlias = Row | Callable[[Database, Known], None]
"""What is put into the data: a row, or a function that does it."""


@dataclass(frozen=True)
class Staged:
    """A task made ready on a profile: the databases, by app, and what is known of them."""

    contents: Mapping[str, bytes]
    known: Known = field(compare=False)


class Task(Scenario):
    """A scenario of an app of this kit.

    Attributes:
        domain: Parameters and their values; see `instances.Domain`.
        most: How many instances at most.
        also: Other apps that the task spans.
        given: Facts of the profile as it is, for `inject`.
        inject: What is put into the data.
        facts: What the task is about, looked up afterwards: for the template, the checks and the oracle.
        needs: Constraints.
        expect: Criteria of an action task.
        allowed: What may change besides what looking changes.
        answer: Of an answer task.
    """

    domain: ClassVar[Domain] = {}
    most: ClassVar[int] = 12
    also: ClassVar[tuple[str, ...]] = ()
    given: ClassVar[Mapping[str, str | Many]] = {}
    inject: ClassVar[Sequence[Injection]] = ()
    facts: ClassVar[Mapping[str, str | Many]] = {}
    needs: ClassVar[Sequence[Constraint]] = ()
    expect: ClassVar[Sequence[Expect]] = ()
    allowed: ClassVar[Sequence[Allowance]] = ()
    answer: ClassVar[Answer | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.domain:
            cls.instances = instances(cls.domain, cls.most)
        if cls.name and (cls.kind == "answer") != (cls.answer is not None):
            raise InvalidInput(f"scenario {cls.name}: exactly those of kind answer have an `answer`")
        if cls.name and cls.kind == "action" and not cls.expect:
            raise InvalidInput(f"scenario {cls.name}: an action needs at least one `expect`")

    # --- for authors ---

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """What solves it, beginning at the app's first screen; `Say` of the answer is added by itself."""
        raise NotImplementedError

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        """Moves that look right and are not, by name; also from the app's first screen."""
        return {}

    # --- for the app ---

    def stage(self, app: PocketApp, world: World) -> Staged:
        """The databases of a configuration before anybody has touched them.

        Raises:
            InvalidConfiguration: When the profile lacks what the task needs.
        """
        contents = {name: app.neighbour(world, name).content(world.configuration.profile) for name in self._apps()}
        try:
            if self.inject:
                contents = self._injected(contents, world)
            known = self._known(contents, world)
        except InvalidConfiguration as error:
            raise type(error)(f"{world.id}: {error.message}", fix=error.fix) from None
        return Staged(contents, known)

    def phrase(self, world: World) -> str:
        """The instruction, with parameters and facts filled in."""
        app = world.app
        staged = app.staged(world)  # type: ignore[attr-defined]  # a Task is of a PocketApp
        return str(staged.known.fill(self.template))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Judges by SQL, and by what else changed. What already held before has no weight: it must only stay so."""
        known = self._known(_contents(before), world)
        comparison = Comparison(self.app, before, after, known.bindings())
        try:
            checks = self._met(known, comparison)
            held = self._held(known, before)
            if self.answer is not None or not all(held):
                pairs = zip(checks, held, strict=True)
                checks = [one.model_copy(update={"weight": 0.0}) if already else one for one, already in pairs]
            if self.answer is not None:
                checks.append(self._answered(world, before, known, answer))
            free = {app.name: app.site.free for app in world.suite.apps if hasattr(app, "site")}
            return [*checks, comparison.guard(self.allowed, free)]
        finally:
            comparison.close()

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The author's moves, from wherever the phone is."""
        with _Opened(self, before) as data:
            known = self._known(_contents(before), world)
            moves = [*self._start(world), *self.moves(known, data)]
            if self.answer is not None:
                moves.append(Say(said(self._expected(data, known), self.answer.kind)))
            return moves

    def mutants(self, world: World, before: State) -> Mapping[str, Sequence[Move]]:
        """The author's near misses, from wherever the phone is."""
        with _Opened(self, before) as data:
            known = self._known(_contents(before), world)
            return {name: [*self._start(world), *moves] for name, moves in self.near_misses(known, data).items()}

    def _met(self, known: Known, comparison: Comparison) -> list[Check]:
        return [
            equal(one.name, known.fill(one.value) if isinstance(one.value, str) else one.value,
                  comparison.value(one.sql), weight=one.weight)
            for one in self.expect
        ]  # fmt: skip

    def _held(self, known: Known, before: State) -> tuple[bool, ...]:
        """Which criteria hold where nothing was done."""
        key = (self.app, repr(self.expect), tuple(before.files.values()), repr(sorted(known.bindings().items())))
        if (found := _HELD.get(key)) is None:
            comparison = Comparison(self.app, before, before, known.bindings())
            try:
                found = tuple(one.passed for one in self._met(known, comparison))
            finally:
                comparison.close()
            while len(_HELD) >= _MOST_HELD:
                _HELD.pop(next(iter(_HELD)))
            _HELD[key] = found
        return found

    def _start(self, world: World) -> list[Move]:
        return [Tap(HOME), Tap(world.app.title)]

    def _apps(self) -> tuple[str, ...]:
        return (self.app, *self.also)

    def _injected(self, contents: Mapping[str, bytes], world: World) -> dict[str, bytes]:
        databases = {name: Database(content) for name, content in contents.items()}
        try:
            with _Opened(self, State(files={name + SUFFIX: content for name, content in contents.items()})) as data:
                known = look_up(data, self.given, world.parameters)
            for one in self.inject:
                if isinstance(one, Row):
                    values = {
                        name: known.fill(value) if isinstance(value, str) else value
                        for name, value in one.values.items()
                    }
                    databases[one.app or self.app].insert(one.table, **values)
                else:
                    one(databases[self.app], known)
            return {name: database.dump() for name, database in databases.items()}
        finally:
            for database in databases.values():
                database.close()

    def _known(self, contents: Mapping[str, bytes], world: World) -> Known:
        with _Opened(self, State(files={name + SUFFIX: content for name, content in contents.items()})) as data:
            known = look_up(data, self.facts, world.parameters)
            named = known.bindings()
            for need in self.needs:
                if fault := need.fault(data, named):
                    raise InvalidConfiguration(f"{type(need).__name__}: found {fault} expected")
            return known

    def _expected(self, data: Database, known: Known) -> Any:
        assert self.answer is not None
        rows = data.query(self.answer.sql, known.bindings())
        if self.answer.kind == "list":
            return [row[0] for row in rows]
        if len(rows) != 1 or rows[0][0] is None:
            raise InvalidConfiguration(f"scenario {self.name}: the answer's query gives {len(rows)} rows, or nothing")
        return rows[0][0]

    def _answered(self, world: World, before: State, known: Known, answer: str | None) -> Check:
        assert self.answer is not None
        with _Opened(self, before) as data:
            expected = self._expected(data, known)
            among = [row[0] for row in data.query(self.answer.among, known.bindings())] if self.answer.among else []
            passed = match_answer(
                self.answer.kind,
                expected,
                answer,
                among=among,
                question=known.fill(self.template),
                today=data.now.date(),
            )
        found = answer[:200] if answer else "no answer"
        return holds("the answer is right", passed, expected=expected, found=found)


class _Opened:
    """The databases of a state for looking things up: the task's own by plain names, others as `app.table`."""

    def __init__(self, task: Task, state: State) -> None:
        self._database = Database(state.file(task.app + SUFFIX))
        for name in task.also:
            self._database.attach(name, state.file(name + SUFFIX))

    def __enter__(self) -> Database:
        return self._database

    def __exit__(self, *_: object) -> None:
        self._database.close()


def said(expected: Any, kind: str) -> str:
    """An answer as a person would say it."""
    return ", ".join(str(item) for item in expected) if kind == "list" else str(expected)


def _contents(state: State) -> dict[str, bytes]:
    return {path.removesuffix(SUFFIX): content for path, content in state.files.items()}
