"""Is an app all that whoever uses it may expect: the conformance checklist for app authors.

Some is read from sources, tests and proof tables; the rest is tried on real seats. `fairground check-app` shows it.
"""

from fairground.prove.app_check.checking import AppCheck, check_app
from fairground.prove.app_check.endpoints import readme_of, write_reference
from fairground.prove.app_check.item import Item

__all__ = ["AppCheck", "Item", "check_app", "readme_of", "write_reference"]
