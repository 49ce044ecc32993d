"""Questions about files and folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.worlds import Move, Say, World
from fairground_desk.files.app import home_of
from fairground_desk.files.inspector import kinds, sizes
from fairground_desk.files.scenarios.moves import go_to
from fairground_desk.files.scenarios.plan import FilesTask, inside, name_of


class Question(FilesTask):
    """A question that needs counting, comparing or finding files."""

    name = "question"
    kind = "answer"
    instances = {
        "count-photos": {"ask": "photos", "kind": "number"},
        "largest-paper": {"ask": "largest", "kind": "text"},
        "papers-below": {"ask": "pdfs", "kind": "number"},
        "fuller-project": {"ask": "project", "kind": "text"},
        "size-of-table": {"ask": "bytes", "kind": "number"},
    }

    def phrase(self, world: World) -> str:
        home = home_of(world)
        first, second = home.projects
        return {
            "photos": f"How many pictures in Pictures/{home.album} were taken in {home.months[1]}, by the dates in "
                      "their names (IMG_yyyymmdd_number.jpg)? Answer with the number.",
            "largest": "Which of the text files directly in Documents (not in its folders) is the largest? Answer with "
                       "its name.",
            "pdfs": "How many PDF files are in Documents and in all folders inside of it? Answer with the number.",
            "project": f'Which of the two folders Projects/{first}/drafts and Projects/{second}/drafts has more files '
                       f'in it? Answer with the name of the project, "{first}" or "{second}".',
            "bytes": f"How large is Projects/{second}/budget.csv, in bytes? Answer with the exact number.",
        }[str(world.parameters["ask"])]  # fmt: skip

    def right(self, world: World, before: State) -> str | int:
        home = home_of(world)
        drafts = {project: len(inside(before, f"~/Projects/{project}/drafts")) for project in home.projects}
        texts = {path: size for path, size in sizes(before, "~/Documents").items() if path.endswith(".txt")}
        month = home.months[1].replace("-", "")
        answers: dict[str, Callable[[], str | int]] = {
            "photos": lambda: sum(f"IMG_{month}" in path for path in inside(before, f"~/Pictures/{home.album}")),
            "largest": lambda: name_of(max(texts, key=texts.__getitem__)),
            "pdfs": lambda: sum(path.startswith("~/Documents/") and path.endswith(".pdf") for path in kinds(before)),
            "project": lambda: max(drafts, key=drafts.__getitem__),
            "bytes": lambda: len(before.file(f"~/Projects/{home.projects[1]}/budget.csv")),
        }
        return answers[str(world.parameters["ask"])]()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        right, home = self.right(world, before), home_of(world)
        among = [*home.projects, *(f"{paper}.txt" for paper in home.papers)]
        correct = match_answer(str(world.parameters["kind"]), right, answer, among=among, question=world.instruction)
        # An answer with a number fails if it also names something that was not asked about.
        strange = [name for name in among if name != right and name not in world.instruction and name in (answer or "")]
        return [holds("the answer is right", correct and not strange, expected=right, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*go_to("~/Documents"), Say(str(self.right(world, before)))]
