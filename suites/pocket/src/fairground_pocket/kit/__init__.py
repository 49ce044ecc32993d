"""Building blocks of phone apps: pages, forms, themes, data, tasks, and a player for moves. See docs/pocket.md.

An app's modules import from here; the kit depends on no app.
"""

from fairground_pocket.kit import formats, parts, profiles
from fairground_pocket.kit.app import PocketApp
from fairground_pocket.kit.cast import PROFILES, Cast, Person, ascii_of, cast
from fairground_pocket.kit.changes import Add, Change, Remove
from fairground_pocket.kit.constraints import Balance, Constraint, DataVolume, EntityExists, MaxCount
from fairground_pocket.kit.database import Database
from fairground_pocket.kit.draw import Draw
from fairground_pocket.kit.facts import Known, Many
from fairground_pocket.kit.forms import Field, Filled, Form
from fairground_pocket.kit.hand import Hand
from fairground_pocket.kit.icons import icon
from fairground_pocket.kit.markup import Html, html, join
from fairground_pocket.kit.phone import Phone
from fairground_pocket.kit.reading import Page
from fairground_pocket.kit.scenario import Answer, Expect, Row, Task
from fairground_pocket.kit.shell import HOME, Screen, Tab
from fairground_pocket.kit.site import Go, Gone, Site, Visit
from fairground_pocket.kit.themes import THEMES

__all__ = [
    "HOME",
    "PROFILES",
    "THEMES",
    "Add",
    "Answer",
    "Balance",
    "Cast",
    "Change",
    "Constraint",
    "DataVolume",
    "Database",
    "Draw",
    "EntityExists",
    "Expect",
    "Field",
    "Filled",
    "Form",
    "Go",
    "Gone",
    "Hand",
    "Html",
    "Known",
    "Many",
    "MaxCount",
    "Page",
    "Person",
    "Phone",
    "PocketApp",
    "Remove",
    "Row",
    "Screen",
    "Site",
    "Tab",
    "Task",
    "Visit",
    "ascii_of",
    "cast",
    "formats",
    "html",
    "icon",
    "join",
    "parts",
    "profiles",
]
