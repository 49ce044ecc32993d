"""HTML building blocks shared by all pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.serving import Response

_COLOURS = {
    "intranet": "#264653",
    "catalogue": "#6b4226",
    "helpdesk": "#1d5c8a",
    "events": "#7a2e5d",
    "shop": "#2f6b3a",
    "library": "#4a4580",
    "news": "#333333",
}
_STYLE = """
body{font:16px/1.5 "DejaVu Sans",sans-serif;margin:0;color:#1c1c1c;background:#fbfaf7}
header{background:%s;color:#fff;padding:14px 28px}header a{color:#fff;margin-right:18px;font-size:14px}
header strong{display:block;font-size:21px;margin-bottom:4px}
main{max-width:980px;margin:20px auto;padding:0 24px}
table{border-collapse:collapse;width:100%%}th,td{text-align:left;padding:5px 10px;border-bottom:1px solid #d9d5cb}
td.n,th.n{text-align:right}label{display:block;margin:10px 0 2px}
input[type=text],input[type=email],input[type=search],textarea,select{font:inherit;padding:5px 8px;width:420px}
textarea{height:90px}button{font:inherit;padding:7px 18px;margin:14px 8px 14px 0}fieldset{border:1px solid #d9d5cb}
.box{background:#eef3ee;padding:10px 16px;border-left:4px solid %s}
footer{color:#666;font-size:13px;padding:28px;text-align:center}
"""


def page(person: Person, site: str, title: str, body: str) -> Response:
    """Return a page of a site, with its header and navigation."""
    colour = _COLOURS[site]
    name = person.titles[site]
    links = "".join(f'<a href="{path}">{escape(words)}</a>' for words, path in (("Home", "/"), *_MENUS.get(site, ())))
    shown = name if title == name else f"{title} - {name}"
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(shown)}</title>'
        f"<style>{_STYLE % (colour, colour)}</style></head><body><header><strong>{escape(name)}</strong>"
        f"<nav>{links}</nav></header><main><h1>{escape(title)}</h1>{body}</main>"
        f"<footer>{escape(person.organisation)}, {escape(person.city)}</footer></body></html>"
    )
    return Response(text.encode(), headers={"Set-Cookie": f"{site}_visit=1; Path=/; Max-Age=31536000"})


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Return a table whose cells are HTML; `numbers` are columns that hold numbers."""
    right = set(numbers)

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{' class=n' if at in right else ''}>{cell}</{tag}>" for at, cell in enumerate(row))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', headings)}</tr></thead><tbody>{body}</tbody></table>"


def link(path: str, words: object) -> str:
    """Return a link within a site, or to another site."""
    return f'<a href="{escape(path)}">{escape(str(words))}</a>'


def text_field(name: str, words: str, value: str = "", kind: str = "text") -> str:
    """Return a labelled text field."""
    return (
        f'<label for="{name}">{escape(words)}</label>'
        f'<input type="{kind}" id="{name}" name="{name}" value="{escape(value)}" autocomplete="off">'
    )


def choice(name: str, words: str, options: Sequence[str], chosen: str = "") -> str:
    """Return a labelled drop-down list."""
    listed = "".join(
        f"<option{' selected' if option == chosen else ''}>{escape(option)}</option>" for option in options
    )
    return f'<label for="{name}">{escape(words)}</label><select id="{name}" name="{name}">{listed}</select>'


def tick(name: str, words: str) -> str:
    """Return a labelled checkbox."""
    return f'<label><input type="checkbox" name="{name}" value="yes"> {escape(words)}</label>'


def hidden(values: Iterable[tuple[str, str]]) -> str:
    """Return hidden fields, which carry values to the next step of a form."""
    return "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in values)


def elsewhere(person: Person) -> str:
    """Return links to the other sites, for start pages."""
    rows = [(link(person.url(site), person.titles[site]), escape(person.host(site))) for site in SITES[1:]]
    return table(("Site", "Address"), rows)


_MENUS = {
    "intranet": (("Staff directory", "/staff"), ("Guides", "/guides")),
    "catalogue": (("All records", "/records"), ("Charts", "/charts"), ("Downloads", "/downloads")),
    "helpdesk": (("New ticket", "/new"), ("My tickets", "/tickets")),
    "events": (("Programme", "/programme"),),
    "shop": (("Products", "/products"), ("Basket", "/basket")),
    "library": (("All articles", "/articles"),),
    "news": (("Archive", "/archive"),),
}
