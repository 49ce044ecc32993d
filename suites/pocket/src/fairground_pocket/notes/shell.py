"""Components of every screen: bars, navigation, confirmation sheet, toast, and the page around them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from fairground_pocket.kit.markup import Html, html, join
from fairground_pocket.notes.icons import icon
from fairground_pocket.notes.themes import THEMES, stylesheet

STYLE: Final = stylesheet(files(__package__).joinpath("static/notes.css").read_text(encoding="utf-8"))
SCRIPT: Final = files(__package__).joinpath("static/notes.js").read_text(encoding="utf-8")
_VERSION: Final = hashlib.blake2b((STYLE + SCRIPT).encode(), digest_size=6).hexdigest()

_PLACES: Final = (("notes", "/", "Notes"), ("trash", "/trash", "Trash"), ("settings", "/settings", "Settings"))


@dataclass(frozen=True)
class Toast:
    """A short message about the last action; `undo` is the address that reverts it, `back` the screen to return to."""

    text: str
    undo: str = ""
    back: str = "list"


def empty_state(symbol: str, text: str) -> Html:
    """A placeholder for an empty list."""
    return html('<div class="empty">{icon}<p>{text}</p></div>', icon=icon(symbol), text=text)


def post_button(where: str, name: str, inside: Html, *, back: str, on: bool = False) -> Html:
    """A button in the bar that submits a change; `on` shows that it is switched on."""
    return html(
        '<form method="post" action="{where}"><input type="hidden" name="back" value="{back}">'
        '<button class="action{on}" aria-label="{name}">{inside}</button></form>',
        where=where,
        back=back,
        on=" on" if on else "",
        name=name,
        inside=inside,
    )


def sheet(question: str, text: str, where: str, name: str) -> Html:
    """A sheet that opens from below while the address ends in #sheet, so that going back closes it."""
    return html(
        '<div class="sheet" id="sheet" role="dialog" aria-modal="true" aria-labelledby="question">'
        '<a class="scrim" href="#" tabindex="-1" aria-hidden="true"></a>'
        '<div class="panel"><h2 id="question">{question}</h2><p>{text}</p>'
        '<form method="post" action="{where}"><button class="wide danger">{name}</button></form>'
        '<a class="wide quiet" href="#">Cancel</a></div></div>',
        question=question,
        text=text,
        where=where,
        name=name,
    )


def root_bar(title: str, here: str) -> Html:
    """The bar of a top-level screen, with the navigation to the others."""
    links = join(
        html(
            '<a href="{where}"{current}>{icon}<span>{name}</span></a>',
            where=where,
            current=Html(' aria-current="page"') if key == here else "",
            icon=icon(key),
            name=name,
        )
        for key, where, name in _PLACES
    )
    return html('<header class="bar root"><h1>{}</h1></header><nav class="places">{}</nav>', title, links)


def bar(back: str, title: str, actions: Html, *, close: bool = False) -> Html:
    """The bar of a screen with a back arrow; `close` if leaving discards what was written."""
    return html(
        '<header class="bar"><a class="action" href="{back}" aria-label="{name}">{icon}</a>'
        '<p class="heading">{title}</p>{actions}</header>',
        back=back,
        name="Cancel" if close else "Back",
        icon=icon("close" if close else "back"),
        title=title,
        actions=actions,
    )


def page(
    theme: str, title: str, kind: str, top: Html, main: Html, *, toast: Toast | None = None, ask: Html | None = None
) -> Html:
    """A complete document.

    Args:
        theme: Name of the theme.
        title: Title of the document.
        kind: Name of the screen, for the stylesheet.
        top: The bar.
        main: Content between bar and bottom.
        toast: The message about the last action.
        ask: The confirmation sheet.
    """
    return html(
        '<!doctype html><html lang="en" data-theme="{theme}" data-layout="{layout}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        '<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css?{version}">'
        '<script src="/notes.js?{version}" defer></script></head>'
        '<body class="screen-{kind}">{top}<main>{main}</main>{toast}{ask}</body></html>\n',
        theme=theme,
        layout=THEMES[theme]["layout"],
        title=title,
        version=_VERSION,
        kind=kind,
        top=top,
        main=main,
        toast=_toast(toast),
        ask=ask or "",
    )


def _toast(toast: Toast | None) -> Html:
    """The toast stays until the next screen. With a timeout, the same step could look different each time."""
    if toast is None:
        return Html()
    undo = ""
    if toast.undo:
        undo = html(
            '<form method="post" action="{where}"><input type="hidden" name="back" value="{back}">'
            "<button>Undo</button></form>",
            where=toast.undo,
            back=toast.back,
        )
    return html('<div class="toast" role="status"><span>{text}</span>{undo}</div>', text=toast.text, undo=undo)
