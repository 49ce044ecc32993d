"""The recorded state of an app, before and after an episode. Checks see nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fairground.core.errors import StateError


@dataclass(frozen=True)
class State:
    """A recorded state.

    Attributes:
        files: File contents by path inside the sandbox.
        data: Answers of live endpoints by name, as plain JSON data.
        missing: Reasons for requested files that could not be recorded, by path.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    def file(self, path: str) -> bytes:
        """Return a file's content.

        Raises:
            StateError: The file was not recorded, so a missing file never counts as a pass.
        """
        if path in self.files:
            return self.files[path]
        raise StateError(f"{path} is not in the recorded state: {self.missing.get(path, 'it was not recorded')}")

    def text(self, path: str) -> str:
        """Return a file's content as UTF-8 text."""
        try:
            return self.file(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise StateError(f"{path} is not UTF-8 text: {error}") from None

    def get(self, name: str) -> Any:
        """Return the answer of an endpoint."""
        if name not in self.data:
            raise StateError(f"the recorded state has no data named {name!r}; it has {json.dumps(sorted(self.data))}")
        return self.data[name]
