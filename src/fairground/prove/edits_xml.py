"""Near misses of XML and of documents that are archives of it: one run, number, attribute or element is another.

The text is edited where it stands, so that everything else stays as the program wrote it.
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
"""Characters of one part; a larger one is not edited inside."""

_LARGE = 20_000  # characters of an element that is neither deleted nor doubled: it would be half the document
_TURNS = 6  # edits of a part that holds something the solution put there, for one of another part
_OLD = 400  # elements that stayed as they were, of which some are edited
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
# Attributes that say again what another one says, or what only programs look at.
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
    """An element, by where it is in the text."""

    tag: str
    start: int
    inside: int
    """Where its start tag ends."""
    parent: int
    end: int = -1
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Text of its own."""


def edit_xml(
    content: bytes, before: bytes | None, draw: random.Random, hot: Collection[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Edits of one XML text: first of elements that hold what changed, in turn with some that stayed.

    Args:
        content: The text as it was saved.
        before: As it was.
        draw: For the choice among many.
        hot: Values that the solution put there, squeezed.
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
    """Edits of the XML parts of a document, packed as the document was."""
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
            found = list(itertools.islice(edits, turns))
            if not found:
                makers.remove(maker)
            for what, edited in found:
                yield f"{name}: {what}", repack(content, {name: edited})


def repack(content: bytes, parts: dict[str, bytes]) -> bytes:
    """The same archive with other parts: the order, and what is stored unpacked (an ODF mimetype), stay."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            entry = zipfile.ZipInfo(info.filename, info.date_time)
            entry.compress_type, entry.external_attr = info.compress_type, info.external_attr
            new.writestr(entry, parts.get(info.filename, old.read(info)), compresslevel=1)
    return stream.getvalue()


def squeezed(value: object) -> str:
    """A value in the form in which file and reader agree: without the marks of references, `12.0` as `12`."""
    text = _SQUEEZED.sub("", str(value).strip())
    return text.removesuffix(".0")


def parse_spans(text: str) -> list[Node]:
    """The elements of an XML text in order; none of one that is not well-formed."""
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
    """Elements that hold a value the solution put there, then others that are new; and some that are neither."""
    scores: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for number, node in enumerate(nodes):
        head = text[node.start : node.inside]
        runs = [text[start:end] for start, end in node.runs]
        values = [one[2] or one[3] or "" for one in _ATTRIBUTE.finditer(head)] + runs
        if any(squeezed(unescape(value, _QUOTES)) in hot for value in values):
            scores[2].append(number)
        elif head not in known or any(run not in known for run in runs):
            scores[1].append(number)
        elif runs or len(values) > 1:
            scores[0].append(number)
    for one in scores.values():
        draw.shuffle(one)
    old = scores[0][:_OLD]
    if not scores[0]:  # a program that writes everything in its own way leaves nothing as it was
        old, scores[1] = scores[1][:_OLD], scores[1][_OLD:]
    return scores[2] + scores[1], old


def _values_of(text: str, nodes: list[Node]) -> dict[tuple[str, str], list[str]]:
    """Which values each attribute of each element has, as written."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for node in nodes:
        for one in _ATTRIBUTE.finditer(text, node.start, node.inside):
            if len(known := found[node.tag, one[1]]) < 50:
                known[one[2] or one[3] or ""] = None
    return {key: list(values) for key, values in found.items()}


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
    if shown:  # what a cell shows of its number is no second number
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
        # A name of something elsewhere, such as a style, is near another such name, and not to a misspelt one.
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
    """An element gone, there twice, or in the place of the next one of its kind; or so for what it stands in."""
    node = nodes[number]
    if node.parent >= 0 and draw.random() < 0.5 and nodes[node.parent].parent >= 0:
        number, node = node.parent, nodes[node.parent]
    if node.parent < 0 or node.end - node.start > _LARGE:
        return
    whole = text[node.start : node.end]
    edits = [
        (f"{node.tag} gone", text[: node.start] + text[node.end :]),
        (f"{node.tag} twice", text[: node.end] + whole + text[node.end :]),
    ]
    after = [other for other in children[node.parent] if other > number and nodes[other].tag == node.tag]
    if after:
        near = nodes[after[0]]
        between = text[node.end : near.start]
        swapped = text[near.start : near.end] + between + whole
        edits.append((f"two {node.tag} swapped", text[: node.start] + swapped + text[near.end :]))
    draw.shuffle(edits)
    yield from edits[:2]
