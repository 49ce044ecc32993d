"""Components of screens: rows, tiles, chips, buttons, sheets. Pure functions from data to safe HTML.

Every control gets its accessible name here, once: as its only text, or as its `aria-label`. A person, an agent and
the HTTP hand therefore use the same name. Names must be unique on a screen; name a repeated button after its row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from fairground_pocket.kit.icons import icon
from fairground_pocket.kit.markup import Html, html, join

NOTHING: Final = Html()


def url(path: str, **query: object) -> str:
    """An address with a query string; empty and None values are left out."""
    parameters = {name: str(value) for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(parameters)}" if parameters else path


def tint(text: str) -> int:
    """One of eight tints, chosen by the text; the same text always gets the same tint."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 8


def avatar(name: str, symbol: str = "", *, large: bool = False) -> Html:
    """A round avatar for a person or thing, with initials or a symbol. The large form takes the place of a picture."""
    words = [word for word in name.split() if word[0].isalnum()] or ["?"]
    letters = (words[0][0] + (words[-1][0] if len(words) > 1 else "")).upper()
    inside = icon(symbol) if symbol else html("{}", letters)
    kind = "avatar thumb" if large else "avatar"
    return html('<span class="{} tint-{}" aria-hidden="true">{}</span>', kind, tint(name), inside)


# --- lists -----------------------------------------------------------------------------------------------------------


def row(
    href: str,
    title: str,
    *,
    name: str = "",
    note: str | Html = "",
    meta: str | Html = "",
    lead: Html = NOTHING,
    below: Html = NOTHING,
    side: Html = NOTHING,
    style: str = "",
    swipe: bool = False,
) -> Html:
    """A row of a list. With `href` it is a link; without, it only shows text.

    Args:
        href: The address of the link.
        title: The first line.
        name: The accessible name; by default the title. It must be unique on the screen.
        note: Text below the title, at most two lines.
        meta: Text at the right of the title.
        lead: The first element, such as an avatar or an icon.
        below: Content below the note, such as tags.
        side: A control at the right edge, such as `icon_button`.
        style: `strong`, `plain`, `off`, `timed` (the title is a time, the meta a price).
        swipe: A swipe to the left presses the first `icon_button` made with `swiped=True`.
    """
    inside = html(
        '<span class="lead-slot">{lead}</span><span class="title" dir="auto">{title}</span>{meta}{note}{below}',
        lead=lead,
        title=title,
        meta=html('<span class="meta">{}</span>', meta) if meta else "",
        note=html('<span class="note" dir="auto">{}</span>', note) if note else "",
        below=html('<span class="below">{}</span>', below) if below else "",
    )
    if href:
        inner = html(
            '<a class="row {style}" href="{href}" aria-label="{name}">{inside}</a>',
            style=style, href=href, name=name or title, inside=inside,
        )  # fmt: skip
    else:
        inner = html('<div class="row {style}">{inside}</div>', style=style, inside=inside)
    side = html('<span class="side">{}</span>', side) if side else NOTHING
    return html(
        '<li aria-label="{name}"{swipe}>{inner}{side}</li>',
        name=name or title,
        swipe=Html(" data-swipe") if swipe else "",
        inner=inner,
        side=side,
    )


def rows(items: Iterable[Html], label: str = "") -> Html:
    """A list of `row`s, `switch_row`s and other `<li>`s."""
    return html('<ul class="list"{}>{}</ul>', html(' aria-label="{}"', label) if label else "", join(items))


def tile(
    href: str,
    title: str,
    *,
    name: str = "",
    note: str = "",
    symbol: str = "",
    on: bool = False,
    more: Html = NOTHING,
) -> Html:
    """A tile of a grid; it is a link."""
    return html(
        '<li><a class="tile{on}" href="{href}" aria-label="{name}">{icon}<b dir="auto">{title}</b>{note}{more}'
        "</a></li>",
        on=" on" if on else "",
        href=href,
        name=name or title,
        icon=icon(symbol) if symbol else "",
        title=title,
        note=html('<small dir="auto">{}</small>', note) if note else "",
        more=more,
    )


def tiles(items: Iterable[Html], label: str = "") -> Html:
    """A grid of `tile`s, two per row."""
    return html('<ul class="tiles"{}>{}</ul>', html(' aria-label="{}"', label) if label else "", join(items))


def tag(text: str, *, dot: bool = False, strong: bool = False) -> Html:
    """A small tag beside something, such as a label; `dot` gives it its own colour."""
    kind = "strong" if strong else f"dot tint-{tint(text)}" if dot else ""
    return html('<span class="tag {}" dir="auto">{}</span>', kind, text)


def chips(items: Iterable[tuple[str, str, bool]], label: str = "Filters") -> Html:
    """Filter chips; each item is (name, address, whether it is selected)."""
    links = join(
        html(
            '<a class="chip" href="{href}"{current}>{name}</a>',
            href=href,
            current=Html(' aria-current="true"') if chosen else "",
            name=name,
        )
        for name, href, chosen in items
    )
    return html('<nav class="chips" aria-label="{}">{}</nav>', label, links)


def circles(items: Iterable[tuple[Html, str, str, str]], label: str) -> Html:
    """Round links; each item is (`avatar`, caption, accessible name, address)."""
    links = join(
        html(
            '<a href="{href}" aria-label="{name}">{avatar}<span dir="auto">{text}</span></a>',
            href=href, name=name, avatar=sign, text=text,
        )
        for sign, text, name, href in items
    )  # fmt: skip
    return html('<nav class="circles" aria-label="{}">{}</nav>', label, links)


def pager(path: str, page: int, pages: int, **query: object) -> Html:
    """Links to the previous and next page with the current position; empty when there is only one page."""
    if pages <= 1:
        return NOTHING
    back = (
        html('<a href="{}">Previous page</a>', url(path, page=page - 1, **query)) if page > 1 else Html("<span></span>")
    )
    on = (
        html('<a href="{}">Next page</a>', url(path, page=page + 1, **query)) if page < pages else Html("<span></span>")
    )
    return html('<nav class="pager" aria-label="Pages">{}<span>{} of {}</span>{}</nav>', back, page, pages, on)


def search_box(action: str, value: str, label: str, **keep: object) -> Html:
    """A search field that searches while the user types; `keep` are filters that stay unchanged.

    The results must be inside `live`, so that they update on every key press.
    """
    hidden = join(html('<input type="hidden" name="{}" value="{}">', *pair) for pair in keep.items() if pair[1])
    return html(
        '<form class="search" role="search" action="{action}">{icon}<input type="search" name="q" value="{value}" '
        'placeholder="{label}" aria-label="{label}" autocomplete="off" maxlength="200">{hidden}</form>',
        action=action,
        icon=icon("search"),
        value=value,
        label=label,
        hidden=hidden,
    )


def live(body: Html, key: str = "results") -> Html:
    """The part of a screen that updates with its search field."""
    return html('<div id="{}" data-live>{}</div>', key, body)


def empty(symbol: str, text: str, hint: str = "") -> Html:
    """A placeholder for an empty list."""
    return html('<div class="empty">{}<b>{}</b><p>{}</p></div>', icon(symbol), text, hint)


# --- words -----------------------------------------------------------------------------------------------------------


def section(title: str, *body: Html, more: str = "", more_name: str = "") -> Html:
    """A section with a heading; `more` is the address of the link at its right."""
    link = html('<a href="{}">{}</a>', more, more_name or f"All {title.lower()}") if more else NOTHING
    return html('<section class="section" aria-label="{}"><h2>{}{}</h2>{}</section>', title, title, link, join(body))


def card(*body: Html) -> Html:
    """A box around related content."""
    return html('<div class="card">{}</div>', join(body))


def hero(big: str, small: str = "", *body: Html, style: str = "") -> Html:
    """A screen's main content in large type; the style `plastic` gives it the shape of a bank card."""
    return html(
        '<div class="hero {}"><p dir="auto">{}</p><p class="big" dir="auto">{}</p>{}</div>',
        style, small, big, join(body),
    )  # fmt: skip


def facts(items: Iterable[tuple[str, str | Html]]) -> Html:
    """A list of (label, value) pairs."""
    pairs = join(html('<dt>{}</dt><dd dir="auto">{}</dd>', name, value) for name, value in items)
    return html('<dl class="facts">{}</dl>', pairs)


def notice(text: str | Html, symbol: str = "bell") -> Html:
    """A permanent notice."""
    return html('<div class="notice">{}<p dir="auto">{}</p></div>', icon(symbol), text)


def text(words: str | Html, style: str = "") -> Html:
    """A paragraph; styles: `muted`, `small`, `lead`, `prose` (keeps line breaks), `good`, `bad`."""
    return html('<p class="{}" dir="auto">{}</p>', style, words)


def bars(values: Sequence[tuple[str, float, str]]) -> Html:
    """A bar chart; each item is (label below the bar, value, text for screen readers)."""
    top = max((value for _, value, _ in values), default=0) or 1
    columns = join(
        html(
            '<li aria-label="{said}"><svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">'
            '<rect x="0" y="{y}" width="10" height="{height}" rx="1"/></svg><span>{word}</span></li>',
            said=label,
            y=f"{100 - 100 * value / top:.1f}",
            height=f"{100 * value / top:.1f}",
            word=word,
        )
        for word, value, label in values
    )
    return html('<ul class="bars">{}</ul>', columns)


def meter(share: float) -> Html:
    """A bar that shows a used share, from 0 to 1."""
    width = f"{100 * min(max(share, 0.0), 1.0):.1f}"
    return html(
        '<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="8"/></svg>',
        width,
    )


# --- what can be pressed ---------------------------------------------------------------------------------------------


def bar_link(href: str, name: str, symbol: str, *, count: int = 0) -> Html:
    """A symbol in the bar: a link to an address, or to the sheet `#ID`."""
    number = html('<b class="count" aria-hidden="true">{}</b>', min(count, 99)) if count else NOTHING
    return html('<a class="action" href="{}" aria-label="{}">{}{}</a>', href, name, icon(symbol), number)


def icon_button(
    action: str, name: str, symbol: str, *, on: bool = False, swiped: bool = False, **fields: object
) -> Html:
    """A symbol button that submits a change; for the bar or the side of a row."""
    return html(
        '<form method="post" action="{action}">{fields}<button class="action{on}" aria-label="{name}"{swiped}>{icon}'
        "</button></form>",
        action=action,
        fields=hidden(fields),
        on=" on" if on else "",
        name=name,
        swiped=Html(" data-swiped") if swiped else "",
        icon=icon(symbol),
    )


def submit(name: str, form: str, symbol: str = "check") -> Html:
    """A button in the bar that submits the form with this id."""
    return html(
        '<button class="do" form="{}" aria-label="{}">{}<span>{}</span></button>', form, name, icon(symbol), name
    )


def button(action: str, name: str, *, symbol: str = "", style: str = "", **fields: object) -> Html:
    """A wide button that submits a change; styles: `danger`, `quiet`, `slim`."""
    return _button(action, name, symbol, style, fields)


def _button(action: str, name: str, symbol: str, style: str, fields: Mapping[str, object]) -> Html:
    return html(
        '<form method="post" action="{action}">{fields}<button class="wide {style}" aria-label="{name}">{icon}{name}'
        "</button></form>",
        action=action,
        fields=hidden(fields),
        style=style,
        icon=icon(symbol) if symbol else "",
        name=name,
    )


def link(href: str, name: str, *, symbol: str = "", style: str = "") -> Html:
    """A link shown as a wide button; the style `quiet seek` looks like a search field and leads to the search page."""
    return html(
        '<a class="wide {style}" href="{href}" aria-label="{name}">{icon}{name}</a>',
        style=style, href=href, icon=icon(symbol) if symbol else "", name=name,
    )  # fmt: skip


def side_by_side(*items: Html) -> Html:
    """Buttons side by side."""
    return html('<div class="row-of">{}</div>', join(items))


def switch_row(action: str, name: str, on: bool, *, note: str = "", symbol: str = "", **fields: object) -> Html:
    """A row with a switch that takes effect at once. The form sends the requested state, `on=1` or `on=0`."""
    return html(
        '<li aria-label="{name}"><form method="post" action="{action}">{fields}<input type="hidden" name="on" '
        'value="{value}"><button class="switch" role="switch" aria-checked="{state}" aria-label="{name}">{icon}'
        '<span><b dir="auto">{name}</b>{note}</span><i></i></button></form></li>',
        name=name,
        action=action,
        fields=hidden(fields),
        value=0 if on else 1,
        state="true" if on else "false",
        icon=icon(symbol) if symbol else "",
        note=html('<small dir="auto">{}</small>', note) if note else "",
    )


def fab(href: str, name: str, symbol: str = "plus", *, wide: bool = True) -> Html:
    """The floating button with a screen's main action."""
    word = html("<span>{}</span>", name) if wide else NOTHING
    return html('<a class="fab" href="{}" aria-label="{}">{}{}</a>', href, name, icon(symbol), word)


def stepper(action: str, name: str, value: str, *, note: str = "", **fields: object) -> Html:
    """A stepper: two buttons named `Less NAME` and `More NAME` that take effect at once with `by=-1` or `by=1`."""
    less, more = (
        html(
            '<form method="post" action="{action}">{fields}<input type="hidden" name="by" value="{by}">'
            '<button aria-label="{word} {name}">{icon}</button></form>',
            action=action, fields=hidden(fields), by=by, word=word, name=name, icon=icon(symbol),
        )
        for by, word, symbol in ((-1, "Less", "minus"), (1, "More", "plus"))
    )  # fmt: skip
    about = html('<span dir="auto">{}<small class="muted">{}</small></span>', name, note)
    return html('<div class="stepper">{}{}<output>{}</output>{}</div>', about, less, value, more)


# --- sheets ----------------------------------------------------------------------------------------------------------


def sheet(key: str, title: str, *body: Html) -> Html:
    """A sheet, open while the address ends in `#key`. Close, going back, or a tap beside it closes it."""
    return html(
        '<div class="sheet" id="{key}" role="dialog" aria-modal="true" aria-label="{title}">'
        '<a class="scrim" href="#" tabindex="-1" aria-hidden="true"></a>'
        '<div class="panel" tabindex="-1"><h2 dir="auto">{title}</h2>{body}'
        '<a class="wide quiet" href="#">Close</a></div></div>',
        key=key,
        title=title,
        body=join(body),
    )


def confirm(
    key: str, question: str, words: str, action: str, name: str, *, danger: bool = True, **fields: object
) -> Html:
    """A sheet that asks for confirmation."""
    done = _button(action, name, "", "danger" if danger else "", fields)
    return sheet(key, question, text(words, "muted"), done)


def menu(key: str, title: str, items: Iterable[Html]) -> Html:
    """A sheet with a list of actions: `menu_link`s and `menu_button`s."""
    return sheet(key, title, rows(items))


def menu_link(href: str, name: str, symbol: str) -> Html:
    """A row of a menu that is a link."""
    return row(href, name, lead=icon(symbol), style="plain")


def menu_button(action: str, name: str, symbol: str, *, note: str = "", **fields: object) -> Html:
    """A row of a menu that submits a change."""
    return html(
        '<li aria-label="{name}"><form method="post" action="{action}">{fields}<button class="row plain" '
        'aria-label="{name}"><span class="lead-slot">{icon}</span><span class="title" dir="auto">{name}</span>{note}'
        "</button></form></li>",
        name=name,
        action=action,
        fields=hidden(fields),
        icon=icon(symbol),
        note=html('<span class="note">{}</span>', note) if note else "",
    )


def hidden(fields: Mapping[str, object]) -> Html:
    """Hidden form fields."""
    return join(html('<input type="hidden" name="{}" value="{}">', name, value) for name, value in fields.items())
