"""Settings of the vote filters: their meaning, their values and the history of changes."""

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

_LISTED: Final = 50  # maximum number of changes on the page
_LABELS: Final = {
    "duplicates": "Flag repeated custom tasks",
    "off_topic": "Flag custom tasks that need no computer",
    "shortest": "Minimum length of a custom task, in letters",
    "phrases": "Custom tasks that need no computer, one per line",
    "too_fast": "Minimum seconds before a vote",
    "outlier_level": "Significance level for voters who disagree with others",
    "min_shared": "Minimum number of battles shared with other voters",
    "identified": "Flag votes on battles in which an agent typed its name",
}
_MEANING: Final = {
    "duplicate": ("Only a person's first vote on the same custom task counts.", ("duplicates",)),
    "off-topic": (
        "Greetings, sums and jokes are built in. Add what your users try. The whole task is compared, ignoring case "
        "and punctuation.",
        ("off_topic", "shortest", "phrases"),
    ),
    "too-fast": ("Counted from the moment both agents are done. 0 flags nobody.", ("too_fast",)),
    "outlier": (
        "A voter who answers at random disagrees with the others half of the time. A voter is flagged if random "
        "answers would disagree this often with a probability below this level. 0 flags nobody.",
        ("outlier_level", "min_shared"),
    ),
    "identified": (
        "Text is redacted before the vote, but screens are not. An agent that types its name may have shown it to "
        "everyone who judged the battle.",
        ("identified",),
    ),
    "after-reveal": (
        "Names are shown after a person's first vote. If they change their vote after that, the change is stored, "
        "and the earlier version counts. A vote is flagged only if the person knew the names before their first "
        "vote. This filter cannot be switched off.",
        (),
    ),
}


class Change(Record):
    """A change of the settings."""

    number: int
    changed: float | None = Field(description="Null for the initial settings.")
    person: str = Field(description="First letters of the ID of the admin who made it.")
    settings: FilterSettings


class Settings(Record):
    """Current filter settings, their history, and the number of votes they flagged."""

    number: int = Field(description="Number of the last change; send it with a new change.")
    settings: FilterSettings
    changes: list[Change] = Field(description="Newest first.")
    flagged: dict[str, int]


class NewSettings(FilterSettings):
    """New filter settings. Omitted settings stay as they are."""

    after: int = Field(ge=0, le=1_000_000_000, description="Number of the change that these settings are based on.")


@router.get("/admin/filters", include_in_schema=False)
def show(request: Request, admin: Admin) -> Response:
    """Show the settings and their history."""
    store = site_of(request).store
    versions, counts = settings_versions(store), flag_counts(store)
    newest = versions[0]
    parts = [_filter(reason, about, names, newest.settings) for reason, (about, names) in _MEANING.items()]
    facts = [fact(reason, f"{counts.get(reason, 0):,}") for reason in REASONS]
    changes = [_row(version, admin.id) for version in versions[: _LISTED + 1] if version.changed is not None]
    return frame(
        request,
        "Filters",
        tag("p", "Filters flag votes that should not count. They never delete a vote, and they do not flag a vote "
                 "again after an admin has cleared the flag. Saving runs the filters on all votes "
                 "again.", class_="lead"),
        tag("dl", facts, class_="facts"),
        sending(
            "/api/admin/filters/settings",
            tag("input", type="hidden", name="after", value=newest.number, data_number=True),
            parts,
            tag("div", tag("button", "Save and run the filters", type="submit"),
                tag("a", "Show the votes", href="/admin/votes?flagged=true", class_="button plain"), class_="row"),
            class_="settings",
        ),
        tag("section", tag("h2", "History"), table(("When", "Who", "What"), changes, label="History"), class_="card")
        if changes else tag("p", "No changes yet.", class_="muted"),
    )  # fmt: skip


@router.get("/api/admin/filters/settings", responses=TROUBLES, tags=["admin"])
def look(request: Request) -> Settings:
    """Return the filter settings and their history."""
    store = site_of(request).store
    versions = settings_versions(store)
    changes = [Change(**_told(version)) for version in versions]
    return Settings(
        number=versions[0].number, settings=versions[0].settings, changes=changes, flagged=flag_counts(store)
    )


@router.post("/api/admin/filters/settings", responses=TROUBLES, tags=["admin"])
def change(request: Request, admin: Admin, wanted: NewSettings) -> Settings:
    """Change the filter settings and run the filters on all votes again. Votes themselves are not changed."""
    store = site_of(request).store
    changed = wanted.model_dump(exclude={"after"}, exclude_unset=True)
    change_settings(store, admin, current_settings(store).model_copy(update=changed), after=wanted.after)
    apply_filters(store)
    return look(request)


def _told(version: SettingsVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "changed": version.changed,
        "person": version.person[:8],
        "settings": version.settings,
    }


def _filter(reason: str, about: str, names: tuple[str, ...], settings: FilterSettings) -> Html:
    fields = [_field(name, getattr(settings, name)) for name in names]
    return tag("section", tag("h2", reason.replace("-", " ").capitalize()), tag("p", about, class_="muted"),
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
    """Return the allowed minimum and maximum of a number."""
    known = FilterSettings.model_fields[name].metadata
    least = next(name.ge for name in known if hasattr(name, "ge"))
    return least, next(name.le for name in known if hasattr(name, "le"))


def _row(version: SettingsVersion, reader: str) -> tuple[Child, ...]:
    assert version.changed is not None
    what = [
        tag("p", _LABELS[name], ": ", words(_said(old)), " → ", words(_said(getattr(version.settings, name))))
        for name, old in version.before
    ]
    who = "you" if version.person == reader else tag("code", version.person[:8])
    return moment(version.changed), who, what


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return f"{value:g}"
