"""Content of the four presentations. Their slides have the same roles, so every task makes sense in each.

`author_decks.py` generates `data/*.odp` from it; scenarios take names and texts from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["title", "bullets", "two", "table", "chart", "photo", "boxes"]


@dataclass(frozen=True)
class Part:
    """One slide.

    Attributes:
        role: Purpose of the slide, the same in all presentations; empty if only this presentation has the slide.
        name: Name of the slide in Impress.
        lines: Bullets (with the second column after `---`), boxes, or the subtitle.
        rows: Rows of the table, heading first; or categories of the chart, with their values.
        speaker: Who presents the slide, according to the notes.
        notes: The rest of the notes.
    """

    role: str
    name: str
    title: str
    kind: Kind
    speaker: str
    notes: str
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    hidden: bool = False


@dataclass(frozen=True)
class Talk:
    """A presentation and its author.

    Attributes:
        file: Name of the file in `~/Documents`.
        accent: Colour of titles and boxes, as `0xRRGGBB`.
        photo: Name of the picture in the deck.
        photos: Names of the pictures in `~/Pictures`.
        wrong_name: A person's name, misspelt as on the slides.
        term: A word on several slides.
        old_word: A term that the organisation no longer uses; `new_word` replaces it.
    """

    organisation: str
    file: str
    title: str
    author: str
    footer: str
    ground: int
    accent: int
    font: str
    photo: str
    photo_alt: str
    photos: tuple[str, ...]
    wrong_name: str
    right_name: str
    term: str
    old_word: str
    new_word: str
    website: str
    parts: tuple[Part, ...] = field(repr=False)

    @property
    def path(self) -> str:
        return f"~/Documents/{self.file}.odp"

    def part(self, role: str) -> Part:
        return next(part for part in self.parts if part.role == role)


_HOUSING = Talk(
    organisation="Kalda Housing Cooperative",
    file="board update",
    title="Board update, third quarter",
    author="Liis Saar",
    footer="Kalda Housing Cooperative",
    ground=0xFFFFFF,
    accent=0x1F4E79,
    font="Liberation Sans",
    photo="facade",
    photo_alt="Brick wall of the courtyard side before repointing",
    photos=("facade", "garden-path", "lawn", "cat"),
    wrong_name="Kristjan Tammm",
    right_name="Kristjan Tamm",
    term="facade",
    old_word="caretaker",
    new_word="building manager",
    website="https://kalda.example.org/board",
    parts=(
        Part("opening", "Opening", "Board update, third quarter", "title", "Liis Saar",
             "Welcome the new owners of stairwell C.", ("Kalda Housing Cooperative, Tallinn",)),
        Part("agenda", "Agenda", "Agenda", "bullets", "Liis Saar", "Ten minutes a point, no more.", (
            "Where we stand after the summer", "The facade works and their cost", "What the reserve fund can carry",
            "Risks before the frost", "Decisions that we need tonight",
        )),
        Part("team", "People", "Who looks after what", "table", "Liis Saar", "Phone numbers are on the notice board.",
             rows=(("Person", "Task", "Since"), ("Liis Saar", "Chair of the board", "2019"),
                   ("Kristjan Tammm", "Construction", "2021"), ("Maarja Kask", "Accounts", "2016"),
                   ("Olga Petrova", "Garden and yard", "2022"), ("Rein Ilves", "caretaker", "2008"))),
        Part("background", "Background", "Why the facade cannot wait", "bullets", "Kristjan Tamm",
             "Show the crack above the gate.", (
                 "The facade dates from 1938 and was last repointed in 1987",
                 "Water enters behind the facade at nine places",
                 "Heating costs rose by a fifth in two winters",
                 "The city grants a third of the cost if we start this year",
             )),
        Part("goals", "Goals", "Goals until spring", "bullets", "Maarja Kask", "The fourth goal is new.", (
            "Close the facade before the first frost", "Keep the monthly fee below 2.40 EUR per square metre",
            "Insulate the cellar ceiling", "Answer every letter within a week",
        )),
        Part("", "Facade works", "The facade works in short", "bullets", "Kristjan Tamm",
             "The scaffold comes from Tartu.", (
                 "Scaffold up in week 36, led by Kristjan Tammm", "Repointing of the courtyard facade until week 41",
                 "The caretaker keeps the gate clear for deliveries", "Paint follows in May",
             )),
        Part("figures", "Costs", "What each house costs", "table", "Maarja Kask",
             "All amounts are in thousand euros, without VAT.",
             rows=(("House", "Repairs", "Heating", "Cleaning"), ("Kalda 1", "48", "61", "9"),
                   ("Kalda 3", "112", "58", "9"), ("Kalda 5", "37", "66", "11"), ("Kalda 7", "25", "52", "8"),
                   ("Yard", "14", "0", "17"))),
        Part("trend", "Heating", "Heating over four years", "chart", "Maarja Kask", "The mild winter explains 2022.",
             rows=(("Year", "Courtyard", "Street"), ("2020", "96", "118"), ("2021", "104", "131"),
                   ("2022", "89", "112"), ("2023", "121", "149"))),
        Part("photo", "Wall", "The wall as it is", "photo", "Kristjan Tamm", "Pass the loose mortar around.",
             ("Courtyard side, photographed by Kristjan Tammm in June",)),
        Part("process", "Steps", "How we decide", "boxes", "Liis Saar", "Nobody needs to remember the paragraph.",
             ("Proposal", "Hearing", "Vote")),
        Part("risks", "Risks", "Risks before the frost", "bullets", "Olga Petrova", "Mention the lime tree last.", (
            "Rain delays the mortar", "The scaffold blocks the fire lane", "Two offers expire in October",
            "The caretaker retires in November",
        )),
        Part("compare", "Two offers", "Two offers compared", "two", "Kristjan Tamm", "Do not name the cheaper one yet.",
             ("Offer from Tartu", "174 000 EUR", "Five years of warranty", "---", "Offer from Riga", "161 000 EUR",
              "Two years of warranty")),
        Part("timeline", "Calendar", "Calendar", "bullets", "Olga Petrova", "Dates are those of the contract.", (
            "September: scaffold and hearing", "October: courtyard side", "November: street side",
            "May: paint and lawn",
        )),
        Part("detail", "Spare figures", "Spare figures on the reserve fund", "bullets", "Maarja Kask",
             "Only if somebody asks.", (
                 "Reserve on 30 June: 214 000 EUR", "Bound for the lift: 60 000 EUR",
                 "Free for the facade: 154 000 EUR",
             ), hidden=True),
        Part("closing", "Decisions", "Decisions that we need", "bullets", "Liis Saar", "Count the votes by hand.", (
            "Accept one of the two offers", "Raise the repair fee by 0.15 EUR", "Name a successor for the caretaker",
            "Minutes and offers: board page",
        )),
    ),
)  # fmt: skip

_LECTURE = Talk(
    organisation="Observatorio Sierra Nevada",
    file="lecture 7",
    title="Lecture 7: how far away is a galaxy?",
    author="Camila Restrepo",
    footer="Introduction to astronomy",
    ground=0xF4F6FB,
    accent=0x3B2F7F,
    font="DejaVu Sans",
    photo="galaxies",
    photo_alt="Deep field with several hundred galaxies",
    photos=("galaxies", "moon", "launch", "astronaut"),
    wrong_name="Henrieta Leavitt",
    right_name="Henrietta Leavitt",
    term="redshift",
    old_word="quiz",
    new_word="midterm test",
    website="https://sierra-nevada.example.edu/astro/7",
    parts=(
        Part("opening", "Start", "Lecture 7: how far away is a galaxy?", "title", "Camila Restrepo",
             "Begin at ten past, the bus is late on Tuesdays.", ("Introduction to astronomy, Santa Marta",)),
        Part("agenda", "Plan", "Plan for today", "bullets", "Camila Restrepo",
             "Stop after the third point for questions.", (
            "What you remember from lecture 6", "Parallax and its limits", "Standard candles",
            "From redshift to distance", "Exercise for Friday",
        )),
        Part("background", "Recall", "What we already know", "bullets", "Andrés Mejía", "Ask the back row first.", (
            "Light takes time, so far is long ago", "A spectrum tells what a star is made of",
            "Lines that move to the red are a redshift", "Brightness falls with the square of the distance",
        )),
        Part("team", "Pioneers", "Who found it out", "table", "Camila Restrepo", "The portraits are in the library.",
             rows=(("Person", "Contribution", "Year"), ("Friedrich Bessel", "First parallax", "1838"),
                   ("Henrieta Leavitt", "Period and brightness", "1912"), ("Vesto Slipher", "First redshift", "1912"),
                   ("Georges Lemaître", "Expanding space", "1927"), ("Edwin Hubble", "Distance of nebulae", "1929"))),
        Part("process", "Ladder", "The distance ladder", "boxes", "Andrés Mejía", "Draw the ladder on the board too.",
             ("Parallax", "Cepheids", "Spectra")),
        Part("goals", "Aims", "After this lecture you can", "bullets", "Camila Restrepo", "Read these aloud.", (
            "Explain parallax with two fingers", "Say why Cepheids are candles",
            "Compute a distance from a redshift", "Name one source of error",
        )),
        Part("trend", "Velocities", "Velocity grows with distance", "chart", "Andrés Mejía",
             "Values are rounded for the classroom.",
             rows=(("Cluster", "Velocity", "Distance"), ("Virgo", "12", "17"), ("Ursa Major", "150", "190"),
                   ("Corona", "216", "310"), ("Hydra", "610", "840"))),
        Part("figures", "Observations", "Nights at the telescope", "table", "Andrés Mejía",
             "Hours are those that the log book says.",
             rows=(("Month", "Nights", "Hours", "Plates"), ("February", "12", "74", "31"), ("March", "9", "52", "20"),
                   ("April", "7", "38", "15"), ("May", "5", "29", "12"), ("June", "14", "91", "44"))),
        Part("photo", "Deep field", "A patch of empty sky", "photo", "Camila Restrepo", "Turn the lights down here.",
             ("Every smudge has a redshift of its own",)),
        Part("", "Cepheids", "Standard candles", "bullets", "Andrés Mejía", "The demo lamp is in drawer 3.", (
            "Henrieta Leavitt measured 1777 variable stars", "A slow pulse means a bright star",
            "The quiz will ask for the slope", "Dust makes candles look fainter",
        )),
        Part("compare", "Two methods", "Parallax and redshift compared", "two", "Camila Restrepo",
             "Leave this one up during the exercise.",
             ("Parallax", "Needs no theory", "Ends at our own galaxy", "---", "Spectrum", "Needs a model of space",
              "Reaches almost everything")),
        Part("risks", "Errors", "Where errors come from", "bullets", "Andrés Mejía", "Link to the lab on statistics.", (
            "Dust between us and the star", "Motion of the galaxy itself adds to the redshift",
            "Few Cepheids near enough", "Confusing two kinds of Cepheids",
        )),
        Part("timeline", "Weeks", "The coming weeks", "bullets", "Camila Restrepo", "The trip needs a signature.", (
            "Week 8: quiz and laboratory", "Week 9: night at the telescope", "Week 10: dark matter",
            "Week 11: projects",
        )),
        Part("detail", "Derivation", "Derivation for the curious", "bullets", "Camila Restrepo",
             "Skip it in the morning group.", (
                 "Start from the wavelength ratio", "Small redshift: velocity is c times z",
                 "Divide by 70 km per second and megaparsec",
             ), hidden=True),
        Part("closing", "Exercise", "Exercise for Friday", "bullets", "Andrés Mejía",
             "Solutions go online on Monday.", (
            "Measure the redshift in figure 4", "Compare with the value of Henrieta Leavitt",
            "One page, no appendix", "Questions: course page",
        )),
    ),
)  # fmt: skip

_PITCH = Talk(
    organisation="Mlima Coffee Roasters",
    file="pitch for hotels",
    title="Coffee that your guests remember",
    author="Wanjiru Kamau",
    footer="Mlima Coffee Roasters, Nairobi",
    ground=0xFBF7F0,
    accent=0x6B3A1E,
    font="Liberation Serif",
    photo="coffee",
    photo_alt="A cup of coffee on a wooden table",
    photos=("coffee", "delivery-route", "clock", "cat"),
    wrong_name="Achieng Odiambo",
    right_name="Achieng Odhiambo",
    term="arabica",
    old_word="subscription",
    new_word="supply plan",
    website="https://mlima.example.com/hotels",
    parts=(
        Part("opening", "Welcome", "Coffee that your guests remember", "title", "Wanjiru Kamau",
             "Serve the first cup before this slide.", ("Mlima Coffee Roasters for hotels",)),
        Part("agenda", "Contents", "What we bring you today", "bullets", "Wanjiru Kamau", "Keep it under a minute.", (
            "Who we are", "Why arabica from Nyeri", "What other hotels pay", "How delivery works",
            "Your tasting next week",
        )),
        Part("background", "Story", "From the hill to the cup", "bullets", "Achieng Odhiambo",
             "Hand the green beans around.", (
                 "Founded in 2011 by two sisters from Nyeri", "We buy arabica from 340 smallholders",
                 "Roasted in Industrial Area, twice a week", "Washed arabica scores 86 points and more",
             )),
        Part("team", "Contacts", "Your contacts", "table", "Wanjiru Kamau", "Business cards are in the box.",
             rows=(("Name", "Role", "Office"), ("Wanjiru Kamau", "Founder", "Nairobi"),
                   ("Achieng Odiambo", "Head roaster", "Nairobi"), ("Yusuf Ali", "Deliveries", "Mombasa"),
                   ("Grace Mutua", "Training of staff", "Nakuru"), ("Peter Njoroge", "Accounts", "Nairobi"))),
        Part("photo", "Cup", "The cup itself", "photo", "Achieng Odhiambo", "Do not talk while they taste.",
             ("House blend: arabica AA, medium roast",)),
        Part("figures", "Hotels", "What hotels like yours order", "table", "Wanjiru Kamau",
             "Kilograms a month, average of the last year.",
             rows=(("Hotel", "Espresso", "Filter", "Decaf"), ("Savanna Lodge", "42", "18", "3"),
                   ("Hotel Pwani", "65", "30", "6"), ("Acacia House", "17", "22", "2"),
                   ("Lake View", "28", "12", "4"), ("The Terminal", "90", "55", "11"))),
        Part("goals", "Promises", "What we promise", "bullets", "Wanjiru Kamau", "The last one is our joker.", (
            "Fresh arabica within five days of roasting", "One invoice a month", "A spare grinder within a day",
            "Training for every barista",
        )),
        Part("process", "Delivery", "How delivery works", "boxes", "Yusuf Ali", "Mention the motorcycles.",
             ("Order", "Roast", "Deliver")),
        Part("trend", "Growth", "Tonnes roasted", "chart", "Wanjiru Kamau", "Tonnes, from the audited books.",
             rows=(("Year", "Hotels", "Shops"), ("2020", "11", "23"), ("2021", "19", "27"), ("2022", "34", "30"),
                   ("2023", "52", "33"))),
        Part("", "Barista course", "The barista course", "bullets", "Grace Mutua", "Show the certificate.", (
            "Two days in your own bar", "Taught by Achieng Odiambo and Grace Mutua",
            "Included in every subscription", "Refresher after six months",
        )),
        Part("compare", "Plans", "Two ways to work with us", "two", "Wanjiru Kamau", "Ask which one fits.",
             ("Pay as you go", "No minimum", "Delivery costs 900 KES", "---", "Yearly plan",
              "From 30 kg a month", "Delivery and grinder included")),
        Part("risks", "Questions", "What buyers ask us", "bullets", "Grace Mutua", "Answer before they ask.", (
            "What if a harvest fails?", "Can we end the subscription early?", "Who repairs the machines?",
            "Is the arabica certified?",
        )),
        Part("", "Sustainability", "Fair to growers", "bullets", "Achieng Odhiambo", "Photos are in the brochure.", (
            "A third above the auction price", "School meals in four villages", "Shade trees on every farm",
        )),
        Part("timeline", "Next steps", "Next steps", "bullets", "Yusuf Ali", "Offer two dates.", (
            "This week: tasting in your kitchen", "Next week: offer in writing", "Week 3: machines arrive",
            "Week 4: first delivery",
        )),
        Part("detail", "Price list", "Price list", "bullets", "Peter Njoroge", "For the buyer only.", (
            "Espresso: 1 650 KES a kilogram", "Filter: 1 480 KES a kilogram", "Decaf: 1 900 KES a kilogram",
        ), hidden=True),
        Part("closing", "Thanks", "Asante, and taste it", "bullets", "Wanjiru Kamau", "Leave the beans behind.", (
            "Call Achieng Odiambo for a tasting", "Start a subscription before June",
            "Hotel page: offers and forms",
        )),
    ),
)  # fmt: skip

_MUSEUM = Talk(
    organisation="Osaka Bay Museum of Trade",
    file="education talk",
    title="Coins tell stories",
    author="Haruka Yamamoto",
    footer="Education programme, grades 5 and 6",
    ground=0xFFFDF7,
    accent=0x8C1C13,
    font="Liberation Sans",
    photo="coins",
    photo_alt="Rows of ancient coins on a dark ground",
    photos=("coins", "clock", "lawn", "cat"),
    wrong_name="Kenji Morikwa",
    right_name="Kenji Morikawa",
    term="bronze",
    old_word="worksheet",
    new_word="discovery booklet",
    website="https://bay-museum.example.jp/schools",
    parts=(
        Part("opening", "Title", "Coins tell stories", "title", "Haruka Yamamoto",
             "Wait until the shoes are away.", ("A talk for teachers, Osaka Bay Museum of Trade",)),
        Part("agenda", "Overview", "Overview", "bullets", "Haruka Yamamoto", "The film comes after the third point.", (
            "Why children love coins", "The collection in the harbour hall", "A bronze coin in your hand",
            "Rules of the workshop", "How to book",
        )),
        Part("team", "Staff", "Who guides the groups", "table", "Haruka Yamamoto", "Name badges are at the desk.",
             rows=(("Guide", "Subject", "Languages"), ("Haruka Yamamoto", "Trade routes", "Japanese, English"),
                   ("Kenji Morikwa", "Coins and metals", "Japanese"), ("Mei Lin", "Chinese coins", "Mandarin"),
                   ("Sofia Rossi", "Roman coins", "Italian, English"), ("Daichi Ono", "Casting", "Japanese"))),
        Part("goals", "Learning aims", "What pupils learn", "bullets", "Sofia Rossi", "Refer to the curriculum.", (
            "To look slowly", "To tell bronze from silver", "To ask what a thing was worth",
            "To read a date on a coin",
        )),
        Part("background", "Collection", "The collection", "bullets", "Kenji Morikawa", "Stay with the first case.", (
            "4 200 coins from 31 countries", "The oldest bronze piece is from the Zhou period",
            "Given by the Sumida family in 1954", "Cleaned bronze is kept in dry air",
        )),
        Part("photo", "Coins", "Look closely", "photo", "Kenji Morikawa", "Let them count the faces.",
             ("Roman bronze coins, photographed by Kenji Morikwa",)),
        Part("figures", "Visitors", "School groups so far", "table", "Haruka Yamamoto",
             "Counted at the door, not at booking.",
             rows=(("Quarter", "Groups", "Pupils", "Teachers"), ("January to March", "38", "1104", "81"),
                   ("April to June", "64", "1830", "140"), ("July to September", "21", "588", "47"),
                   ("October to December", "57", "1622", "119"), ("Evening visits", "6", "140", "15"))),
        Part("trend", "Interest", "Which hall they liked", "chart", "Sofia Rossi", "From the smiley cards.",
             rows=(("Hall", "Grade 5", "Grade 6"), ("Harbour", "210", "188"), ("Workshop", "342", "301"),
                   ("Roman", "155", "240"), ("Garden", "98", "64"))),
        Part("process", "Workshop", "The casting workshop", "boxes", "Daichi Ono", "Gloves before everything.",
             ("Mould", "Pour", "Polish")),
        Part("", "Casting", "Casting a coin of your own", "bullets", "Daichi Ono", "Only wax, never hot metal.", (
            "Each child makes a mould of clay", "Kenji Morikwa pours the wax", "Fill in the worksheet while it cools",
            "A bronze coloured coat finishes it",
        )),
        Part("risks", "Safety", "Safety rules", "bullets", "Daichi Ono", "Read the first one twice.", (
            "No running near the cases", "Gloves in the workshop", "Nut allergy: tell the guide",
            "One adult for eight children",
        )),
        Part("compare", "Two visits", "Short and long visit", "two", "Haruka Yamamoto",
             "Most schools take the long one.",
             ("Short visit", "75 minutes", "Hall and worksheet", "---", "Long visit", "Three hours",
              "Hall, workshop and lunch")),
        Part("timeline", "School year", "The school year", "bullets", "Mei Lin", "Holidays differ in Kobe.", (
            "April: booking opens", "June: teachers' evening", "September: casting starts",
            "February: exhibition of pupils' work",
        )),
        Part("detail", "Funding", "Who pays for the bus", "bullets", "Haruka Yamamoto", "Not for the handout.", (
            "City of Osaka: 60 per cent", "Friends of the museum: 25 per cent", "School: 15 per cent",
        ), hidden=True),
        Part("closing", "Booking", "How to book", "bullets", "Haruka Yamamoto", "Point at the desk by the door.", (
            "Write to Kenji Morikwa by the 10th", "Say which worksheet you would like",
            "Bring indoor shoes", "Booking page for schools",
        )),
    ),
)  # fmt: skip

TALKS: Final[Mapping[str, Talk]] = {
    "housing-board": _HOUSING,
    "astronomy-lecture": _LECTURE,
    "coffee-pitch": _PITCH,
    "museum-school": _MUSEUM,
}
