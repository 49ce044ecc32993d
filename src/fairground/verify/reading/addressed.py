"""Parsers for the addresses in checks of folder worlds (`fairground.worlds.addresses`).

Each is imported when the first check needs it, so that a world about text needs no other reader.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException, DTDForbidden
from defusedxml.ElementTree import DefusedXMLParser

from fairground.core import StateError
from fairground.worlds.addresses import register_parser

MAX_XML = 16 << 20
MAX_DEPTH = 100
MAX_ELEMENTS = 100_000

_ROOM = "fairground.verify.reading"


def register() -> None:
    """Register the parsers."""
    here = Path(__file__)
    register_parser("json", _named("jsonfile:read_json"), [here.with_name("jsonfile.py")])
    register_parser("keyfile", _named("keyfile:read_keyfile"), [here.with_name("keyfile.py")])
    register_parser("sqlite", _named("sqlite:read_database"), [here.with_name("sqlite.py")])
    register_parser("xml", parse_document, [here, here.with_name("archive.py")])


def parse_document(data: bytes) -> Element:
    """Parse XML as programs write it. A document type that only names itself is allowed, one with declarations is not.

    Raises:
        StateError: It is malformed, declares entities, attributes or elements, or is over a limit.
    """
    if len(data) > MAX_XML:
        raise StateError(f"XML: {len(data)} bytes, expected at most {MAX_XML}")
    builder = _named("archive:_BoundedBuilder")("XML", MAX_DEPTH, MAX_ELEMENTS)
    parser = _Parser(target=builder, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException as error:
        raise StateError(f"XML: declares what a document must not: {type(error).__name__}") from None
    except (ParseError, ValueError, LookupError, AssertionError) as error:
        raise StateError(f"XML: not well-formed: {error}") from None
    if not isinstance(root, Element):
        raise StateError("XML: no element in it")
    return root


class _Parser(DefusedXMLParser):
    def defused_start_doctype_decl(self, name: str, sysid: str | None, pubid: str | None, internal: int) -> None:
        """Refuse declarations, because attribute defaults can inflate a file like entities."""
        if internal:
            raise DTDForbidden(name, sysid, pubid)


def _named(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")

    def call(*args: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(f"{_ROOM}.{module}"), attribute)(*args, **options)

    return call
