"""Questions about pictures; nothing may change."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.worlds import Move, Say, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, facts, layer_of
from fairground_desk.gimp.scenarios.judging import image, picture


class AskLayer(GimpTask):
    """Ask about a layer of the project."""

    name = "ask-layer"
    kind = "answer"
    opens = "project"
    template = "Look at {project}, which is open, and change nothing. {asked}"
    instances = {
        "opacity": {"asked": 'What is the opacity of the layer "{tint}", in percent? Answer with the number.',
                    "about": "opacity"},
        "font-size": {"asked": 'How many pixels high is the font of the text layer "{caption}"? Answer with a number.',
                    "about": "size"},
        "left": {"asked": 'At which x (from the left) does the layer "{sign}" begin? Answer with the number.',
                    "about": "x"},
        "width": {"asked": 'How many pixels wide is the layer "{sign}"? Answer with the number.', "about": "width"},
        "dpi": {"asked": "What is the resolution of the image, in pixels an inch? Answer with the number.",
                    "about": "dpi"},
    }  # fmt: skip
    step_budget = 30

    def phrase(self, world: World) -> str:
        known = facts(world)
        return self.template.format_map({**known, "asked": str(known["asked"]).format_map(known)})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        right = self._answer(world, before)
        matched = match_answer("number", right, answer, question=self.phrase(world))
        return [holds("the answer is right", matched, expected=right, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Say(f"{self._answer(world, before):g}")]

    def _answer(self, world: World, before: State) -> float:
        studio = studio_of(world)
        project = image(before, studio.project_path)
        text = project[layer_of(studio, "caption")].text
        sign = project[layer_of(studio, "sign")]
        assert text is not None
        answers = {
            "opacity": round(project[layer_of(studio, "tint")].opacity * 100),
            "size": text.size,
            "x": sign.x,
            "width": sign.width,
            "dpi": round(project.resolution[0]),
        }
        return float(answers[str(world.parameters["about"])])


class AskPicture(GimpTask):
    """Ask about a photograph."""

    name = "ask-photo"
    kind = "answer"
    opens = "photo"
    template = "Look at {photo}, which is open, and change nothing. {asked}"
    instances = {
        "width": {"asked": "How many pixels wide is it? Answer with the number.", "about": "width"},
        "height": {"asked": "How many pixels high is it? Answer with the number.", "about": "height"},
        "owner": {"asked": "Its comment (Image > Image Properties) says whose it is. Answer with the words after (c).",
                  "about": "owner"},
    }  # fmt: skip
    step_budget = 30

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        right = self._answer(world, before)
        kind = "text" if isinstance(right, str) else "number"
        matched = match_answer(kind, right, answer, question=self.phrase(world))
        return [holds("the answer is right", matched, expected=right, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Say(str(self._answer(world, before)))]

    def _answer(self, world: World, before: State) -> int | str:
        studio = studio_of(world)
        photo = picture(before, studio.photo_path)
        about = str(world.parameters["about"])
        return studio.owner if about == "owner" else photo.width if about == "width" else photo.height


SCENARIOS = (AskLayer(), AskPicture())
