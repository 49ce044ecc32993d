"""Not a test module: an agent program that misbehaves in the way that a file says for the seed of its episode."""

import json
import os
import signal
import sys


def say(action: dict[str, object], thought: str = "") -> None:
    print(json.dumps({"action": action, "thought": thought}), flush=True)


def main() -> None:
    begin = json.loads(sys.stdin.readline())
    with open(sys.argv[1]) as file:
        how = json.load(file)[str(begin["seed"])]
    for _ in sys.stdin:
        if how == "floods its output":
            while True:
                sys.stdout.write("x" * (1 << 20))
        elif how == "floods its errors":
            for _ in range(20):
                sys.stderr.write("x" * (1 << 20))
            say({"kind": "done"})
        elif how == "thinks too much":
            say({"kind": "done"}, "hm " * (1 << 20))
        elif how == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif how == "exits":
            sys.exit(0)
        elif how == "closes its output":
            os.close(1)
            signal.pause()
        elif how == "closes its input":
            os.close(0)
            say({"kind": "look"})
            signal.pause()
        elif how == "talks garbage":
            print('{"action": {"kind": "click", "point": [NaN', flush=True)
        elif how == "never stops":
            say({"kind": "click", "point": [5, 5]})
        elif how == "asks and asks":
            say({"kind": "call_user", "text": "Are you sure? " * 50})
        else:
            say({"kind": "done"})


if __name__ == "__main__":
    main()
