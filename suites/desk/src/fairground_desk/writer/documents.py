"""The documents of an organisation: a report, a lease, minutes, a draft and a letter; and its other files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from xml.sax.saxutils import escape

from fairground_desk.writer.odtwriter import NAMESPACES, Block, Grid, Image, Items, Odt, Text, View, pack, write_odt
from fairground_desk.writer.organisation import PROFILES, Organisation, organisation
from fairground_desk.writer.pictures import bars, landscape, logo

FOLDER = "~/Documents"
PICTURES = "~/Pictures"
REPORT = f"{FOLDER}/report.odt"
LEASE = f"{FOLDER}/lease.odt"
MINUTES = f"{FOLDER}/minutes.odt"
CHAPTER = f"{FOLDER}/history.odt"
LETTER = f"{FOLDER}/letter.odt"
DOCUMENTS = (REPORT, LEASE, MINUTES, CHAPTER, LETTER)
CONTACTS = f"{FOLDER}/contacts.csv"
FIGURES = f"{FOLDER}/figures.ods"
NOTES = f"{FOLDER}/notes.odt"
"""A short document that no task is about."""

CONTACT_COUNT = 24
POINTS = (
    "Check every year against the archive",
    "Ask the families for their consent",
    "Number the photographs",
    "Compare the spelling of names",
    "Send the draft to two readers",
)
"""Lines at the end of the draft that should be a list."""


@cache
def other_files(profile: str, opened: str) -> Mapping[str, bytes]:
    """Return all files except the opened document, by path."""
    people, number = organisation(profile), PROFILES.index(profile)
    files = {path: document(profile, path) for path in (*DOCUMENTS, NOTES) if path != opened}
    files[CONTACTS] = "".join(",".join(row) + "\n" for row in contacts(people)).encode()
    files[FIGURES] = _spreadsheet("Spending", figures(people))
    for name, content in pictures(profile).items():
        files[f"{PICTURES}/{name}"] = content
    for month in range(1, 13, 2):
        files[f"{FOLDER}/archive/{people.year}/agenda-{month:02}.txt"] = _agenda(people, month).encode()
        files[f"{FOLDER}/archive/{people.year}/attendance-{month:02}.csv"] = _attendance(
            people, month + number
        ).encode()
    files[f"{FOLDER}/archive/README.txt"] = (
        f"Papers of {people.name}, by year. Nothing here is to be changed.\n".encode()
    )
    return MappingProxyType(files)


@cache
def document(profile: str, path: str, view: View | None = None) -> bytes:
    """Return a document of a profile as an ODT file with an initial view."""
    return write_odt(_MAKERS[path](organisation(profile), profile), view)


@cache
def pictures(profile: str) -> Mapping[str, bytes]:
    """Return the files in the pictures folder."""
    people, number = organisation(profile), PROFILES.index(profile)
    return MappingProxyType(
        {
            "logo.png": logo(number),
            "spending.png": bars(number, [programme.spent for programme in people.programmes]),
            "people.png": bars(number + 1, [programme.people for programme in people.programmes]),
            "morning.png": landscape(number, 3),
            "evening.png": landscape(number + 1, 4),
            "old/visit.png": landscape(number + 2, 5, width=360, height=240),
        }
    )


def contacts(one: Organisation) -> list[list[str]]:
    """Return the rows of the contact list, heading first."""
    rows = [["Number", "Name", "Street", "Town", "Programme", "Amount"]]
    source = one.contacts
    for number in range(CONTACT_COUNT):
        first = source.first[number % len(source.first)]
        last = source.last[(number * 5 + number // len(source.first)) % len(source.last)]
        street = f"{source.streets[number % len(source.streets)]} {7 + number * 3}"
        town = source.towns[(number * 3 + 1) % len(source.towns)]
        programme = one.programmes[(number * 5 + 2) % len(one.programmes)].name
        rows.append([str(101 + number), f"{first} {last}", street, town, programme, str(250 + 175 * (number % 9))])
    return rows


def figures(one: Organisation) -> list[list[str | int]]:
    """Return the spending of every programme per quarter, heading first."""
    rows: list[list[str | int]] = [["Programme", "Q1", "Q2", "Q3", "Q4"]]
    for place, programme in enumerate(one.programmes):
        parts = [programme.spent * share // 100 for share in (19 + place, 27 - place, 22 + place % 3)]
        rows.append([programme.name, *parts, programme.spent - sum(parts)])
    return rows


def resolved_minutes(profile: str, accepted: Callable[[str, str], bool]) -> bytes:
    """Return the minutes with each tracked change accepted or rejected.

    Args:
        profile: Name of the profile.
        accepted: Takes the kind (`ins` or `del`) and the author of a change, and returns whether to accept it.
    """

    def settled(mark: re.Match[str]) -> str:
        kind, author, text = mark[1], mark[2], mark[3]
        return text if accepted(kind, author) == (kind == "ins") else ""

    minutes = _minutes(organisation(profile), profile)
    blocks = [
        replace(block, text=CHANGE.sub(settled, block.text)) if isinstance(block, Text) else block
        for block in minutes.blocks
    ]
    return write_odt(replace(minutes, blocks=blocks))


def tracked_changes(profile: str) -> list[tuple[str, str]]:
    """Return the kind and author of each tracked change in the minutes, in order."""
    blocks = _minutes(organisation(profile), profile).blocks
    return [(mark[1], mark[2]) for block in blocks if isinstance(block, Text) for mark in CHANGE.finditer(block.text)]


CHANGE = re.compile(r"\{(ins|del)\|([^|]*)\|([^}]*)\}")


def _report(one: Organisation, profile: str) -> Odt:
    first, second = one.reviewers
    term, _ = one.term
    pictured = {0: "morning.png", 3: "evening.png"}
    spent, budget = (sum(getattr(p, name) for p in one.programmes) for name in ("spent", "budget"))
    blocks: list[Block] = [
        Text(f"Report to the {one.funder}", "Title"),
        Text(f"{one.name}, {one.year}", "Subtitle"),
        Text("Summary", level=1),
        Text(
            f"In {one.year} {one.short} ran six programmes in {one.place} and around it. "
            f"{{c|{first}|Please name the board that approved this.|The board}} approved all of them, and all of them "
            f"went on to the end of the year.{{fn|The programmes of earlier years are described in earlier reports.}}"
        ),
        Text(
            f"Of a budget of {budget:,} {one.currency} we spent {spent:,}. **No programme was given up**, and two went "
            f"over their budget for reasons that are //given below//. We thank the {one.funder} for its patience "
            f"{{c|{second}|Is patience the right word?|and for its questions}}."
        ),
        Text("The year in brief", level=1),
        Items(
            (
                f"Six programmes, of which the largest is {max(one.programmes, key=lambda p: p.budget).name}",
                f"Reached {sum(p.people for p in one.programmes):,} people in all",
                "Four meetings of the board, with minutes that anybody may read",
                f"A new agreement with {one.agreement.lessor}",
                "Accounts audited without reservation",
            )
        ),
        Text("Programmes", level=1),
        Text(
            "Each programme has a manager, a budget and a page on {bm|website|our web site}. What follows is in the "
            "order in which the programmes were founded."
        ),
    ]
    for number, programme in enumerate(one.programmes):
        blocks += [Text(programme.name, level=2), Text(programme.text)]
        aside = programme.aside
        if number == 1:
            aside += "{fn|Names are given only where the person agreed.}"
        if number == 2:
            aside = f"{{c|{first}|Do we have a source for this?|{aside}}}"
        blocks.append(Text(aside))
        if number in pictured:
            name = pictured[number]
            blocks.append(Image(f"Picture {len(pictured) - (number == 0)}", pictures(profile)[name], 9.6, 6.0))
    rows = [
        ("Programme", "Manager", "Budget", "Spent", "People"),
        *((p.name, p.manager, str(p.budget), str(p.spent), str(p.people)) for p in one.programmes),
        ("Total", "", "", "", ""),
    ]
    risks = (
        ("Risk", "Likely", "What we do"),
        ("A manager leaves", "medium", "Two people know each programme"),
        ("Prices rise", "high", "Contracts for a year where we can have them"),
        ("A storm", "low", "Insurance, and copies of all papers elsewhere"),
    )
    blocks += [
        Text("Finances", level=1),
        Text(
            f"All sums are in {one.currency}. {{bm|figures|The table below}} compares what was planned with what was "
            f"spent. {{c|{second}|Add the total, please.|The last row is still empty.}}"
        ),
        Grid("Budget", tuple(rows), (4.6, 4.0, 3.0, 3.0, 2.4)),
        Text("What was not spent is kept for the same programme in the coming year."),
        Text("Risks", level=1),
        Text(f"The board looked at the risks in March and in September, and once more when the {term} was discussed."),
        Grid("Risks", risks, (5.0, 3.0, 9.0)),
        Text("Outlook", level=1),
        Text("Three things come first in the year ahead:"),
        Items(
            (
                f"to finish what was begun in {one.programmes[0].name}",
                f"to find a second funder for {one.programmes[3].name}",
                "to write down what we know, before those who know it retire",
            ),
            numbered=True,
        ),
        Text(
            f"{one.contractor} has offered to continue its work at last year's price. The board will decide on this in "
            f"the spring, and will let the {one.funder} know.{{fn|The offer is open until the end of May.}}"
        ),
        Text("Thanks", level=1),
        Text(
            f"We thank everybody who gave time, money or advice, {{c|{first}|Add the mayor.|above all our neighbours}} "
            f"in {one.place}. Questions are welcome at any time; {one.user} answers them."
        ),
    ]
    return _odt(one, f"Report {one.year}", blocks, header=f"{one.name}: report {one.year}")


def _lease(one: Organisation, profile: str) -> Odt:
    lease = one.agreement
    money = f"{{:,}} {one.currency}".format
    clauses = {
        "Premises": (
            f"The Landlord lets to the Tenant {lease.object}, in {one.place} (the Premises). A plan of the Premises is "
            "attached, and is part of this agreement.",
            "The Tenant has seen the Premises and takes them as they are.",
        ),
        "Term": (
            f"The lease begins on {lease.start} and lasts for {lease.term} years. It goes on from year to year after "
            "that, unless one of the parties ends it.",
        ),
        "Rent": (
            f"The rent is {money(lease.rent)} a month. The Tenant pays it in advance, not later than on the fifth day "
            "of each month, to the account that the Landlord names.",
            "The Landlord may raise the rent once in two years, and by no more than prices have risen in the meantime.",
        ),
        "Deposit": (
            f"The Tenant pays a deposit of {money(lease.deposit)} before the Premises are handed over. The Landlord "
            "keeps it apart from other money, and gives it back within sixty days of the end of the lease.",
        ),
        "Use of the Premises": (
            f"The Tenant uses the Premises for the purposes of {lease.lessee}, and for no other business. Subletting "
            "needs the consent of the Landlord in writing.",
            "Noise is kept low between ten in the evening and six in the morning.",
        ),
        "Maintenance": (
            "The Landlord keeps the roof, the outer walls, pipes and wires in good order. The Tenant sees to "
            "everything inside, and tells the Landlord of damage within three days.",
            f"Work that costs more than {money(lease.rent // 2)} needs an offer, which {one.contractor} may be asked "
            "to make.",
        ),
        lease.special: (lease.special_text,),
        "Insurance": (
            "The Landlord insures the building, and the Tenant what is in it. Each party shows the other its policy "
            "on demand.",
        ),
        "Notice": (
            f"Either party may end the lease by notice in writing, {_WORDS[lease.notice]} months before the end of a "
            "calendar quarter. Notice by electronic mail is not enough.",
            "If the Tenant owes the rent of two months, the Landlord may end the lease at once.",
        ),
        "Handing back": (
            "At the end the Tenant hands the Premises back clean and with all keys. What the Tenant has built in may "
            "stay, if the Landlord agrees, and is otherwise taken out.",
        ),
        "Law": (
            f"The law of {lease.law} applies. Before they go to court, the parties ask a mediator whom both trust.",
        ),
    }
    rows = [("Payment", "Due", "Amount")]
    rows += [("Deposit", lease.start, str(lease.deposit))]
    year, month = int(lease.start[:4]), int(lease.start[5:7])
    for number in range(6):
        due = f"{year + (month + number - 1) // 12}-{(month + number - 1) % 12 + 1:02}-05"
        rows.append((f"Rent, month {number + 1}", due, str(lease.rent)))
    blocks: list[Block] = [
        Text(lease.kind, "Title"),
        Text(f"between **{lease.lessor}** (the Landlord) and **{lease.lessee}** (the Tenant)"),
    ]
    for title, paragraphs in clauses.items():
        blocks += [Text(title, level=1), *(Text(paragraph) for paragraph in paragraphs)]
    blocks += [
        Text("Schedule of payments", level=1),
        Grid("Payments", tuple(rows), (7.0, 5.0, 5.0)),
        Text("Signatures", level=1),
        Text(f"For the Landlord: {lease.lessor}"),
        Text(f"For the Tenant: {one.user}, {lease.lessee}"),
    ]
    return _odt(one, lease.kind, blocks)


def _minutes(one: Organisation, profile: str) -> Odt:
    meeting = one.minutes
    first, second = one.reviewers
    marks = (
        (f"{{ins|{first}| A copy lies in the office.}}", f"{{del|{second}| Nobody voted against it.}}"),
        (f"{{del|{first}| The talk took some time.}}", f"{{ins|{second}| The vote was by show of hands.}}"),
        (f"{{ins|{second}| Photographs were passed around.}}", ""),
        (f"{{del|{second}| Some left early.}}", f"{{ins|{first}| There were two abstentions.}}"),
    )
    blocks: list[Block] = [
        Text(f"Minutes of the board of {one.name}", "Title"),
        Text(f"Held on {meeting.day} in {meeting.room}, {one.place}"),
        Text("Attendance", level=1),
        Grid(
            "Attendance",
            (
                ("Name", "Role"),
                *((name, "Chair" if name == meeting.chair else "Member") for name in meeting.present),
            ),
            (9.0, 8.0),
        ),
        Text(f"{meeting.chair} was in the chair; {one.user} took the minutes. There was a quorum."),
    ]
    for item, (after_text, after_decision) in zip(meeting.items, marks, strict=True):
        blocks += [
            Text(item.title, level=1),
            Text(item.text + after_text),
            Text(f"{item.decision}; moved by {item.mover}, seconded by {item.seconder}.{after_decision}"),
        ]
    remark = f"{{c|{first}|Is this day certain?|The next meeting is on {meeting.next}}}"
    blocks += [
        Text("Tasks", level=1),
        Text(f"{{c|{second}|Sort these by day?|The tasks are}} as follows; hours are estimates."),
        Grid("Tasks", (("Task", "Owner", "Due", "Hours"), *map(tuple, meeting.actions.rows)), (7.5, 4.5, 3.0, 2.0)),
        Text("Next meeting", level=1),
        Text(f"{remark}, in the same place. {{c|{first}|Say who brings coffee.|The meeting closed at nine.}}"),
    ]
    return _odt(one, f"Minutes of {meeting.day}", blocks)


def _chapter(one: Organisation, profile: str) -> Odt:
    draft = one.chapter
    blocks: list[Block] = [
        Text(draft.title, "Title"),
        Text(f"A draft for {one.name}. Nothing has been set yet: titles, quotations and lists are plain text."),
    ]
    for number, part in enumerate(draft.parts):
        before, after = part.sections
        blocks += [Text(f"Chapter {number + 1}: {part.title}"), Text(before), Text(part.text[0])]
        if number < len(draft.quotes):
            blocks.append(Text(draft.quotes[number]))
        programme = one.programmes[number]
        blocks += [Text(after), Text(part.text[1]), Text(f"{programme.text} {programme.aside}")]
    blocks += [Text("To do before printing"), *map(Text, POINTS), Text(f"Written for {one.short} by {one.user}.")]
    return _odt(one, draft.title, blocks)


def _letter(one: Organisation, profile: str) -> Odt:
    blocks: list[Block] = [
        Text(f"**{one.name}**"),
        Text(f"{one.place}, [Date]"),
        Text("[Name]"),
        Text("[Street]"),
        Text("[Town]"),
        Text("**Your gift to our programme “[Programme]”**"),
        Text("Dear [Name],"),
        Text(
            f"we thank you for your gift of [Amount] {one.currency} to the programme “[Programme]”. It was received in "
            "full and will be spent on nothing else."
        ),
        Text(
            f"In {one.year} {one.short} spent [Spent] {one.currency} on its programmes. You find the whole account in "
            f"our report to the {one.funder}, which we gladly send to you."
        ),
        Text(f"If you come to {one.place}, do visit us: the kettle is on from ten o'clock."),
        Text("With kind regards"),
        Text(one.user),
    ]
    return _odt(one, "Letter of thanks", blocks)


def _notes(one: Organisation, profile: str) -> Odt:
    blocks = [Text("Notes", "Title"), *(Text(f"{p.name}: ask {p.manager} for the figures.") for p in one.programmes)]
    return _odt(one, "Notes", blocks)


def _odt(one: Organisation, title: str, blocks: Sequence[Block], header: str = "") -> Odt:
    language, country = one.language
    return Odt(title=title, author=one.user, blocks=blocks, header=header, language=(language, country))


_MAKERS: Mapping[str, Callable[[Organisation, str], Odt]] = {
    REPORT: _report,
    LEASE: _lease,
    MINUTES: _minutes,
    CHAPTER: _chapter,
    LETTER: _letter,
    NOTES: _notes,
}
_WORDS = {3: "three", 4: "four", 5: "five", 6: "six"}


def _agenda(one: Organisation, month: int) -> str:
    items = [item.title for item in one.minutes.items]
    lines = [f"{number}. {item}" for number, item in enumerate(items[month % 3 :] + items[: month % 3], 1)]
    return f"{one.name}\nAgenda, {one.year}-{month:02}\n\n" + "\n".join(lines) + "\n"


def _attendance(one: Organisation, number: int) -> str:
    rows = [f"{name},{'yes' if (place + number) % 4 else 'no'}\n" for place, name in enumerate(one.minutes.present)]
    return "name,present\n" + "".join(rows)


def _spreadsheet(name: str, rows: list[list[str | int]]) -> bytes:
    lines = "".join(f"<table:table-row>{''.join(map(_spreadsheet_cell, row))}</table:table-row>" for row in rows)
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content {NAMESPACES} office:version="1.3">'
        f'<office:body><office:spreadsheet><table:table table:name="{name}">{lines}</table:table></office:spreadsheet>'
        "</office:body></office:document-content>"
    )
    return pack("application/vnd.oasis.opendocument.spreadsheet", {"content.xml": content.encode()})


def _spreadsheet_cell(value: str | int) -> str:
    if isinstance(value, int):
        attributes = f'office:value-type="float" office:value="{value}"'
    else:
        attributes = 'office:value-type="string"'
    return f"<table:table-cell {attributes}><text:p>{escape(str(value))}</text:p></table:table-cell>"
