"""What screens are made of: rows, tiles, chips, buttons, sheets. Pure functions from data to safe HTML.

Every control gets its name here, once: as its only text, or as its `aria-label`. So a person, an agent and the
HTTP hand call it the same. Names must differ on a screen; where rows repeat a button, name it after its row.
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
    """An address with a query; what is empty or None is left out."""
    kept = {name: str(value) for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(kept)}" if kept else path


def tint(text: str) -> int:
    """One of eight tints, always the same for a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 8


def avatar(name: str, symbol: str = "", *, large: bool = False) -> Html:
    """A round sign for a person or thing: initials, or a symbol; a large one stands where a picture would."""
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
    """A line of a list that leads somewhere; without `href` it only says something.

    Args:
        href: Where it leads.
        title: Its first line.
        name: Its accessible name; the title when left out. It must be its own on the screen.
        note: Below the title, two lines at most.
        meta: At the right of the title.
        lead: Before it all, such as an avatar or an icon.
        below: Tags and the like.
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
    """A box of a grid that leads somewhere."""
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
    """A grid of `tile`s, two in a line."""
    return html('<ul class="tiles"{}>{}</ul>', html(' aria-label="{}"', label) if label else "", join(items))


def tag(text: str, *, dot: bool = False, strong: bool = False) -> Html:
    """A small word beside something, such as a label; `dot` gives it a colour of its own."""
    kind = "strong" if strong else f"dot tint-{tint(text)}" if dot else ""
    return html('<span class="tag {}" dir="auto">{}</span>', kind, text)


def chips(items: Iterable[tuple[str, str, bool]], label: str = "Filters") -> Html:
    """Filters: name, address, whether it is chosen."""
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
    """Round signs to choose from: `avatar`, what is written below, accessible name, address."""
    links = join(
        html(
            '<a href="{href}" aria-label="{name}">{avatar}<span dir="auto">{text}</span></a>',
            href=href, name=name, avatar=sign, text=text,
        )
        for sign, text, name, href in items
    )  # fmt: skip
    return html('<nav class="circles" aria-label="{}">{}</nav>', label, links)


def pager(path: str, page: int, pages: int, **query: object) -> Html:
    """Links to the page before and the page after, with where one is; nothing when there is only one page."""
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
    """A search field that searches while one types; `keep` are filters that stay as they are.

    What follows from it must stand inside of `live`, so that it is exchanged with every letter.
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
    """A part of a screen that follows from its search field."""
    return html('<div id="{}" data-live>{}</div>', key, body)


def empty(symbol: str, text: str, hint: str = "") -> Html:
    """What stands where nothing is."""
    return html('<div class="empty">{}<b>{}</b><p>{}</p></div>', icon(symbol), text, hint)


# --- words -----------------------------------------------------------------------------------------------------------


def section(title: str, *body: Html, more: str = "", more_name: str = "") -> Html:
    """A part of a screen with a heading; `more` is where its link at the right leads."""
    link = html('<a href="{}">{}</a>', more, more_name or f"All {title.lower()}") if more else NOTHING
    return html('<section class="section" aria-label="{}"><h2>{}{}</h2>{}</section>', title, title, link, join(body))


def card(*body: Html) -> Html:
    """A box around things that belong together."""
    return html('<div class="card">{}</div>', join(body))


def hero(big: str, small: str = "", *body: Html, style: str = "") -> Html:
    """What a screen is about, in large letters; in style `plastic` it has the shape of a bank card."""
    return html(
        '<div class="hero {}"><p dir="auto">{}</p><p class="big" dir="auto">{}</p>{}</div>',
        style, small, big, join(body),
    )  # fmt: skip


def facts(items: Iterable[tuple[str, str | Html]]) -> Html:
    """Pairs of a word and what it stands for."""
    pairs = join(html('<dt>{}</dt><dd dir="auto">{}</dd>', name, value) for name, value in items)
    return html('<dl class="facts">{}</dl>', pairs)


def notice(text: str | Html, symbol: str = "bell") -> Html:
    """A word to the reader that stays."""
    return html('<div class="notice">{}<p dir="auto">{}</p></div>', icon(symbol), text)


def text(words: str | Html, style: str = "") -> Html:
    """A paragraph; styles: `muted`, `small`, `lead`, `prose` (keeps line breaks), `good`, `bad`."""
    return html('<p class="{}" dir="auto">{}</p>', style, words)


def bars(values: Sequence[tuple[str, float, str]]) -> Html:
    """A bar chart: under each bar its word; the third of each is what it says to who cannot see it."""
    top = max((value for _, value, _ in values), default=0) or 1
    columns = join(
        html(
            '<li aria-label="{said}"><svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">'
            '<rect x="0" y="{y}" width="10" height="{height}" rx="1"/></svg><span>{word}</span></li>',
            said=said,
            y=f"{100 - 100 * value / top:.1f}",
            height=f"{100 * value / top:.1f}",
            word=word,
        )
        for word, value, said in values
    )
    return html('<ul class="bars">{}</ul>', columns)


def meter(share: float) -> Html:
    """How much of something is used, from 0 to 1."""
    width = f"{100 * min(max(share, 0.0), 1.0):.1f}"
    return html(
        '<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="8"/></svg>',
        width,
    )


# --- what can be pressed ---------------------------------------------------------------------------------------------


def bar_link(href: str, name: str, symbol: str, *, count: int = 0) -> Html:
    """A symbol in the bar that leads somewhere, or opens the sheet `#ID`."""
    number = html('<b class="count" aria-hidden="true">{}</b>', min(count, 99)) if count else NOTHING
    return html('<a class="action" href="{}" aria-label="{}">{}{}</a>', href, name, icon(symbol), number)


def icon_button(
    action: str, name: str, symbol: str, *, on: bool = False, swiped: bool = False, **fields: object
) -> Html:
    """A symbol that changes something when pressed; in the bar or at the side of a row."""
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
    """A button in the bar that sends the form with this id."""
    return html(
        '<button class="do" form="{}" aria-label="{}">{}<span>{}</span></button>', form, name, icon(symbol), name
    )


def button(action: str, name: str, *, symbol: str = "", style: str = "", **fields: object) -> Html:
    """A wide button that changes something; styles: `danger`, `quiet`, `slim`."""
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
    """A wide button that leads somewhere; in style `quiet seek` it looks like the search field that it leads to."""
    return html(
        '<a class="wide {style}" href="{href}" aria-label="{name}">{icon}{name}</a>',
        style=style, href=href, icon=icon(symbol) if symbol else "", name=name,
    )  # fmt: skip


def side_by_side(*items: Html) -> Html:
    """Buttons next to each other."""
    return html('<div class="row-of">{}</div>', join(items))


def switch_row(action: str, name: str, on: bool, *, note: str = "", symbol: str = "", **fields: object) -> Html:
    """A line of a list with a switch that acts at once; the form says `on=1` or `on=0`: what it shall be."""
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
    """The button that floats over a screen: what one comes here to do."""
    word = html("<span>{}</span>", name) if wide else NOTHING
    return html('<a class="fab" href="{}" aria-label="{}">{}{}</a>', href, name, icon(symbol), word)


def stepper(action: str, name: str, value: str, *, note: str = "", **fields: object) -> Html:
    """Less and more, each a form that acts at once with `by=-1` or `by=1`; named `Less NAME` and `More NAME`."""
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
    """A sheet that comes up while the address ends in `#key`; leave it by Close, the way back, or beside it."""
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
    """A sheet that asks before something is done."""
    done = _button(action, name, "", "danger" if danger else "", fields)
    return sheet(key, question, text(words, "muted"), done)


def menu(key: str, title: str, items: Iterable[Html]) -> Html:
    """A sheet of things to do: `menu_link`s and `menu_button`s."""
    return sheet(key, title, rows(items))


def menu_link(href: str, name: str, symbol: str) -> Html:
    """A line of a menu that leads somewhere."""
    return row(href, name, lead=icon(symbol), style="plain")


def menu_button(action: str, name: str, symbol: str, *, note: str = "", **fields: object) -> Html:
    """A line of a menu that changes something."""
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
    """Fields of a form that nobody sees."""
    return join(html('<input type="hidden" name="{}" value="{}">', name, value) for name, value in fields.items())
