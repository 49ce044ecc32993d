"""Other names of our columns: those that are recognised, and those that are only suggested."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from fairground.stats.tables.table import NAMES, NUMBERS

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "agent": (
        *("agent_name", "agent_id", "model", "model_name", "model_id", "model_slug", "model_label", "llm", "policy"),
        *("model_name_or_path", "system", "system_name", "submission", "competitor", "contestant", "participant"),
        *("solver", "bot", "team", "method"),
    ),
    "scenario": (
        *("scenario_id", "scenario_name", "task_id", "taskid", "task_name", "task", "question_id", "problem_id"),
        *("task_template", "example_id", "instance_id", "test_id", "case_id", "sample_id", "item_id", "prompt_id"),
        *("query_id", "doc_id", "target_id", "puzzle_id", "task_key", "task_index", "task_idx", "problem", "question"),
        *("example", "test_case", "test", "case", "sample", "item", "challenge", "puzzle", "env_name", "env_id"),
        *("goal", "task_instruction", "instruction", "intent", "prompt", "query", "id", "uid", "key"),
    ),
    "rollout": (
        *("rollout_id", "trial", "trial_id", "trial_name", "trial_number", "trial_num", "trial_index", "trial_idx"),
        *("attempt", "attempt_id", "attempt_number", "attempt_num", "repetition", "repeat", "epoch"),
    ),
    "steps": ("n_steps", "num_steps", "number_of_steps", "total_steps", "step_count", "steps_taken"),
    "seconds": tuple(
        f"{what}_{unit}"
        for what in ("duration", "elapsed", "time", "total_time", "runtime", "wall_time", "wall")
        for unit in ("s", "sec", "secs", "seconds")
    ),
    "cost": ("cost_usd", "usd", "total_cost", "total_cost_usd", "price_usd"),
}
"""Names that are read as our columns without a rename, most likely first. A note says what was read."""

SUCCESSES = (
    *("success", "successful", "succeeded", "is_success", "is_successful", "task_success", "resolved", "is_resolved"),
    *("passed", "is_passed", "pass", "is_pass", "solved", "is_solved", "correct", "is_correct", "accepted"),
)
RESULTS = ("outcome", "result", "final_result", "verdict", "eval_result", "evaluation_result", "status", "final_status")
REWARDS = (
    *("reward", "final_reward", "cum_reward", "cumulative_reward", "total_reward", "episode_reward", "score"),
    *("final_score", "total_score", "task_score", "eval_score", "accuracy", "acc", "exact_match"),
)
"""Names of result columns: of booleans; of words or numbers; of numbers. The first with readable values is used."""

TELLING_APPS = ("domain", "application", "app_name", "website", "site", "repo")
HINTS: Mapping[str, tuple[str, ...]] = {
    "condition": ("setting", "variant", "scaffold", "harness", "framework", "config", "reasoning_effort", "effort"),
    "app": (*TELLING_APPS, "environment", "category"),
    "instance": ("seed", "params", "instance_id"),
    "success": ("grade", "label", "completed"),
    "seconds": ("time", "duration", "elapsed", "runtime"),
}
"""Names that may be ours, but change what a score means or have an unclear unit. Only for suggestions."""

KNOWN = frozenset((*NAMES, *NUMBERS, "outcome", "success"))
"""All columns with a meaning here."""


def bare(name: str) -> str:
    """Normalise a name: `Task ID`, `taskId` and `task-id` are all `task_id`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", words.lower()).strip("_")


def spellings(name: str) -> tuple[str, ...]:
    """Return what a column can be recognised by: its name, and the last part of a name such as `env.task_name`."""
    return (bare(name), bare(name.rpartition(".")[2])) if "." in name else (bare(name),)


def recognised(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that are read as our `name`, most likely first."""
    place = {known: at for at, known in enumerate((name, *SYNONYMS.get(name, ())))}
    places = {column: [place[word] for word in spellings(column) if word in place] for column in columns}
    return sorted((column for column, matches in places.items() if matches), key=lambda column: min(places[column]))


def lookalikes(name: str, columns: Sequence[str]) -> list[str]:
    """Return columns that may be our `name`, most likely first. Only for suggestions."""
    lower = {bare(column): column for column in reversed(columns)}
    near = [lower[alias] for alias in (name, *SYNONYMS.get(name, ()), *HINTS.get(name, ())) if alias in lower]
    near += [lower[close] for close in difflib.get_close_matches(name, list(lower), cutoff=0.8)]
    return [column for column in dict.fromkeys(near) if column not in KNOWN]


def options(pairs: Mapping[str, str]) -> str:
    """Return the command-line options that rename columns to ours."""
    return " ".join(f"--rename {quoted(f'{theirs}={ours}')}" for theirs, ours in pairs.items())


def renames(pairs: Mapping[str, str]) -> str:
    """Return how to rename columns to ours, on the command line and in Python."""
    return f"{options(pairs)} (in Python: rename={dict(pairs)!r})"


def listed(columns: Iterable[str]) -> str:
    """List names of columns in printable form."""
    shown = [name if name.isprintable() and name == name.strip() != "" else repr(name) for name in map(short, columns)]
    more = f", and {len(shown) - 30} more" if len(shown) > 30 else ""
    return ", ".join(shown[:30]) + more or "no columns"


def short(text: str) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= 60 else text[:57] + "..."


def quoted(text: str) -> str:
    """Quote a word for the command line."""
    return shlex.quote(text) if text.isprintable() else repr(text)
