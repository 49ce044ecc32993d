"""The tables of the food delivery app, its tabs, and the site that its pages register with."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Site, Tab

SCHEMA: Final = """
CREATE TABLE cuisines (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, icon TEXT NOT NULL);
CREATE TABLE restaurants (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, cuisine INTEGER NOT NULL REFERENCES cuisines,
    area TEXT NOT NULL, street TEXT NOT NULL, phone TEXT NOT NULL, rating INTEGER NOT NULL, ratings INTEGER NOT NULL,
    price INTEGER NOT NULL, fee INTEGER NOT NULL, minimum INTEGER NOT NULL, fast INTEGER NOT NULL,
    slow INTEGER NOT NULL, opens TEXT NOT NULL, closes TEXT NOT NULL, rests INTEGER NOT NULL
);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY, restaurant INTEGER NOT NULL REFERENCES restaurants, name TEXT NOT NULL,
    place INTEGER NOT NULL
);
CREATE TABLE dishes (
    id INTEGER PRIMARY KEY, restaurant INTEGER NOT NULL REFERENCES restaurants,
    section INTEGER NOT NULL REFERENCES sections, name TEXT NOT NULL, about TEXT NOT NULL, price INTEGER NOT NULL,
    vegetarian INTEGER NOT NULL, vegan INTEGER NOT NULL, gluten_free INTEGER NOT NULL, spicy INTEGER NOT NULL,
    nuts INTEGER NOT NULL, popular INTEGER NOT NULL, sold_out INTEGER NOT NULL, UNIQUE (restaurant, name)
);
CREATE INDEX dishes_by_section ON dishes (section);
CREATE TABLE choices (
    id INTEGER PRIMARY KEY, restaurant INTEGER NOT NULL REFERENCES restaurants, name TEXT NOT NULL,
    required INTEGER NOT NULL, most INTEGER NOT NULL
);
CREATE TABLE options (
    id INTEGER PRIMARY KEY, choice INTEGER NOT NULL REFERENCES choices, name TEXT NOT NULL, price INTEGER NOT NULL
);
CREATE INDEX options_by_choice ON options (choice);
CREATE TABLE section_choices (
    section INTEGER NOT NULL REFERENCES sections, choice INTEGER NOT NULL REFERENCES choices,
    PRIMARY KEY (section, choice)
);
CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, restaurant INTEGER NOT NULL REFERENCES restaurants, author TEXT NOT NULL,
    stars INTEGER NOT NULL, text TEXT NOT NULL, time TEXT NOT NULL, of_order INTEGER UNIQUE REFERENCES orders
);
CREATE INDEX reviews_by_restaurant ON reviews (restaurant, time);
CREATE TABLE favourites (restaurant INTEGER PRIMARY KEY REFERENCES restaurants);
CREATE TABLE addresses (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE COLLATE NOCASE, street TEXT NOT NULL, area TEXT NOT NULL,
    door TEXT NOT NULL, note TEXT NOT NULL, is_default INTEGER NOT NULL
);
CREATE TABLE methods (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE COLLATE NOCASE, kind TEXT NOT NULL, last4 TEXT NOT NULL,
    expires TEXT NOT NULL, is_default INTEGER NOT NULL
);
CREATE TABLE promos (
    code TEXT PRIMARY KEY COLLATE NOCASE, title TEXT NOT NULL, kind TEXT NOT NULL, value INTEGER NOT NULL,
    minimum INTEGER NOT NULL, cuisine INTEGER REFERENCES cuisines, until TEXT NOT NULL, used INTEGER NOT NULL
);
CREATE TABLE cart (
    id INTEGER PRIMARY KEY, restaurant INTEGER REFERENCES restaurants, promo TEXT REFERENCES promos,
    address INTEGER REFERENCES addresses ON DELETE SET NULL, method INTEGER REFERENCES methods ON DELETE SET NULL,
    slot TEXT, tip_percent INTEGER NOT NULL, tip_amount INTEGER NOT NULL, note TEXT NOT NULL, cutlery INTEGER NOT NULL,
    at_door INTEGER NOT NULL
);
CREATE TABLE cart_lines (
    id INTEGER PRIMARY KEY, dish INTEGER NOT NULL REFERENCES dishes, quantity INTEGER NOT NULL, note TEXT NOT NULL
);
CREATE TABLE cart_options (
    line INTEGER NOT NULL REFERENCES cart_lines ON DELETE CASCADE, option INTEGER NOT NULL REFERENCES options,
    PRIMARY KEY (line, option)
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, restaurant INTEGER NOT NULL REFERENCES restaurants, placed TEXT NOT NULL, slot TEXT,
    due TEXT NOT NULL, label TEXT NOT NULL, street TEXT NOT NULL, area TEXT NOT NULL, door TEXT NOT NULL,
    method TEXT NOT NULL, subtotal INTEGER NOT NULL, fee INTEGER NOT NULL, discount INTEGER NOT NULL,
    tip INTEGER NOT NULL, total INTEGER NOT NULL, promo TEXT NOT NULL, note TEXT NOT NULL, cutlery INTEGER NOT NULL,
    at_door INTEGER NOT NULL, courier TEXT NOT NULL, cancelled INTEGER NOT NULL
);
CREATE INDEX orders_by_time ON orders (placed);
CREATE TABLE order_lines (
    id INTEGER PRIMARY KEY, of_order INTEGER NOT NULL REFERENCES orders, dish INTEGER NOT NULL REFERENCES dishes,
    name TEXT NOT NULL, chosen TEXT NOT NULL, quantity INTEGER NOT NULL, price INTEGER NOT NULL, note TEXT NOT NULL
);
CREATE INDEX order_lines_by_order ON order_lines (of_order);
CREATE TABLE order_options (
    line INTEGER NOT NULL REFERENCES order_lines, option INTEGER NOT NULL REFERENCES options,
    PRIMARY KEY (line, option)
);
CREATE TABLE problems (
    id INTEGER PRIMARY KEY, of_order INTEGER NOT NULL REFERENCES orders, kind TEXT NOT NULL, text TEXT NOT NULL,
    time TEXT NOT NULL
);
CREATE TABLE notices (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, time TEXT NOT NULL,
    of_order INTEGER REFERENCES orders, seen INTEGER NOT NULL
);
"""

SITE: Final = Site(
    name="eats",
    title="Eats",
    icon="food",
    schema=SCHEMA,
    tabs=(
        Tab("discover", "Discover", "/eats/", "food"),
        Tab("search", "Search", "/eats/search", "search"),
        Tab("cart", "Cart", "/eats/cart", "cart"),
        Tab("orders", "Orders", "/eats/orders", "receipt"),
        Tab("account", "Account", "/eats/account", "person"),
    ),
    free=("notices.seen",),
)

DIETS: Final = (
    ("vegetarian", "Vegetarian", "No meat and no fish"),
    ("vegan", "Vegan", "Nothing from animals"),
    ("gluten_free", "Gluten-free", "No wheat, rye or barley"),
    ("no_nuts", "No nuts", "Neither nuts nor peanuts"),
    ("not_spicy", "Nothing spicy", "Mild dishes only"),
)
"""Dietary preferences: key of the setting `diet_KEY`, name, what it means."""

ALERTS: Final = (
    ("status", "Order updates", "When an order is accepted, cooked and on its way"),
    ("courier", "Courier messages", "When the courier writes to you"),
    ("offers", "Offers and codes", "New promo codes"),
    ("favourites", "News from favourites", "New dishes of restaurants that you like"),
    ("reviews", "Review reminders", "After a meal"),
    ("sms", "Text messages", "The same by SMS when the phone is offline"),
)
"""Kinds of notifications: key of the setting `alert_KEY`, name, what it means."""

PROBLEMS: Final = (
    ("missing", "Something was missing"), ("wrong", "I got the wrong dish"), ("cold", "The food was cold"),
    ("late", "It came too late"), ("spilled", "It was spilled or damaged"),
)  # fmt: skip
"""Problems that can be reported about an order: key and words."""
