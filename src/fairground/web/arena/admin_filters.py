"""The filters' settings: what each means, what it is, and who has changed it."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from fairground.arena import (
    FilterSettings,
    SettingsVersion,
    apply_filters,
    change_settings,
    current_settings,
    flag_counts,
    settings_versions,
)
from fairground.arena.filters import REASONS
from fairground.core import Record
from fairground.report.html import Child, Html, tag
from fairground.web.arena.admin_frame import ADMINS, TROUBLES, frame, moment, sending, words
from fairground.web.shell import fact, table
from fairground.web.visit import Admin, site_of

router = APIRouter(dependencies=ADMINS)

_LISTED: Final = 50  # changes on the page
_LABELS: Final = {
    "duplicates": "Mark repeated own tasks",
    "off_topic": "Mark own tasks that need no computer",
    "shortest": "Letters that an own task has at least",
    "phrases": "Own tasks that need no computer, one a line",
    "too_fast": "Seconds before which nobody can have looked",
    "outlier_level": "Chance under which disagreement is no accident",
    "min_shared": "Battles shared with others before that is said",
    "identified": "Mark votes on battles in which an agent typed a telling name",
}
_MEANING: Final = {
    "duplicate": ("Only the first vote of a person on the same words of their own counts.", ("duplicates",)),
    "off-topic": (
        "Greetings, sums and jokes are known. Add what your people try; only whole tasks are compared, "
        "without regard to case and punctuation.",
        ("off_topic", "shortest", "phrases"),
    ),
    "too-fast": ("Counted from when both agents were done. 0 marks none.", ("too_fast",)),
    "outlier": (
        "Whoever tosses a coin is against the others half of the time. Whoever is against them so often that a coin "
        "would do it with less than this chance does not judge. A chance of 0 marks nobody.",
        ("outlier_level", "min_shared"),
    ),
    "identified": (
        "Text is hidden before a vote, but a screen cannot be. An agent that types its name may have shown it to "
        "everybody who judged the battle.",
        ("identified",),
    ),
    "after-reveal": (
        "The first vote tells the names. A vote that is changed after that is kept, and the version before it counts. "
        "A vote is marked only when the person knew the names before their first one. This cannot be switched off.",
        (),
    ),
}


class Change(Record):
    """One change of the settings."""

    number: int
    changed: float | None = Field(description="Null for what an arena begins with.")
    person: str = Field(description="The first letters of who made it.")
    settings: FilterSettings


class Settings(Record):
    """What the filters look for, how they came to, and how many votes they have marked."""

    number: int = Field(description="Of the last change; a new one names it.")
    settings: FilterSettings
    changes: list[Change] = Field(description="The newest first.")
    flagged: dict[str, int]


class NewSettings(FilterSettings):
    """What the filters shall look for; what is not said stays as it is."""

    after: int = Field(ge=0, le=1_000_000_000, description="The number of the change that was looked at.")


@router.get("/admin/filters", include_in_schema=False)
def show(request: Request, admin: Admin) -> Response:
    """The settings, to be changed, and how they were changed."""
    store = site_of(request).store
    versions, counts = settings_versions(store), flag_counts(store)
    newest = versions[0]
    parts = [_filter(reason, said, names, newest.settings) for reason, (said, names) in _MEANING.items()]
    facts = [fact(reason, f"{counts.get(reason, 0):,}") for reason in REASONS]
    changes = [_row(one, admin.id) for one in versions[: _LISTED + 1] if one.changed is not None]
    return frame(
        request,
        "Filters",
        tag("p", "Filters mark votes that should not count. They never delete one, and what an admin has cleared they "
            "do not mark again. Saving looks at all votes anew.", class_="lead"),
        tag("dl", facts, class_="facts"),
        sending(
            "/api/admin/filters/settings",
            tag("input", type="hidden", name="after", value=newest.number, data_number=True),
            parts,
            tag("div", tag("button", "Save, and mark anew", type="submit"),
                tag("a", "See the votes", href="/admin/votes?flagged=true", class_="button plain"), class_="row"),
            class_="settings",
        ),
        tag("section", tag("h2", "Changes"), table(("When", "Who", "What"), changes, label="Changes"), class_="card")
        if changes else tag("p", "Nobody has changed them yet.", class_="muted"),
    )  # fmt: skip


@router.get("/api/admin/filters/settings", responses=TROUBLES, tags=["admin"])
def look(request: Request) -> Settings:
    """What the filters look for, and every change of it."""
    store = site_of(request).store
    versions = settings_versions(store)
    made = [Change(**_told(one)) for one in versions]
    return Settings(number=versions[0].number, settings=versions[0].settings, changes=made, flagged=flag_counts(store))


@router.post("/api/admin/filters/settings", responses=TROUBLES, tags=["admin"])
def change(request: Request, admin: Admin, wanted: NewSettings) -> Settings:
    """Changes what the filters look for, and has all votes looked at anew. No vote is touched."""
    store = site_of(request).store
    said = wanted.model_dump(exclude={"after"}, exclude_unset=True)
    change_settings(store, admin, current_settings(store).model_copy(update=said), after=wanted.after)
    apply_filters(store)
    return look(request)


def _told(one: SettingsVersion) -> dict[str, Any]:
    return {"number": one.number, "changed": one.changed, "person": one.person[:8], "settings": one.settings}


def _filter(reason: str, said: str, names: tuple[str, ...], settings: FilterSettings) -> Html:
    fields = [_field(name, getattr(settings, name)) for name in names]
    return tag("section", tag("h2", reason.replace("-", " ").capitalize()), tag("p", said, class_="muted"),
               tag("div", fields, class_="fields"), class_="card")  # fmt: skip


def _field(name: str, value: Any) -> Html:
    label = _LABELS[name]
    if isinstance(value, bool):
        return tag("label", tag("input", type="checkbox", name=name, checked=value), label, class_="switch")
    if isinstance(value, tuple):
        box = tag("textarea", "\n".join(value), name=name, rows=4, maxlength=20_000, data_lines=True, dir="auto")
        return tag("label", label, box, class_="grows")
    least, most = _limits(name)
    step = 1 if isinstance(value, int) else "any"
    return tag("label", label, tag("input", type="number", name=name, value=f"{value:g}", min=f"{least:g}",
                                   max=f"{most:g}", step=step, required=True))  # fmt: skip


def _limits(name: str) -> tuple[float, float]:
    """The ends that a number is checked against."""
    known = FilterSettings.model_fields[name].metadata
    least = next(one.ge for one in known if hasattr(one, "ge"))
    return least, next(one.le for one in known if hasattr(one, "le"))


def _row(one: SettingsVersion, reader: str) -> tuple[Child, ...]:
    assert one.changed is not None
    what = [
        tag("p", _LABELS[name], ": ", words(_said(old)), " → ", words(_said(getattr(one.settings, name))))
        for name, old in one.before
    ]
    who = "you" if one.person == reader else tag("code", one.person[:8])
    return moment(one.changed), who, what


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return f"{value:g}"
