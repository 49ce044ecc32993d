"""Conformance checklist for app authors, shown by `fairground check-app`.

Some items are read from sources, tests and proof tables; the others are tried on real seats.
"""

from fairground.prove.app_check.checking import AppCheck, check_app
from fairground.prove.app_check.endpoints import readme_of, write_reference
from fairground.prove.app_check.item import Item

__all__ = ["AppCheck", "Item", "check_app", "readme_of", "write_reference"]
