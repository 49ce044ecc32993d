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
    """A scenario, and one value for each of the four axes.

    The id has the form `suite/app/scenario/instance@profile/theme/ui_state`. `Configuration.from_id` parses it.
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
        """The stable, readable id."""
        return f"{self.task}@{self.profile}/{self.theme}/{self.ui_state}"

    @property
    def task(self) -> str:
        """The id without profile, theme and ui_state, which do not change the task."""
        return f"{self.suite}/{self.app}/{self.scenario}/{self.instance}"

    @classmethod
    def from_id(cls, text: str) -> Self:
        """Parse an id.

        Raises:
            InvalidInput: The text is not a configuration id.
        """
        match = _ID.fullmatch(text)
        if match is None:
            raise InvalidInput(
                f"{text!r} is not a configuration id",
                fix="expected suite/app/scenario/instance@profile/theme/ui_state",
            )
        return cls.parse(match.groupdict(), where=text)


def fingerprint(parts: Any) -> str:
    """Return a content digest of JSON-serializable data. It is the same on every machine and Python version."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
