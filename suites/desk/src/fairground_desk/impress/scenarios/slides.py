"""Scenarios that add, move, copy, delete, hide or rename slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.slides import Deck, Slide
from fairground.worlds import Move, World
from fairground_desk.impress.api import deck
from fairground_desk.impress.task import (
    DeckTask,
    done,
    find_slide,
    lines,
    on,
    part_of,
    places,
    position,
    talk_of,
)
from fairground_desk.kit import rest
from fairground_desk.tasks import uno

_LAYOUTS = {"title, content": 1, "title only": 19, "title, two contents": 3}


class AddSlide(DeckTask):
    """Add a slide with a layout and texts."""

    name = "add-slide"
    template = (
        'Please insert a new slide right after the slide "{after}" of the open presentation. Use the layout '
        '"{shown}", call the slide "{new}", give it the title "{title}"{list}. Save the presentation.'
    )
    instances = {
        "questions": {"role": "goals", "layout": "title, content", "shown": "Title, Content", "new": "Open questions",
                      "title": "Open questions", "points": "Who decides in the end\nWhat it costs us\nWhen we begin"},
        "partners": {"role": "background", "layout": "title, content", "shown": "Title, Content", "new": "Partners",
                     "title": "Who helps us", "points": "The city\nTwo foundations\nOur neighbours"},
        "pause": {"role": "figures", "layout": "title only", "shown": "Title Only", "new": "Pause",
                  "title": "Ten minutes of pause", "points": ""},
        "summary": {"role": "risks", "layout": "title, content", "shown": "Title, Content", "new": "Summary",
                    "title": "What to take home", "points": "Start early\nAsk for help"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        points = [point for point in str(world.parameters["points"]).split("\n") if point]
        listed = ", ".join(f'"{point}"' for point in points)
        return {"after": part_of(world).name, "list": f", and these bullets, in this order: {listed}" if points else ""}

    def order(self, world: World, was: Deck) -> Sequence[str]:
        names = [slide.name for slide in was.slides]
        at = names.index(part_of(world).name) + 1
        return [*names[:at], str(world.parameters["new"]), *names[at:]]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        new = find_slide(now, str(world.parameters["new"]))
        points = [point for point in str(world.parameters["points"]).split("\n") if point]
        wanted = position(was, part_of(world).name) + 1
        checks = [
            equal("the new slide comes right after the other", wanted, position(now, new.name), weight=1.0),
            equal("it has the layout", world.parameters["layout"], new.layout, weight=1.0),
            equal("it has the title", world.parameters["title"], new.title.strip(), weight=1.0),
            holds("it is shown, like the others", bool(new.name) and not new.hidden, expected="shown",
                  found=new.hidden, weight=0.0),
        ]  # fmt: skip
        if points:
            checks.append(equal("it has the bullets", points, lines(new), weight=1.0))
        return checks

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(str(world.parameters["new"]), ".*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        new, points = world.parameters["new"], world.parameters["points"]
        calls: list[tuple[object, ...]] = [
            ("insert_slide", part_of(world).name, _LAYOUTS[str(world.parameters["layout"])], new),
            ("write", new, "title", world.parameters["title"]),
        ]
        if points:
            calls.append(("write", new, "outline", points))
        return done(*calls)


class MoveSlide(DeckTask):
    """Move a slide to another position."""

    name = "move-slide"
    template = (
        'The order of the open presentation is not right yet: please move the slide "{slide}" so that it comes '
        "{where}. All other slides keep their order. Save the presentation."
    )
    instances = {
        "process-after-agenda": {"role": "process", "after": "agenda"},
        "risks-after-goals": {"role": "risks", "after": "goals"},
        "photo-after-opening": {"role": "photo", "after": "opening"},
        "team-before-end": {"role": "team", "after": "detail"},
        "timeline-last": {"role": "timeline", "after": "closing"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        after = part_of(world, "after")
        last = after is talk_of(world).parts[-1]
        where = "last, as the very last slide" if last else f'directly after the slide "{after.name}"'
        return {"slide": part_of(world).name, "where": where}

    def order(self, world: World, was: Deck) -> Sequence[str]:
        moved = part_of(world).name
        names = [slide.name for slide in was.slides if slide.name != moved]
        at = names.index(part_of(world, "after").name) + 1
        return [*names[:at], moved, *names[at:]]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        moved = part_of(world).name
        wanted, order = list(self.order(world, was)), [slide.name for slide in now.slides]
        remaining = [[name for name in names if name != moved] for names in (wanted, order)]
        return [
            equal("the slide is at its new place", wanted.index(moved) + 1, position(now, moved), weight=2.0),
            equal("the order is as asked", wanted, order, weight=1.0),
            equal("the other slides keep their order", remaining[0], remaining[1], weight=0.0, integrity=True),
            equal("the slide holds what it held", _facts(find_slide(was, moved)), _facts(find_slide(now, moved)),
                  weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """Impress drops the names of shapes on a slide that it moves, so shapes are compared without names."""
        return [on(part_of(world).name, "shape.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Move one position at a time, like the keys of the slide pane."""
        names = [slide.name for slide in self.deck(world, before).slides]
        moved, after = names.index(part_of(world).name), names.index(part_of(world, "after").name)
        steps = after - moved if after > moved else after + 1 - moved
        command = ".uno:MovePageDown" if steps > 0 else ".uno:MovePageUp"
        # These commands belong to the slide pane, which may be closed. The pane follows the current slide.
        pane = uno("LeftPaneImpress", LeftPaneImpress=True)
        moves = deck(*[("dispatch", command, {})] * abs(steps), ("store",))
        return [pane, rest(), deck(("go", names[moved])), rest(), moves]


class DuplicateSlide(DeckTask):
    """Duplicate a slide and give the copy its own name and title."""

    name = "duplicate-slide"
    template = (
        'Please duplicate the slide "{slide}" of the open presentation. The copy comes right after it; call the copy '
        '"{copy}" and give it the title "{title}". Everything else on the copy, its notes included, stays as on the '
        "original. Save the presentation."
    )
    instances = {
        "figures": {"role": "figures", "copy": "Last year", "title": "The same figures a year ago"},
        "goals": {"role": "goals", "copy": "Review", "title": "What became of it"},
        "process": {"role": "process", "copy": "Plan B", "title": "If that does not work"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": part_of(world).name}

    def order(self, world: World, was: Deck) -> Sequence[str]:
        names = [slide.name for slide in was.slides]
        at = names.index(part_of(world).name) + 1
        return [*names[:at], str(world.parameters["copy"]), *names[at:]]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, copy = part_of(world).name, str(world.parameters["copy"])
        new, old = find_slide(now, copy), find_slide(was, name)
        same = [_facts(slide, "title") for slide in (old, new)]
        return [
            equal("the copy comes right after the original", position(was, name) + 1, position(now, copy), weight=1.0),
            equal("the copy has its own title", world.parameters["title"], new.title.strip(), weight=1.0),
            equal("the rest of the copy is as on the original", same[0], same[1], weight=1.0),
            equal("the original keeps its title", old.title, find_slide(now, name).title, weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(str(world.parameters["copy"]), ".*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        copy = world.parameters["copy"]
        return done(("duplicate", part_of(world).name, copy), ("write", copy, "title", world.parameters["title"]))


_HELD = ("shape", "note", "layout", "master", "hidden", "background", "transition", "footer", "date", "numbered")


def _facts(slide: Slide, but: str = "") -> dict[str, object]:
    """Return the content of a slide, its notes and its background, without the text of one placeholder.

    Names of shapes are left out, because Impress renames the shapes of a copy.
    """
    nameless = replace(slide, shapes=tuple(replace(shape, name="") for shape in slide.shapes))
    facts = {}
    for key, value in places(Deck(slides=(nameless,))).items():
        _, _, place = key.partition("/")
        text = bool(but) and place.startswith(f"shape[{but}]") and place.endswith("text")
        if place.startswith(_HELD) and not text:
            facts[place] = round(value, 1) if isinstance(value, float) else value
    return facts


class DeleteSlides(DeckTask):
    """Delete slides."""

    name = "delete-slides"
    template = (
        "We have less time than planned. Please delete these slides from the open presentation: {slides}. Keep all "
        "the others as they are and in order. Save it."
    )
    instances = {
        "risks": {"roles": "risks"},
        "compare-and-timeline": {"roles": "compare timeline"},
        "detail": {"roles": "detail"},
        "team-and-process": {"roles": "team process"},
    }

    def _names(self, world: World) -> list[str]:
        return [talk_of(world).part(role).name for role in str(world.parameters["roles"]).split()]

    def words(self, world: World) -> Mapping[str, object]:
        return {"slides": " and ".join(f'"{name}"' for name in self._names(world))}

    def order(self, world: World, was: Deck) -> Sequence[str]:
        return [slide.name for slide in was.slides if slide.name not in self._names(world)]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        names = [slide.name for slide in now.slides]
        return [
            *(holds(f"the slide {name!r} is gone", name not in names and bool(names), expected="gone", found=names,
                    weight=1.0) for name in self._names(world)),
            equal("the others are all there", list(self.order(world, was)), names, weight=1.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(name, ".*") for name in self._names(world)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(*(("delete", name) for name in self._names(world)))


class HideSlides(DeckTask):
    """Hide some slides and show others again."""

    name = "hide-slides"
    template = (
        "For this audience please {what} in the open presentation. Hidden slides stay in the file, they are only "
        "skipped in the show; nothing is deleted. Save it."
    )
    instances = {
        "hide-figures": {"hide": "figures", "show": ""},
        "show-detail": {"hide": "", "show": "detail"},
        "swap": {"hide": "compare", "show": "detail"},
        "hide-two": {"hide": "risks team", "show": ""},
    }

    def _named(self, world: World, key: str) -> list[str]:
        return [talk_of(world).part(role).name for role in str(world.parameters[key]).split()]

    def words(self, world: World) -> Mapping[str, object]:
        parts = []
        if hide := self._named(world, "hide"):
            parts.append(f"hide {_listed(hide)}")
        if show := self._named(world, "show"):
            parts.append(f"show {_listed(show)}, which is hidden now, again")
        return {"what": " and ".join(parts)}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        hide, show = self._named(world, "hide"), self._named(world, "show")
        wanted = sorted({slide.name for slide in was.slides if slide.hidden} - set(show) | set(hide))
        hidden = sorted(slide.name for slide in now.slides if slide.hidden)
        return [
            *(holds(f"{name!r} is hidden", name in hidden, expected="hidden", found=hidden, weight=1.0)
              for name in hide),
            *(holds(f"{name!r} is shown", name not in hidden and position(now, name) > 0, expected="shown",
                    found=hidden, weight=1.0) for name in show),
            equal("exactly the right slides are hidden", wanted, hidden, weight=1.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(name, "hidden") for name in self._named(world, "hide") + self._named(world, "show")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        hide, show = self._named(world, "hide"), self._named(world, "show")
        pairs = [(name, False) for name in hide] + [(name, True) for name in show]
        return done(*(("set_slide", name, {"Visible": visible}) for name, visible in pairs))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f'the slide "{name}"' for name in names)


class RenameSlides(DeckTask):
    """Rename slides."""

    name = "rename-slides"
    template = (
        "Please rename slides of the open presentation (the name that the slide has in Impress, not its title): "
        "{pairs}. The titles on the slides stay as they are. Save it."
    )
    instances = {
        "agenda": {"roles": "agenda", "new": "Programme"},
        "figures-and-trend": {"roles": "figures trend", "new": "Numbers|Curve"},
        "closing": {"roles": "closing", "new": "Farewell"},
        "three": {"roles": "background goals risks", "new": "Part A|Part B|Part C"},
    }

    def _pairs(self, world: World) -> dict[str, str]:
        names = [talk_of(world).part(role).name for role in str(world.parameters["roles"]).split()]
        return dict(zip(names, str(world.parameters["new"]).split("|"), strict=True))

    def words(self, world: World) -> Mapping[str, object]:
        return {"pairs": ", ".join(f'"{old}" becomes "{new}"' for old, new in self._pairs(world).items())}

    def order(self, world: World, was: Deck) -> Sequence[str]:
        pairs = self._pairs(world)
        return [pairs.get(slide.name, slide.name) for slide in was.slides]

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        checks = []
        for old, new in self._pairs(world).items():
            at = position(was, old) - 1
            name = now.slides[at].name if at < len(now.slides) else ""
            checks.append(equal(f"{old!r} is called {new!r}", new, name, weight=1.0))
        return [
            *checks,
            equal("titles are as they were", list(was.titles), list(now.titles), weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """All leaves of the renamed slides, because keys contain the name; `judge` compares the content."""
        return [on(name, ".*") for pair in self._pairs(world).items() for name in pair]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check that the content of the renamed slides is unchanged."""
        checks = super().judge(world, before, after, answer)
        was, now = (self.deck(world, state) for state in (before, after))
        pairs = self._pairs(world)
        old = {new: _facts(find_slide(was, name)) for name, new in pairs.items()}
        current = {
            new: _facts(now.slides[at]) if (at := position(was, name) - 1) < len(now.slides) else {}
            for name, new in pairs.items()
        }
        same = [name for name in old if old[name] == current[name]]
        return [*checks, holds("renamed slides hold what they held", len(same) == len(old), expected=list(old),
                               found=same, weight=0.0)]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(*(("set_slide", old, {"Name": new}) for old, new in self._pairs(world).items()))


SCENARIOS = (AddSlide(), MoveSlide(), DuplicateSlide(), DeleteSlides(), HideSlides(), RenameSlides())
