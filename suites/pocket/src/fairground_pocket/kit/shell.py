"""The page around an app's screen: status line, bar, tabs, toast, sheets, home bar."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.resources import files
from typing import Final

from fairground_pocket.kit.formats import day_in_full
from fairground_pocket.kit.icons import icon
from fairground_pocket.kit.markup import Html, html, join
from fairground_pocket.kit.themes import THEMES, stylesheet

HOME: Final = "Home screen"
"""Name of the bar below every page that links to the launcher, also from an open sheet."""

_CSS: Final = stylesheet(files(__package__).joinpath("static/kit.css").read_text(encoding="utf-8"))
_JS: Final = files(__package__).joinpath("static/kit.js").read_text(encoding="utf-8")
_VERSION: Final = hashlib.blake2b((_CSS + _JS).encode(), digest_size=6).hexdigest()

FILES: Final = {
    "/kit/style.css": (_CSS, "text/css"),
    "/kit/kit.js": (_JS, "text/javascript"),
}
"""Static files: path -> text and content type."""

_SIGNS: Final = Html(
    '<svg viewBox="0 0 44 14" aria-hidden="true"><path d="M0 13V9h3v4zM5 13V6h3v7zM10 13V3h3v10z"/>'
    '<path d="M22 3h17v9H22zM40 6h2v3h-2z" fill-rule="evenodd"/></svg>'
)


@dataclass(frozen=True)
class Tab:
    """A tab: one of the app's top-level screens."""

    key: str
    name: str
    href: str
    icon: str


@dataclass(frozen=True)
class Toast:
    """A short message about the last action; `undo` is the address that reverts it."""

    text: str
    undo: str = ""


@dataclass(frozen=True)
class Screen:
    """What an app shows. A handler returns one; the phone adds the theme and the rest of the page.

    Attributes:
        title: Title in the bar and of the document.
        body: Content between bar and tabs.
        tab: Key of the open tab. Tabs are shown only if it is set, on top-level screens.
        back: Address of the bar's back arrow; a top-level screen has none.
        close: Show a cross named Cancel instead of the arrow: leaving discards what was written.
        subtitle: Text below the title.
        actions: Elements at the right of the bar, such as `bar_link` and `icon_button` of `parts`.
        sheets: Sheets that can open; see `parts.sheet`.
        fab: The floating button; see `parts.fab`.
        badges: Numbers on tabs, by their keys.
    """

    title: str
    body: Html
    tab: str = ""
    back: str = ""
    close: bool = False
    subtitle: str = ""
    actions: Sequence[Html] = ()
    sheets: Sequence[Html] = ()
    fab: Html = field(default_factory=Html)
    badges: dict[str, int] = field(default_factory=dict)


def document(screen: Screen, tabs: Sequence[Tab], theme: str, now: datetime, toast: Toast | None = None) -> Html:
    """A complete page in a theme."""
    shown = tabs if screen.tab else ()
    body = html(
        '<body class="{has_tabs}">{status}<div class="frame">{bar}{tabs}<main>{body}</main>{fab}{toast}</div>'
        '{sheets}<a class="home" href="/" aria-label="{home}"></a></body>',
        has_tabs="has-tabs" if shown else "no-tabs",
        status=_status(now),
        bar=_bar(screen),
        tabs=_tabs(shown, screen),
        body=screen.body,
        fab=screen.fab,
        toast=_toast(toast),
        sheets=join(screen.sheets),
        home=HOME,
    )
    return _document(screen.title, theme, body)


def launcher(apps: Sequence[tuple[str, str, str]], theme: str, now: datetime) -> Html:
    """The home screen with one link per app; each app is given as (name, address, icon)."""
    links = join(
        html(
            '<li><a href="{href}" aria-label="{name}"><i class="tint-{tint}">{icon}</i><span>{name}</span></a></li>',
            href=href,
            name=name,
            tint=number % 8,
            icon=icon(symbol),
        )
        for number, (name, href, symbol) in enumerate(apps)
    )
    body = html(
        '<body class="launcher">{status}<div class="frame"><main><p class="clock"><b>{time}</b>{day}</p>'
        '<ul class="apps" aria-label="Apps">{links}</ul></main></div>'
        '<a class="home" href="/" aria-label="{home}"></a></body>',
        status=_status(now),
        time=f"{now:%H:%M}",
        day=day_in_full(now.date()),
        links=links,
        home=HOME,
    )
    return _document(HOME, theme, body)


def _document(title: str, theme: str, body: Html) -> Html:
    layout = join(html(' data-{key}="{value}"', key=key, value=value) for key, value in THEMES[theme]["layout"].items())
    return html(
        '<!doctype html><html lang="en" data-theme="{theme}"{layout}><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/kit/style.css?{version}">'
        '<script src="/kit/kit.js?{version}" defer></script></head>{body}</html>\n',
        theme=theme,
        layout=layout,
        title=title,
        version=_VERSION,
        body=body,
    )


def _status(now: datetime) -> Html:
    return html('<div class="status"><span>{}</span>{}</div>', f"{now:%a} {now.day} {now:%b}  {now:%H:%M}", _SIGNS)


def _bar(screen: Screen) -> Html:
    back = Html()
    if screen.back:
        back = html(
            '<a class="action" href="{href}" aria-label="{name}">{icon}</a>',
            href=screen.back,
            name="Cancel" if screen.close else "Back",
            icon=icon("close" if screen.close else "back"),
        )
    return html(
        '<header class="bar{root}">{back}<div class="heading"><h1 dir="auto">{title}</h1>{subtitle}</div>{actions}'
        "</header>",
        root="" if screen.back else " root",
        back=back,
        title=screen.title,
        subtitle=html('<small dir="auto">{}</small>', screen.subtitle) if screen.subtitle else "",
        actions=join(screen.actions),
    )


def _tabs(tabs: Sequence[Tab], screen: Screen) -> Html:
    if not tabs:
        return Html()
    links = join(
        html(
            '<a href="{tab.href}" aria-label="{tab.name}"{current}>{icon}<span>{tab.name}</span>{count}</a>',
            tab=tab,
            current=Html(' aria-current="page"') if tab.key == screen.tab else "",
            icon=icon(tab.icon),
            count=html('<b class="count">{}</b>', min(screen.badges[tab.key], 99))
            if screen.badges.get(tab.key)
            else "",
        )
        for tab in tabs
    )
    return html('<nav class="tabs" aria-label="Tabs">{}</nav>', links)


def _toast(toast: Toast | None) -> Html:
    """The toast stays until the next page. With a timeout, the same step could look different each time."""
    if toast is None:
        return Html()
    undo = Html()
    if toast.undo:
        undo = html('<form method="post" action="{}"><button>Undo</button></form>', toast.undo)
    return html('<div class="toast" role="status"><span dir="auto">{}</span>{}</div>', toast.text, undo)
