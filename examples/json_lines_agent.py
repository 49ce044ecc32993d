"""An agent in plain Python: reads lines of JSON, answers each with an action, needs nothing installed.

fairground record examples/shopping-list --agent "program:python examples/json_lines_agent.py"

It looks at no screen: it reads the task, and types. Put your model where `plan` is.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any


def plan(instruction: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Actions, each with a thought."""
    found = re.search(r"Add a line that says (.+) at the end", instruction)
    if found is None:
        yield {"kind": "fail", "reason": "I can only add lines to lists."}, "This is not my trade."
        return
    yield {"kind": "key", "keys": ["ctrl", "end"]}, "I go to the end of the list."
    yield {"kind": "type", "text": f"{found[1]}\n"}, "I add the line."
    yield {"kind": "key", "keys": ["ctrl", "s"]}, "I save it."
    yield {"kind": "done"}, "That is all."


def main() -> None:
    """The protocol: `begin`, then an `observe` for every answer, and `end`."""
    actions: Iterator[tuple[dict[str, Any], str]] = iter(())
    for line in sys.stdin:
        message = json.loads(line)
        if message["kind"] == "begin":
            actions = plan(message["instruction"])
        elif message["kind"] == "observe":
            for said in message["messages"]:
                print(said, file=sys.stderr)
            action, thought = next(actions)
            print(json.dumps({"action": action, "thought": thought}), flush=True)
        elif message["kind"] == "refused":
            sys.exit(f"refused: {message['message']}")
        elif message["kind"] == "end":
            return


if __name__ == "__main__":
    main()
