"""Page layout of the site (head, navigation bar, main, footer) and small HTML components."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

import fairground
from fairground.report.html import Child, Html, tag
from fairground.web.door import TOKEN_FIELD
from fairground.web.visit import visitor_of

PLACES: Final = (
    ("/catalogue", "Catalogue"),
    ("/runs", "Runs"),
    ("/live", "Live"),
    ("/arena", "Arena"),
    ("/leaderboard", "Leaderboard"),
)
"""Entries of the navigation bar. A page names its entry with the `place` argument."""


def page(
    request: Request,
    title: str,
    *content: Child,
    place: str = "",
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    wide: bool = False,
    status: int = 200,
) -> Response:
    """Render a complete page.

    Args:
        request: The current request.
        title: Title of the browser window. Pages write their own `h1`.
        content: Content of `main`.
        place: Entry of the navigation bar to highlight.
        scripts: Files in `static/site` to load as modules, besides `site.js`.
        styles: Files in `static/site` to load, besides `site.css`.
        wide: Use the full width of the window.
        status: HTTP status of the response.
    """
    visitor = visitor_of(request)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="token", content=visitor.token),
        tag("title", f"{title} · Fairground"),
        tag("link", rel="icon", href=asset(request, "icon.svg")),
        [tag("link", rel="stylesheet", href=asset(request, name)) for name in ("theme.css", "site.css", *styles)],
        # Not a module: modules are deferred, and the theme must be set before the first paint.
        tag("script", src=asset(request, "theme.js")),
        [tag("script", type="module", src=asset(request, name)) for name in ("site.js", *scripts)],
    )
    links = [tag("a", name, href=path, aria_current="page" if path == place else None) for path, name in PLACES]
    role = visitor.person.role
    bar = tag(
        "header",
        tag("a", tag("span", class_="tent", aria_hidden="true"), "Fairground", href="/", class_="brand"),
        tag("nav", links, tag("a", "Admin", href="/admin", aria_current="page" if place == "/admin" else None)
            if role == "admin" else None, aria_label="Main"),
        tag("span", role, class_="role", title="Your role"),
        tag("button", "Theme", type="button", id="theme", class_="quiet", aria_label="Switch between light and dark"),
        class_="bar",
    )  # fmt: skip
    body = tag(
        "body",
        tag("a", "Skip to content", href="#main", class_="skip"),
        tag("div", class_="awning", aria_hidden="true"),
        bar,
        tag("main", *content, id="main", class_="wide" if wide else None, tabindex="-1"),
        tag("footer", tag("p", f"Fairground {fairground.__version__}")),
        tag("div", id="toasts", role="status", aria_live="polite"),
    )
    return HTMLResponse(f"<!doctype html>\n{tag('html', head, body, lang='en')}\n", status)


def trouble_page(request: Request, status: int, said: str, fix: str | None, *, as_json: bool) -> Response:
    """Render an error as a page, or as JSON for programs."""
    if as_json:
        return JSONResponse({"error": said, "fix": fix}, status)
    title = said[:1].upper() + said[1:]
    back = tag("p", tag("a", "Back to the start page", href="/"))
    section = tag("section", tag("h1", title), tag("p", fix) if fix else None, back, class_="card narrow")
    return page(request, str(status), section, status=status)


def form(request: Request, action: str, *content: Child, class_: str | None = None, id_: str | None = None) -> Html:
    """Render a form that includes this person's CSRF token."""
    token = tag("input", type="hidden", name=TOKEN_FIELD, value=visitor_of(request).token)
    return tag("form", token, *content, action=action, method="post", class_=class_, id=id_)


def table(heads: Sequence[Child], rows: Iterable[Sequence[Child]], *, label: str, class_: str = "") -> Html:
    """Render a table that scrolls horizontally when it is wider than the page."""
    body = [tag("tr", [tag("td", cell) for cell in row]) for row in rows]
    inner = tag(
        "table", tag("thead", tag("tr", [tag("th", head, scope="col") for head in heads])), tag("tbody", body),
        class_=class_ or None,
    )  # fmt: skip
    return tag("div", inner, class_="scrolls", tabindex="0", role="region", aria_label=label)


def pill(text: str, kind: str = "") -> Html:
    """Render a short status label. `kind` is `good`, `bad`, `odd` or empty."""
    return tag("span", text, class_=f"pill {kind}".strip())


def empty(title: str, *how: Child) -> Html:
    """Render an empty state: a title and what to do next."""
    return tag("div", tag("h2", title), tag("p", *how), class_="empty")


def fact(name: str, value: Child) -> Html:
    """Render one name and value, for use in `tag("dl", ..., class_="facts")`."""
    return tag("div", tag("dt", name), tag("dd", value))


def asset(request: Request, name: str) -> str:
    """Return the URL of a file in `static/site`."""
    return f"{request.app.state.assets}/{name}"
