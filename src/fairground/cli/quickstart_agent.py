"""A first agent: taps what the task quotes, then counts the notes it sees."""

import re

from fairground.agents import Brief, Turn
from fairground.core import Answer, Click, Done, Observation


class MyAgent:
    """Solves tasks such as: How many notes have the label “Travel”?"""

    name = "my-agent"
    observations = ("screen", "tree")  # pixels, and the accessibility tree

    def begin(self, brief: Brief) -> None:
        """Called once per episode, with the task."""
        self.kind = brief.kind  # "answer" for a question, else "action"
        self.taps = re.findall("“(.+?)”", brief.instruction)

    def act(self, observation: Observation) -> Turn:
        """Called once per step. Returns an action and the reason for it."""
        nodes = list(observation.tree.walk()) if observation.tree else []
        while self.taps:
            name = self.taps.pop(0)
            for node in nodes:
                if node.role == "link" and node.name == name and node.center:
                    return Turn(Click(point=node.center), f"Tap {name}.")
        if self.kind == "action":
            return Turn(Done(), "Everything that the task quotes is tapped.")
        notes = [n for n in nodes if n.role == "listitem" and n.find("heading")]
        return Turn(Answer(text=str(len(notes))), "Count the notes shown.")
