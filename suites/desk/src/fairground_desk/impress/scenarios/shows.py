"""Scenarios about the slide show: transitions, effects, custom shows and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.slides import Deck
from fairground.worlds import Move, World
from fairground_desk.impress.task import DeckTask, done, find_slide, on, part_of, talk_of

_TYPES = {"fade": (37, 101), "dissolve": (40, 0), "pushWipe": (35, 97), "barWipe": (1, 1)}


class SlideTransition(DeckTask):
    """Set the transition of one slide, and when it advances."""

    name = "slide-transition"
    template = (
        'Please give the slide "{slide}" of the open presentation the transition "{shown}", with a duration of '
        "{seconds} seconds{advance}. The other slides keep what they have. Save it."
    )
    instances = {
        "dissolve": {"role": "photo", "shown": "Dissolve", "kind": "dissolve", "seconds": 2.0, "after": 0},
        "push-automatic": {"role": "trend", "shown": "Push", "kind": "pushWipe", "seconds": 1.5, "after": 8},
        "wipe": {"role": "figures", "shown": "Wipe", "kind": "barWipe", "seconds": 3.0, "after": 0},
        "dissolve-automatic": {"role": "closing", "shown": "Dissolve", "kind": "dissolve", "seconds": 1.0, "after": 20},
    }

    def words(self, world: World) -> Mapping[str, object]:
        after = world.parameters["after"]
        advance = f", and let it go on to the next slide by itself after {after} seconds" if after else ""
        return {"slide": part_of(world).name, "advance": advance, "seconds": f"{world.parameters['seconds']:g}"}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        transition = find_slide(now, part_of(world).name).transition
        wanted = float(world.parameters["after"])
        return [
            equal("the transition is the one asked for", world.parameters["kind"], transition.kind, weight=2.0),
            close_to("it takes as long as asked", float(world.parameters["seconds"]), transition.duration, within=0.01),
            equal("the next slide comes as asked", wanted or None, transition.advance, weight=1.0 if wanted else 0.0),
            holds("it has no sound", not transition.sound, expected="no sound", found=transition.sound, weight=0.0),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, "transition.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("transition", [part_of(world).name], _values(world)))


class AllTransitions(DeckTask):
    """Set the same transition on all slides."""

    name = "all-transitions"
    template = (
        'Please use the transition "{shown}" with a duration of {seconds} seconds for all slides of the open '
        "presentation, the first and the hidden ones too{advance}. Save it."
    )
    instances = {
        "kiosk": {"shown": "Dissolve", "kind": "dissolve", "seconds": 1.0, "after": 15},
        "push": {"shown": "Push", "kind": "pushWipe", "seconds": 2.0, "after": 0},
        "wipe-kiosk": {"shown": "Wipe", "kind": "barWipe", "seconds": 0.5, "after": 30},
    }

    def words(self, world: World) -> Mapping[str, object]:
        after = world.parameters["after"]
        advance = f", and let every slide go on to the next by itself after {after} seconds" if after else ""
        return {"advance": advance, "seconds": f"{world.parameters['seconds']:g}"}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        transitions = [slide.transition for slide in now.slides]
        count, wanted = len(was.slides), float(world.parameters["after"])
        kinds = sum(transition.kind == world.parameters["kind"] for transition in transitions)
        times = sum(abs(transition.duration - float(world.parameters["seconds"])) < 0.01 for transition in transitions)
        return [
            equal("every slide has the transition", count, kinds, weight=2.0),
            equal("on every slide it takes as long as asked", count, times, weight=1.0),
            equal("every slide goes on as asked", count,
                  sum(transition.advance == (wanted or None) for transition in transitions),
                  weight=1.0 if wanted else 0.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [r"[^/]+/transition.*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("transition", [], _values(world)))


def _values(world: World) -> dict[str, object]:
    kind, subtype = _TYPES[str(world.parameters["kind"])]
    values: dict[str, object] = {
        "TransitionType": kind, "TransitionSubtype": subtype, "TransitionDuration": float(world.parameters["seconds"]),
    }  # fmt: skip
    if after := world.parameters["after"]:
        values |= {"Change": 1, "HighResDuration": float(after)}
    return values


class RemoveTransition(DeckTask):
    """Remove the transition of the opening slide and change its subtitle."""

    name = "set-opening"
    template = (
        "The first slide of the open presentation has a transition that we do not want any more. Please remove it "
        "(no transition), and {what}. Save the presentation."
    )
    instances = {
        "and-subtitle": {"what": 'change the subtitle on that slide to "{}"', "subtitle": "Draft for discussion"},
        "and-date": {"what": 'change the subtitle on that slide to "{}"', "subtitle": "Final version, 14 May"},
        "and-place": {"what": 'change the subtitle on that slide to "{}"', "subtitle": "Large hall, second floor"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        return {"what": str(world.parameters["what"]).format(world.parameters["subtitle"])}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = talk_of(world).part("opening").name
        slide = find_slide(now, name)
        subtitle = next((shape.text.strip() for shape in slide.shapes if shape.role == "subtitle"), "")
        return [
            holds("the slide has no transition", bool(slide.name) and slide.transition.kind == "", expected="none",
                  found=slide.transition.kind, weight=1.0),
            equal("the subtitle is the new one", world.parameters["subtitle"], subtitle, weight=1.0),
            equal("the title is as it was", find_slide(was, name).title, slide.title, weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name = talk_of(world).part("opening").name
        return [on(name, "transition.*"), on(name, r"shape\[subtitle\]\.paragraph\[0\].*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name = talk_of(world).part("opening").name
        return done(("transition", [name], {"TransitionType": 0, "TransitionSubtype": 0, "TransitionDuration": 0.0}),
                    ("write", name, "subtitle", world.parameters["subtitle"]))  # fmt: skip


class AnimateShape(DeckTask):
    """Add an entrance effect to a shape."""

    name = "animate-shape"
    template = (
        'On the slide "{slide}" of the open presentation {what} should come in with the entrance effect "{shown}", '
        "started {start}. Add that one effect and no other, and save."
    )
    instances = {
        "first-box": {"role": "process", "shape": "Box 1", "effect": "appear", "shown": "Appear",
                      "trigger": "on-click"},
        "last-box": {"role": "process", "shape": "Box 3", "effect": "appear", "shown": "Appear",
                     "trigger": "after-previous"},
        "photo": {"role": "photo", "shape": "Photo", "effect": "appear", "shown": "Appear", "trigger": "on-click"},
        "caption": {"role": "photo", "shape": "Caption", "effect": "appear", "shown": "Appear",
                    "trigger": "with-previous"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        starts = {"on-click": "on click", "after-previous": "after previous", "with-previous": "with previous"}
        shape, part = str(world.parameters["shape"]), part_of(world)
        what = {"Photo": "the photo", "Caption": "the caption below the photo"}.get(shape)
        if what is None:
            what = f'the box "{part.lines[int(shape[-1]) - 1]}"'
        return {"slide": part.name, "what": what, "start": starts[str(world.parameters["trigger"])]}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        animations = find_slide(now, part_of(world).name).animations
        effects = [animation.effect for animation in animations]
        return [
            equal("there is the one effect", [f"entrance-{world.parameters['effect']}"], effects, weight=1.5),
            equal(
                "it is on the right shape",
                [world.parameters["shape"]],
                [animation.target for animation in animations],
                weight=1.5,
            ),
            equal(
                "it starts as asked",
                [world.parameters["trigger"]],
                [animation.trigger for animation in animations],
                weight=1.0,
            ),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, "animation.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        trigger = {"on-click": 1, "with-previous": 2, "after-previous": 3}[str(world.parameters["trigger"])]
        name, shape = part_of(world).name, world.parameters["shape"]
        return done(("animate", name, shape, world.parameters["effect"], trigger, 0.5))


class CustomShow(DeckTask):
    """Create a custom show of some slides."""

    name = "custom-show"
    template = (
        'Please create a custom slide show named "{show}" in the open presentation. It has exactly these slides, in '
        "this order: {slides}. The presentation's own slides stay as they are. Save it."
    )
    instances = {
        "short": {"show": "Five minutes", "roles": "opening goals figures closing"},
        "numbers": {"show": "Only numbers", "roles": "figures trend"},
        "people": {"show": "For new people", "roles": "opening team process timeline"},
        "backwards": {"show": "From the end", "roles": "closing compare agenda"},
    }

    def _names(self, world: World) -> list[str]:
        return [talk_of(world).part(role).name for role in str(world.parameters["roles"]).split()]

    def words(self, world: World) -> Mapping[str, object]:
        return {"slides": ", ".join(f'"{name}"' for name in self._names(world))}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        shows = dict(now.show.custom)
        name = str(world.parameters["show"])
        names = list(shows.get(name, ()))
        return [
            equal("there is the custom show", [name], list(shows), weight=1.0),
            equal("it has the right slides", sorted(self._names(world)), sorted(names), weight=1.0),
            equal("they are in order", self._names(world), names, weight=1.0),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """Custom shows. A presentation with show settings also stores which custom show is played."""
        return [r"/show(?:\.custom.*)?"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("custom_show", world.parameters["show"], self._names(world)))


class ShowSettings(DeckTask):
    """Change the settings of the slide show."""

    name = "show-settings"
    template = (
        "Please change the slide show settings of the open presentation: {what}. Leave the other settings and all "
        "slides as they are, and save it."
    )
    instances = {
        "loop": {"endless": True, "pause": 10, "window": False, "from": ""},
        "loop-long": {"endless": True, "pause": 90, "window": False, "from": ""},
        "in-window": {"endless": False, "pause": 0, "window": True, "from": ""},
        "from-figures": {"endless": False, "pause": 0, "window": False, "from": "figures"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        pause = int(world.parameters["pause"])
        if world.parameters["endless"]:
            return {"what": f"it should loop, and repeat after a pause of {pause // 60} min {pause % 60} s"}
        if world.parameters["window"]:
            return {"what": "it should run in a window, not full screen"}
        start = talk_of(world).part(str(world.parameters["from"])).name
        return {"what": f'the show should start from the slide "{start}"'}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        show, start = now.show, str(world.parameters["from"])
        first = talk_of(world).part(start).name if start else ""
        loop, window = bool(world.parameters["endless"]), bool(world.parameters["window"])
        return [
            equal("the show loops as asked", loop, show.endless, weight=1.0 if loop else 0.0),
            close_to("it pauses as long as asked", float(world.parameters["pause"]) if loop else 0.0,
                     show.pause if loop else 0.0, weight=1.0 if loop else 0.0),
            equal("it fills the screen, or a window", not window, show.full_screen, weight=1.0 if window else 0.0),
            equal("it starts where asked", first, show.start, weight=1.0 if start else 0.0),
            equal("slides still change as before", was.show.manual, show.manual, weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """The changed settings; `manual` and the custom shows must stay."""
        return [r"/show(?:\.(?:endless|pause|full_screen|start))?"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        if world.parameters["endless"]:
            return done(("show", {"IsEndless": True, "Pause": world.parameters["pause"]}))
        if world.parameters["window"]:
            return done(("show", {"IsFullScreen": False}))
        first = talk_of(world).part(str(world.parameters["from"])).name
        return done(("show", {"IsShowAll": False, "FirstPage": first}))


SCENARIOS = (
    SlideTransition(),
    AllTransitions(),
    RemoveTransition(),
    AnimateShape(),
    CustomShow(),
    ShowSettings(),
)
