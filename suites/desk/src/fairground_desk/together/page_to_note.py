"""PCManFM, Chromium and Mousepad: copy values from a saved web page into a note."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.browser import Browser
from fairground_desk.files.app import home_of
from fairground_desk.files.homes import Home
from fairground_desk.files.scenarios.plan import Plan, shown
from fairground_desk.kit import rest, window
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.together.files_and_notes import NoteTask
from fairground_desk.together.opening import TEXT_EDITOR, open_from_folder

PAGE: Final = "~/Downloads/offers.html"
NOTE: Final = "~/Documents/offers.txt"
_CHROMIUM: Final = "~/.config/chromium"
_TOWNS: Final = ("Adelboden", "Bergen", "Cuenca", "Dakar", "Esbjerg", "Faro", "Gdansk", "Hobart", "Izmir", "Jaffa")
_KINDS: Final = ("Trading", "Works", "Brothers")


class PageToNote(NoteTask):
    """Copy values from a saved page as lines into a text file. Spans PCManFM, Chromium and Mousepad."""

    name = "page-to-note"
    note = NOTE
    also = (*Browser.packages, "mousepad")
    opens_with = {**TEXT_EDITOR, "text/html": "chromium.desktop"}
    instances = {
        "cheapest": {"words": "the four cheapest offers, the cheapest first", "by": "price", "back": False, "count": 4},
        "dearest": {"words": "the three dearest offers, the dearest first", "by": "price", "back": True, "count": 3},
        "fastest": {"words": "the three offers that need the fewest days, the quickest first", "by": "days",
                    "back": False, "count": 3},
    }  # fmt: skip

    def phrase(self, world: World) -> str:
        return (
            f"I saved a web page with offers as {shown(PAGE)}. Look at it in the browser, and write "
            f"{world.parameters['words']}, into the text file {shown(NOTE)}: below its last line, each offer as a line "
            "of its own with its number on the page, a colon, a space, the supplier, a comma, a space and the price as "
            "the page shows it, such as “17: Somebody, 12.50”. No blank lines between these, every line ended by a "
            "line break. What the file says already stays, and so does the page. Save the file."
        )

    def papers(self, world: World) -> Mapping[str, bytes]:
        """Return the page, the note, and the settings of a browser that is past its first run."""
        home = home_of(world)
        browser = {"check_default_browser": False, "has_seen_welcome_page": True}
        settings = {"browser": browser, "signin": {"allowed": False, "allowed_on_next_startup": False}}
        return {
            PAGE: _page(home).encode(),
            NOTE: f"Offers that {home.owner} should answer\n(number: supplier, price)\n".encode(),
            f"{_CHROMIUM}/First Run": b"",
            f"{_CHROMIUM}/Default/Preferences": json.dumps(settings).encode(),
        }

    def plan(self, world: World, before: State) -> Plan:
        return Plan()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return []

    def wanted(self, world: World, before: State) -> list[str]:
        return [*text_of(before, NOTE).lines, *self._chosen(world)]

    def noted(self, world: World, before: State, found: Sequence[str]) -> list[Check]:
        wanted = self._chosen(world)
        later = list(found[len(text_of(before, NOTE).lines) :])
        return [
            *(holds(f"offer {at} is noted", line in later, expected=line, found=later[:9])
              for at, line in enumerate(wanted, 1)),
            equal("the first is right", wanted[0], later[0] if later else None),
            equal("there are so many", len(wanted), len(later)),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        lines = "".join(f"{line}\n" for line in self._chosen(world))
        return [
            *open_from_folder(PAGE, "Chromium$"), Press("ctrl+w"), window("Chromium$", gone=True), rest(),
            *self.opened(), Press("ctrl+End"), Enter(lines), *self.closed(),
        ]  # fmt: skip

    def _chosen(self, world: World) -> list[str]:
        wanted = world.parameters
        place = {"price": 2, "days": 3}[str(wanted["by"])]
        ranked = sorted(offers(home_of(world)), key=lambda offer: float(offer[place]), reverse=bool(wanted["back"]))
        return [f"{number}: {supplier}, {price}" for number, supplier, price, _ in ranked[: int(wanted["count"])]]


def offers(home: Home) -> list[tuple[int, str, str, int]]:
    """Return the rows of the page: number, supplier, price, days. All prices differ, and so do all days."""
    rows = []
    for at in range(14):
        supplier = f"{_TOWNS[(at * 3 + home.seed) % len(_TOWNS)]} {_KINDS[at // 5]}"
        price = 11.2 + (at * 37 + home.seed * 13) % 89 + ((at * 7) % 10) / 10
        days = 3 + (at * 5 + home.seed) % 14
        rows.append((301 + at * 7 + home.seed, supplier, f"{price:.2f}", days))
    return rows


def _page(home: Home) -> str:
    rows = "".join(
        f"<tr><td>{number}</td><td>{escape(supplier)}</td><td class=n>{price}</td><td class=n>{days}</td></tr>\n"
        for number, supplier, price, days in offers(home)
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Offers for {escape(home.owner)}</title>
<style>body {{ font: 15px sans-serif; max-width: 46rem; margin: 2rem auto; color: #222; background: #fff }}
table {{ border-collapse: collapse; width: 100% }} th {{ text-align: left; background: #e8eef4 }}
td, th {{ padding: .3rem .6rem; border-bottom: 1px solid #ccd }} .n {{ text-align: right }}</style></head>
<body><h1>Offers for {escape(home.owner)}</h1>
<p>Fourteen suppliers answered your question about {escape(home.subjects[0])} and {escape(home.subjects[1])}. Prices are
for one piece, with delivery; days are counted from your order.</p>
<table><tr><th>Number</th><th>Supplier</th><th>Price</th><th>Days</th></tr>
{rows}</table></body></html>
"""


SCENARIOS = (PageToNote(),)
