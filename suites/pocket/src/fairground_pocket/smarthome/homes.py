"""The homes of the profiles: their names, their rooms, and the devices per type of room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Home:
    """A home: its kind, its rooms as `Name = type @ floor`, and its energy price in the smallest coin."""

    title: str
    kind: str
    rooms: str
    tariff: int
    warm: int
    """Usual temperature inside, in tenths of a degree."""


ROOM_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "living": ("sofa", "ceiling light=light, floor lamp=light, reading lamp=light, thermostat=thermostat, TV=tv, "
               "soundbar=speaker, blinds=blind, motion sensor=motion, air purifier=purifier, router plug=plug"),
    "dining": ("chair", "pendant light=light, sideboard lamp=light, blinds=blind, speaker=speaker"),
    "kitchen": ("food", "ceiling light=light, counter lights=light, fridge=fridge, oven=oven, dishwasher=dishwasher, "
                "coffee machine=coffee, smoke alarm=smoke, leak sensor=leak, climate sensor=climate, kettle plug=plug"),
    "bedroom": ("bed", "ceiling light=light, bedside lamp=light, blinds=blind, thermostat=thermostat, "
                "speaker=speaker, smoke alarm=smoke"),
    "child": ("star", "ceiling light=light, night light=light, blinds=blind, thermostat=thermostat, "
              "air purifier=purifier, motion sensor=motion"),
    "guest": ("bed", "ceiling light=light, bedside lamp=light, blinds=blind, fan=fan, climate sensor=climate"),
    "bath": ("drop", "ceiling light=light, mirror light=light, extractor fan=fan, climate sensor=climate, "
             "leak sensor=leak, water heater=heater"),
    "study": ("edit", "ceiling light=light, desk lamp=light, thermostat=thermostat, printer plug=plug, "
              "monitor plug=plug, motion sensor=motion, window sensor=contact"),
    "hall": ("door", "light=light, front door lock=lock, front door sensor=contact, doorbell=doorbell, "
             "camera=camera, motion sensor=motion, robot vacuum=vacuum"),
    "laundry": ("washer", "light=light, washing machine=washer, iron plug=plug, leak sensor=leak, "
                "extractor fan=fan"),
    "balcony": ("sun", "string lights=light, awning=blind, planter sprinkler=sprinkler, door sensor=contact"),
    "garden": ("leaf", "path lights=light, flood light=light, lawn sprinkler=sprinkler, bed sprinkler=sprinkler, "
               "gate lock=lock, camera=camera, motion sensor=motion, climate sensor=climate"),
    "garage": ("car", "light=light, car charger=charger, side door lock=lock, side door sensor=contact, "
               "camera=camera, smoke alarm=smoke, freezer plug=plug"),
    "workshop": ("settings", "work lights=light, bench lamp=light, compressor plug=plug, saw plug=plug, "
                 "smoke alarm=smoke, extractor fan=fan, door lock=lock, motion sensor=motion"),
    "shop": ("bag", "window lights=light, shelf lights=light, counter lamp=light, door lock=lock, "
             "door sensor=contact, camera=camera, speaker=speaker, fan=fan, till plug=plug, sign plug=plug, "
             "thermostat=thermostat"),
    "store": ("archive", "light=light, door sensor=contact, climate sensor=climate, camera=camera, charger plug=plug"),
    "barn": ("home", "ceiling lights=light, yard light=light, gate lock=lock, camera=camera, fan=fan, "
             "climate sensor=climate, motion sensor=motion, smoke alarm=smoke"),
    "drying": ("wind", "light=light, large fan=fan, small fan=fan, climate sensor=climate, scale plug=plug"),
    "well": ("drop", "light=light, water pump=pump, leak sensor=leak, door sensor=contact"),
    "field": ("leaf", "north sprinkler=sprinkler, south sprinkler=sprinkler, camera=camera, climate sensor=climate"),
    "terrace": ("sun", "wall lights=light, table lamp=light, awning=blind, speaker=speaker, heater plug=plug"),
    "utility": ("plug", "light=light, inverter plug=plug, water pump=pump, smoke alarm=smoke, climate sensor=climate"),
    "stairs": ("arrow-up", "light=light, motion sensor=motion, window sensor=contact"),
    "basement": ("archive", "light=light, washing machine=washer, leak sensor=leak, climate sensor=climate, "
                 "dehumidifier plug=plug, motion sensor=motion"),
}  # fmt: skip
"""Type of a room -> its symbol, and its devices as `thing=kind`."""

HOMES: Final[Mapping[str, Home]] = {
    "amara-lagos": Home(
        "Bode Thomas Street", "Flat above a boutique",
        "Living room=living@Upstairs, Kitchen=kitchen@Upstairs, Main bedroom=bedroom@Upstairs, "
        "Guest bedroom=guest@Upstairs, Bathroom=bath@Upstairs, Balcony=balcony@Upstairs, Hallway=hall@Upstairs, "
        "Showroom=shop@Ground floor, Stockroom=store@Ground floor, Sewing room=study@Ground floor, "
        "Inverter room=utility@Ground floor", 22_500, 268),
    "astrid-malmo": Home(
        "Regementsgatan", "Terraced house",
        "Living room=living@Ground floor, Kitchen=kitchen@Ground floor, Entrance=hall@Ground floor, "
        "Bedroom=bedroom@First floor, Nursery=child@First floor, Drawing studio=study@First floor, "
        "Bathroom=bath@First floor, Laundry=laundry@Basement, Sauna=utility@Basement, Garden=garden@Outside, "
        "Bicycle shed=workshop@Outside", 185, 208),
    "chiara-bologna": Home(
        "Palazzo Reno", "Flat under the arcades",
        "Soggiorno=living@Second floor, Cucina=kitchen@Second floor, Ingresso=hall@Second floor, "
        "Camera grande=bedroom@Second floor, Cameretta=child@Second floor, Bagno=bath@Second floor, "
        "Sala da pranzo=dining@Second floor, Studio=study@Second floor, Terrazza=terrace@Roof, "
        "Lavanderia=laundry@Second floor, Cantina=basement@Basement, Garage=garage@Basement", 31, 214),
    "daichi-osaka": Home(
        "Horie Mansion 1204", "High-rise flat with a music room",
        "Living room=living@Twelfth floor, Kitchen=kitchen@Twelfth floor, Genkan=hall@Twelfth floor, "
        "Tatami room=guest@Twelfth floor, Bedroom=bedroom@Twelfth floor, Bathroom=bath@Twelfth floor, "
        "Work corner=study@Twelfth floor, Music room=dining@Twelfth floor, Balcony=balcony@Twelfth floor, "
        "Utility closet=utility@Twelfth floor, Second bedroom=child@Twelfth floor, Storage unit=store@Basement",
        31, 226),
    "elif-izmir": Home(
        "Zeytin Evi", "Summer house with an olive grove",
        "Salon=living@Ground floor, Mutfak=kitchen@Ground floor, Antre=hall@Ground floor, "
        "Yatak odas\u0131=bedroom@First floor, Misafir odas\u0131=guest@First floor, Banyo=bath@First floor, "
        "Veranda=terrace@Ground floor, Garden=garden@Outside, Olive grove=field@Outside, Pump house=well@Outside, "
        "Çal\u0131şma odas\u0131=study@First floor, Olive press=workshop@Outside", 310, 251),
    "fatima-casablanca": Home(
        "Villa Anfa", "Villa around a courtyard",
        "Salon marocain=living@Ground floor, Dining room=dining@Ground floor, Kitchen=kitchen@Ground floor, "
        "Entrance hall=hall@Ground floor, Courtyard=garden@Ground floor, Parents' bedroom=bedroom@First floor, "
        "Children's room=child@First floor, Guest room=guest@First floor, Hammam=bath@Ground floor, "
        "Office=study@First floor, Roof terrace=terrace@Roof, Garage=garage@Ground floor", 160, 236),
    "george-bristol": Home(
        "Orchard Cottage", "Cottage with a garden",
        "Sitting room=living@Downstairs, Kitchen=kitchen@Downstairs, Porch=hall@Downstairs, "
        "Bedroom=bedroom@Upstairs, Box room=guest@Upstairs, Bathroom=bath@Upstairs, Landing=stairs@Upstairs, "
        "Library=study@Downstairs, Utility room=laundry@Downstairs, Garden=garden@Outside, Garage=garage@Outside, "
        "Greenhouse=drying@Outside", 27, 196),
    "mateo-medellin": Home(
        "Finca La Cordillera", "Coffee farm",
        "Farmhouse salon=living@Farmhouse, Kitchen=kitchen@Farmhouse, Veranda=terrace@Farmhouse, "
        "Front hall=hall@Farmhouse, Bedroom=bedroom@Farmhouse, Bathroom=bath@Farmhouse, Office=study@Farmhouse, "
        "Drying shed=drying@Farm, Barn=barn@Farm, Upper field=field@Farm, Lower field=field@Farm, Well=well@Farm, "
        "Tasting shop=shop@Farm", 890, 229),
    "noah-toronto": Home(
        "Humber Crescent", "Family house with a basement",
        "Living room=living@Main floor, Kitchen=kitchen@Main floor, Front hall=hall@Main floor, "
        "Dining room=dining@Main floor, Main bedroom=bedroom@Second floor, Kids' room=child@Second floor, "
        "Bathroom=bath@Second floor, Den=study@Second floor, Basement=basement@Basement, "
        "Robot lab=workshop@Basement, Garage=garage@Main floor, Deck=terrace@Outside, Backyard=garden@Outside",
        14, 211),
    "priya-pune": Home(
        "Sahyadri Heights B-702", "Family flat with a home shop",
        "Living room=living@Seventh floor, Kitchen=kitchen@Seventh floor, Entrance=hall@Seventh floor, "
        "Main bedroom=bedroom@Seventh floor, Parents' room=guest@Seventh floor, Kids' room=child@Seventh floor, "
        "Bathroom=bath@Seventh floor, Balcony=balcony@Seventh floor, Home office=study@Seventh floor, "
        "Utility area=laundry@Seventh floor, Saree shop=shop@Ground floor, Shop store=store@Ground floor",
        950, 263),
}  # fmt: skip
"""Homes by profile."""


def pairs(text: str) -> list[tuple[str, str]]:
    """Parses `a=b, c=d`."""
    return [(name.strip(), rest.strip()) for name, _, rest in (part.partition("=") for part in text.split(","))]
