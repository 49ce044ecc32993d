"""What was recorded of an app, before and after: all that checks may look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fairground.core.errors import StateError


@dataclass(frozen=True)
class State:
    """A recording.

    Attributes:
        files: Content of files, by the path they had inside.
        data: What live endpoints answered, by name; plain JSON data.
        missing: Files that were asked for and not there, with the reason.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    def file(self, path: str) -> bytes:
        """A file's content; raises `StateError` when it was not there, so that absence is never a pass."""
        if path in self.files:
            return self.files[path]
        raise StateError(f"{path} is not in the recorded state: {self.missing.get(path, 'it was not recorded')}")

    def text(self, path: str) -> str:
        """A file's content as UTF-8 text."""
        try:
            return self.file(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise StateError(f"{path} is not UTF-8 text: {error}") from None

    def get(self, name: str) -> Any:
        """What an endpoint answered."""
        if name not in self.data:
            raise StateError(f"the recorded state has no data named {name!r}; it has {json.dumps(sorted(self.data))}")
        return self.data[name]
