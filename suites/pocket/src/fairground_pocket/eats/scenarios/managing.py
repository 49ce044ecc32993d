"""Tasks about saved data: favourites, addresses, cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.finding import NTH, PLACE, open_place
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task

WORLD = (
    "Pizza", "Burgers", "Sushi", "Indian", "Chinese", "Thai", "Mexican", "Lebanese", "Bowls", "Coffee and bakery",
    "Desserts",
)  # fmt: skip
"""Cuisines that every town has."""
_LIKED = "(SELECT count(*) FROM after.favourites WHERE restaurant = :{0}_id)"
_NOT_LIKED = "r.id NOT IN (SELECT restaurant FROM favourites)"


class AddFavourites(Task):
    """Add two restaurants to the favourites."""

    name = "add-favourites"
    app = "eats"
    template = "Add {one.name} and {two.name} to my favourites."
    domain = {"nth": {f"no-{number}": number for number in range(0, 30, 3)}}
    facts = {
        "one": f"{PLACE} {_NOT_LIKED} ORDER BY r.name DESC LIMIT 1 OFFSET :nth",
        "two": f"{PLACE} {_NOT_LIKED} ORDER BY r.name DESC LIMIT 1 OFFSET :nth + 7",
    }
    expect = (
        Expect("the first is a favourite", f"SELECT {_LIKED.format('one')}"),
        Expect("the second is a favourite", f"SELECT {_LIKED.format('two')}"),
    )
    allowed = (Add("favourites", "restaurant IN (:one_id, :two_id)", at_most=2),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        first: list[Move] = [*open_place(known.one.name), Tap("Add to favourites"), Tap("Back")]
        return [
            *first,
            Fill("Search restaurants and dishes", known.two.name),
            Tap(known.two.name),
            Tap("Add to favourites"),
        ]


class SwapFavourite(Task):
    """Replace one favourite by another."""

    name = "swap-favourite"
    app = "eats"
    template = "Take {old.name} out of my favourites and put {new.name} in instead."
    domain = {"at": (0, 1, 2, 3, 4, 5), "nth": (2, 9, 16, 23, 5, 12)}
    most = 12
    facts = {
        "old": f"{PLACE} r.id IN (SELECT restaurant FROM favourites) ORDER BY r.name LIMIT 1 OFFSET :at",
        "new": f"{PLACE} {_NOT_LIKED} ORDER BY r.name LIMIT 1 OFFSET :nth",
    }
    expect = (
        Expect("the old one is out", f"SELECT {_LIKED.format('old')} = 0"),
        Expect("the new one is in", f"SELECT {_LIKED.format('new')}"),
    )
    allowed = (Add("favourites", "restaurant = :new_id"), Remove("favourites", "restaurant = :old_id"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        out: list[Move] = [Tap("Favourites"), Tap(known.old.name), Tap("Remove from favourites"), Tap("Back")]
        return [
            *out,
            Fill("Search restaurants and dishes", known.new.name),
            Tap(known.new.name),
            Tap("Add to favourites"),
        ]


class FavouriteBest(Task):
    """Add the best restaurant of a cuisine that is not a favourite yet."""

    name = "favourite-best"
    app = "eats"
    template = (
        "Which {cuisine} restaurant has the highest rating and is not among my favourites yet? Add that one to them."
    )
    domain = {"cuisine": WORLD}
    facts = {
        "best": f"{PLACE} {_NOT_LIKED} AND r.cuisine = (SELECT id FROM cuisines WHERE name = :cuisine) "
        "ORDER BY r.rating DESC LIMIT 1"
    }
    expect = (Expect("the best one is a favourite", f"SELECT {_LIKED.format('best')}"),)
    allowed = (Add("favourites", "restaurant = :best_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        filters: list[Move] = [
            Tap("Search"),
            Tap("Filters"),
            Tap(known.cuisine),
            Tap("Highest rating"),
            Tap("Show results"),
        ]
        return [*filters, Tap(known.best.name), Tap("Add to favourites")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_place = data.one(
            "SELECT r.name FROM restaurants r JOIN cuisines c ON c.id = r.cuisine WHERE c.name = ? AND r.id != ? AND "
            f"{_NOT_LIKED} ORDER BY r.rating DESC LIMIT 1",
            known.cuisine, known.best.id,
        )  # fmt: skip
        return {"another one": [*open_place(other_place), Tap("Add to favourites")]} if other_place else {}


class AddAddress(Task):
    """Add a delivery address."""

    name = "add-address"
    app = "eats"
    template = (
        "Save a new delivery address “{label}”: {street}, in {area}, {door}. The courier should know: “{note}”. "
        "My default address stays as it is."
    )
    domain = {
        "place": {
            label.lower().replace(" ", "-"): {"label": label, "number": number, "door": door, "note": note}
            for label, number, door, note in (
                ("Studio", 12, "2nd yard", "Ring at Studio Nord"),
                ("New office", 7, "4th floor", "Ask at the reception"),
                ("Grandma", 33, "Ground floor", "She is hard of hearing"),
                ("Garden", 101, "Green gate", "Call from the gate"),
                ("Workshop", 58, "Hall 3", "Use the side entrance"),
                ("Summer flat", 26, "Flat 9", "The bell says Kim"),
                ("Library", 4, "Main entrance", "I wait outside"),
                ("Music school", 19, "Room 12", "Lessons until six"),
                ("Allotment", 72, "Plot 8", "Behind the water tower"),
                ("Clinic", 90, "Ward 5", "Leave it with the nurses"),
            )
        },
        "nth": (0, 1, 2, 3, 4),
    }
    most = 10
    facts = {
        "area": "SELECT DISTINCT area FROM restaurants ORDER BY area LIMIT 1 OFFSET :nth",
        "street": "SELECT trim(street, '0123456789 ') || ' ' || :number FROM restaurants ORDER BY id LIMIT 1 OFFSET "
        ":nth",
    }
    expect = (
        Expect("it is saved, as asked",
               "SELECT count(*) FROM after.addresses WHERE label = :label AND street = :street AND area = :area"),
        Expect("with its door and note",
               "SELECT count(*) FROM after.addresses WHERE label = :label AND door = :door AND note = :note"),
    )  # fmt: skip
    allowed = (Add("addresses", "label = :label AND is_default = 0"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            Tap("Account"), Tap("Addresses"), Tap("New address"), Fill("Label", known.label),
            Fill("Street and number", known.street), Tap("Area"), Tap(known.area), Fill("Floor or door", known.door),
            Fill("Note for the courier", known.note), Tap("Save"),
        ]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        moves = list(self.moves(known, data))
        return {"made the default": [*moves[:-1], Tap("Use as default"), moves[-1]]}


class EditAddress(Task):
    """Edit an address: the note for the courier and the door."""

    name = "edit-address"
    app = "eats"
    template = "Change my address “{address.label}”: the door is now “{door}” and the note for the courier “{note}”."
    domain = {
        "change": {
            "lobby": {"door": "Lobby", "note": "Ask for me at the desk"},
            "roof": {"door": "Roof terrace", "note": "Take the goods lift"},
            "basement": {"door": "Basement", "note": "Down the stairs on the left"},
            "blue": {"door": "Blue door", "note": "Knock, the bell is broken"},
            "gate": {"door": "North gate", "note": "Code 7714, then straight on"},
            "flat": {"door": "Flat 21", "note": "Lift to the fifth floor"},
            "shop": {"door": "Behind the shop", "note": "Mind the step"},
            "wing": {"door": "East wing", "note": "Follow the yellow line"},
            "corner": {"door": "Corner entrance", "note": "Call, do not ring"},
            "garage": {"door": "Garage", "note": "Honk twice"},
        },
        "nth": (1, 0, 3, 2, 4),
    }
    most = 10
    facts = {"address": "SELECT id, label FROM addresses ORDER BY id LIMIT 1 OFFSET :nth"}
    expect = (
        Expect("the door is right", "SELECT door FROM after.addresses WHERE id = :address_id", "{door}"),
        Expect("the note is right", "SELECT note FROM after.addresses WHERE id = :address_id", "{note}"),
    )
    allowed = (Change("addresses", ("door", "note"), "id = :address_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            Tap("Account"), Tap("Addresses"), Tap(known.address.label), Tap("Edit address"),
            Fill("Floor or door", known.door), Fill("Note for the courier", known.note), Tap("Save"),
        ]  # fmt: skip


class ChangeDefaults(Task):
    """Change the default address and the default payment method."""

    name = "change-defaults"
    app = "eats"
    template = "From now on, deliver to “{address.label}” by default and pay with {method.label} by default."
    domain = {"to": (0, 1, 2, 3), "with": (0, 1, 2)}
    facts = {
        "address": "SELECT id, label FROM addresses WHERE is_default = 0 ORDER BY id LIMIT 1 OFFSET :to",
        "method": "SELECT id, label FROM methods WHERE is_default = 0 ORDER BY id LIMIT 1 OFFSET :with",
    }
    expect = (
        Expect("the address", "SELECT label FROM after.addresses WHERE is_default = 1", "{address.label}"),
        Expect("the way to pay", "SELECT label FROM after.methods WHERE is_default = 1", "{method.label}"),
    )
    allowed = (
        Change("addresses", ("is_default",), "is_default = 1 OR id = :address_id"),
        Change("methods", ("is_default",), "is_default = 1 OR id = :method_id"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        default = Tap("Make it the default")
        first: list[Move] = [Tap("Account"), Tap("Addresses"), Tap(known.address.label), default, Tap("Back")]
        return [*first, Tap("Payment methods"), Tap(known.method.label), default]


_OLD_FLATS = tuple(
    (f"by the {first}", f"near the {second}", f"at the {third}")
    for first, second, third in (
        ("station", "park", "market"), ("river", "school", "bridge"), ("harbour", "church", "square"),
        ("hill", "mill", "garden"), ("theatre", "stadium", "library"), ("museum", "well", "tower"),
        ("lake", "farm", "gate"), ("canal", "cinema", "corner"), ("forest", "ferry", "wall"), ("port", "beach", "mall"),
    )
)  # fmt: skip


def _moved(db: Database, known: Known) -> None:
    """Three former flats that differ in their labels."""
    places = db.rows("SELECT street, area FROM restaurants ORDER BY ratings, id LIMIT 3 OFFSET ?", known.nth)
    for word, place in zip(_OLD_FLATS[known.nth], places, strict=True):
        db.insert(
            "addresses", label=f"Old flat {word}", street=place["street"], area=place["area"], door="1st floor",
            note="", is_default=0,
        )  # fmt: skip


class DeleteAddress(Task):
    """Delete an address."""

    name = "delete-address"
    app = "eats"
    template = "I do not live at “{address.label}” any more: delete that address."
    domain = {"nth": NTH}
    facts = {
        "address": "SELECT id, label FROM addresses WHERE is_default = 0 AND label LIKE 'Old flat%' ORDER BY id "
        "LIMIT 1 OFFSET :nth % 3"
    }

    inject = (_moved,)
    expect = (Expect("it is gone", "SELECT count(*) = 0 FROM after.addresses WHERE id = :address_id"),)
    allowed = (Remove("addresses", "id = :address_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        page: list[Move] = [Tap("Account"), Tap("Addresses"), Tap(known.address.label)]
        return [*page, Tap("Delete address"), Tap("Yes, delete it")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_flat = data.one("SELECT label FROM addresses WHERE label LIKE 'Old flat%' AND id != ?", known.address.id)
        page: list[Move] = [Tap("Account"), Tap("Addresses")]
        return {
            "another flat": [*page, Tap(other_flat), Tap("Delete address"), Tap("Yes, delete it")],
            "not confirmed": [*page, Tap(known.address.label), Tap("Delete address"), Tap("Close")],
        }


class AddCard(Task):
    """Add a card."""

    name = "add-card"
    app = "eats"
    template = "Add my new card to the app: number {number}, expires {expires}, security code {code}. {default_words}"
    domain = {
        "card": {
            f"card-{last}": {"number": f"{brand}{middle} {last}", "label": f"{name} {last}", "last": last,
                             "expires": expires, "code": code}
            for brand, name, middle, last, expires, code in (
                ("4", "Visa", "539 1200 7718", "0412", "09/29", "731"),
                ("5", "Mastercard", "105 4400 9021", "0833", "02/30", "118"),
                ("4", "Visa", "026 8811 3340", "0275", "11/28", "904"),
                ("5", "Mastercard", "232 6614 0087", "0591", "06/31", "552"),
                ("4", "Visa", "917 4102 5563", "0766", "01/29", "240"),
                ("5", "Mastercard", "418 2093 7746", "0148", "12/30", "667"),
                ("4", "Visa", "844 3351 9902", "0959", "05/32", "381"),
                ("5", "Mastercard", "577 9140 2268", "0322", "08/28", "495"),
                ("4", "Visa", "161 7725 4810", "0607", "10/31", "073"),
                ("5", "Mastercard", "390 5508 1197", "0684", "03/29", "826"),
            )
        },
        "default": {
            "kept": {"default_words": "Keep my default payment method.", "default": 0},
            "new": {"default_words": "Make it my default payment method.", "default": 1},
        },
    }  # fmt: skip
    most = 10
    expect = (
        Expect("the card is there", "SELECT count(*) FROM after.methods WHERE label = :label AND last4 = :last AND "
               "expires = :expires"),
        Expect("the default is as asked", "SELECT is_default = :default FROM after.methods WHERE label = :label"),
    )  # fmt: skip
    allowed = (Add("methods", "label = :label"), Change("methods", ("is_default",), ":default = 1 AND is_default = 1"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        default = [Tap("Use as default")] * known.default
        return [
            Tap("Account"), Tap("Payment methods"), Tap("New card"), Fill("Card number", known.number),
            Fill("Expires", known.expires), Fill("Security code", known.code), *default, Tap("Save card"),
        ]  # fmt: skip
