"""Workplaces of four people: what they work on, and how their text files are named.

Everything is invented, except for names of towns. The contents of the files are in `documents`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Rename:
    """A word to replace in a file.

    Attributes:
        role: Role of the file.
        old: The word; it is also part of longer words, which stay.
        new: The replacement.
        longer: A longer word that contains it.
    """

    role: str
    old: str
    new: str
    longer: str


@dataclass(frozen=True)
class Workplace:
    """A user's workplace.

    Attributes:
        seed: Seed of the random choices.
        files: Path below `~/Documents` by role.
        service: The program whose log, settings and script are among the files.
        parts: Parts of that program, which write the log.
        sayings: Its log messages, by level.
        people: First and last names.
        towns: Where the contacts live.
        country: Prefix of telephone numbers.
        topics: Headings of the meeting notes.
        things: Items of the list.
        latin: A text with non-ASCII letters, for a file that is not UTF-8.
        renames: Words to replace, by instance.
    """

    organisation: str
    owner: str
    seed: int
    files: Mapping[str, str]
    service: str
    parts: tuple[str, ...]
    sayings: Mapping[str, tuple[str, ...]]
    people: tuple[str, ...]
    towns: tuple[str, ...]
    country: str
    topics: tuple[str, ...]
    tasks: tuple[str, ...]
    things: tuple[str, ...]
    latin: tuple[str, ...]
    letter: tuple[str, ...]
    renames: Mapping[str, Rename]

    def path(self, role: str) -> str:
        """Return the path of the file with this role."""
        return f"~/Documents/{self.files[role]}"


HARBOUR: Final = Workplace(
    organisation="Bergen Harbour Office",
    owner="Ingrid Solheim",
    seed=11,
    files={
        "log": "logs/berthd.log", "config": "berthd.ini", "contacts": "shipping-agents.csv",
        "notes": "meetings/berth planning.md", "code": "scripts/berth_report.py", "shell": "scripts/backup.sh",
        "letter": "letters/pilot-association.txt", "latin": "letters/havnevedtekter.txt", "list": "quays.txt",
        "dos": "import/harbour-dues.csv", "todo": "todo.txt",
    },
    service="berthd",
    parts=("allocator", "tide-feed", "ais-bridge", "billing", "gate"),
    sayings={
        "INFO": ("berth assigned to vessel", "tide table refreshed", "position received", "invoice queued",
                 "gate opened for truck"),
        "WARN": ("tide feed late by minutes", "position older than limit", "invoice without agent",
                 "queue longer than usual"),
        "ERROR": ("connection refused by peer", "berth double booked", "invoice rejected by ledger",
                  "checksum of message wrong"),
    },
    people=("Ingrid Solheim", "Lars Berg", "Kari Nilsen", "Ola Haugen", "Marit Dahl", "Per Strand", "Anne Lie",
            "Jonas Moen", "Silje Bakke", "Knut Eide", "Tone Vik", "Erik Foss", "Liv Aasen", "Geir Tveit"),
    towns=("Bergen", "Stavanger", "Trondheim", "Haugesund", "Florø", "Kristiansund", "Molde"),
    country="+47",
    topics=("Berth allocation", "Cruise season", "Dredging", "Shore power", "Budget", "Any other business"),
    tasks=("Order new fenders for Skolten", "Send the tide tables to the pilots", "Renew the radio licence",
           "Check the invoice of the tug company", "Book the meeting room for April", "Print the gate passes",
           "Answer the question about shore power", "Archive the log of last winter", "Call the surveyor",
           "Update the list of quays"),
    things=("Skolten North, 330 m", "Bontelabo, 260 m", "Jekteviken, 410 m", "Dokken West, 240 m",
            "Festningskaien, 180 m", "Tollbodkaien, 150 m", "Dokken East, 235 m", "Munkebryggen, 120 m",
            "Nykirkekaien, 140 m", "Skolten South, 200 m", "Frieleneskaien, 275 m", "Hurtigrutekaien, 160 m"),
    latin=("Vedtekter for havnebruk", "", "1. Fartøy skal meldes før ankomst.", "2. Båter over 15 meter får plass.",
           "3. Avgiften følger størrelsen på skipet.", "4. Søppel leveres på kaien.", "5. Kjøretøy må ikke stå her.",
           "6. Skader på brygger meldes straks til havnevakten på Skolten.", "", "Vedtatt i Bergen, fjerde øre."),
    letter=("Dear members of the Pilot Association,",
            "thank you for your letter about the approach to Skolten. The harbour office has looked at the tide "
            "records of the winter and agrees that large ships should wait for slack water.",
            "From April the berth will be assigned two hours before arrival. Please tell us by radio which berth the "
            "master prefers; the office will try to follow. Where two ships ask for one berth, the earlier wins.",
            "The new rules hold for Bontelabo as well. Mr Berg will explain them at the quay."),
    renames={
        "person": Rename("notes", "Berg", "Haaland", "Bergen"),
        "thing": Rename("letter", "berth", "mooring", "berths"),
        "place": Rename("contacts", "Molde", "Bodo", "Moldegaard"),
        "setting": Rename("config", "tide", "current", "tidetable"),
    },
)  # fmt: skip

BAKERY: Final = Workplace(
    organisation="Cooperativa Pan de Oro",
    owner="Lucía Ferrer",
    seed=23,
    files={
        "log": "registros/ovenctl.log", "config": "ovenctl.ini", "contacts": "customers.csv",
        "notes": "asamblea/spring assembly.md", "code": "scripts/daily_yield.py", "shell": "scripts/sync-orders.sh",
        "letter": "cartas/mill.txt", "latin": "cartas/aviso-clientes.txt", "list": "recipes.txt",
        "dos": "import/flour-prices.csv", "todo": "pending.txt",
    },
    service="ovenctl",
    parts=("oven-1", "oven-2", "proofer", "orders", "scale"),
    sayings={
        "INFO": ("batch loaded into oven", "temperature reached", "order printed for shop", "dough weighed",
                 "door closed"),
        "WARN": ("temperature drifts from target", "door open too long", "flour below the mark", "order came late"),
        "ERROR": ("burner did not ignite", "scale does not answer", "order lost on the way", "sensor out of range"),
    },
    people=("Lucía Ferrer", "Pau Sol", "Carmen Ortiz", "Vicent Mira", "Amparo Gil", "Jordi Roca", "Elena Vidal",
            "Toni Marco", "Rosa Pla", "Andreu Bou", "Nuria Sanz", "Miguel Soler", "Empar Llopis", "Javier Costa"),
    towns=("Valencia", "Sagunto", "Alzira", "Gandia", "Xàtiva", "Sueca", "Torrent"),
    country="+34",
    topics=("Bread of the year", "New oven", "Delivery rounds", "Members", "Accounts", "Questions"),
    tasks=("Order rye flour for Easter", "Clean the proofer", "Write the rota for May", "Pay the water bill",
           "Ask the mill about spelt", "Print labels for the market", "Mend the door of the van",
           "Count the trays", "Send the minutes to the members", "Call the inspector"),
    things=("Hogaza, 900 g", "Barra, 250 g", "Pan de centeno, 700 g", "Coca, 400 g", "Rollo, 120 g",
            "Mollete, 90 g", "Pan de molde, 650 g", "Ensaimada, 80 g", "Fartons, 60 g", "Pan integral, 800 g",
            "Rosquilleta, 40 g", "Empanadilla, 110 g"),
    latin=("Aviso a la clientela", "", "1. El horno cerrará el miércoles por la mañana.", "2. Habrá pan de año nuevo.",
           "3. Los pedidos se recogen en la calle Colón.", "4. Señalen el tamaño en la nota.",
           "5. El café sube diez céntimos.", "6. La próxima feria será en otoño.", "", "Muñoz y compañía, Valencia."),
    letter=("Dear friends at the mill,",
            "the flour that came on Monday was moist, and the dough did not rise as it should. We have kept two sacks "
            "for you to look at, and bought other flour for the weekend.",
            "Please send dry flour by Thursday. If the flour has to travel again, cover it. The floury dust on the "
            "pallets shows that three sacks were torn.",
            "Pau Sol will wait for the lorry at six. We pay for flour that bakes."),
    renames={
        "person": Rename("notes", "Sol", "Navarro", "Soler"),
        "thing": Rename("letter", "flour", "semolina", "floury"),
        "place": Rename("contacts", "Sueca", "Cullera", "Suecana"),
        "setting": Rename("config", "steam", "vapour", "steamer"),
    },
)  # fmt: skip

OBSERVATORY: Final = Workplace(
    organisation="Cerro Alto Observatory",
    owner="Tamsin Okafor",
    seed=37,
    files={
        "log": "night/domewatch.log", "config": "domewatch.ini", "contacts": "observers.csv",
        "notes": "minutes/instrument board.md", "code": "scripts/seeing_summary.py", "shell": "scripts/rotate-logs.sh",
        "letter": "letters/time-committee.txt", "latin": "letters/normas-visita.txt", "list": "targets.txt",
        "dos": "import/detector-costs.csv", "todo": "todo.txt",
    },
    service="domewatch",
    parts=("dome", "weather", "guider", "camera", "archive"),
    sayings={
        "INFO": ("shutter moved to position", "reading stored", "guide star found", "exposure finished",
                 "frame written to archive"),
        "WARN": ("humidity near the limit", "guide star faint", "wind above the usual", "disk fills quickly"),
        "ERROR": ("shutter stuck at position", "guide star lost", "camera did not cool", "archive refused frame"),
    },
    people=("Tamsin Okafor", "Rhys Lan", "Mateo Fuentes", "Aiko Mori", "Petra Novak", "Samir Haddad", "Ines Rojas",
            "Callum Reid", "Wei Zhang", "Greta Lind", "Oscar Pena", "Hana Kim", "Diego Silva", "Maya Landau"),
    towns=("Antofagasta", "Calama", "Santiago", "La Serena", "Arica", "Iquique", "Taltal"),
    country="+56",
    topics=("Camera upgrade", "Dome repairs", "Observing time", "Visitors", "Finances", "Open points"),
    tasks=("Realign the guider", "Order liquid nitrogen", "Publish the schedule for May", "Replace the wind sensor",
           "Copy the frames of March to tape", "Answer the board", "Book flights for the visitors",
           "Clean the secondary mirror", "Measure the dark current", "Mend the ladder"),
    things=("NGC 253, 8 h", "NGC 300, 5 h", "Fornax A, 12 h", "Omega Centauri, 3 h", "Eta Carinae, 2 h",
            "Tarantula, 6 h", "47 Tucanae, 4 h", "Sculptor dwarf, 9 h", "Helix, 7 h", "Sombrero, 10 h",
            "Jewel Box, 1 h", "Centaurus A, 11 h"),
    latin=("Normas para la visita", "", "1. La visita dura una hora y empieza al atardecer.",
           "2. El telescopio está frío: traiga un abrigo.", "3. Ningún niño sube sin compañía.",
           "4. La montaña no tiene señal de teléfono.", "5. El año próximo habrá más visitas.",
           "6. Está prohibido encender linternas blancas.", "", "Dirección del observatorio, Antofagasta."),
    letter=("Dear time committee,",
            "the night of the fifth was lost to wind, and the night after it to the shutter. We ask for another night "
            "in May, since the target sets early in June.",
            "One night would do: the camera now reads twice as fast as at the last midnight run. We can share the "
            "night with the team of Aiko Mori, who needs the hours before midnight.",
            "Rhys Lan has checked the dome. A clear night is all that we lack."),
    renames={
        "person": Rename("notes", "Lan", "Prior", "Landau"),
        "thing": Rename("letter", "night", "session", "midnight"),
        "place": Rename("contacts", "Arica", "Vallenar", "Aricana"),
        "setting": Rename("config", "wind", "breeze", "window"),
    },
)  # fmt: skip

LIBRARY: Final = Workplace(
    organisation="Stadtbibliothek Graz",
    owner="Johanna Pichler",
    seed=53,
    files={
        "log": "protokoll/shelfd.log", "config": "shelfd.ini", "contacts": "readers.csv",
        "notes": "sitzungen/reading week.md", "code": "scripts/loans_by_branch.py", "shell": "scripts/nightly.sh",
        "letter": "briefe/publisher.txt", "latin": "briefe/hausordnung.txt", "list": "reading-list.txt",
        "dos": "import/acquisitions.csv", "todo": "aufgaben.txt",
    },
    service="shelfd",
    parts=("catalogue", "loans", "returns", "mailer", "printer"),
    sayings={
        "INFO": ("record loaded", "loan booked for reader", "book returned to branch", "reminder sent to reader",
                 "label printed"),
        "WARN": ("record without author", "loan beyond the limit", "reader has no address", "paper runs low"),
        "ERROR": ("record could not be parsed", "loan refused by database", "mail server does not answer",
                  "printer jammed"),
    },
    people=("Johanna Pichler", "Franz Huber", "Eva Gruber", "Lukas Hub", "Marie Steiner", "Paul Moser",
            "Anna Wallner", "Jakob Egger", "Lena Fuchs", "Felix Auer", "Clara Berger", "Simon Lang", "Nina Wolf",
            "David Eder"),
    towns=("Graz", "Leoben", "Bruck", "Weiz", "Feldbach", "Judenburg", "Murau"),
    country="+43",
    topics=("Reading week", "Opening hours", "Acquisitions", "Branches", "Money", "Varia"),
    tasks=("Write to the publisher", "Mend the scanner", "Prepare the room for the reading", "Order bookends",
           "Send the reminders", "Count the returns", "Update the plan of the shelves", "Ask the mayor for a date",
           "Print posters", "Sort the donations"),
    things=("Heidi, 1880", "Faust, 1808", "Der Prozess, 1925", "Effi Briest, 1895", "Buddenbrooks, 1901",
            "Die Verwandlung, 1915", "Nathan der Weise, 1779", "Die Leiden des jungen Werther, 1774",
            "Der Sandmann, 1816", "Woyzeck, 1879", "Radetzkymarsch, 1932", "Das Schloss, 1926"),
    latin=("Hausordnung", "", "1. Bücher bitte sorgfältig behandeln.", "2. Rückgabe während der Öffnungszeiten.",
           "3. Größere Taschen gehören in die Fächer.", "4. Getränke sind nur im Café erlaubt.",
           "5. Für verlorene Bände zahlen Sie Ersatz.", "6. Führungen für Schüler sind kostenlos.", "",
           "Die Büchereileitung, Grüße aus Graz."),
    letter=("Dear editors,",
            "the novel that you sent in March has found many readers, and the novel before it is still asked for. Our "
            "branches would like six more copies of each novel.",
            "The novelist is welcome to read from the new novel here in May. Novels in translation draw the larger "
            "rooms, so we have kept the hall.",
            "Mr Hub will pick the parcel up in Leoben. Please put the novel in one box."),
    renames={
        "person": Rename("notes", "Hub", "Kofler", "Huber"),
        "thing": Rename("letter", "novel", "story", "novelist"),
        "place": Rename("contacts", "Weiz", "Gleisdorf", "Weizberg"),
        "setting": Rename("config", "loan", "lending", "loanable"),
    },
)  # fmt: skip

WORKPLACES: Final[Mapping[str, Workplace]] = {
    "harbour": HARBOUR, "bakery": BAKERY, "observatory": OBSERVATORY, "library": LIBRARY,
}  # fmt: skip
