"""Tasks in the payment app, by what they are about."""

from fairground_pocket.kit import Task
from fairground_pocket.payment.scenarios import answers, asking, keeping, regular, sending, spanning

_MODULES = (sending, asking, regular, keeping, spanning, answers)

SCENARIOS = tuple(
    one()
    for module in _MODULES
    for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Task) and one.__module__ == module.__name__ and one.name
)
"""All of them, in the order of the suite."""
