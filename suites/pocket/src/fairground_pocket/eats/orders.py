"""Orders: current, delivered, cancelled; each with its progress; and the spending by month."""

from __future__ import annotations

import re
import sqlite3
from datetime import date, datetime

from fairground_pocket.eats import store
from fairground_pocket.eats.checkout import slot_words
from fairground_pocket.eats.listing import badges, bill, cash, counted, paged, stack, stars
from fairground_pocket.eats.schema import PROBLEMS, SITE
from fairground_pocket.kit import Database, Go, Gone, Html, Screen, Visit, formats, html, icon, join, parts

_ORDERS = (
    "SELECT o.*, r.name AS place, c.icon FROM orders o JOIN restaurants r ON r.id = o.restaurant "
    "JOIN cuisines c ON c.id = r.cuisine WHERE "
)
_VIEWS = (("", "All orders"), ("active", "Active"), ("delivered", "Delivered"), ("cancelled", "Cancelled"))
_CAN_BE_CANCELLED = ("Scheduled", "Placed")


@SITE.get("/orders")
def orders(visit: Visit) -> Screen:
    """The order history, newest first, filtered by words, state and month."""
    db, now = visit.db, visit.db.now
    view = visit.query("view") if visit.query("view") in dict(_VIEWS) else ""
    month = visit.query("month") if re.fullmatch(r"20\d\d-[01]\d", visit.query("month"), re.ASCII) else ""
    words = " ".join(visit.query("q").split())
    sql = (
        f"{_ORDERS} (instr(fold(r.name), fold(?)) OR EXISTS (SELECT 1 FROM order_lines l WHERE l.of_order = o.id AND "
        "instr(fold(l.name), fold(?)))) AND substr(placed, 1, 7) LIKE ? ORDER BY placed DESC, o.id DESC"
    )
    rows = [row for row in db.rows(sql, words, words, month or "%") if _seen_in(view, store.status(row, now))]
    shown, page, pages = paged(rows, visit.page())
    lines = [_row(db, row, now) for row in shown]
    filters = {"view": view, "month": month}
    links = [(name, SITE.url("/orders", q=words, month=month, view=key), key == view) for key, name in _VIEWS]
    if month:
        links.append((f"In {date.fromisoformat(f'{month}-01'):%B %Y}", SITE.url("/orders", q=words, view=view), True))
    body = [parts.chips(links), parts.text(counted(len(rows), "order"), "muted small")]
    body.append(parts.rows(lines) if lines else parts.empty("receipt", "No orders here"))
    body.append(parts.pager(SITE.url("/orders"), page, pages, q=words, **filters))
    box = parts.search_box(SITE.url("/orders"), words, "Search orders", **filters)
    return Screen(
        "Orders", html("{}{}", box, parts.live(stack(body))), tab="orders", badges=badges(db),
        actions=[parts.bar_link(SITE.url("/spending"), "Spending by month", "wallet")],
    )  # fmt: skip


@SITE.get("/orders/{number:int}")
def order(visit: Visit, number: int) -> Screen:
    """An order: its progress, its dishes, its price."""
    db, now = visit.db, visit.db.now
    row = visit.found(f"{_ORDERS} o.id = ?", number)
    state = store.status(row, now)
    due = datetime.fromisoformat(row["due"])
    headings = {"Cancelled": "Nothing is charged", "Delivered": f"Delivered {formats.moment(due)}"}
    expected = (
        f"Expected {slot_words(row['slot'])}, {formats.day_in_full(due)}" if row["slot"] else f"Expected {due:%H:%M}"
    )
    body = [parts.hero(state, headings.get(state, expected))]
    if state in store.STEPS and state != "Delivered":
        body.append(_progress(state))
    lines = db.rows("SELECT * FROM order_lines WHERE of_order = ? ORDER BY id", number)
    body.append(parts.section("What you ordered", parts.rows(_line(db, line) for line in lines)))
    sums = store.Sums(row["subtotal"], row["discount"], row["fee"], row["tip"])
    body.append(parts.card(bill(db, sums, row["promo"])))
    facts = [
        ("Placed", formats.moment(datetime.fromisoformat(row["placed"]))), ("Paid with", row["method"]),
        ("Delivered to", f"{row['label']}, {row['street']}, {row['area']}, {row['door']}"), ("Courier", row["courier"]),
        ("Cutlery", "Yes" if row["cutlery"] else "No"), ("Left at the door", "Yes" if row["at_door"] else "No"),
    ]  # fmt: skip
    if row["note"]:
        facts.append(("Note", row["note"]))
    body += [parts.section("Details", parts.card(parts.facts(facts))), *_feedback(db, number, state)]
    sheets = []
    if state in _CAN_BE_CANCELLED:
        body.append(parts.link("#cancel", "Cancel order", style="quiet"))
        words = f"{row['place']} has not begun yet: it costs nothing."
        action = SITE.url(f"/orders/{number}/cancel")
        sheets.append(parts.confirm("cancel", "Cancel this order?", words, action, "Yes, cancel it"))
    replaced = "Order again puts these dishes into your cart in place of what is there."
    body += [
        parts.button(SITE.url(f"/orders/{number}/again"), "Order again", symbol="refresh"),
        parts.text(replaced, "muted small"),
    ]
    return Screen(
        f"Order {store.order_number(number)}", join(body), back=SITE.url("/orders"), subtitle=row["place"],
        sheets=sheets, actions=[parts.bar_link(SITE.url(f"/r/{row['restaurant']}"), "Open the restaurant", "food")],
    )  # fmt: skip


@SITE.post("/orders/{number:int}/again")
def again(visit: Visit, number: int) -> Go:
    """Fills the cart with the dishes of an order."""
    visit.found("SELECT 1 FROM orders WHERE id = ?", number)
    missing = store.reorder(visit.db, number)
    return Go(SITE.url("/cart"), f"Sold out: {', '.join(missing)}" if missing else "In your cart now", undo=True)


@SITE.post("/orders/{number:int}/cancel")
def cancel(visit: Visit, number: int) -> Go:
    """Cancels an order if its status still allows it."""
    row = visit.found("SELECT * FROM orders WHERE id = ?", number)
    if store.status(row, visit.db.now) not in _CAN_BE_CANCELLED:
        raise Gone
    visit.db.run("UPDATE orders SET cancelled = 1 WHERE id = ?", number)
    return Go(SITE.url(f"/orders/{number}"), "The order is cancelled", undo=True)


@SITE.get("/spending")
def spending(visit: Visit) -> Screen:
    """The amount spent by the month of the order; cancelled orders cost nothing."""
    db = visit.db
    rows = db.rows(
        "SELECT substr(placed, 1, 7) AS month, count(*) AS number, sum(total) AS total FROM orders WHERE "
        "cancelled = 0 GROUP BY 1 ORDER BY 1 DESC"
    )
    months = [(row, date.fromisoformat(f"{row['month']}-01")) for row in rows]
    bars = [(f"{day:%b}", row["total"], f"{day:%B}: {cash(db, row['total'])}") for row, day in reversed(months)]
    lines = [
        parts.row(
            SITE.url("/orders", month=row["month"]), f"{day:%B %Y}", note=counted(row["number"], "order"),
            meta=cash(db, row["total"]), lead=icon("calendar"),
        )
        for row, day in months
    ]  # fmt: skip
    body = join([parts.card(parts.bars(bars)), parts.rows(lines)])
    return Screen("Spending by month", body, back=SITE.url("/orders"), subtitle="Without cancelled orders")


def row_name(number: int, place: str) -> str:
    """The name of an order in the list."""
    return f"{store.order_number(number)}, {place}"


def _seen_in(view: str, state: str) -> bool:
    kind = {"Delivered": "delivered", "Cancelled": "cancelled"}.get(state, "active")
    return view in ("", kind)


def _row(db: Database, row: sqlite3.Row, now: datetime) -> Html:
    state = store.status(row, now)
    placed = datetime.fromisoformat(row["placed"])
    dishes = db.column(
        "SELECT quantity || '\u00d7 ' || name FROM order_lines WHERE of_order = ? ORDER BY id", row["id"]
    )
    tag = parts.tag(state, strong=state not in ("Delivered", "Cancelled"))
    return parts.row(
        SITE.url(f"/orders/{row['id']}"), row["place"], name=row_name(row["id"], row["place"]),
        note=", ".join(dishes), meta=cash(db, row["total"]), lead=parts.avatar(row["place"], row["icon"]),
        below=join([parts.tag(f"{placed.day} {placed:%b %Y}"), tag]),
    )  # fmt: skip


def _line(db: Database, line: sqlite3.Row) -> Html:
    note = ", ".join(text for text in (line["chosen"], f"“{line['note']}”" if line["note"] else "") if text)
    price = cash(db, line["price"] * line["quantity"])
    return parts.row("", f"{line['quantity']}\u00d7 {line['name']}", note=note, meta=price, style="plain")


def _progress(state: str) -> Html:
    at = store.STEPS.index(state)
    lines = [
        parts.row(
            "", step, lead=icon("check" if place < at else "bike" if place == at else "clock"),
            style="strong" if place == at else "plain" if place < at else "plain off",
        )
        for place, step in enumerate(store.STEPS)
    ]  # fmt: skip
    return join([parts.meter((at + 0.5) / len(store.STEPS)), parts.rows(lines, "Progress")])


def _feedback(db: Database, number: int, state: str) -> list[Html]:
    blocks: list[Html] = []
    review = db.row("SELECT * FROM reviews WHERE of_order = ?", number)
    if review is not None:
        blocks.append(
            parts.section(
                "My review", parts.card(parts.text(stars(review["stars"]), "lead"), parts.text(review["text"], "prose"))
            )
        )
    for problem in db.rows("SELECT * FROM problems WHERE of_order = ? ORDER BY id", number):
        words = dict(PROBLEMS)[problem["kind"]]
        blocks.append(parts.notice(html("You reported: {}. {}", words, problem["text"]), "flag"))
    if state == "Delivered":
        rate = "Change my review" if review is not None else "Rate this order"
        blocks.append(
            parts.side_by_side(
                parts.link(SITE.url(f"/orders/{number}/rate"), rate, symbol="star", style="quiet slim"),
                parts.link(
                    SITE.url(f"/orders/{number}/problem"), "Report a problem", symbol="flag", style="quiet slim"
                ),
            )
        )
    return blocks
