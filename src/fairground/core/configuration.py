"""The unit that is proven and run: instance x profile x theme x ui_state."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Self, TypeAlias

from pydantic import Field, field_validator

from fairground.core.errors import InvalidInput
from fairground.core.names import check_name
from fairground.core.strict import Record

Parameter: TypeAlias = str | int | float | bool
AXES = ("instance", "profile", "theme", "ui_state")

_ID = re.compile(
    r"(?P<suite>[^/@]+)/(?P<app>[^/@]+)/(?P<scenario>[^/@]+)/(?P<instance>[^/@]+)"
    r"@(?P<profile>[^/@]+)/(?P<theme>[^/@]+)/(?P<ui_state>[^/@]+)"
)


class Configuration(Record):
    """Names of a scenario and of a value on each of the four axes.

    Its id reads `suite/app/scenario/instance@profile/theme/ui_state`, and `Configuration.from_id` reads it back.
    """

    suite: str
    app: str
    scenario: str
    instance: str = Field("default", description="name of the parameter binding")
    profile: str = Field("default", description="which data the app holds")
    theme: str = Field("default", description="how it looks")
    ui_state: str = Field("default", description="where it starts")

    @field_validator("suite", "app", "scenario", *AXES)
    @classmethod
    def _check(cls, name: str) -> str:
        try:
            return check_name("part of a configuration id", name)
        except InvalidInput as error:
            raise ValueError(error.message) from None

    @property
    def id(self) -> str:
        """Stable and readable."""
        return f"{self.task}@{self.profile}/{self.theme}/{self.ui_state}"

    @property
    def task(self) -> str:
        """The id without the three axes that do not change what is asked."""
        return f"{self.suite}/{self.app}/{self.scenario}/{self.instance}"

    @classmethod
    def from_id(cls, text: str) -> Self:
        """Reads an id; the error says which part is missing."""
        found = _ID.fullmatch(text)
        if found is None:
            raise InvalidInput(
                f"{text!r} is not a configuration id",
                fix="expected suite/app/scenario/instance@profile/theme/ui_state",
            )
        return cls.parse(found.groupdict(), where=text)


def fingerprint(parts: Any) -> str:
    """A content address for plain data (what `json` can say), the same on every machine and Python."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
