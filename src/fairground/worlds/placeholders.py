"""Placeholders (`{parameters}`) in texts of a folder world."""

from __future__ import annotations

from collections.abc import Mapping

from fairground.core import InvalidInput, Parameter


def fill(text: str, parameters: Mapping[str, Parameter], where: str) -> str:
    """Fill in an instance's parameters.

    Raises:
        InvalidInput: A placeholder has no value. The message contains `where`.
    """
    try:
        return text.format_map(parameters)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{where}: {text!r} uses {error}, which the instance does not have",
            fix=f"parameters are {', '.join(parameters) or 'none'}; add it to the instance, or write {{{{ and }}}} for "
            "braces that are meant as such",
        ) from None
