"""One LibreOffice in a sandbox, and the program beside it that makes and describes documents over UNO."""

from __future__ import annotations

import json
import os
import select
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from fairground.sandbox import Sandbox
from fairground_desk.office import REGISTRY

SIDES = ("office_side.py", "calc_side.py", "writer_side.py", "impress_side.py")
PIPE = "accuracy"
SECONDS = 90.0


class Office:
    """A LibreOffice that runs on from document to document, with the desk suite's settings."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        ours = files("fairground_desk.office").joinpath("registrymodifications.xcu").read_bytes()
        sandbox.write_file(REGISTRY, ours)
        for name in SIDES:
            sandbox.write_file(f"~/side/{name}", Path(__file__).with_name(name).read_bytes())
        accept = f"--accept=pipe,name={PIPE};urp;StarOffice.ComponentContext"
        self._office = sandbox.start(["soffice", "--headless", "--norestore", "--nologo", "--nodefault", accept])
        theirs_in, self._orders = os.pipe2(os.O_CLOEXEC)
        self._answers, theirs_out = os.pipe2(os.O_CLOEXEC)
        self._buffer = b""
        try:
            argv = ["/usr/bin/python3", f"{sandbox.home}/side/office_side.py", PIPE]
            self._side = sandbox.start(argv, fds={0: theirs_in, 3: theirs_out})
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def make(self, app: str, recipe: dict[str, Any]) -> dict[str, tuple[bytes, Any]]:
        """Has a document made and saved in every format of the app; gives bytes and the account of each."""
        told = self._ask({"app": app, "recipe": recipe, "folder": f"{self.sandbox.home}/made"})
        return {kind: (self.sandbox.read_file(one["path"]), one["account"]) for kind, one in told.items()}

    def close(self) -> None:
        """Lets go of the pipes; the sandbox ends the programs."""
        os.close(self._orders)
        os.close(self._answers)

    def _ask(self, order: dict[str, Any]) -> Any:
        os.write(self._orders, b"%d\n" % len(data := json.dumps(order).encode()))
        sent = 0
        while sent < len(data):
            sent += os.write(self._orders, data[sent:])
        deadline = time.monotonic() + SECONDS
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self._answers], [], [], left)[0]
            part = os.read(self._answers, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError(
                    f"LibreOffice does not answer: {self._side.output(3000)} {self._office.output(1000)}"
                )
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"LibreOffice refused: {answer['error'][-3000:]}")
        return answer["told"]
