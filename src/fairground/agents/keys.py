"""Keys of model services in what programs say of their failures: they are taken out before it is written anywhere."""

from __future__ import annotations

import os
import re
from typing import Final

_NAMES: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LEAST: Final = 8  # letters; anything shorter would be found in plain words


def without_keys(text: str) -> str:
    """The text without the values of environment variables that are called a key, token, secret or password.

    Clients of model services like to say which key was refused, and an episode's error is shown to people.
    """
    values = {value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= _LEAST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[a key]")
    return text
