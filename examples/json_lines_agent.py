"""An agent in plain Python: reads JSON lines, answers each with an action, has no dependencies.

fairground record examples/shopping-list --agent "program:python examples/json_lines_agent.py"

It ignores the screen: it reads the task, and types. Replace `plan` by a call to your model.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any


def plan(instruction: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields actions, each with a thought."""
    match = re.search(r"Add a line that says (.+) at the end", instruction)
    if match is None:
        yield {"kind": "fail", "reason": "I can only add lines to lists."}, "This is not my trade."
        return
    yield {"kind": "key", "keys": ["ctrl", "end"]}, "I go to the end of the list."
    yield {"kind": "type", "text": f"{match[1]}\n"}, "I add the line."
    yield {"kind": "key", "keys": ["ctrl", "s"]}, "I save it."
    yield {"kind": "done"}, "That is all."


def main() -> None:
    """Runs the protocol: `begin`, then one `observe` per answer, then `end`."""
    actions: Iterator[tuple[dict[str, Any], str]] = iter(())
    for line in sys.stdin:
        message = json.loads(line)
        if message["kind"] == "begin":
            actions = plan(message["instruction"])
        elif message["kind"] == "observe":
            for note in message["messages"]:
                print(note, file=sys.stderr)
            action, thought = next(actions)
            print(json.dumps({"action": action, "thought": thought}), flush=True)
        elif message["kind"] == "refused":
            sys.exit(f"refused: {message['message']}")
        elif message["kind"] == "end":
            return


if __name__ == "__main__":
    main()
