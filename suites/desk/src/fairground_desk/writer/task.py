"""What the tasks in Writer have in common: one document, what should become of it, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fairground.core import Check, State
from fairground.verify.reading.document import Document
from fairground.worlds import World
from fairground_desk.tasks import DeskTask
from fairground_desk.tasks.desk_task import files_unchanged
from fairground_desk.writer.documents import REPORT
from fairground_desk.writer.organisation import Organisation, organisation
from fairground_desk.writer.reading import document_of


class WriterTask(DeskTask):
    """A task in one document, which is open at the start.

    Attributes:
        document: The one.
        own_document: Whether it may change; not where a copy is asked for.
    """

    app = "writer"
    document: ClassVar[str] = REPORT
    own_document: ClassVar[bool] = True
    step_budget: ClassVar[int] = 80

    def facts(self, world: World) -> dict[str, object]:
        """What the instruction says beside the parameters; see `phrase`."""
        return {}

    def phrase(self, world: World) -> str:
        """The instruction, with the facts of the profile in it."""
        return self.template.format_map({**world.parameters, **self.facts(world)})

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """The checks of what the saved document should be."""
        raise NotImplementedError

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The checks of the document that was open."""
        return self.asked(world, document_of(before, self.document), document_of(after, self.document))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and the guard over all other files."""
        own = (self.document,) if self.own_document and self.kind == "action" else ()
        allowed = [path.format_map(world.parameters) for path in (*own, *self.changes)]
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]

    def before(self, before: State) -> Document:
        return document_of(before, self.document)


def people(world: World) -> Organisation:
    """The organisation of the profile."""
    return organisation(str(world.profile["organisation"]))
