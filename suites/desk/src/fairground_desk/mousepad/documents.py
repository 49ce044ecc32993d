"""The files of a workplace: a log, settings, a table, minutes, scripts, letters. The same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from fairground_desk.mousepad.workplaces import Workplace

WEEKS = 16
LOG_LINES = 330
CONTACTS = 64
PRICES = 42
STATUSES = ("active", "paused", "closed")
WEEKLY = "weekly/2026-W{:02}.md"


def build(place: Workplace) -> dict[str, bytes]:
    """Return the content of every file of a workplace, by path."""
    draw = Random(place.seed)
    roles = {
        "log": _log(place, draw),
        "config": _config(place, draw),
        "contacts": _contacts(place, draw),
        "notes": _notes(place, draw),
        "code": _code(place),
        "shell": _shell(place),
        "letter": _letter(place),
        "list": list(place.things),
        "dos": _prices(draw),
        "todo": [f"[{'x' if number in (3, 6) else ' '}] {task}" + "  " * (number % 3 == 1)
                 for number, task in enumerate(place.tasks)],
    }  # fmt: skip
    files = {place.path(role): _text(lines, "\r\n" if role == "dos" else "\n") for role, lines in roles.items()}
    files[place.path("latin")] = _text(place.latin, encoding="latin-1")
    for week in range(1, WEEKS + 1):
        files[f"~/Documents/{WEEKLY.format(week)}"] = _text(_week(place, week, draw))
    for quarter in range(1, 5):
        lines = [f"{place.organisation}, quarter {quarter} of 2025", "", *_sentences(place, draw, 12)]
        files[f"~/Documents/archive/2025-Q{quarter}.txt"] = _text(lines)
    for name in ("phrases", "signature", "abbreviations", "addresses"):
        files[f"~/Documents/snippets/{name}.txt"] = _text([name.capitalize(), "", *_sentences(place, draw, 6)])
    return files


def _text(lines: list[str] | tuple[str, ...], end: str = "\n", encoding: str = "utf-8") -> bytes:
    return "".join(f"{line}{end}" for line in lines).encode(encoding)


def _log(place: Workplace, draw: Random) -> list[str]:
    lines = []
    day, second = 2, 0
    # Parts fail at different rates, so that one fails most.
    trouble = place.parts[place.seed % len(place.parts)]
    for _ in range(LOG_LINES):
        second += draw.randint(40, 900)
        if second >= 86_400:
            day, second = day + 1, second - 86_400
        part = draw.choice(place.parts)
        level = draw.choices(("INFO", "WARN", "ERROR"), (70, 18, 34 if part == trouble else 8))[0]
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        saying = draw.choice(place.sayings[level])
        lines.append(f"2026-03-{day:02} {clock} {level:<5} [{part}] {saying} ({draw.randint(100, 999)})")
    return lines


def _config(place: Workplace, draw: Random) -> list[str]:
    word = place.renames["setting"].old
    longer = place.renames["setting"].longer
    lines = [
        f"# Settings of {place.service}, {place.organisation}", f"# Readings of the {word} come every six minutes.", "",
        "[general]", f"name = {place.service}", f"owner = {place.owner}", "language = en", "debug = no",
        f"topics = {word}, time, state", "",
        "[network]", "host = 192.168.14.20", f"port = {draw.randint(7000, 7999)}", "timeout = 30", "retries = 3",
        f"proxy = {word}.example.org", "",
        "[limits]", "max-open = 40", "max-queue = 250", f"{longer} = 12", "warn-at = 80", f"# {longer} is in hours.",
        "",
    ]  # fmt: skip
    for part in place.parts:
        lines += [f"[{part}]", "enabled = yes", f"interval = {draw.randint(2, 90)}", f"level = {draw.randint(1, 5)}",
                  f"source = {word}", ""]  # fmt: skip
    return lines[:-1]


def _contacts(place: Workplace, draw: Random) -> list[str]:
    lines = ["id,name,street,town,phone,since,status"]
    longer = place.renames["place"].longer
    for number in range(1, CONTACTS + 1):
        first, last = draw.choice(place.people).split()[0], draw.choice(place.people).split()[-1]
        town = place.towns[number % len(place.towns)]
        street = f"{longer if number % 9 == 4 else draw.choice(('Station Road', 'High Street', 'Mill Lane'))}"
        phone = f"{place.country} {draw.randint(10, 99)} {draw.randint(10, 99)} {draw.randint(10, 99)}"
        since = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(2012, 2025)}"
        status = STATUSES[(0, 0, 1, 0, 2, 0, 0, 2)[draw.randrange(8)]]
        lines.append(f"{1000 + number},{first} {last},{street} {draw.randint(1, 80)},{town},{phone},{since},{status}")
    return lines


def _notes(place: Workplace, draw: Random) -> list[str]:
    rename = place.renames["person"]
    lines = [f"# {place.organisation}: {place.topics[0].lower()}", "", "Thursday, 12 March 2026, 14h30 to 16h05", "",
             f"Present: {', '.join(place.people[:6])}. Excused: {rename.longer}.", ""]  # fmt: skip
    for number, topic in enumerate(place.topics):
        lines += [f"## {topic}", ""]
        lines += [f"{rename.old} reports on {topic.lower()} since {9 + number}h{10 + number * 7:02}."]
        lines += _sentences(place, draw, 3)
        lines += [f"{rename.longer} adds that {rename.old} was asked before.  " if number % 2 else
                  f"The point is closed at {15 + number // 3}h{(12 + number * 9) % 60:02}. "]  # fmt: skip
        lines += ["", f"- [ ] {draw.choice(place.people)}: {place.tasks[number].lower()}",
                  f"- [ ] {draw.choice(place.people)}: {place.tasks[number + 2].lower()}", ""]  # fmt: skip
    return [*lines, f"Minutes: {place.owner}"]


def _code(place: Workplace) -> list[str]:
    name = place.files["code"].rpartition("/")[2].removesuffix(".py")
    body = f'''"""{name.replace("_", " ").capitalize()} of {place.organisation}."""

import csv
import sys
from collections import Counter


def read_rows(path):
>with open(path, newline="") as stream:
>>for row in csv.DictReader(stream):
>>>if row["status"] == "closed":
>>>>continue
>>>yield row


def count(rows, key):
>totals = Counter()
>for row in rows:
>>value = row[key].strip()
>>if not value:
>>>value = "unknown"
>>totals[value] += 1
>return totals


def show(totals, limit=10):
>width = max(len(name) for name in totals)
>for name, number in totals.most_common(limit):
>>share = number / sum(totals.values())
>>print(f"{{name:<{{width}}}} {{number:>5}} {{share:6.1%}}")


def check(totals):
>for name, number in totals.items():
>>if number < 2:
>>>print("only once:", name)
>>elif number > 500:
>>>print("too many:", name)


def main(argv):
>if len(argv) < 2:
>>print("usage: {name}.py FILE [COLUMN]")
>>return 2
>key = argv[2] if len(argv) > 2 else "town"
>rows = list(read_rows(argv[1]))
>totals = count(rows, key)
>show(totals)
>check(totals)
>print("{place.service}:", len(rows), "rows")
>return 0


if __name__ == "__main__":
>sys.exit(main(sys.argv))'''
    lines = body.split("\n")
    ragged = {12: " ", 20: "  ", 29: " ", 37: "   ", 45: " "}
    return [_tabbed(line) + ragged.get(number, "") for number, line in enumerate(lines, 1)]


def _tabbed(line: str) -> str:
    bare = line.lstrip(">")
    return "\t" * (len(line) - len(bare)) + bare


def _shell(place: Workplace) -> list[str]:
    folder = place.files["log"].partition("/")[0]
    return f"""#!/bin/sh
# Nightly work for {place.service}.
set -eu

folder="$HOME/Documents/{folder}"
keep=14

for file in "$folder"/*.log; do
    if [ -s "$file" ]; then
        copy="$file.$(date +%F)"
        if cp "$file" "$copy"; then
            gzip "$copy"
        else
            echo "could not copy $file" >&2
            exit 1
        fi
    fi
done

remove_old() {{
    find "$folder" -name '*.gz' -mtime "+$keep" |
        while read -r old; do
            echo "removing $old"
            rm "$old"
        done
}}

if [ "${{1:-}}" = "--clean" ]; then
    remove_old
fi
echo "{place.service}: done" """.rstrip().split("\n")


def _letter(place: Workplace) -> list[str]:
    rename = place.renames["thing"]
    lines = [place.organisation, f"{place.towns[0]}, 9 March 2026", "", place.letter[0], ""]
    for paragraph in place.letter[1:]:
        lines += [*_wrapped(paragraph, 72), ""]
    listed = f"Enclosed: a sheet on {rename.longer}, one on {rename.old}, and {rename.old.capitalize()} in figures."
    return [*lines, "Yours sincerely,", place.owner, "", listed]


def _prices(draw: Random) -> list[str]:
    lines = ["item;quantity;amount;ordered"]
    for number in range(1, PRICES + 1):
        thousands, rest, cents = draw.randint(1, 48), draw.randint(0, 999), draw.randint(0, 99)
        ordered = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.2025"
        lines.append(f"A-{number:03};{draw.randint(1, 60)};{thousands}.{rest:03},{cents:02};{ordered}")
    return lines


def _week(place: Workplace, week: int, draw: Random) -> list[str]:
    return [f"# Week {week} of 2026", "", f"Written by {draw.choice(place.people)}.", "", *_sentences(place, draw, 4),
            "", "## Done", "", *(f"- {task}" for task in draw.sample(place.tasks, 3))]  # fmt: skip


def _sentences(place: Workplace, draw: Random, number: int) -> Iterator[str]:
    for _ in range(number):
        part, saying = draw.choice(place.parts), draw.choice(place.sayings[draw.choice(("WARN", "ERROR"))])
        yield f'{draw.choice(place.people)} asks why the {part} said "{saying}" in {draw.choice(place.towns)}.'


def _wrapped(paragraph: str, width: int) -> list[str]:
    lines = [""]
    for word in paragraph.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
