"""Near misses of XML and of XML archives: one text run, number, attribute or element changes.

The text is edited in place, so that everything else stays as the program wrote it.
"""

from __future__ import annotations

import io
import itertools
import random
import re
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr, unescape

from fairground.core import StateError
from fairground.prove.edits_text import in_turn
from fairground.prove.edits_values import change, near_values
from fairground.verify.reading.archive import Archive

MOST_XML = 8 << 20
"""Maximum characters of one part. The content of a larger part is not edited."""

_LARGE = 20_000  # maximum characters of an element that is removed or duplicated: more would be half the document
_TURNS = 6  # edits of a part with a value from the solution, per edit of another part
_OLD = 400  # maximum number of unchanged elements, some of which are edited
_PASSED_OVER = re.compile(
    r"(?:settings\.xml|manifest\.rdf|mimetype|META-INF/.*|Thumbnails/.*|Configurations2/.*|docProps/.*|.*\.rels|"
    r".*\[Content_Types\]\.xml|.*/theme/.*|.*/calcChain\.xml|.*/fontTable\.xml|.*/webSettings\.xml)"
)
_TOKEN = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>"
    r"|</(?P<end>[^\s>]+)\s*>"
    r"""|<(?P<tag>[^\s/>!?]+)(?P<attributes>(?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?P<empty>/?)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""\s([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_SQUEEZED = re.compile(r"[\[\]$]|^(?:[a-z]+:)?=|(?<=:)\.")
# Attributes that repeat another attribute, or that only programs read.
_NOT_MEANT = (
    "xmlns",
    "xml:id",
    "calcext:",
    "loext:",
    "w:rsid",
    "w14:",
    "draw:z-index",
    "rsid",
    "office:value-type",
    "style:family",
    "style:display-name",
)
_SAID_IN_NUMBERS = re.compile(r" office:(?:date-|time-|boolean-)?value=")
_QUOTES = {"&quot;": '"', "&apos;": "'"}


@dataclass
class Node:
    """An element, by its position in the text."""

    tag: str
    start: int
    inside: int
    """End of its start tag."""
    parent: int
    end: int = -1
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Positions of its own text."""


def edit_xml(
    content: bytes, before: bytes | None, draw: random.Random, hot: Collection[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield edits of one XML text: of elements with changed values first, alternating with some unchanged ones.

    Args:
        content: The text as saved.
        before: The text before the solution.
        draw: Random generator.
        hot: Values that the solution put there, in the form of `squeezed`.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(text) > MOST_XML:
        return
    nodes = parse_spans(text)
    was = before.decode("utf-8", "replace") if before is not None else ""
    known = {was[node.start : node.inside] for node in parse_spans(was)} | set(_texts(was)) if was else set()
    new, old = _sorted(text, nodes, known, frozenset(hot), draw)
    values = _values_of(text, nodes)
    children = defaultdict(list)
    for number, node in enumerate(nodes):
        children[node.parent].append(number)
    for number in in_turn(new, old):
        for name, edited in _edit_node(text, nodes, number, children, values, frozenset(hot), draw):
            yield name, edited.encode()


def edit_archive(
    content: bytes, before: bytes | None, draw: random.Random, hot: Collection[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield edits of the XML parts of a document, packed like the document."""
    try:
        archive = Archive(content)
        parts = {name: archive.read(name) for name in archive.names if not name.endswith("/")}
    except StateError:
        return
    was: dict[str, bytes] = {}
    if before is not None:
        try:
            old = Archive(before)
            was = {name: old.read(name) for name in old.names if not name.endswith("/")}
        except StateError:
            pass
    makers = []
    for name, part in parts.items():
        if name.endswith(".xml") and not _PASSED_OVER.fullmatch(name) and part != was.get(name):
            telling = any(len(value) > 2 and value.encode() in part for value in hot)
            if telling or not name.endswith("meta.xml"):
                makers.append((name, edit_xml(part, was.get(name), draw, hot), _TURNS if telling else 1))
    while makers:
        for maker in list(makers):
            name, edits, turns = maker
            batch = list(itertools.islice(edits, turns))
            if not batch:
                makers.remove(maker)
            for what, edited in batch:
                yield f"{name}: {what}", repack(content, {name: edited})


def repack(content: bytes, parts: dict[str, bytes]) -> bytes:
    """Return the same archive with other parts. The order, and parts stored uncompressed (an ODF mimetype), stay."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            entry = zipfile.ZipInfo(info.filename, info.date_time)
            entry.compress_type, entry.external_attr = info.compress_type, info.external_attr
            new.writestr(entry, parts.get(info.filename, old.read(info)), compresslevel=1)
    return stream.getvalue()


def squeezed(value: object) -> str:
    """Return a value in a form common to file and reader: without reference marks, and `12.0` as `12`."""
    text = _SQUEEZED.sub("", str(value).strip())
    return text.removesuffix(".0")


def parse_spans(text: str) -> list[Node]:
    """Return the elements of an XML text in order; empty if it is not well-formed."""
    nodes: list[Node] = []
    open_: list[int] = []
    last = 0
    for token in _TOKEN.finditer(text):
        if open_ and token.start() > last and text[last : token.start()].strip():
            nodes[open_[-1]].runs.append((last, token.start()))
        last = token.end()
        if token["tag"]:
            nodes.append(Node(token["tag"], token.start(), token.end(), open_[-1] if open_ else -1))
            if token["empty"]:
                nodes[-1].end = token.end()
            else:
                open_.append(len(nodes) - 1)
        elif token["end"] and open_:
            nodes[open_.pop()].end = token.end()
    return nodes if all(node.end >= 0 for node in nodes) else []


def _texts(text: str) -> Iterator[str]:
    for node in parse_spans(text):
        for start, end in node.runs:
            yield text[start:end]


def _sorted(
    text: str, nodes: list[Node], known: set[str], hot: frozenset[str], draw: random.Random
) -> tuple[list[int], list[int]]:
    """Return elements with a value from the solution followed by other new ones; and some unchanged ones."""
    scores: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for number, node in enumerate(nodes):
        head = text[node.start : node.inside]
        runs = [text[start:end] for start, end in node.runs]
        values = [match[2] or match[3] or "" for match in _ATTRIBUTE.finditer(head)] + runs
        if any(squeezed(unescape(value, _QUOTES)) in hot for value in values):
            scores[2].append(number)
        elif head not in known or any(run not in known for run in runs):
            scores[1].append(number)
        elif runs or len(values) > 1:
            scores[0].append(number)
    for group in scores.values():
        draw.shuffle(group)
    old = scores[0][:_OLD]
    if not scores[0]:  # a program that rewrites everything in its own way leaves nothing unchanged
        old, scores[1] = scores[1][:_OLD], scores[1][_OLD:]
    return scores[2] + scores[1], old


def _values_of(text: str, nodes: list[Node]) -> dict[tuple[str, str], list[str]]:
    """Return the values of each attribute of each element, as written."""
    by_attribute: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for node in nodes:
        for match in _ATTRIBUTE.finditer(text, node.start, node.inside):
            if len(known := by_attribute[node.tag, match[1]]) < 50:
                known[match[2] or match[3] or ""] = None
    return {key: list(values) for key, values in by_attribute.items()}


def _edit_node(
    text: str,
    nodes: list[Node],
    number: int,
    children: dict[int, list[int]],
    values: dict[tuple[str, str], list[str]],
    hot: frozenset[str],
    draw: random.Random,
) -> Iterator[tuple[str, str]]:
    node = nodes[number]
    above = nodes[node.parent]
    shown = node.parent >= 0 and _SAID_IN_NUMBERS.search(text, above.start, above.inside)
    if shown:  # the displayed text of a cell repeats its number
        return
    for start, end in node.runs[:2]:
        near = list(near_values(unescape(text[start:end]), draw))
        for other in near[:2]:
            yield f"{node.tag}: {change(text[start:end], other)}", text[:start] + escape(other) + text[end:]
    attributes = [
        one for one in _ATTRIBUTE.finditer(text, node.start, node.inside) if not one[1].startswith(_NOT_MEANT)
    ]
    draw.shuffle(attributes)
    attributes.sort(key=lambda one: squeezed(unescape(one[2] or one[3] or "", _QUOTES)) not in hot)
    for one in attributes[:4]:
        said = one[2] or one[3] or ""
        near = list(near_values(unescape(said, _QUOTES), draw))[:1]
        others = [other for other in values[node.tag, one[1]] if other != said]
        # A name of something elsewhere, such as a style, is replaced by another such name and not misspelt.
        if others and not re.fullmatch(r"[-#\d.]+\w*", said) and squeezed(unescape(said, _QUOTES)) not in hot:
            near = [unescape(draw.choice(others), _QUOTES)]
        for other in near:
            edited = f" {one[1]}={quoteattr(other)}"
            yield (
                f"{node.tag} {one[1]}: {change(unescape(said, _QUOTES), other)}",
                text[: one.start()] + edited + text[one.end() :],
            )
    yield from _edit_place(text, nodes, number, children, draw)


def _edit_place(
    text: str, nodes: list[Node], number: int, children: dict[int, list[int]], draw: random.Random
) -> Iterator[tuple[str, str]]:
    """Remove an element, duplicate it, or swap it with the next of its kind; or do so with its parent."""
    node = nodes[number]
    if node.parent >= 0 and draw.random() < 0.5 and nodes[node.parent].parent >= 0:
        number, node = node.parent, nodes[node.parent]
    if node.parent < 0 or node.end - node.start > _LARGE:
        return
    element = text[node.start : node.end]
    edits = [
        (f"{node.tag} gone", text[: node.start] + text[node.end :]),
        (f"{node.tag} twice", text[: node.end] + element + text[node.end :]),
    ]
    after = [other for other in children[node.parent] if other > number and nodes[other].tag == node.tag]
    if after:
        near = nodes[after[0]]
        between = text[node.end : near.start]
        swapped = text[near.start : near.end] + between + element
        edits.append((f"two {node.tag} swapped", text[: node.start] + swapped + text[near.end :]))
    draw.shuffle(edits)
    yield from edits[:2]
