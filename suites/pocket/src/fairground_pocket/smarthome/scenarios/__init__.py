"""Tasks in the smart home app, grouped by topic."""

from fairground_pocket.kit import Task
from fairground_pocket.smarthome.scenarios import answers, caring, controlling, planning, spanning

_MODULES = (controlling, planning, caring, spanning, answers)

SCENARIOS = tuple(
    task()
    for module in _MODULES
    for task in vars(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__
)
"""All tasks of the app, in the order of the suite."""
