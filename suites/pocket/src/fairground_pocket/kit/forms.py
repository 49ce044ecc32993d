"""Forms as data: fields, validation and error messages. No native pickers, so that agents only need to tap."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, Literal

from fairground_pocket.kit import formats
from fairground_pocket.kit.icons import icon
from fairground_pocket.kit.markup import Html, html, join

if TYPE_CHECKING:
    from fairground_pocket.kit.site import Visit

Kind = Literal["text", "area", "secret", "radio", "sheet", "checks", "toggle", "stepper", "date", "hidden"]

_STEP: Final = "_step"
_MAX_DAYS: Final = 400
_SIDE_BY_SIDE, _BRIEF = 3, 12  # maximum number of options; each must be shorter than this


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        name: Its name in the submitted form.
        label: The visible and accessible name.
        kind: `text`; `area` (several lines); `secret` (dots); `radio` (rows, all in view); `sheet` (rows in a sheet
            that the field opens); `checks` (several of the options); `toggle` (yes or no, sent as `1`); `stepper`
            (less and more); `date` (a sheet with a calendar, sent as `2025-03-14`); `hidden`.
        required: Whether an empty value is refused.
        limit: Maximum number of characters.
        options: For `radio`, `sheet` and `checks`: (value, text) in order, optionally with a note as third item.
        low: For `stepper`, the minimum; for `date`, the days from `start` to the first selectable day.
        high: The maximum.
        start: For `date`, the day from which the calendar counts.
        hint: Text below the field.
        check: Returns what is wrong with a non-empty value, or None.
        keyboard: `text`, `numeric`, `decimal`, `email`, `tel`.
        half: For `text`, `sheet` and `date`: two such fields in a row are placed side by side.
    """

    name: str
    label: str
    kind: Kind = "text"
    required: bool = False
    limit: int = 200
    options: Sequence[tuple[str, ...]] = ()
    low: int = 0
    high: int = 99
    start: date = date(2025, 1, 1)
    hint: str = ""
    check: Callable[[str], str | None] | None = None
    keyboard: str = "text"
    half: bool = False


@dataclass(frozen=True)
class Filled:
    """The values of a form, initial or submitted, with the errors."""

    values: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ticked options of `checks` fields."""
    errors: Mapping[str, str] = field(default_factory=dict)
    again: bool = False
    """A stepper's button was pressed, so the form is only shown again."""

    @property
    def ok(self) -> bool:
        return not self.errors and not self.again

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    def wrong(self, name: str, message: str) -> Filled:
        """A copy with one more error."""
        return replace(self, errors={**self.errors, name: message})


class Form:
    """A form that can be shown and read.

    Args:
        fields: The fields, in order.
        key: The form's id on the page, for `parts.submit`.
    """

    def __init__(self, *fields: Field, key: str = "form") -> None:
        self.fields = fields
        self.key = key

    def read(self, visit: Visit) -> Filled:
        """The submitted values, trimmed, with all errors."""
        values: dict[str, str] = {}
        chosen: dict[str, tuple[str, ...]] = {}
        errors: dict[str, str] = {}
        step = visit.form(_STEP)
        for entry in self.fields:
            if entry.kind == "checks":
                sent = set(visit.forms(entry.name))
                chosen[entry.name] = tuple(option[0] for option in entry.options if option[0] in sent)
                error = f"Choose {entry.label.lower()}" if entry.required and not chosen[entry.name] else None
            else:
                raw = visit.form(entry.name)
                value = raw.rstrip() if entry.kind == "area" else " ".join(raw.split())
                values[entry.name], error = _accept(entry, value, step)
            if error and not step:
                errors[entry.name] = error
        return Filled(values, chosen, errors, again=bool(step))

    def show(
        self, action: str, filled: Filled | None = None, *, submit: str = "", extra: Html | None = None
    ) -> tuple[Html, list[Html]]:
        """The form, and the sheets that its fields open: pass those to the `Screen`.

        Args:
            action: The address it is submitted to.
            filled: Its values.
            submit: Name of a wide button below; leave it out if the bar has one (`parts.submit`).
            extra: More markup before the button.
        """
        filled = filled or Filled()
        body = join(self._field(entry, filled) for entry in self.fields)
        sheets = [self._sheet(entry, filled) for entry in self.fields if entry.kind in ("sheet", "date")]
        # Return presses the first button of a form: it must not be a button of a stepper.
        first = html('<button class="wide" aria-label="{0}">{0}</button>', submit) if submit else Html()
        guard = Html('<button hidden tabindex="-1" aria-hidden="true"></button>')
        return html(
            '<form class="form" id="{}" method="post" action="{}" novalidate>{}{}{}{}</form>',
            self.key, action, guard, body, extra or Html(), first,
        ), sheets  # fmt: skip

    def _field(self, entry: Field, filled: Filled) -> Html:
        value, error = filled[entry.name], filled.errors.get(entry.name)
        below = html('<em class="error" role="alert">{}</em>', error) if error else Html()
        if entry.hint:
            below = join([below, html('<span class="hint">{}</span>', entry.hint)])
        wrong = Html(' aria-invalid="true"') if error else Html()
        half = " half" if entry.half else ""
        match entry.kind:
            case "hidden":
                return html('<input type="hidden" name="{}" value="{}">', entry.name, value)
            case "text" | "secret":
                return html(
                    '<label class="field{half}"><span>{entry.label}</span><input name="{entry.name}" value="{value}" '
                    'type="{type}" inputmode="{entry.keyboard}" maxlength="{entry.limit}" aria-label="{entry.label}" '
                    'dir="auto" autocomplete="off"{wrong}>{below}</label>',
                    entry=entry, value=value, type="password" if entry.kind == "secret" else "text", wrong=wrong,
                    below=below, half=half,
                )  # fmt: skip
            case "area":
                return html(
                    '<label class="field"><span>{entry.label}</span><textarea name="{entry.name}" dir="auto" '
                    'maxlength="{entry.limit}" aria-label="{entry.label}"{wrong}>\n{value}</textarea>{below}</label>',
                    entry=entry, value=value, wrong=wrong, below=below,
                )  # fmt: skip
            case "radio" | "checks":
                return html(
                    '<fieldset class="choices{}" aria-label="{}"><legend>{}</legend>{}{}</fieldset>',
                    " segments" if _short(entry) else "", entry.label, entry.label, self._options(entry, filled), below,
                )  # fmt: skip
            case "toggle":
                return html(
                    '<label class="choice toggle"><input type="checkbox" name="{entry.name}" value="1" '
                    'aria-label="{entry.label}"{checked}><i></i><span>{entry.label}</span></label>{below}',
                    entry=entry, checked=Html(" checked") if value == "1" else "", below=below,
                )  # fmt: skip
            case "stepper":
                return self._stepper(entry, value, below)
            case "sheet" | "date":
                return html(
                    '<div class="field{half}"><span>{entry.label}</span><a class="pick" href="#{key}" '
                    'data-shows="{key}" aria-label="{entry.label}"{wrong}><span dir="auto">{shown}</span>{icon}</a>'
                    "{below}</div>",
                    entry=entry, key=self._sheet_key(entry), shown=_shown(entry, value) or "Choose",
                    wrong=wrong, icon=icon("calendar" if entry.kind == "date" else "down"), below=below, half=half,
                )  # fmt: skip

    def _stepper(self, entry: Field, value: str, below: Html) -> Html:
        number = value or str(entry.low)
        less, more = (
            html(
                '<button class="step" name="{step}" value="{entry.name}:{by}" aria-label="{word} {entry.label}">{icon}'
                "</button>",
                step=_STEP, entry=entry, by=by, word=word, icon=icon(symbol),
            )
            for by, word, symbol in ((-1, "Less", "minus"), (1, "More", "plus"))
        )  # fmt: skip
        return html(
            '<div class="stepper"><span>{}{}</span>{}<output>{}</output>{}'
            '<input type="hidden" name="{}" value="{}"></div>',
            entry.label, below, less, number, more, entry.name, number,
        )  # fmt: skip

    def _options(self, entry: Field, filled: Filled) -> Html:
        several = entry.kind == "checks"
        ticked = filled.chosen.get(entry.name, ()) if several else (filled[entry.name],)
        return join(
            html(
                '<label class="choice"><input type="{type}" form="{form}" name="{name}" value="{value}" '
                'aria-label="{text}" data-text="{text}"{checked}><i></i><span dir="auto">{text}{note}</span></label>',
                type="checkbox" if several else "radio", form=self.key, name=entry.name, value=value, text=text,
                checked=Html(" checked") if value in ticked else "",
                note=html("<small>{}</small>", note[0]) if note else "",
            )
            for value, text, *note in entry.options
        )  # fmt: skip

    def _sheet_key(self, entry: Field) -> str:
        return f"{self.key}-{entry.name}"

    def _sheet(self, entry: Field, filled: Filled) -> Html:
        body = self._options(entry, filled) if entry.kind == "sheet" else self._calendar(entry, filled[entry.name])
        return html(
            '<div class="sheet" id="{key}" data-picks role="dialog" aria-modal="true" aria-label="{label}">'
            '<a class="scrim" href="#" tabindex="-1" aria-hidden="true"></a><div class="panel" tabindex="-1">'
            '<h2>{label}</h2>{body}<a class="wide quiet" href="#">Close</a></div></div>',
            key=self._sheet_key(entry), label=entry.label, body=body,
        )  # fmt: skip

    def _calendar(self, entry: Field, value: str) -> Html:
        first, last = entry.start + timedelta(days=entry.low), entry.start + timedelta(days=min(entry.high, _MAX_DAYS))
        months = []
        at = first.replace(day=1)
        while at <= last:
            after = (at + timedelta(days=32)).replace(day=1)
            cells = [Html("<span></span>")] * at.weekday()
            for number in range((after - at).days):
                day = at + timedelta(days=number)
                cells.append(self._day(entry, day, value) if first <= day <= last else html("<span></span>"))
            head = join(html('<span class="head" aria-hidden="true">{}</span>', word) for word in _WEEK)
            months.append(
                html('<p class="caption">{}</p><div class="days">{}{}</div>', f"{at:%B %Y}", head, join(cells))
            )
            at = after
        return join(months)

    def _day(self, entry: Field, day: date, value: str) -> Html:
        return html(
            '<label class="day"><input type="radio" form="{form}" name="{name}" value="{value}" aria-label="{text}" '
            'data-text="{text}"{checked}><span aria-hidden="true">{number}</span></label>',
            form=self.key, name=entry.name, value=day.isoformat(), text=formats.day(day), number=day.day,
            checked=Html(" checked") if day.isoformat() == value else "",
        )  # fmt: skip


_WEEK: Final = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")


def _shown(entry: Field, value: str) -> str:
    if entry.kind == "date":
        return formats.day(date.fromisoformat(value)) if value else ""
    return next((text for known, text, *_ in entry.options if known == value), "")


def _short(entry: Field) -> bool:
    """Whether its options fit side by side."""
    brief = all(len(text) < _BRIEF and not note for _, text, *note in entry.options)
    return entry.kind == "radio" and len(entry.options) <= _SIDE_BY_SIDE and brief


def _accept(entry: Field, value: str, step: str) -> tuple[str, str | None]:
    """The value as it is stored, and what is wrong with it."""
    if entry.kind == "stepper":
        number = int(value) if re.fullmatch(r"-?[0-9]{1,6}", value) else entry.low
        if step.startswith(f"{entry.name}:"):
            number += {"1": 1, "-1": -1}.get(step.partition(":")[2], 0)
        return str(min(max(number, entry.low), entry.high)), None
    if entry.kind == "toggle":
        return ("1" if value == "1" else "0"), None
    if entry.kind == "date":
        days = [entry.start + timedelta(days=day) for day in range(entry.low, min(entry.high, _MAX_DAYS) + 1)]
        value = value if value in {day.isoformat() for day in days} else ""
    if entry.kind in ("radio", "sheet"):
        value = value if value in {option[0] for option in entry.options} else ""
    if not value:
        return "", _missing(entry) if entry.required else None
    if len(value) > entry.limit:
        return value, f"{entry.label} can have {entry.limit} characters at most"
    return value, entry.check(value) if entry.check else None


def _missing(entry: Field) -> str:
    choose = entry.kind in ("radio", "sheet", "date")
    return f"Choose {entry.label[0].lower()}{entry.label[1:]}" if choose else f"{entry.label} is missing"
