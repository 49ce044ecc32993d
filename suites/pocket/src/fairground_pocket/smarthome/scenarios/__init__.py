"""Tasks in the smart home app, by what they are about."""

from fairground_pocket.kit import Task
from fairground_pocket.smarthome.scenarios import answers, caring, controlling, planning, spanning

_MODULES = (controlling, planning, caring, spanning, answers)

SCENARIOS = tuple(
    one()
    for module in _MODULES
    for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Task) and one.__module__ == module.__name__
)
"""All of them, in the order of the suite."""
