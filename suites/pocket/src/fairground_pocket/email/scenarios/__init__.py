"""Tasks in the email app, by what they are about."""

from fairground_pocket.email.scenarios import answers, arranging, filing, spanning, writing
from fairground_pocket.kit import Task

_MODULES = (writing, filing, arranging, answers, spanning)

SCENARIOS = tuple(
    one()
    for module in _MODULES
    for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Task) and one.__module__ == module.__name__
)
"""All of them, in the order of the suite."""
