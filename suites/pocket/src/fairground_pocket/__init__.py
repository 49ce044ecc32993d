"""Pocket: phone-size apps in a page of a real browser, as worlds. One folder per app."""

from pathlib import Path

from fairground.worlds import Suite
from fairground_pocket.eats import Eats
from fairground_pocket.eats.scenarios import SCENARIOS as EATS
from fairground_pocket.email import Email
from fairground_pocket.email.scenarios import SCENARIOS as EMAIL
from fairground_pocket.flights import Flights
from fairground_pocket.flights.scenarios import SCENARIOS as FLIGHTS
from fairground_pocket.notes import CountLabel, Notes, PinAndLabel
from fairground_pocket.payment import Payment
from fairground_pocket.payment.scenarios import SCENARIOS as PAYMENT
from fairground_pocket.smarthome import SmartHome
from fairground_pocket.smarthome.scenarios import SCENARIOS as SMART_HOME

__all__ = ["suite"]

suite = Suite(
    name="pocket",
    title="Pocket",
    version="0.3.0",
    apps=(Notes(), Email(), Payment(), SmartHome(), Flights(), Eats()),
    scenarios=(PinAndLabel(), CountLabel(), *EMAIL, *PAYMENT, *SMART_HOME, *FLIGHTS, *EATS),
    proofs=Path(__file__).parent / "proofs",
    pictures=Path(__file__).parent / "pictures",
)
