"""Tasks as data: template, domains, facts, injected rows, expected result and allowed changes.

Subclass `Task` once per task. Facts are looked up in the recorded state before the episode, so that a verdict can be
repeated from the recording alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from fairground.core import Check, InvalidConfiguration, InvalidInput, State
from fairground.verify import equal, holds, match_answer, with_form
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
_MOST_HELD = 8  # an attempt is judged several times in a row; a larger cache would keep databases in memory


@dataclass(frozen=True)
class Expect:
    """One criterion: the first value of SQL over `before.TABLE` and `after.TABLE` must equal `value`.

    Attributes:
        name: What is checked, in words.
        sql: A query; it may use `:parameters` and `:fact_columns`.
        value: The expected value; a text may have `{placeholders}`.
        weight: Its share of the reward.
    """

    name: str
    sql: str
    value: Any = 1
    weight: float = 1.0


@dataclass(frozen=True)
class Answer:
    """The expected answer, computed from the state before the episode.

    Attributes:
        sql: A query for the answer: one value, or one per row for kind `list`.
        kind: How it is compared; see `fairground.verify.match_answer`.
        among: SQL for wrong values that a guess could name, one per row. An answer that names one of them is wrong.
    """

    sql: str
    kind: str = "number"
    among: str = ""


@dataclass(frozen=True)
class Row:
    """A row inserted before the agent starts; texts may have `{placeholders}` of `given`."""

    table: str
    values: Mapping[str, Any]
    app: str = ""


Injection: TypeAlias = Row | Callable[[Database, Known], None]
"""Injected data: a row, or a function that changes the database."""


@dataclass(frozen=True)
class Staged:
    """A task prepared on a profile: the databases by app, and the facts about them."""

    contents: Mapping[str, bytes]
    known: Known = field(compare=False)


class Task(Scenario):
    """A scenario of an app of this kit.

    Attributes:
        domain: Parameters and their values; see `instances.Domain`.
        most: Maximum number of instances.
        also: Other apps that the task spans.
        given: Facts of the unchanged profile, for `inject`.
        inject: Data that is added before the episode.
        facts: Facts looked up after the injection, for the template, the checks and the oracle.
        needs: Constraints.
        expect: Criteria of an action task.
        allowed: Changes that are allowed besides the effects of looking.
        answer: The expected answer of an answer task.
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
        """Moves that solve the task from the app's first screen. `Say` with the answer is appended automatically."""
        raise NotImplementedError

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        """Moves that look right and are wrong, by name; also from the app's first screen."""
        return {}

    # --- for the app ---

    def stage(self, app: PocketApp, world: World) -> Staged:
        """The databases of a configuration before the episode.

        Raises:
            InvalidConfiguration: If the profile lacks what the task needs.
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
        """The instruction, with parameters and facts filled in; a question also states the form of its answer."""
        app = world.app
        staged = app.staged(world)  # type: ignore[attr-defined]  # a Task is of a PocketApp
        if self.answer is None:
            return str(staged.known.fill(self.template))
        with _Opened(self, State(files={name + SUFFIX: data for name, data in staged.contents.items()})) as data:
            return self._question(staged.known, self._expected(data, staged.known))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Judges by SQL, and guards the rest. Criteria that already held get weight 0 and must still hold."""
        known = self._known(_contents(before), world)
        comparison = Comparison(self.app, before, after, known.bindings(), self.allowed)
        try:
            checks = self._met(known, comparison)
            held = self._held(known, before)
            if self.answer is not None or not all(held):
                pairs = zip(checks, held, strict=True)
                checks = [check.model_copy(update={"weight": 0.0}) if already else check for check, already in pairs]
            if self.answer is not None:
                checks.append(self._answered(world, before, known, answer))
            free = {app.name: app.site.free for app in world.suite.apps if hasattr(app, "site")}
            return [*checks, comparison.guard(self.allowed, free)]
        finally:
            comparison.close()

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The author's moves, from the UI state in which the phone starts."""
        with _Opened(self, before) as data:
            known = self._known(_contents(before), world)
            moves = [*self._start(world), *self.moves(known, data)]
            if self.answer is not None:
                moves.append(Say(said(self._expected(data, known), self.answer.kind)))
            return moves

    def mutants(self, world: World, before: State) -> Mapping[str, Sequence[Move]]:
        """The author's near misses, from the UI state in which the phone starts."""
        with _Opened(self, before) as data:
            known = self._known(_contents(before), world)
            return {name: [*self._start(world), *moves] for name, moves in self.near_misses(known, data).items()}

    def _met(self, known: Known, comparison: Comparison) -> list[Check]:
        return [
            equal(criterion.name, known.fill(criterion.value) if isinstance(criterion.value, str) else criterion.value,
                  comparison.value(criterion.sql), weight=criterion.weight)
            for criterion in self.expect
        ]  # fmt: skip

    def _held(self, known: Known, before: State) -> tuple[bool, ...]:
        """Which criteria already hold in the untouched state."""
        key = (self.app, repr(self.expect), tuple(before.files.values()), repr(sorted(known.bindings().items())))
        if (held := _HELD.get(key)) is None:
            comparison = Comparison(self.app, before, before, known.bindings())
            try:
                held = tuple(check.passed for check in self._met(known, comparison))
            finally:
                comparison.close()
            while len(_HELD) >= _MOST_HELD:
                _HELD.pop(next(iter(_HELD)))
            _HELD[key] = held
        return held

    def _start(self, world: World) -> list[Move]:
        return [Tap(HOME), Tap(world.app.title)]

    def _apps(self) -> tuple[str, ...]:
        return (self.app, *self.also)

    def _injected(self, contents: Mapping[str, bytes], world: World) -> dict[str, bytes]:
        databases = {name: Database(content) for name, content in contents.items()}
        try:
            with _Opened(self, State(files={name + SUFFIX: content for name, content in contents.items()})) as data:
                known = look_up(data, self.given, world.parameters)
            for injected in self.inject:
                if isinstance(injected, Row):
                    values = {
                        name: known.fill(value) if isinstance(value, str) else value
                        for name, value in injected.values.items()
                    }
                    databases[injected.app or self.app].insert(injected.table, **values)
                else:
                    injected(databases[self.app], known)
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

    def _question(self, known: Known, expected: Any) -> str:
        assert self.answer is not None
        return with_form(str(known.fill(self.template)), self.answer.kind, expected)

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
                question=self._question(known, expected),
                today=data.now.date(),
            )
        shown = answer[:200] if answer else "no answer"
        return holds("the answer is right", passed, expected=expected, found=shown)


class _Opened:
    """A state's databases opened for lookups: the task's own app by plain table names, others as `app.table`."""

    def __init__(self, task: Task, state: State) -> None:
        self._database = Database(state.file(task.app + SUFFIX))
        for name in task.also:
            self._database.attach(name, state.file(name + SUFFIX))

    def __enter__(self) -> Database:
        return self._database

    def __exit__(self, *_: object) -> None:
        self._database.close()


def said(expected: Any, kind: str) -> str:
    """An answer in the form in which a person would say it."""
    return ", ".join(str(item) for item in expected) if kind == "list" else str(expected)


def _contents(state: State) -> dict[str, bytes]:
    return {path.removesuffix(SUFFIX): content for path, content in state.files.items()}
