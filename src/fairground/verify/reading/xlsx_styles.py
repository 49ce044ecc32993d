"""The look of cells of an Office Open XML spreadsheet: bold and number format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from fairground.verify.reading.workbook import GENERAL, NumberFormat

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

# The formats that a file names by number only.
_BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0', 6: '"$"#,##0', 7: '"$"#,##0.00', 8: '"$"#,##0.00',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
    37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 44: '"$"#,##0.00', 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mmss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip


@dataclass(frozen=True)
class CellStyle:
    """The supported parts of a style."""

    bold: bool
    format: NumberFormat


def read_cell_styles(root: Element) -> tuple[CellStyle, ...]:
    """The styles in the order in which cells refer to them."""
    codes = dict(_BUILT_IN)
    for element in root.findall(f"{_MAIN}numFmts/{_MAIN}numFmt"):
        codes[_number(element.get("numFmtId"))] = element.get("formatCode", "")
    formats = {number: parse_format(code) for number, code in codes.items()}
    bold = [_is_bold(font) for font in root.findall(f"{_MAIN}fonts/{_MAIN}font")]
    return tuple(
        CellStyle(
            bold=_at(bold, _number(style.get("fontId"))),
            format=formats.get(_number(style.get("numFmtId")), GENERAL),
        )
        for style in root.findall(f"{_MAIN}cellXfs/{_MAIN}xf")
    )


def parse_format(code: str) -> NumberFormat:
    """Parse a format code such as `#,##0.00 "EUR"`. Only its part for positive numbers is used."""
    first = _first_section(code)
    # A tag such as `[$-409]` is a language, not a currency.
    untagged = re.sub(r"\[[^\]]*\]", "", first)
    symbol = "".join(re.findall(r"\[\$([^\-\]]*)", first)) or "".join(re.findall(r"[$€£¥]", untagged))
    quoted = "".join(re.findall(r"\"([^\"]*)\"", first))
    plain = re.sub(r"\"[^\"]*\"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]", "", first)
    if not plain or plain.lower() == "general":
        return GENERAL
    if plain == "@":
        return NumberFormat("text")
    if re.search(r"[ymdhs]", plain, re.IGNORECASE) and not re.search(r"[0#?]{2,}.*E[+-]", plain):
        only_time = not re.search(r"[yd]", plain, re.IGNORECASE) and re.search(r"[hs]", plain, re.IGNORECASE)
        return NumberFormat("time" if only_time else "date")
    if "E" in plain.upper() or "/" in plain:
        return NumberFormat("other")
    places = re.search(r"\.([0#?]*)", plain)
    decimals = len(places[1]) if places else 0
    grouped = bool(re.search(r"[0#?],[0#?]", plain))
    if "%" in plain:
        return NumberFormat("percentage", decimals, grouped)
    symbol = symbol or (quoted.strip() if quoted.strip() in ("$", "€", "£", "¥", "EUR", "USD", "GBP", "CHF") else "")
    return NumberFormat("currency" if symbol else "number", decimals, grouped, symbol[:20])


def _first_section(code: str) -> str:
    """The part before the first `;` that is not quoted."""
    match = re.match(r"(?:\"[^\"]*\"|\\.|[^;\"\\])*", code[:1000])
    return match[0] if match else ""


def _is_bold(font: Element) -> bool:
    mark = font.find(f"{_MAIN}b")
    return mark is not None and mark.get("val", "1") in ("1", "true")


def _at(flags: list[bool], place: int) -> bool:
    return flags[place] if 0 <= place < len(flags) else False


def _number(text: str | None) -> int:
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,6}", text) else -1
