"""Scenarios about comments and tracked changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Change, Document
from fairground.verify.reading.odt import read_odt
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.tasks import save, uno
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import LEASE, MINUTES, REPORT, resolved_minutes, tracked_changes
from fairground_desk.writer.reading import matches, nothing_else
from fairground_desk.writer.task import WriterTask, people


class RemoveComments(WriterTask):
    """Delete some comments and keep the others."""

    name = "remove-comments"
    document = REPORT
    template = (
        "The report has comments in its margin. Delete {words}. The text of the report stays as it is, and so do "
        "{rest}. Save the document."
    )
    instances = {
        "first-reviewer": {"reviewer": 0},
        "second-reviewer": {"reviewer": 1},
        "all": {"reviewer": -1},
    }

    def facts(self, world: World) -> dict[str, object]:
        number = int(world.parameters["reviewer"])
        if number < 0:
            return {"words": "all of them", "rest": "its footnotes and bookmarks"}
        gone, stays = people(world).reviewers[number], people(world).reviewers[1 - number]
        return {"words": f"all comments that {gone} made", "rest": f"those of {stays}"}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        gone = [comment for comment in was.comments if self._goes(world, comment.author)]
        remaining = tuple(comment for comment in was.comments if not self._goes(world, comment.author))
        left = {(comment.text, comment.author) for comment in now.comments}
        expected = replace(was, comments=remaining)
        return [
            *(
                holds(
                    f"“{comment.text}” is gone",
                    (comment.text, comment.author) not in left,
                    expected="gone",
                    found=sorted(left),
                )
                for comment in gone
            ),
            equal(
                "the comments that are left are the right ones",
                [comment.text for comment in remaining],
                [comment.text for comment in now.comments],
            ),
            equal(
                "no text changed",
                [paragraph.text for paragraph in was.all_paragraphs],
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else(
                "nothing else changed", expected, now, [] if len(now.comments) < len(was.comments) else ["comment*"]
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        number = int(world.parameters["reviewer"])
        if number < 0:
            return [Press("escape"), uno("DeleteAllNotes"), save()]
        return [Press("escape"), uno("DeleteAuthor", Author=people(world).reviewers[number]), save()]

    def _goes(self, world: World, author: str) -> bool:
        number = int(world.parameters["reviewer"])
        return number < 0 or author == people(world).reviewers[number]


class AddComment(WriterTask):
    """Add a comment to the lease."""

    name = "add-comment"
    document = LEASE
    template = (
        "Read the lease for us and put a comment on the words “{on}”: “{remark}”. The comment is about exactly these "
        "words; no other comment, and no change of the text. Save the document."
    )
    instances = {
        "sixty-days": {"on": "sixty days", "remark": "Can we agree on thirty days instead?"},
        "mediator": {"on": "a mediator", "remark": "Whom do we have in mind?"},
        "mail": {"on": "Notice by electronic mail", "remark": "A registered letter, then."},
        "keys": {"on": "all keys", "remark": "How many are there?"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        on, remark = str(world.parameters["on"]), str(world.parameters["remark"])
        number = next(n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and on in block.text)
        comment = now.comments[0] if len(now.comments) == 1 else None
        return [
            equal("there is one comment", 1, len(now.comments)),
            equal("it says what it should", remark, comment.text.strip() if comment else None, weight=2.0),
            equal("it is about these words", on, comment.on.strip() if comment else None),
            equal("it stands in that clause", number, comment.block if comment else -1),
            equal("it is the user's own", people(world).user, comment.author if comment else None),
            holds("it is open", comment is not None and not comment.resolved, expected="open", found=comment),
            equal(
                "no text changed",
                [paragraph.text for paragraph in was.all_paragraphs],
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, now, ["comment[0]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        return [
            Press("escape"),
            writer(("find", wanted["on"]), ("do", "InsertAnnotation", {"Text": wanted["remark"]})),
            save(),
        ]


class SettleChanges(WriterTask):
    """Accept or reject the tracked changes of two people."""

    name = "settle-changes"
    document = MINUTES
    template = (
        "These minutes came back with tracked changes of two people. {words} No tracked change may be left after that. "
        "Leave the comments and everything else as it is, and save the document."
    )
    instances = {
        "accept-all": {"words": "Accept all of them.", "rule": "all"},
        "reject-all": {"words": "Reject all of them.", "rule": "none"},
        "accept-first": {"words": "Accept those of {first} and reject those of {second}.", "rule": "0"},
        "accept-second": {"words": "Accept those of {second} and reject those of {first}.", "rule": "1"},
    }

    def phrase(self, world: World) -> str:
        first, second = people(world).reviewers
        return self.template.format(words=str(world.parameters["words"]).format(first=first, second=second))

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        profile = str(world.profile["organisation"])
        expected = read_odt(resolved_minutes(profile, lambda kind, author: self._accepts(world, author)))
        marked = [n for n, block in enumerate(was.body) if block != expected.body[n]]
        deleted = {change.text for change in was.changes if change.kind == "delete"}
        hidden = [
            n for n, block in enumerate(expected.body) if any(text in getattr(block, "text", "") for text in deleted)
        ]
        places = sorted({*marked, *hidden})
        texts = {n: expected.body[n].text for n in places if isinstance(expected.body[n], Paragraph)}  # type: ignore[union-attr]
        actual = {n: getattr(now.body[n], "text", None) for n in texts if n < len(now.body)}
        done = not now.changes
        authors = people(world).reviewers
        return [
            equal("no tracked change is left", 0, len(now.changes)),
            *(
                equal(f"none of {author}'s is", 0, sum(change.author == author for change in now.changes))
                for author in authors
            ),
            holds("the text is what comes of them", done and texts == actual, expected=texts, found=actual, weight=3.0),
            holds(
                "the first of these paragraphs is right",
                done and list(texts.items())[:1] == list(actual.items())[:1],
                expected=list(texts.items())[:1],
                found=list(actual.items())[:1],
            ),
            holds(
                "the last of them is right",
                done and list(texts.items())[-1:] == list(actual.items())[-1:],
                expected=list(texts.items())[-1:],
                found=list(actual.items())[-1:],
            ),
            nothing_else(
                "nothing else changed",
                expected,
                now,
                ["change*", *(f"block[{n}].text" for n in places), *(f"block[{n}].run*" for n in places)]
                if not done
                else [],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Accept or reject all at once, or one by one."""
        rule = str(world.parameters["rule"])
        if rule in ("all", "none"):
            return [Press("escape"), uno(f"{'Accept' if rule == 'all' else 'Reject'}AllTrackedChanges"), save()]
        calls: list[tuple[object, ...]] = [("place", 0)]
        for _, author in tracked_changes(str(world.profile["organisation"])):
            verb = "Accept" if self._accepts(world, author) else "Reject"
            calls += [("do", "NextTrackedChange"), ("do", f"{verb}TrackedChange")]
        return [Press("escape"), writer(*calls), save()]

    def _accepts(self, world: World, author: str) -> bool:
        rule = str(world.parameters["rule"])
        return rule == "all" or (rule.isdigit() and author == people(world).reviewers[int(rule)])


class RecordChange(WriterTask):
    """Change a term of the lease as a tracked change."""

    name = "record-change"
    document = LEASE
    template = (
        "We want “{new}” instead of “{old}” in this lease. Switch the recording of changes on, and change these words, "
        "so that the other side sees what was there and what we propose. Leave the recording on, change nothing else, "
        "and save the document."
    )
    instances = {
        "sixty-days": {"old": "sixty days", "new": "thirty days"},
        "fifth-day": {"old": "fifth day", "new": "third day"},
        "three-days": {"old": "within three days", "new": "within two weeks"},
        "once": {"old": "once in two years", "new": "once in five years"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        old, new = str(world.parameters["old"]), str(world.parameters["new"])
        number = next(n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and old in block.text)
        block = was.body[number]
        assert isinstance(block, Paragraph)
        wanted = block.text.replace(old, new)
        text = getattr(now.body[number], "text", None) if number < len(now.body) else None
        removed = [change.text for change in now.changes if change.kind == "delete"]
        added = [change.text for change in now.changes if change.kind == "insert"]
        inside = all(text and text in old for text in removed) and all(text and text in new for text in added)
        return [
            equal("recording is on", True, now.tracking),
            equal("the text reads as proposed", wanted, text, weight=2.0),
            holds("what was there is kept as a deletion", bool(removed) and inside, expected=old, found=removed),
            holds("what is proposed is an insertion", bool(added) and inside, expected=new, found=added),
            holds(
                "what is unchanged was not retyped",
                bool(added) and _undone(now.changes, old, new),
                expected=[old, new],
                found=[removed, added],
            ),
            holds(
                "it is the user's change",
                {change.author for change in now.changes} == {people(world).user},
                expected=people(world).user,
                found=sorted({change.author for change in now.changes}),
            ),
            nothing_else(
                "nothing else changed",
                was,
                now,
                ["tracking", "change*", f"block[{number}].text", f"block[{number}].run*"],
            ),
            matches(
                "the paragraph looks as it did",
                _plain(was, number),
                _plain(now, number),
                [f"block[{number}].run*"],
                weight=0.0,
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Turn recording on, select the words, and type over them."""
        return [
            Press("escape"),
            writer(("do", "TrackChanges", {"TrackChanges": True}), ("find", world.parameters["old"])),
            Enter(str(world.parameters["new"])),
            save(),
        ]


def _plain(document: Document, number: int) -> Document:
    """Remove the text of one paragraph and keep only its distinct character formats."""
    if number >= len(document.body) or not isinstance(block := document.body[number], Paragraph):
        return document
    looks = dict.fromkeys(replace(run, text="", inserted=False) for run in block.runs)
    body = list(document.body)
    body[number] = replace(block, text="", runs=tuple(looks))
    return replace(document, body=tuple(body))


def _undone(changes: Sequence[Change], old: str, new: str) -> bool:
    """Return whether the deleted and inserted texts are plausible parts of replacing `old` with `new`."""
    removed = "".join(change.text for change in changes if change.kind == "delete")
    added = "".join(change.text for change in changes if change.kind == "insert")
    return len(removed) <= len(old) and len(added) <= len(new) and len(new) - len(added) == len(old) - len(removed)


SCENARIOS = (RemoveComments(), AddComment(), SettleChanges(), RecordChange())
