"""Tasks in the email app, grouped by topic."""

from fairground_pocket.email.scenarios import answers, arranging, filing, spanning, writing
from fairground_pocket.kit import Task

_MODULES = (writing, filing, arranging, answers, spanning)

SCENARIOS = tuple(
    task()
    for module in _MODULES
    for task in vars(module).values()
    if isinstance(task, type) and issubclass(task, Task) and task.__module__ == module.__name__
)
"""All tasks of the app, in the order of the suite."""
