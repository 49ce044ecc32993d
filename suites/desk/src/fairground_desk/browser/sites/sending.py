"""Sites with forms: the help desk, events and the shop. Submitted data is kept on the host."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from fairground_desk.browser.person import Person
from fairground_desk.browser.serving import Request, Response
from fairground_desk.browser.sites.markup import choice, hidden, link, page, table, text_field, tick
from fairground_desk.browser.sites.reading import Missing, index
from fairground_desk.browser.sites.state import CATEGORIES, MEALS, MOST, TICKET_TYPES, URGENCIES, SiteState

MAX_TEXT = 2000


def helpdesk(person: Person, state: SiteState, request: Request) -> Response:
    """Serve a form for tickets, and the submitted tickets."""
    form = request.form
    match request.path.strip("/"):
        case "":
            body = f"<p>{link('/new', 'Open a new ticket')} or {link('/tickets', 'look at your tickets')}.</p>"
            return page(person, "helpdesk", person.titles["helpdesk"], body)
        case "new" if request.method == "GET":
            fields = (
                text_field("subject", "Subject")
                + choice("category", "Category", CATEGORIES)
                + choice("urgency", "Urgency", URGENCIES, "Normal")
                + text_field("room", "Room")
                + '<label for="description">Description</label>'
                + '<textarea id="description" name="description"></textarea>'
                + tick("copy", "Send me a copy")
            )
            return page(
                person, "helpdesk", "New ticket", f'<form method="post">{fields}<br><button>Send ticket</button></form>'
            )
        case "new":
            if not form.get("subject", "").strip() or not form.get("description", "").strip():
                return page(
                    person, "helpdesk", "New ticket", "<p>A ticket needs a subject and a description. Go back.</p>"
                )
            names = ("subject", "category", "urgency", "room", "description")
            _add(
                state.tickets,
                {name: form.get(name, "").strip()[:MAX_TEXT] for name in names} | {"copy": form.get("copy", "no")},
            )
            return page(person, "helpdesk", "Thank you", f"<p>Your ticket has number {len(state.tickets)}.</p>")
        case "tickets":
            rows = [
                (
                    str(number),
                    escape(ticket["subject"]),
                    escape(ticket["category"]),
                    escape(ticket["urgency"]),
                    escape(ticket["room"]),
                )
                for number, ticket in enumerate(state.tickets, 1)
            ]
            return page(
                person, "helpdesk", "My tickets", table(("No.", "Subject", "Category", "Urgency", "Room"), rows)
            )
    raise Missing


def events(person: Person, state: SiteState, request: Request) -> Response:
    """Serve the programme and a registration form of three pages."""
    match request.path.strip("/").split("/"):
        case [""]:
            body = f"<p>{link('/programme', 'See the programme')} of the coming months.</p>"
            return page(person, "events", person.titles["events"], body)
        case ["programme"]:
            rows = [
                (escape(event.date), escape(event.time), link(f"/event/{number}", event.title), escape(event.room),
                 escape(person.money(event.price)), str(event.seats) if event.seats else "sold out")
                for number, event in enumerate(person.events, 1)
            ]  # fmt: skip
            return page(
                person,
                "events",
                "Programme",
                table(("Date", "Time", "Event", "Room", "Price", "Places left"), rows, (4, 5)),
            )
        case ["event", number]:
            at = index(number, len(person.events))
            event = person.events[at]
            body = (
                f"<p>{escape(event.date)}, {escape(event.time)}, {escape(event.room)}. "
                f"{escape(person.money(event.price))}.</p>"
            )
            offer = link(f"/register/{at + 1}", "Register") if event.seats else "This event is sold out."
            return page(person, "events", event.title, f"{body}<p>{offer}</p>")
        case ["register", number]:
            at = index(number, len(person.events))
            if not person.events[at].seats:
                raise Missing
            return _register(person, state, request, at)
    raise Missing


def shop(person: Person, state: SiteState, request: Request) -> Response:
    """Serve products, a basket and orders."""
    match request.path.strip("/").split("/"):
        case [""]:
            groups = sorted({product.category for product in person.products})
            listed = "".join(f"<li>{link(f'/products?category={group}', group)}</li>" for group in groups)
            return page(person, "shop", person.titles["shop"], f"<ul>{listed}</ul>")
        case ["products"]:
            wanted = request.query.get("category", "")
            rows = [
                (link(f"/products/{number}", product.name), escape(product.category),
                 escape(person.money(product.price)), f"{product.stock} in stock" if product.stock else "out of stock")
                for number, product in enumerate(person.products, 1)
                if not wanted or product.category == wanted
            ]  # fmt: skip
            return page(person, "shop", "Products", table(("Product", "Category", "Price", "Availability"), rows, (2,)))
        case ["products", number]:
            at = index(number, len(person.products))
            return _product(person, state, request, at)
        case ["basket"]:
            return _basket(person, state, request)
    raise Missing


def comment(person: Person, state: SiteState, request: Request) -> Response:
    """Add a comment to a report of the newspaper."""
    number = request.path.strip("/").split("/")[0]
    article = person.articles[index(number, len(person.articles))]
    name, text = (request.form.get(field, "").strip()[:MAX_TEXT] for field in ("name", "text"))
    if not name or not text:
        return page(person, "news", "Comment", "<p>A comment needs a name and a text. Go back.</p>")
    _add(state.comments, {"report": article.title, "name": name, "text": text})
    return page(person, "news", "Comment published", f"<p>Thank you. Back to {link(f'/{number}', article.title)}.</p>")


def _register(person: Person, state: SiteState, request: Request, at: int) -> Response:
    event, form = person.events[at], request.form
    first, second = ("name", "email", "organisation"), ("ticket", "meal", "newsletter")
    entered = [(name, form.get(name, "").strip()[:MAX_TEXT]) for name in (*first, *second) if name in form]
    step = form.get("step", "")
    if request.method == "GET":
        fields = (
            text_field("name", "Full name")
            + text_field("email", "E-mail", kind="text")
            + text_field("organisation", "Organisation")
        )
        title, button, after = "Step 1 of 3: who comes", "Next", "1"
    elif step == "1" and form.get("name", "").strip() and "@" in form.get("email", ""):
        fields = (
            choice("ticket", "Kind of ticket", TICKET_TYPES)
            + choice("meal", "Lunch", MEALS)
            + tick("newsletter", "Send me the newsletter")
            + hidden(entered)
        )
        title, button, after = "Step 2 of 3: options", "Next", "2"
    elif step == "2":
        fields = "".join(f"<p>{escape(name)}: <b>{escape(value)}</b></p>" for name, value in entered) + hidden(entered)
        title, button, after = "Step 3 of 3: check and confirm", "Confirm registration", "3"
    elif step == "3":
        given = dict(entered)
        _add(state.registrations, {"event": event.title} | {name: given.get(name, "no") for name in (*first, *second)})
        return page(person, "events", "You are registered", f"<p>{escape(event.title)}, {escape(event.date)}.</p>")
    else:
        return page(person, "events", "Not complete", "<p>Please give a name and an e-mail address. Go back.</p>")
    asked = f'<form method="post">{fields}{hidden([("step", after)])}<br><button>{button}</button></form>'
    body = f"<p><b>{escape(event.title)}</b></p>{asked}"
    return page(person, "events", title, body)


def _product(person: Person, state: SiteState, request: Request, at: int) -> Response:
    product = person.products[at]
    if request.method == "POST" and product.stock:
        pieces = request.form.get("pieces", "")
        if pieces.isascii() and pieces.isdigit() and 0 < int(pieces[:6]) <= product.stock:
            state.basket[str(at + 1)] = int(pieces)
            return page(
                person,
                "shop",
                "Added to the basket",
                f"<p>{pieces} x {escape(product.name)}. {link('/basket', 'Go to the basket')}</p>",
            )
        return page(person, "shop", product.name, "<p>We have not as many. Go back.</p>")
    facts = (
        f"<p>{escape(product.category)}. <b>{escape(person.money(product.price))}</b>. {product.stock} in stock.</p>"
    )
    form = f'<form method="post">{text_field("pieces", "Pieces", "1")}<br><button>Add to basket</button></form>'
    return page(person, "shop", product.name, facts + (form if product.stock else "<p>Out of stock.</p>"))


def _basket(person: Person, state: SiteState, request: Request) -> Response:
    lines = [(person.products[int(number) - 1], pieces) for number, pieces in state.basket.items()]
    if request.method == "POST" and lines:
        reference, deliver = (request.form.get(name, "").strip()[:MAX_TEXT] for name in ("reference", "deliver"))
        _add(state.orders, {
            "reference": reference, "deliver": deliver,
            "lines": [{"product": product.name, "pieces": pieces} for product, pieces in lines],
        })  # fmt: skip
        state.basket.clear()
        return page(person, "shop", "Order placed", f"<p>Order {len(state.orders)} is on its way.</p>")
    rows = [
        (escape(product.name), str(pieces), escape(person.money(product.price * pieces))) for product, pieces in lines
    ]
    form = (
        f'<form method="post">{text_field("reference", "Your reference")}{text_field("deliver", "Deliver to room")}'
        "<br><button>Place order</button></form>"
    )
    return page(
        person,
        "shop",
        "Basket",
        table(("Product", "Pieces", "Price"), rows, (1, 2)) + (form if rows else "<p>Empty.</p>"),
    )


def _add(entries: list[Any], entry: Mapping[str, Any]) -> None:
    if len(entries) >= MOST:
        raise Missing
    entries.append(dict(entry))
