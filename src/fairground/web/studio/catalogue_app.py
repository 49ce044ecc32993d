"""The page of an app: description, screenshots, endpoints and scenarios."""

from __future__ import annotations

import inspect
import typing

from fairground.core import MissingPrerequisite
from fairground.report.html import Child, Html, tag
from fairground.web.shell import fact, pill, table
from fairground.web.studio.catalogue_counts import Shelf
from fairground.web.studio.catalogue_looks import Looks
from fairground.web.studio.catalogue_parts import Reader, census_facts, crumbs, proof_fault, prose, scenario_table
from fairground.worlds import App, Argument, Endpoint, Inspector, Surface, package_versions
from fairground.worlds.census import add_up

_AXES = (
    ("profile", "Profiles", "The data in the app."),
    ("theme", "Themes", "The app's appearance."),
    ("ui_state", "UI states", "The app's state at the start."),
)


def app_page(shelf: Shelf, looks: Looks, reader: Reader) -> list[Child]:
    """Render the page."""
    suite, app = shelf.suite, shelf.app
    width, height = app.screen.size
    census = add_up(shelf.counts)
    screen = "desktop" if app.screen.has_desktop else "page"
    return [
        crumbs(("/catalogue", "Catalogue"), (f"/catalogue/{suite.name}", suite.title)),
        tag("h1", app.title or app.name),
        tag("div", [tag("p", prose(part)) for part in _about(app)], class_="lead"),
        census_facts(census, ("Screen", f"{screen} {width} x {height}")),
        proof_fault(reader, shelf),
        _looks(shelf, looks, looks.said(commands=reader.commands)),
        tag("section", tag("h2", "Scenarios"), scenario_table((shelf,), label="Scenarios"), class_="card"),
        _endpoints(app.inspector),
        _packages(app),
    ]


def look_path(shelf: Shelf, axis: str, value: str) -> str:
    """Return the URL of a screenshot."""
    return f"{shelf.path}/looks/{axis}/{value}"


def _about(app: App) -> list[str]:
    """Render the author's description."""
    text = inspect.cleandoc(type(app).__doc__ or "")
    return [" ".join(part.split()) for part in text.partition("\nAttributes:")[0].split("\n\n") if part.strip()]


def _looks(shelf: Shelf, looks: Looks, fault: str) -> Html:
    axes = {"profile": shelf.app.profiles, "theme": shelf.app.themes, "ui_state": shelf.app.ui_states}
    parts = []
    for axis, title, about in _AXES:
        values = list(axes[axis])
        figures = [_figure(shelf, axis, value, (axis, value) in looks.ready) for value in values]
        count = tag("span", f"{len(values)}", class_="muted")
        hint = about if len(values) > 1 else f"{about} This app has only one."
        parts.append(tag("h3", title, " ", count))
        parts.append(tag("p", hint, class_="muted small"))
        parts.append(tag("div", figures, class_=f"looks {shape(shelf.app)}"))
    status = tag("p", fault or None, class_="note odd", role="status", hidden=not fault, data_said=True)
    again = tag("button", "Try again", type="button", class_="plain", hidden=not fault, data_again=True)
    return tag(
        "section", tag("h2", "Screenshots"), status, again, parts, class_="card",
        data_looks=f"/api{shelf.path}/looks",
    )  # fmt: skip


def _figure(shelf: Shelf, axis: str, value: str, ready: bool) -> Html:
    width, height = shelf.app.screen.size
    path = look_path(shelf, axis, value)
    alt = f"{shelf.app.title} with {axis.replace('_', ' ')} {value}"
    size = {"width": width, "height": height}
    picture = tag("a", tag("img", src=path, alt=alt, loading="lazy", **size), href=path) if ready else None
    frame = tag("div", picture, class_="frame", data_look=f"{axis}/{value}", data_alt=alt)
    return tag("figure", frame, tag("figcaption", value))


def shape(app: App) -> str:
    """Return `tall` for a phone, `broad` for a desktop."""
    return "tall" if app.screen.size[1] > app.screen.size[0] else "broad"


def _packages(app: App) -> Html | None:
    if not app.packages:
        return None
    facts = []
    for name in app.packages:
        try:
            version: Child = package_versions([name])[name]
        except MissingPrerequisite:
            version = pill("not installed", "odd")
        facts.append(fact(name, version))
    intro = tag("p", "The Debian packages of this app, as installed on this machine.", class_="muted")
    return tag("section", tag("h2", "Packages"), intro, tag("dl", facts, class_="facts"), class_="card")


def _endpoints(inspector: Inspector | None) -> Html | None:
    if inspector is None or not inspector.endpoints:
        return None
    intro = (
        f"{len(inspector.endpoints)} queries on the recorded state, for checks and for ",
        tag("code", "fairground inspect"),
        ".",
    )
    groups = []
    for surface in typing.get_args(Surface):
        endpoints = [endpoint for endpoint in inspector.endpoints if endpoint.surface == surface]
        if endpoints:
            rows = [_endpoint(endpoint) for endpoint in endpoints]
            title = tag("summary", surface.capitalize(), tag("span", f" {len(endpoints)}", class_="muted"))
            shown = table(("Endpoint", "Result"), rows, label=f"Endpoints: {surface}", class_="endpoints")
            groups.append(tag("details", title, shown))
    channels = [[tag("code", name), prose(about)] for name, about in inspector.channels.items()]
    return tag(
        "section",
        tag("h2", "Endpoints"),
        tag("p", intro, class_="muted"),
        table(("Channel", "Content"), channels, label="Channels") if channels else None,
        groups,
        class_="card",
        id="endpoints",
    )


def _endpoint(endpoint: Endpoint) -> list[Child]:
    words = " ".join(f"{part.name}=…" if part.required else f"[{part.name}=…]" for part in endpoint.arguments)
    parameters = [
        tag("li", tag("code", part.name), ": ", prose(part.help), _default(part))
        for part in endpoint.arguments
        if part.help
    ]
    return [
        (
            tag("code", f"{endpoint.name} {words}".strip()),
            " ",
            pill("check", "good") if endpoint.kind == "check" else None,
        ),
        (
            tag("p", prose(endpoint.summary)),
            tag("p", prose(" ".join(endpoint.about.split())), class_="muted small") if endpoint.about else None,
            tag("ul", parameters, class_="small") if parameters else None,
        ),
    ]


def _default(part: Argument) -> str:
    return "" if part.required or part.default in (None, "") else f" (default: {part.default})"
