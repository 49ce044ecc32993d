"""Times, distances and prices of the timetable."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from fairground_pocket.flights.app import Flights
from fairground_pocket.flights.schedule import Line, airports
from fairground_pocket.kit import PROFILES, Database

pytestmark = pytest.mark.conformance


@pytest.fixture(params=PROFILES)
def db(request: pytest.FixtureRequest) -> Database:
    return Database(Flights().content(request.param))


def test_durations_are_exact_across_time_zones(db: Database) -> None:
    zones = dict(db.rows("SELECT code, timezone FROM airports"))  # type: ignore[arg-type]  # rows of two
    for flight in db.rows("SELECT * FROM flights ORDER BY id LIMIT 400"):
        leaves, lands = (
            datetime.fromisoformat(flight[time]).replace(tzinfo=ZoneInfo(zones[flight[end]]))
            for time, end in (("departs", "origin"), ("arrives", "destination"))
        )
        minutes = (lands.timestamp() - leaves.timestamp()) / 60
        assert minutes == flight["ends"] - flight["starts"] and 30 < minutes < 20 * 60


def test_no_two_nonstop_flights_of_a_route_and_day_cost_the_same_or_leave_together(db: Database) -> None:
    for column in ("price", "departs"):
        assert db.rows(
            f"SELECT origin, destination, substr(departs, 1, 10) AS day FROM flights WHERE departs > (SELECT now FROM "
            f"clock) GROUP BY origin, destination, day, {column} HAVING count(*) > 1"
        ) == []  # fmt: skip


def test_a_profile_has_hundreds_of_flights_and_one_upcoming_trip_a_city(db: Database) -> None:
    assert db.one("SELECT count(*) FROM flights") >= 500
    cities = db.column(
        "SELECT f.destination FROM bookings b JOIN coupons c ON c.booking = b.id AND c.leg = 'out' JOIN flights f ON "
        "f.id = c.flight WHERE b.status = 'confirmed' AND f.departs > (SELECT now FROM clock) GROUP BY b.id HAVING "
        "f.starts = max(f.starts)"
    )
    assert len(cities) >= 14 and len(set(cities)) == len(cities)


def test_nobody_is_booked_on_a_cancelled_flight(db: Database) -> None:
    sql = "SELECT count(*) FROM coupons c JOIN flights f ON f.id = c.flight WHERE f.cancelled = 1 AND f.departs > ?"
    assert db.one(sql, db.now.isoformat()) == 0


def test_great_circle_distances_are_those_of_an_atlas() -> None:
    known = airports()
    assert known["LHR"].kilometres(known["JFK"]) == pytest.approx(5540, rel=0.01)
    assert known["SYD"].kilometres(known["SIN"]) == pytest.approx(6290, rel=0.01)


def test_an_eastward_night_flight_lands_the_next_day() -> None:
    known = airports()
    line = Line("4M 1", "4M", known["JFK"], known["LHR"], 20 * 60, 415, "0123456", 300.0, 1)
    leaves, lands = line.times(date(2025, 3, 8))  # the night before clocks change in New York
    assert (lands - leaves).total_seconds() == 415 * 60
    assert lands.replace(tzinfo=None) == datetime(2025, 3, 9, 7, 55)
