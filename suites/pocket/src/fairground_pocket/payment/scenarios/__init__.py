"""Tasks in the payment app, grouped by topic."""

from fairground_pocket.kit import Task
from fairground_pocket.payment.scenarios import answers, asking, keeping, regular, sending, spanning

_MODULES = (sending, asking, regular, keeping, spanning, answers)

SCENARIOS = tuple(
    task()
    for module in _MODULES
    for task in vars(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__ and task.name
)
"""All tasks of the app, in the order of the suite."""
