"""Sites without forms: the intranet, the catalogue, the library and the newspaper."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from urllib.parse import quote

from fairground_desk.browser.person import Person
from fairground_desk.browser.serving import Request, Response
from fairground_desk.browser.sites.documents import chart, record_csv, record_pdf
from fairground_desk.browser.sites.markup import elsewhere, link, page, table, text_field
from fairground_desk.browser.sites.state import SiteState

PAGE_ROWS = 50
GUIDES = ("Visitors and badges", "Travel and expenses", "Borrowing equipment", "Printing and scanning", "Fire drill")


class Missing(Exception):
    """The page does not exist."""


def intranet(person: Person, state: SiteState, request: Request) -> Response:
    """Serve the start page, the staff directory and the guides."""
    match request.path.strip("/").split("/"):
        case [""]:
            words = f'<p class="box">Welcome, {escape(person.first)}. Today is a good day to clear the queue.</p>'
            return page(person, "intranet", person.titles["intranet"], words + elsewhere(person))
        case ["staff"]:
            rows = [
                (
                    link(f"/staff/{number}", colleague.name),
                    escape(colleague.role),
                    escape(colleague.room),
                    escape(colleague.extension),
                )
                for number, colleague in enumerate(person.staff, 1)
            ]
            return page(person, "intranet", "Staff directory", table(("Name", "Role", "Room", "Extension"), rows))
        case ["staff", number]:
            colleague = person.staff[index(number, len(person.staff))]
            facts = [("Role", colleague.role), ("Room", colleague.room), ("Extension", colleague.extension)]
            return page(person, "intranet", colleague.name, _facts(facts))
        case ["guides"]:
            listed = "".join(f"<li>{link(f'/guides/{number}', name)}</li>" for number, name in enumerate(GUIDES, 1))
            return page(person, "intranet", "Guides", f"<ul>{listed}</ul>")
        case ["guides", number]:
            at = index(number, len(GUIDES))
            keeper, deputy = (
                person.staff[(at * 3 + 2) % len(person.staff)],
                person.staff[(at * 3 + 5) % len(person.staff)],
            )
            body = (
                f"<p>This guide is kept by {escape(keeper.name)} ({escape(keeper.role)}, room {escape(keeper.room)}). "
                f"In their absence ask {escape(deputy.name)}, extension {escape(deputy.extension)}.</p>"
                f"<p>Requests are answered within {at + 2} working days. Forms are kept for {3 * at + 12} months.</p>"
            )
            return page(person, "intranet", GUIDES[at], body)
    raise Missing


def catalogue(person: Person, state: SiteState, request: Request) -> Response:
    """Serve records by page, search and group; single records; charts and tables to download."""
    columns = person.columns
    match request.path.strip("/").split("/"):
        case [""]:
            groups = sorted({str(row[1]) for row in person.records})
            listed = "".join(f"<li>{link(f'/records?group={quote(group)}', group)}</li>" for group in groups)
            body = f"<p>{len(person.records)} records.</p>{_search()}<h2>{escape(columns[1])}</h2><ul>{listed}</ul>"
            return page(person, "catalogue", person.titles["catalogue"], body)
        case ["records"]:
            return _records(person, request)
        case ["records", number]:
            at = index(number, len(person.records))
            row = person.records[at]
            facts = [(name, str(value)) for name, value in zip(columns, row, strict=True)]
            links = f"<p>{link(f'/records/{at + 1}/leaflet.pdf', 'Leaflet (PDF)')}</p>"
            return page(person, "catalogue", str(row[0]), _facts(facts) + links)
        case ["records", number, "leaflet.pdf"]:
            at = index(number, len(person.records))
            row = person.records[at]
            lines = [f"{name}: {value}" for name, value in zip(columns, row, strict=True)]
            return _file(state, request, record_pdf(str(row[0]), lines), "application/pdf", f"leaflet-{at + 1}.pdf")
        case ["charts"]:
            listed = "".join(
                f'<h2>{escape(name)}</h2><a href="/charts/{at}.png"><img src="/charts/{at}.png" width="480" '
                f'alt="Chart of {escape(name)}"></a>'
                for at, name in enumerate(columns[1:], 1)
            )
            return page(person, "catalogue", "Charts", listed)
        case ["charts", name] if name.endswith(".png") and name[:-4].isdigit() and 0 < int(name[:-4]) < len(columns):
            return Response(chart(person, int(name[:-4])), "image/png")
        case ["downloads"]:
            groups = sorted({str(row[1]) for row in person.records})
            rows = [(link("/downloads/all.csv", "All records"), "CSV", str(len(person.records)))]
            rows += [
                (
                    link(f"/downloads/{quote(group)}.csv", group),
                    "CSV",
                    str(sum(row[1] == group for row in person.records)),
                )
                for group in groups
            ]
            return page(person, "catalogue", "Downloads", table(("Table", "Format", "Records"), rows, (2,)))
        case ["downloads", name] if name.endswith(".csv"):
            group = name[:-4]
            if group != "all" and group not in {row[1] for row in person.records}:
                raise Missing
            data = record_csv(person, "" if group == "all" else group)
            return _file(state, request, data, "text/csv; charset=utf-8", name.replace(" ", "-"))
    raise Missing


def library(person: Person, state: SiteState, request: Request) -> Response:
    """Serve journal articles, each with an abstract and a PDF file."""
    match request.path.strip("/").split("/"):
        case [""]:
            newest = max(person.papers, key=lambda paper: paper.year)
            body = f"<p>{len(person.papers)} articles. {link('/articles', 'See all')}.</p>"
            body += f"<p>Newest: {escape(newest.title)}</p>"
            return page(person, "library", person.titles["library"], body)
        case ["articles"]:
            rows = [
                (
                    link(f"/articles/{number}", paper.title),
                    escape(paper.authors),
                    escape(paper.journal),
                    str(paper.year),
                )
                for number, paper in enumerate(person.papers, 1)
            ]
            return page(person, "library", "All articles", table(("Title", "Authors", "Journal", "Year"), rows, (3,)))
        case ["articles", number]:
            at = index(number, len(person.papers))
            paper = person.papers[at]
            facts = [
                ("Authors", paper.authors),
                ("Journal", paper.journal),
                ("Year", str(paper.year)),
                ("Pages", str(paper.pages)),
            ]
            words = (
                f"<p>{escape(paper.title)}: this article by {escape(paper.authors)} reports {paper.pages * 7 + 11} "
                f"observations and discusses what follows for practice.</p>"
            )
            return page(
                person,
                "library",
                paper.title,
                _facts(facts) + words + link(f"/articles/{at + 1}/paper.pdf", "Full text (PDF)"),
            )
        case ["articles", number, "paper.pdf"]:
            at = index(number, len(person.papers))
            paper = person.papers[at]
            lines = [paper.authors, f"{paper.journal}, {paper.year}, {paper.pages} pages"]
            return _file(state, request, record_pdf(paper.title, lines), "application/pdf", f"paper-{at + 1}.pdf")
    raise Missing


def news(person: Person, state: SiteState, request: Request) -> Response:
    """Serve a year of reports with readers' comments."""
    match request.path.strip("/").split("/"):
        case ["" | "archive"]:
            section = request.query.get("section", "")
            rows = [
                (
                    escape(article.date),
                    link(f"/{number}", article.title),
                    escape(article.section),
                    escape(article.author),
                )
                for number, article in reversed(list(enumerate(person.articles, 1)))
                if not section or article.section == section
            ]
            title = "Archive" if request.path.strip("/") else person.titles["news"]
            return page(person, "news", title, table(("Date", "Report", "Section", "By"), rows))
        case [number]:
            at = index(number, len(person.articles))
            article = person.articles[at]
            comments = "".join(
                f'<p class="box"><b>{escape(entry["name"])}</b>: {escape(entry["text"])}</p>'
                for entry in state.comments
                if entry["report"] == article.title
            )
            body = (
                f"<p><b>{escape(article.date)}</b>, by {escape(article.author)}. "
                f"Section: {escape(article.section)}.</p>"
                f"<p>{escape(article.title)}. Officials said on the day that {at * 13 + 40} people were asked, and "
                f"that figures will be published in autumn.</p><h2>Comments</h2>{comments}"
                f'<form method="post" action="/{at + 1}/comment">{text_field("name", "Your name")}'
                '<label for="text">Your comment</label><textarea id="text" name="text"></textarea>'
                "<br><button>Publish comment</button></form>"
            )
            return page(person, "news", article.title, body)
    raise Missing


def _records(person: Person, request: Request) -> Response:
    asked, group = request.query.get("q", "").casefold(), request.query.get("group", "")
    matching = [
        (number, row)
        for number, row in enumerate(person.records, 1)
        if (not asked or asked in " ".join(map(str, row)).casefold()) and (not group or row[1] == group)
    ]
    first = PAGE_ROWS * (max(1, int(request.query["page"])) - 1) if request.query.get("page", "").isdigit() else 0
    numbers = [at for at, value in enumerate(person.records[0], 1) if not isinstance(value, str)]
    rows = [
        (str(number), link(f"/records/{number}", row[0]), *(escape(str(value)) for value in row[1:]))
        for number, row in matching[first : first + PAGE_ROWS]
    ]
    pages = range(1, (len(matching) - 1) // PAGE_ROWS + 2)
    query = f"&q={quote(asked)}&group={quote(group)}"
    more = " ".join(link(f"/records?page={number}{query}", f"Page {number}") for number in pages)
    body = f"{_search()}<p>{len(matching)} found. {more}</p>{table(('No.', *person.columns), rows, numbers)}"
    return page(person, "catalogue", "Records" if not group else f"Records: {group}", body)


def _search() -> str:
    field = text_field("q", "Search the catalogue", kind="search")
    return f'<form action="/records">{field} <button>Search</button></form>'


def _facts(facts: list[tuple[str, str]]) -> str:
    return table(("", ""), [(f"<b>{escape(name)}</b>", escape(value)) for name, value in facts])


def _file(state: SiteState, request: Request, data: bytes, kind: str, name: str) -> Response:
    if len(state.downloads) < 1000:
        state.downloads.append(f"{request.host}{request.path}")
    plain = name.encode("ascii", "ignore").decode()
    return Response(data, kind, HTTPStatus.OK, {"Content-Disposition": f'attachment; filename="{plain}"'})


def index(number: str, most: int) -> int:
    """Return the index, from 0, of a number, from 1, in an address."""
    if not (number.isascii() and number.isdigit()) or not 1 <= int(number[:9]) <= most:
        raise Missing
    return int(number) - 1
