"""Reading settings in XML: LibreOffice's registry, Inkscape's preferences, recent files, and Openbox's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import parse_xml

MAX_SIZE = 16 << 20
MAX_DEPTH = 60
MAX_PATH = 1_500

_OOR = "{http://openoffice.org/2001/registry}"
_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
_MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
_BOOKMARK = "{http://www.freedesktop.org/standards/desktop-bookmarks}"


def read_registry(data: bytes) -> dict[str, str | tuple[str, ...] | None]:
    """Read LibreOffice's `registrymodifications.xcu`: paths such as `/org.openoffice.Office.Common/Save/AutoSave`.

    The file contains only what differs from the defaults. A value is its text, the items of a list, or `None` if it was
    removed or set to nothing.
    """
    what = "settings (LibreOffice)"
    root = _parse(data, what)
    if root.tag != f"{_OOR}items":
        raise StateError(f"{what}: it is a {root.tag[:80]!r}, expected oor:items")
    registry: dict[str, str | tuple[str, ...] | None] = {}
    for item in root:
        path = item.get(f"{_OOR}path")
        if item.tag != "item" or not path:
            raise StateError(f"{what}: an item without its path")
        for inner, value in _registry_values(item, path, what):
            # A path may repeat with other properties. For the same property, the last one wins.
            registry[inner] = value
    return registry


def read_inkscape_preferences(data: bytes) -> dict[str, str]:
    """Read Inkscape's `preferences.xml`: the program's paths, such as `/options/transform/stroke`, to text."""
    what = "settings (Inkscape)"
    root = _parse(data, what)
    if root.tag != "inkscape" and not root.tag.endswith("}inkscape"):
        raise StateError(f"{what}: it is a {root.tag[:80]!r}, expected inkscape")
    preferences: dict[str, str] = {}
    stack = [("", child) for child in root]
    while stack:
        path, element = stack.pop()
        path = _joined(path, element.get("id", element.tag.rsplit("}", 1)[-1]), what)
        for name, value in element.attrib.items():
            if name != "id":
                key = f"{path}/{name.rsplit('}', 1)[-1]}"
                if key in preferences:
                    raise StateError(f"{what}: {key!r} is said twice")
                preferences[key] = value
        stack += [(path, child) for child in element]
    return preferences


def read_xml_settings(data: bytes, *, what: str = "settings (XML)") -> dict[str, str]:
    """Read any XML as paths to text and attributes (`/theme/name`, `/theme/font@place`), without namespaces.

    For files without a specific reader, such as Openbox's `rc.xml`. Repeated elements are numbered: `/item[2]`.
    """
    settings: dict[str, str] = {}
    stack = [("", _parse(data, what))]
    while stack:
        path, element = stack.pop()
        for name, value in element.attrib.items():
            settings[f"{path}@{name.rsplit('}', 1)[-1]}"] = value
        if (element.text or "").strip():
            settings[path] = (element.text or "").strip()
        seen: dict[str, int] = {}
        for child in element:
            name = child.tag.rsplit("}", 1)[-1]
            seen[name] = seen.get(name, 0) + 1
            stack.append((_joined(path, name + (f"[{seen[name]}]" if seen[name] > 1 else ""), what), child))
    return settings


@dataclass(frozen=True)
class RecentFile:
    """A file that a program opened or wrote, from `recently-used.xbel`.

    Attributes:
        uri: As written, such as `file:///home/user/My%20file.txt`.
        path: Path of a `file:` URI, unescaped; otherwise empty.
        added, modified, visited: As written (ISO 8601), or empty.
        applications: Names of the programs that opened it, with how often.
    """

    uri: str
    path: str
    added: str
    modified: str
    visited: str
    mime: str
    applications: Mapping[str, int]


def read_recent_files(data: bytes) -> tuple[RecentFile, ...]:
    """The files that GTK programs list as recently used, in the order of the file."""
    what = "recent files (XBEL)"
    root = _parse(data, what)
    if root.tag != "xbel":
        raise StateError(f"{what}: it is a {root.tag[:80]!r}, expected xbel")
    return tuple(_recent(element, what) for element in root.iter("bookmark"))


def registry_leaves(registry: Mapping[str, str | tuple[str, ...] | None]) -> dict[str, object]:
    """The registry without what LibreOffice writes by itself: window positions, dates, versions, counters."""
    return {
        path: list(value) if isinstance(value, tuple) else value
        for path, value in registry.items()
        if not any(word in path for word in _VOLATILE)
    }


def recent_leaves(recent: tuple[RecentFile, ...]) -> dict[str, object]:
    """Which files were used with which type; without dates and counters."""
    return {f"recent[{file.path or file.uri}].mime": file.mime for file in recent}


_VOLATILE = (
    *("ooSetupLastVersion", "LastTime", "LastCompatibilityCheck", "WindowState", "ooSetupInstCompleted", "/Histories/"),
    *(
        "/org.openoffice.Office.Views/",
        "LastUsed",
        "Timestamp",
        "WindowAttributes",
        "/org.openoffice.Office.UI.Sidebar/",
        "UserData",
    ),
    *("ExtensionManager", "MigrationCompleted", "CrashReport", "/org.openoffice.Office.Recovery/", "DontShowAgain"),
)


def _parse(data: bytes, what: str) -> Element:
    if len(data) > MAX_SIZE:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {MAX_SIZE}")
    return parse_xml(data, what=what, depth=MAX_DEPTH, elements=100_000)


def _joined(path: str, name: str, what: str) -> str:
    if len(path) + len(name) > MAX_PATH:
        raise StateError(f"{what}: a path of more than {MAX_PATH} characters")
    return f"{path}/{name}"


def _registry_values(element: Element, path: str, what: str) -> Iterator[tuple[str, str | tuple[str, ...] | None]]:
    for child in element:
        name = child.get(f"{_OOR}name")
        if child.tag == "value" and element.tag == "item":  # the path of the item is that of a property
            yield _value(child, path)
            continue
        if child.tag not in ("prop", "node") or name is None:
            raise StateError(f"{what}: {path[:80]}: a {child.tag[:40]!r}, expected a prop or node with a name")
        inner = _joined(path, name, what)
        if child.get(f"{_OOR}op") == "remove":
            yield inner, None
        elif child.tag == "node":
            yield from _registry_values(child, inner, what)
        else:
            for value in child:
                yield _value(value, inner)


def _value(element: Element, path: str) -> tuple[str, str | tuple[str, ...] | None]:
    """Path and value. A value in a specific language has its own path."""
    language = element.get("{http://www.w3.org/XML/1998/namespace}lang")
    return (f"{path}@{language}" if language else path), _registry_value(element)


def _registry_value(element: Element) -> str | tuple[str, ...] | None:
    if element.get(f"{_XSI}nil") == "true":
        return None
    items = element.findall("it")
    return tuple(item.text or "" for item in items) if items else element.text or ""


def _recent(element: Element, what: str) -> RecentFile:
    uri = element.get("href", "")
    if not uri:
        raise StateError(f"{what}: a bookmark without an address")
    mime = element.find(f"info/metadata/{_MIME}mime-type")
    applications: dict[str, int] = {}
    for application in element.iterfind(f"info/metadata/{_BOOKMARK}applications/{_BOOKMARK}application"):
        count = application.get("count", "1")
        applications[application.get("name", "")] = int(count) if count.isdecimal() and len(count) < 10 else 1
    return RecentFile(
        uri=uri,
        path=file_path(uri),
        added=element.get("added", ""),
        modified=element.get("modified", ""),
        visited=element.get("visited", ""),
        mime="" if mime is None else mime.get("type", ""),
        applications=applications,
    )


def file_path(uri: str) -> str:
    """The path of a `file:` URI, unescaped; empty for any other URI."""
    try:
        parts = urlsplit(uri)
        return unquote(parts.path, errors="strict") if parts.scheme == "file" else ""
    except ValueError:
        return ""
