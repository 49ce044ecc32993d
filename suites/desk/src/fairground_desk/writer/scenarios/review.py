"""Tasks of reading and reviewing: comments and tracked changes."""

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
    """Comments that were dealt with are removed, and the others stay."""

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
        gone, kept = people(world).reviewers[number], people(world).reviewers[1 - number]
        return {"words": f"all comments that {gone} made", "rest": f"those of {kept}"}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """These comments are gone, one by one; the others are as they were."""
        gone = [one for one in was.comments if self._goes(world, one.author)]
        kept = tuple(one for one in was.comments if not self._goes(world, one.author))
        left = {(one.text, one.author) for one in now.comments}
        expected = replace(was, comments=kept)
        return [
            *(
                holds(f"“{one.text}” is gone", (one.text, one.author) not in left, expected="gone", found=sorted(left))
                for one in gone
            ),
            equal(
                "the comments that are left are the right ones",
                [one.text for one in kept],
                [one.text for one in now.comments],
            ),
            equal(
                "no text changed",
                [one.text for one in was.all_paragraphs],
                [one.text for one in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else(
                "nothing else changed", expected, now, [] if len(now.comments) < len(was.comments) else ["comment*"]
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """As the menu of a comment does it."""
        number = int(world.parameters["reviewer"])
        if number < 0:
            return [Press("escape"), uno("DeleteAllNotes"), save()]
        return [Press("escape"), uno("DeleteAuthor", Author=people(world).reviewers[number]), save()]

    def _goes(self, world: World, author: str) -> bool:
        number = int(world.parameters["reviewer"])
        return number < 0 or author == people(world).reviewers[number]


class AddComment(WriterTask):
    """A question is put into the margin of the lease."""

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
        """One comment, with this text, on these words, by the user."""
        on, remark = str(world.parameters["on"]), str(world.parameters["remark"])
        number = next(n for n, one in enumerate(was.body) if isinstance(one, Paragraph) and on in one.text)
        found = now.comments[0] if len(now.comments) == 1 else None
        return [
            equal("there is one comment", 1, len(now.comments)),
            equal("it says what it should", remark, found.text.strip() if found else None, weight=2.0),
            equal("it is about these words", on, found.on.strip() if found else None),
            equal("it stands in that clause", number, found.block if found else -1),
            equal("it is the user's own", people(world).user, found.author if found else None),
            holds("it is open", found is not None and not found.resolved, expected="open", found=found),
            equal(
                "no text changed",
                [one.text for one in was.all_paragraphs],
                [one.text for one in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, now, ["comment[0]*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Selects the words, and inserts the comment."""
        asked = world.parameters
        return [
            Press("escape"),
            writer(("find", asked["on"]), ("do", "InsertAnnotation", {"Text": asked["remark"]})),
            save(),
        ]


class SettleChanges(WriterTask):
    """Tracked changes of two people are accepted or rejected."""

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
        """With the names of the two."""
        first, second = people(world).reviewers
        return self.template.format(words=str(world.parameters["words"]).format(first=first, second=second))

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """No change is left, and the text is what comes of them."""
        profile = str(world.profile["organisation"])
        expected = read_odt(resolved_minutes(profile, lambda kind, author: self._accepts(world, author)))
        marked = [n for n, one in enumerate(was.body) if one != expected.body[n]]
        deleted = {change.text for change in was.changes if change.kind == "delete"}
        hidden = [n for n, one in enumerate(expected.body) if any(text in getattr(one, "text", "") for text in deleted)]
        places = sorted({*marked, *hidden})
        texts = {n: expected.body[n].text for n in places if isinstance(expected.body[n], Paragraph)}  # type: ignore[union-attr]
        found = {n: getattr(now.body[n], "text", None) for n in texts if n < len(now.body)}
        done = not now.changes
        authors = people(world).reviewers
        return [
            equal("no tracked change is left", 0, len(now.changes)),
            *(
                equal(f"none of {author}'s is", 0, sum(one.author == author for one in now.changes))
                for author in authors
            ),
            holds("the text is what comes of them", done and texts == found, expected=texts, found=found, weight=3.0),
            holds(
                "the first of these paragraphs is right",
                done and list(texts.items())[:1] == list(found.items())[:1],
                expected=list(texts.items())[:1],
                found=list(found.items())[:1],
            ),
            holds(
                "the last of them is right",
                done and list(texts.items())[-1:] == list(found.items())[-1:],
                expected=list(texts.items())[-1:],
                found=list(found.items())[-1:],
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
        """All at once, or one after the other."""
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
    """A term of the lease is changed in such a way that the other party can see it."""

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
        """Recording is on; the change is tracked, by the user, and says what it should."""
        old, new = str(world.parameters["old"]), str(world.parameters["new"])
        number = next(n for n, one in enumerate(was.body) if isinstance(one, Paragraph) and old in one.text)
        block = was.body[number]
        assert isinstance(block, Paragraph)
        wanted = block.text.replace(old, new)
        text = getattr(now.body[number], "text", None) if number < len(now.body) else None
        removed = [one.text for one in now.changes if one.kind == "delete"]
        added = [one.text for one in now.changes if one.kind == "insert"]
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
                {one.author for one in now.changes} == {people(world).user},
                expected=people(world).user,
                found=sorted({one.author for one in now.changes}),
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
        """Recording on, the words selected and typed over."""
        return [
            Press("escape"),
            writer(("do", "TrackChanges", {"TrackChanges": True}), ("find", world.parameters["old"])),
            Enter(str(world.parameters["new"])),
            save(),
        ]


def _plain(document: Document, number: int) -> Document:
    """Without the words: only how the letters of one paragraph look."""
    if number >= len(document.body) or not isinstance(block := document.body[number], Paragraph):
        return document
    looks = dict.fromkeys(replace(run, text="", inserted=False) for run in block.runs)
    body = list(document.body)
    body[number] = replace(block, text="", runs=tuple(looks))
    return replace(document, body=tuple(body))


def _undone(changes: Sequence[Change], old: str, new: str) -> bool:
    """Whether what was removed and added are one stretch of the old words and one of the new, in a sensible way."""
    removed = "".join(one.text for one in changes if one.kind == "delete")
    added = "".join(one.text for one in changes if one.kind == "insert")
    return len(removed) <= len(old) and len(added) <= len(new) and len(new) - len(added) == len(old) - len(removed)


SCENARIOS = (RemoveComments(), AddComment(), SettleChanges(), RecordChange())
