"""The last step before money moves: what is about to happen, in words, and the PIN."""

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
        title: Of the page.
        big: The amount.
        small: What happens to it.
        facts: The details.
        action: Where the form is sent, with `values` in it.
        values: Everything that the answer must know again.
        button: What confirming is called.
        back: Where giving up leads.
        filled: What was sent and refused.
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
    """The PIN that was sent, with what is wrong with it."""
    filled = Form(PIN).read(visit)
    if error := wrong_pin(db, filled["pin"]):
        return Filled(errors={"pin": error})
    return Filled()
