"""Plays moves without a browser: uses an app's own links and forms, by the names on its pages.

It follows the rules of `fairground.worlds` for moves, and does what the browser and the kit's script would do.
The same moves therefore give the same database as on a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import parse_qs, unquote, urlencode, urljoin

from fairground.core import AppError
from fairground.worlds import Enter, Fill, Move, Press, Say, Stuck, Tap
from fairground_pocket.kit.reading import TEXT_ROLES, Element, Page
from fairground_pocket.kit.serving import Request, Response
from fairground_pocket.kit.shell import HOME

_REDIRECTS: Final = 5
_MAX_FIELDS: Final = 500


class Hand:
    """A user at the phone, without a screen.

    Args:
        respond: Answers requests, as `Phone.respond` does.
        path: The first address, with query and fragment.
    """

    def __init__(self, respond: Callable[[Request], Response], path: str = "/") -> None:
        self._respond = respond
        self._values: dict[Element, str] = {}
        self._ticked: dict[Element, bool] = {}
        self._focus: Element | None = None
        self._fragment = ""
        self._page: Page | None = None
        self._start = path
        self.said: str | None = None

    @property
    def page(self) -> Page:
        """The current page. The first page is requested on first access."""
        if self._page is None:
            self.open(self._start)
        assert self._page is not None
        return self._page

    def open(self, path: str) -> Page:
        where, _, fragment = path.partition("#")
        self._load("GET", where, [])
        self._fragment = unquote(fragment)
        return self.page

    def play(self, moves: Sequence[Move]) -> str | None:
        """Plays moves and returns what was said. Raises `Stuck` when a move is impossible."""
        for move in moves:
            match move:
                case Tap() if move.name == HOME and not move.within:
                    self.open("/")  # the home bar is on every page, once, and always leads to the same place
                case Tap():
                    self._tap(self.find(move.name, role=move.role, within=move.within))
                case Fill():
                    self._fill(self.find(move.field, within=move.within, fields=True), move.text)
                case Press():
                    self._press(move.keys)
                case Enter():
                    self._enter(move.text)
                case Say():
                    self.said = move.text
        return self.said

    def controls(self) -> list[Element]:
        page = self.page  # must come first: it decides about the fragment
        return page.reachable(self._fragment)

    def find(self, name: str, *, role: str = "", within: str = "", fields: bool = False) -> Element:
        """The one control with this name: an exact match, or else one whose name contains it. Else raises `Stuck`."""
        wanted = " ".join(name.split())
        controls = [
            element
            for element in self.controls()
            if (not role or element.role == role)
            and (not fields or element.role in TEXT_ROLES)
            and (not within or any(_named(above, within) for above in element.above()))
        ]
        exact = [element for element in controls if element.name == wanted]
        near = exact or [element for element in controls if wanted and wanted in element.name]
        if len(near) == 1:
            return near[0]
        what = "is not there" if not near else f"is there {len(near)} times"
        names = ", ".join(dict.fromkeys(repr(element.name) for element in (near or controls)))
        inside = f" within {within!r}" if within else ""
        raise Stuck(f"{name!r}{inside} {what} on {self.page.path}#{self._fragment}; there is {names[:600]}")

    def _tap(self, element: Element) -> None:
        self._focus = None
        match element.role:
            case "link":
                self._follow(element.get("href"))
            case "button" | "switch":
                self._send(element)
            case "checkbox":
                self._ticked[element] = not self._is_ticked(element)
            case "radio":
                form = form_of(self.page, element)
                for candidate in self.page.root.walk():
                    alike = candidate.role == "radio" and candidate.get("name") == element.get("name")
                    if alike and form_of(self.page, candidate) is form:
                        self._ticked[candidate] = candidate is element
                if any(above.is_sheet and "data-picks" in above.attributes for above in element.above()):
                    self._fragment = ""
            case _:
                self._focus = element

    def _fill(self, element: Element, text: str) -> None:
        self._focus = element
        self._values[element] = ""
        self._enter(text)

    def _enter(self, text: str) -> None:
        element = self._focus
        if element is None:
            raise Stuck(f"nothing has the focus to type {text[:40]!r} into")
        first, newline, rest = text.partition("\n") if element.tag == "input" else (text, "", "")
        value = self._value(element) + first
        limit = int(element.get("maxlength") or 10**9)
        while len(value.encode("utf-16-le")) // 2 > limit:  # the browser counts UTF-16 code units
            value = value[:-1]
        self._values[element] = value
        if "search" in element.get("type"):
            self._search(element)
        if newline:
            self._press("enter")
            if rest:
                self._enter(rest)

    def _search(self, element: Element) -> None:
        """Searches as the kit's script does per key press: only live parts change, and the field keeps the focus."""
        form = form_of(self.page, element)
        assert form is not None
        fields = [(name, value) for name, value in self._fields(form, None) if value.strip()]
        name = element.get("name")
        self._load("GET", form.get("action") + ("?" + urlencode(fields) if fields else ""), [])
        self._focus = next(
            control for control in self.page.root.walk() if control.get("name") == name and control.role == "searchbox"
        )

    def _press(self, keys: str) -> None:
        key = keys.casefold()
        if key in ("enter", "return"):
            if self._focus is None:
                raise Stuck("nothing has the focus to press Return in")
            if self._focus.tag == "textarea":
                self._enter("\n")
            elif self._focus.role != "searchbox":
                form = form_of(self.page, self._focus)
                first = (
                    next((control for control in self._all(form) if control.tag == "button"), None) if form else None
                )
                self._submit(form, first)
        elif key in ("escape", "esc"):
            self._fragment = ""
        else:
            raise Stuck(f"the hand knows Return and Escape, not {keys!r}")

    def _follow(self, href: str) -> None:
        if href.startswith("#"):
            self._fragment = unquote(href[1:])
        else:
            self.open(urljoin(self.page.path, href))

    def _send(self, button: Element) -> None:
        self._submit(form_of(self.page, button), button)

    def _submit(self, form: Element | None, button: Element | None) -> None:
        if form is None:
            raise Stuck("the button belongs to no form")
        fields = self._fields(form, button)
        action = form.get("action")
        if form.get("method") == "post":
            self._load("POST", action, fields)
        else:
            self._load("GET", action + ("?" + urlencode(fields) if fields else ""), [])

    def _all(self, form: Element) -> list[Element]:
        return [element for element in self.page.root.walk() if form_of(self.page, element) is form]

    def _fields(self, form: Element, button: Element | None) -> list[tuple[str, str]]:
        fields = []
        for element in self._all(form):
            name, kind = element.get("name"), element.get("type")
            if not name:
                continue
            if element.tag == "button":
                if element is button:
                    fields.append((name, element.get("value")))
            elif kind in ("checkbox", "radio"):
                if self._is_ticked(element):
                    fields.append((name, element.get("value")))
            elif element.tag in ("input", "textarea"):
                fields.append((name, self._value(element).replace("\n", "\r\n")))
        return fields[:_MAX_FIELDS]

    def _value(self, element: Element) -> str:
        if element in self._values:
            return self._values[element]
        if element.tag == "textarea":
            return element.text().removeprefix("\n")
        return element.get("value")

    def _is_ticked(self, element: Element) -> bool:
        return self._ticked.get(element, "checked" in element.attributes)

    def _load(self, method: str, path: str, fields: list[tuple[str, str]]) -> None:
        for _ in range(_REDIRECTS):
            where, _, query = path.partition("?")
            sent = parse_qs(urlencode(fields), keep_blank_values=True)
            request = Request(method, unquote(where), parse_qs(query, keep_blank_values=True), sent)
            answer = self._respond(request)
            if answer.status != 303:
                break
            method, path, fields = "GET", answer.headers["Location"], []
        else:
            raise AppError(f"{path} leads from one address to the next without an end")
        if answer.status >= 500:
            raise AppError(f"{path} answered {answer.status}")
        path, _, self._fragment = path.partition("#")
        self._page = Page(answer.body.decode(), path, answer.status)
        self._values, self._ticked, self._focus = {}, {}, None


def _named(element: Element, name: str) -> bool:
    return " ".join(name.split()) in " ".join(element.get("aria-label").split())


def form_of(page: Page, element: Element) -> Element | None:
    """The form that a control belongs to: by its `form` attribute, or because it is inside the form."""
    if element.tag not in ("input", "textarea", "button"):
        return None
    if "form" in element.attributes:
        return page.by_id.get(element.get("form"))
    return next((above for above in element.above() if above.tag == "form"), None)
