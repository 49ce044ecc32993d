"""What every screen of the app is made of: bars, navigation, the sheet that asks, the toast, the page around it all."""

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
    """A word about what was just done; `undo` is where to take it back, `back` the screen to return to."""

    text: str
    undo: str = ""
    back: str = "list"


def empty_state(symbol: str, text: str) -> Html:
    """What stands where nothing is."""
    return html('<div class="empty">{icon}<p>{text}</p></div>', icon=icon(symbol), text=text)


def post_button(where: str, name: str, inside: Html, *, back: str, on: bool = False) -> Html:
    """A button of the bar that changes something; `on` shows that it is switched on."""
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
    """A sheet that comes up from below when the address ends in #sheet, so that the way back closes it."""
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
    """The bar of a place that one does not come back from, and the way to the other places."""
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
    """The bar of a screen that one comes back from; `close` when that means to give up what was written."""
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
    """A whole document.

    Args:
        theme: Name of the theme.
        title: Of the document.
        kind: Which screen it is, for the style sheet.
        top: The bar.
        main: What is between bar and bottom.
        toast: What to say about what was just done.
        ask: The sheet that can come up.
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
    """It stays until the next screen: one that left by itself would make the same step look different each time."""
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
