"""The scenario's checks, on workbooks as they were, as they should be, and as they should not."""

from __future__ import annotations

import io
import os
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fairground.core import Verdict
from fairground.verify import Workbook, read_ods
from fairground_desk.calc.odswriter import Entry, Formula, Table, write_ods
from fairground_desk.calc.sales import PROFILES, REGIONS, Shop, build, sales, tables
from fairground_desk.calc.scenarios.region_total import RegionTotal, contents, expected_total, judge_books

WEST = RegionTotal.instances["west"]


@pytest.fixture(
    params=[name if name == "outdoor-shop" else pytest.param(name, marks=pytest.mark.slow) for name in PROFILES]
)
def shop(request: pytest.FixtureRequest) -> Shop:
    return PROFILES[request.param]


def total(shop: Shop, region: str = "West") -> float:
    return sum(sale.revenue for sale in sales(shop) if sale.region == region)


def formula(shop: Shop, *, add: float = 0.0, region: str = "West") -> Formula:
    return Formula('of:=SUMIF([$Sales.B1:.B999];"West";[$Sales.F1:.F999])', total(shop, region) + add)


def solved(shop: Shop, label: Entry = "Revenue West", value: Entry = None) -> list[Table]:
    """The sheets with the task done: rows 5 to 7 of the summary are left empty, row 8 is West's."""
    sheets = tables(shop)
    done: Sequence[Entry] = [label, formula(shop) if value is None else value]
    summary = replace(sheets[2], rows=[*sheets[2].rows, [], [], [], done])
    return [*sheets[:2], summary]


@cache
def untouched(shop: Shop) -> Workbook:
    return read_ods(build(shop))


def verdict(shop: Shop, saved: bytes) -> Verdict:
    return Verdict.of(judge_books(WEST, untouched(shop), saved))


def test_a_profile_gives_the_same_workbook_every_time(shop: Shop) -> None:
    assert build(shop) == build(shop)
    assert len({build(other) for other in PROFILES.values()}) == len(PROFILES)


def test_the_data_is_as_large_as_it_should_be_and_every_region_sells(shop: Shop) -> None:
    book = untouched(shop)
    assert book.names == ("Sales", "Targets", "Summary")
    assert book["Sales"].size[0] >= 240
    totals = [expected_total(book, region) for region in REGIONS]
    assert len({round(total, 2) for total in totals}) == len(REGIONS)
    assert totals == pytest.approx([total(shop, region) for region in REGIONS])


def test_every_instance_names_cells_that_are_empty_in_every_profile(shop: Shop) -> None:
    summary = untouched(shop)["Summary"]
    for parameters in RegionTotal.instances.values():
        assert RegionTotal().instruction(parameters)
        for cell in (parameters["cell"], parameters["label_cell"]):
            assert summary[str(cell)].kind == "empty"


@pytest.mark.slow
def test_libreoffice_reads_and_writes_the_workbook_without_changing_a_cell(tmp_path: Path) -> None:
    shop = PROFILES["outdoor-shop"]
    (tmp_path / "sales.ods").write_bytes(build(shop))
    argv = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--norestore"]
    argv += ["--convert-to", "ods", "--outdir", str(tmp_path / "out"), str(tmp_path / "sales.ods")]
    subprocess.run(argv, check=True, capture_output=True, timeout=120, env={**os.environ, "HOME": str(tmp_path)})
    saved = (tmp_path / "out/sales.ods").read_bytes()
    assert contents(read_ods(saved)) == contents(untouched(shop))
    found = verdict(shop, saved)
    assert found.integrity and found.reward == 0, "doing nothing but saving earns nothing"


def test_doing_nothing_earns_nothing(shop: Shop) -> None:
    found = verdict(shop, build(shop))
    assert (found.success, found.reward, found.integrity) == (False, 0.0, True)


def test_the_task_done_earns_everything(shop: Shop) -> None:
    assert verdict(shop, write_ods(solved(shop))).reward == 1.0


def test_a_typed_number_instead_of_a_formula_earns_a_part(shop: Shop) -> None:
    found = verdict(shop, write_ods(solved(shop, value=round(total(shop), 2))))
    assert not found.success and found.reward == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    "change",
    [
        lambda shop: solved(shop, value=formula(shop, add=0.01)),
        lambda shop: solved(shop, value=formula(shop, region="East")),
        lambda shop: solved(shop, value=str(total(shop))),
        lambda shop: solved(shop, label="revenue west"),
        lambda shop: solved(shop, label=None),
        lambda shop: [*solved(shop)[:2], replace(solved(shop)[2], rows=solved(shop)[2].rows[:7])],
    ],
    ids=["a cent off", "another region", "as text", "other label", "no label", "not written"],
)
def test_a_near_miss_is_no_success(shop: Shop, change: Callable[[Shop], list[Table]]) -> None:
    assert not verdict(shop, write_ods(change(shop))).success


def altered(shop: Shop) -> list[Table]:
    sheets = solved(shop)
    rows = [list(row) for row in sheets[0].rows]
    rows[17][3] = 1
    return [replace(sheets[0], rows=rows), *sheets[1:]]


def sorted_rows(shop: Shop) -> list[Table]:
    sheets = solved(shop)
    return [replace(sheets[0], rows=[sheets[0].rows[0], *reversed(sheets[0].rows[1:])]), *sheets[1:]]


def scribbled(shop: Shop) -> list[Table]:
    sheets = solved(shop)
    return [*sheets[:2], replace(sheets[2], rows=[*sheets[2].rows, ["done!"]])]


@pytest.mark.parametrize(
    "change",
    [
        altered,
        sorted_rows,
        scribbled,
        lambda shop: [*solved(shop), Table("Scratch", [])],
        lambda shop: list(reversed(solved(shop))),
        lambda shop: solved(shop)[::2],
        lambda shop: [replace(solved(shop)[0], name="sales"), *solved(shop)[1:]],
    ],
    ids=["figure altered", "rows sorted", "cell added", "sheet added", "sheets moved", "sheet gone", "sheet renamed"],
)
def test_damage_elsewhere_takes_the_whole_reward(shop: Shop, change: Callable[[Shop], list[Table]]) -> None:
    found = verdict(shop, write_ods(change(shop)))
    assert (found.integrity, found.reward) == (False, 0.0)


def other_kind(data: bytes) -> bytes:
    """The right workbook, but calling itself a text document."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"application/vnd.oasis.opendocument.text" if name == "mimetype" else old.read(name))
    return buffer.getvalue()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-100], lambda data: b"PK", other_kind])
def test_a_file_that_does_not_open_any_more_fails_every_check(shop: Shop, damage: Callable[[bytes], bytes]) -> None:
    found = verdict(shop, damage(write_ods(solved(shop))))
    assert found.reward == 0 and not any(check.passed for check in found.checks)
    assert "spreadsheet (.ods)" in found.checks[0].found
