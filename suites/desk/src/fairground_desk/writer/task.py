"""Base class of the Writer scenarios, with the guard over all other files."""

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
    """Base class of scenarios in one document, which is open at the start.

    Attributes:
        document: Path of the document.
        own_document: Whether the document itself may change; False if the task asks for a copy.
    """

    app = "writer"
    document: ClassVar[str] = REPORT
    own_document: ClassVar[bool] = True
    step_budget: ClassVar[int] = 80

    def facts(self, world: World) -> dict[str, object]:
        """Return values for the template in addition to the parameters."""
        return {}

    def phrase(self, world: World) -> str:
        return self.template.format_map({**world.parameters, **self.facts(world)})

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Return the checks of the saved document."""
        raise NotImplementedError

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return self.asked(world, document_of(before, self.document), document_of(after, self.document))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Add the guard over all other files."""
        own = (self.document,) if self.own_document and self.kind == "action" else ()
        allowed = [path.format_map(world.parameters) for path in (*own, *self.changes)]
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]

    def before(self, before: State) -> Document:
        return document_of(before, self.document)


def people(world: World) -> Organisation:
    """Return the organisation of the world's profile."""
    return organisation(str(world.profile["organisation"]))
