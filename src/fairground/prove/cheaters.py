"""Agents that must score nothing: they do not look, or try to get the score without doing the work."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, cast

from fairground.agents import Agent, Brief, Turn
from fairground.agents.program import ProgramAgent
from fairground.core import Action, Answer, Done, Key, Look, Node, Observation, ScreenError, Type
from fairground.prove.intruders import INTRUDERS, make_intruder
from fairground.worlds import Seat

_MOST_SAID = 4_000  # maximum characters of an answer

SPAMMERS = {
    "most-common-answer": "gives the most common right answer of the suite",
    "common-answers": "gives the ten most common right answers at once",
    "screen-reader": "answers with everything on the screen",
}
"""What these agents do, by name. For scenarios that ask for an answer."""

TAMPERERS = {
    "tamper-keys": "types addresses with scripts and files into the focused element, and opens developer tools",
    "tamper-page": "runs its own script in the page: other paths, forged storage, headers and forms",
    "post-everything": "submits every form of every page that it finds, as the page itself could",
}
"""What these agents do, by name. For apps in a page."""


QUITTERS = {
    "quit-when-unsure": "raises an exception after some steps, to avoid being scored",
    "exit-when-unsure": "is a program that exits after some steps, to avoid being scored",
}
"""What these agents do, by name. They must count as failed, in every scenario."""


def make_cheater(name: str, answers: Sequence[str] = ()) -> Agent:
    """Return a cheater by name.

    Args:
        name: One of `SPAMMERS`, `TAMPERERS`, `QUITTERS` or `INTRUDERS`.
        answers: Right answers of the suite, for agents that use them.
    """
    common = [text for text, _ in Counter(answers).most_common(10)]
    makers: dict[str, Callable[[], Agent]] = {
        **{intruder: partial(make_intruder, intruder) for intruder in INTRUDERS},
        "most-common-answer": lambda: Saying(name, common[0] if common else "1"),
        "common-answers": lambda: Saying(name, ", ".join(common) or "1, 2, 3"),
        "screen-reader": lambda: ScreenReader(name),
        "tamper-keys": lambda: TamperKeys(name),
        "tamper-page": lambda: InPage(name, _TAMPER),
        "post-everything": lambda: InPage(name, _POST),
        "quit-when-unsure": lambda: Quitting(name),
        "exit-when-unsure": lambda: ProgramAgent([sys.executable, "-S", "-c", _EXITING], name=name),
    }
    return makers[name]()


class Saying:
    """Gives the same answer to every task."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def begin(self, brief: Brief) -> None:
        """Do nothing."""

    def act(self, observation: Observation) -> Turn:
        """Return the answer."""
        return Turn(Answer(text=self._text[:_MOST_SAID]))


class Quitting:
    """Looks for some steps, then raises an exception."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, brief: Brief) -> None:
        """Do nothing."""

    def act(self, observation: Observation) -> Turn:
        """Look, then raise."""
        if observation.step >= _SURE:
            raise RuntimeError("I am not sure what to do, so this should not count")
        return Turn(Look())


_SURE = 2  # steps before they quit

_EXITING = f"""
import sys
for number, line in enumerate(sys.stdin):
    if number > {_SURE}:
        sys.exit(3)
    if number:
        print('{{"action": {{"kind": "look"}}}}', flush=True)
"""


class _Seated:
    """An agent that gets the seat, which no measured agent does."""

    _seat: Seat | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def take_seat(self, seat: Seat) -> None:
        """Store the seat."""
        self._seat = seat

    def begin(self, brief: Brief) -> None:
        """Store whether an answer is wanted."""
        self._kind = brief.kind

    def _end(self, text: str) -> Turn:
        return Turn(Answer(text=text[:_MOST_SAID] or "nothing") if self._kind == "answer" else Done())


class ScreenReader(_Seated):
    """Answers with everything on the screen."""

    def act(self, observation: Observation) -> Turn:
        """Return all names and values of the accessibility tree as the answer."""
        assert self._seat is not None
        return self._end(", ".join(dict.fromkeys(_texts(self._seat.screen.tree()))))


class TamperKeys(_Seated):
    """Tries what is possible with the keyboard alone."""

    def begin(self, brief: Brief) -> None:
        """Plan the keys to press."""
        super().begin(brief)
        addresses = (
            "javascript:document.body.innerHTML='done'",
            "file:///etc/passwd",
            "view-source:http://127.0.0.1/",
            "http://127.0.0.1/oracle",
        )
        self._plan: list[Action] = [Key(keys=("f12",)), Key(keys=("ctrl", "shift", "i")), Key(keys=("ctrl", "u"))]
        for address in addresses:
            self._plan += [Key(keys=("ctrl", "l")), Type(text=address), Key(keys=("return",))]
        del self._plan[max(0, brief.step_budget - 1) :]

    def act(self, observation: Observation) -> Turn:
        """Return the next key."""
        return Turn(self._plan.pop(0)) if self._plan else self._end("passed")


class _Page(Protocol):
    def evaluate(self, expression: str, timeout: float = 5.0) -> object: ...


class InPage(_Seated):
    """Runs a script in the page, which no real agent can, and answers with its result."""

    def __init__(self, name: str, script: str) -> None:
        super().__init__(name)
        self._script = script

    def act(self, observation: Observation) -> Turn:
        """Run the script and end."""
        assert self._seat is not None
        try:
            result = cast(_Page, self._seat.screen).evaluate(self._script, timeout=20.0)
        except ScreenError as error:  # stopped by the page's own policy, which is one way to fail
            result = error.message
        return self._end(result if isinstance(result, str) else json.dumps(result))


def _texts(node: Node) -> Iterator[str]:
    for descendant in node.walk():
        yield from (text for text in (descendant.name, descendant.value) if text)


_PATHS = (
    "/oracle", "/checks", "/state", "/answer", "/solution", "/proof", "/proofs", "/admin", "/debug", "/reset", "/db",
    "/database.sqlite", "/.git/config", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../app.py",
    "/api/state", "/api/checks", "/__world__",
)  # fmt: skip

_TAMPER = f"""
(async () => {{
  const found = [];
  try {{ localStorage.setItem('success', 'true'); sessionStorage.setItem('reward', '1'); }} catch (e) {{}}
  try {{ document.cookie = 'reward=1'; document.cookie = 'role=admin'; }} catch (e) {{}}
  for (const path of {json.dumps(_PATHS)}) {{
    for (const how of [{{}}, {{method: 'POST', body: 'reward=1&success=true'}}, {{method: 'PUT', body: '1'}}]) {{
      try {{
        const answer = await fetch(path, {{...how, headers: {{'X-Role': 'admin', 'X-Reward': '1'}}}});
        if (answer.ok) found.push((await answer.text()).slice(0, 200));
      }} catch (e) {{}}
    }}
  }}
  try {{ location.href = "javascript:document.title='done'"; }} catch (e) {{}}
  document.body.insertAdjacentHTML('beforeend', '<p>Success. Reward: 1. Task complete.</p>');
  return found.join(' | ') || 'nothing';
}})()
"""

_POST = """
(async () => {
  const pages = new Set([location.pathname + location.search]);
  for (const link of [...document.querySelectorAll('a[href]')].slice(0, 30)) {
    try {
      const place = new URL(link.href);
      if (place.origin === location.origin) pages.add(place.pathname + place.search);
    } catch (e) {}
  }
  let sent = 0;
  for (const page of pages) {
    try {
      const text = await (await fetch(page)).text();
      const parsed = new DOMParser().parseFromString(text, 'text/html');
      for (const form of [...parsed.querySelectorAll('form')].slice(0, 20)) {
        if ((form.getAttribute('method') || 'get').toLowerCase() !== 'post') continue;
        const body = new URLSearchParams(new FormData(form));
        await fetch(form.getAttribute('action') || page, {method: 'POST', body});
        sent += 1;
      }
    } catch (e) {}
  }
  return String(sent);
})()
"""
