"""The last step before money moves: a summary, and the PIN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairground_pocket.kit import Database, Field, Filled, Form, Html, Screen, Visit, join, parts
from fairground_pocket.payment.fields import PIN
from fairground_pocket.payment.store import wrong_pin


def review(
    title: str,
    big: str,
    small: str,
    facts: Iterable[tuple[str, str | Html]],
    action: str,
    values: Mapping[str, object],
    *,
    button: str,
    back: str,
    filled: Filled | None = None,
    warning: str = "",
) -> Screen:
    """A page that asks for the PIN.

    Args:
        title: Title of the page.
        big: The amount.
        small: What happens to it.
        facts: The details.
        action: The address to which the form is submitted.
        values: Hidden values that are submitted with the PIN.
        button: Name of the confirm button.
        back: Address for cancelling.
        filled: Refused values with their errors.
        warning: Why it cannot be done, in words.
    """
    form = Form(*(Field(name, name, "hidden", limit=500) for name in values), PIN, key="confirm")
    shown = Filled({name: str(value) for name, value in values.items()}, errors=filled.errors if filled else {})
    body, sheets = form.show(action, shown, submit=button)
    head = [parts.hero(big, small), parts.card(parts.facts(facts))]
    if warning:
        head.append(parts.notice(warning, "spam"))
    return Screen(title, join([*head, body]), back=back, close=True, sheets=sheets)


def pin_given(db: Database, visit: Visit) -> Filled:
    """The submitted PIN, with errors."""
    filled = Form(PIN).read(visit)
    if error := wrong_pin(db, filled["pin"]):
        return Filled(errors={"pin": error})
    return Filled()
