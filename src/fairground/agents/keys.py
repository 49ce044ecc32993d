"""Remove API keys from error messages before they are written anywhere."""

from __future__ import annotations

import os
import re
from typing import Final

_NAMES: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LEAST: Final = 8  # minimum length; shorter values would match ordinary words


def without_keys(text: str) -> str:
    """Return the text without the values of environment variables named like a key, token, secret or password.

    Clients of model services often include the rejected key in errors, and an episode's error is shown to users.
    """
    values = {value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= _LEAST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[a key]")
    return text
