"""Texts that people write about meals, doors and deliveries."""

from __future__ import annotations

from typing import Final

REVIEWS: Final = {
    5: (
        "Hot, quick and delicious.", "Best in town, we order every week.", "Generous portions and very fresh.",
        "Even better than in the restaurant.", "Packed with care, nothing spilled.", "My family loved every dish.",
        "Perfectly seasoned. Will order again tomorrow.", "The courier was lovely and the food was still steaming.",
        "Tastes like home cooking.", "Worth every coin.",
    ),
    4: (
        "Very good, a bit salty for me.", "Tasty, but it took a little longer than promised.",
        "Good value. The sides could be bigger.", "Lovely food, too much packaging.", "Solid choice for a weeknight.",
        "Good, although they forgot the napkins.", "Really nice sauce, slightly small portion.",
        "Would order again, just not at rush hour.",
    ),
    3: (
        "Fine, nothing special.", "Warm but not hot when it came.", "The main was good, the starter was not.",
        "Average for the price.", "They replaced one dish without asking.", "All right when you are hungry.",
    ),
    2: (
        "Cold on arrival.", "Forty minutes late and half of it was missing.", "Too greasy for my taste.",
        "The photo promised more.", "Soggy. I will try somewhere else.",
    ),
}  # fmt: skip
"""Review texts by number of stars."""

DOORS: Final = (
    "2nd floor, left", "Ground floor", "Flat 4B", "5th floor, no lift", "Reception", "Back entrance", "3rd floor",
    "Flat 12", "Top floor", "Door on the right",
)  # fmt: skip

COURIER_NOTES: Final = (
    "Please ring twice", "The bell is broken, call me", "Leave it with the guard", "Mind the dog", "Gate code 4471",
    "Do not ring, a baby is asleep", "Wait at the gate",
)  # fmt: skip

KITCHEN_NOTES: Final = (
    "No onions, please", "Sauce on the side", "Well done, please", "Less salt, please", "Cut in half, please",
)  # fmt: skip
