"""Assign the columns of a table of votes: by well-known names, or by their content, for suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from fairground.core import InvalidInput, NeedsOptions, unknown
from fairground.stats.tables.synonyms import bare, listed, options, renames

NEEDED = ("left", "right", "winner")
"""Required columns of a table of votes."""

WON = ("left_won", "right_won", "tied")
"""Instead of a winner: what the left and the right agent got (the higher one wins), and whether it was a tie."""

LABELS = ("voter", "task", "category")
OURS = (*NEEDED, *WON, *LABELS, "weight")
"""All columns with a meaning in a table of votes."""

_SIDES = (("left", "right"), ("a", "b"), ("first", "second"), ("0", "1"), ("1", "2"))
_HEADS = (
    *("agent", "model", "player", "system", "candidate", "generator", "assistant", "bot", "policy", "llm", "option"),
    *("team", "contestant", "competitor"),
)
_WHO = (*(form.format("{0}", head) for head in _HEADS for form in ("{1}_{0}", "{1}{0}", "{0}_{1}")), "{0}")
_NAMED = (*_WHO[:-1], *(f"{who}_{tail}" for tail in ("name", "id", "model", "agent") for who in _WHO[:-1]), "{0}")
_WINNER_AND_LOSER = (
    *(("winner", "loser"), ("winner_model", "loser_model"), ("winning_model", "losing_model")),
    *(("chosen_model", "rejected_model"), ("preferred_model", "rejected_model")),
)
_GOT = ("{0}_win", "{0}_wins", "{0}_won", "win_{0}", "wins_{0}", "winner_{0}", "{0}_winner", "{0}_score", "score_{0}")
_ONES = {
    "winner": (
        *("battle_result", "vote", "preference", "preferred", "preferred_model", "human_preference", "choice"),
        *("verdict", "judgment", "judgement", "winner_model", "winner_name", "winning_model", "winner_id", "result"),
        *("outcome", "label", "better", "winning_side"),
    ),
    "voter": (
        *("voter_id", "user", "user_id", "judge", "judge_id", "judge_hash", "annotator", "annotator_id", "rater"),
        *("rater_id", "worker", "worker_id", "evaluator", "evaluator_id", "participant", "participant_id", "person"),
        *("labeler", "labeler_id", "reviewer", "judge_model", "session", "session_id", "evaluation_session_id"),
    ),
    "task": (
        *("task_id", "question_id", "eval_question_id", "prompt_id", "example_id", "instance_id", "item_id"),
        *("query_id", "case_id", "target_id", "problem_id", "test_id", "scenario", "scenario_id", "task_name"),
        *("task_instruction", "instruction", "question", "prompt", "query", "item"),
    ),
    "category": ("task_category", "domain", "topic", "use_case"),
    "tied": ("tie", "is_tie", "draw", "is_draw", "winner_tie"),
}
"""Names that are read as our columns without a rename, most likely first."""


def recognise(columns: Iterable[str], rename: Mapping[str, str]) -> dict[str, str]:
    """Return what the columns are, besides those that were renamed: theirs to ours, including our own names."""
    free = {bare(name): name for name in reversed(list(columns)) if name not in rename}
    taken = set(rename.values())
    recognised_columns: dict[str, str] = {}

    def take(ours: str, *names: str) -> None:
        for name in names:
            if ours not in taken and name in free:
                recognised_columns[free.pop(name)] = ours
                taken.add(ours)

    def take_pair(one: str, other: str, forms: Iterable[str]) -> None:
        for form, (first, second) in product(forms, _SIDES):
            names = form.format(first), form.format(second)
            if not {one, other} & taken and all(name in free for name in names):
                take(one, names[0])
                take(other, names[1])

    for winner, loser in _WINNER_AND_LOSER:
        if {winner, loser} <= set(free) and not {"left", "right", "winner"} & taken:
            take("left", winner)
            take("right", loser)
    for name in OURS:
        take(name, name)
    take_pair("left", "right", _NAMED)
    for name, names in _ONES.items():
        if name != "winner" or not left_won_all(recognised_columns):
            take(name, *names)
    if "winner" not in taken:
        take_pair("left_won", "right_won", (form.format(who) for form, who in product(_GOT, _WHO)))
    return recognised_columns


def left_won_all(known: Mapping[str, str]) -> bool:
    """Return whether a table has a winner and a loser in each row, which are read as left and right."""
    losers = {loser for _, loser in _WINNER_AND_LOSER}
    return any(ours == "right" and bare(theirs) in losers for theirs, ours in known.items())


def lacking(known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the required columns that a table of votes lacks."""
    there = set(known.values())
    enough = left_won_all(known) or {"left_won", "right_won"} <= there
    return tuple(name for name in NEEDED if name not in there and not (name == "winner" and enough))


def check_renaming(columns: Sequence[str], rename: Mapping[str, str], source: str) -> None:
    """Reject renames of missing columns, and two columns with the same name."""
    for name in rename:
        if name not in columns:
            raise unknown(f"column of {source}", name, columns)
    ours = [rename.get(name, name) for name in columns]
    twice = [name for name in ours if ours.count(name) > 1]
    if twice:
        raise InvalidInput(
            f"{source}: two columns have the same name after renaming: {twice[0]!r}",
            fix=f"rename the old one too: {options({twice[0]: f'other_{twice[0]}'})}",
        )


def needs(
    source: str, columns: Mapping[str, Sequence[str]], missing: Sequence[str], known: Mapping[str, str]
) -> NeedsOptions:
    """Return one error with all missing columns, and the options that fix it.

    Args:
        source: Name of the table.
        columns: Some distinct values of each column.
        missing: Which of our columns are missing.
        known: What is already known: theirs to ours.
    """
    suggested = _guessed(columns, missing, known)
    message = f"{source}: no column {' and no column '.join(map(repr, missing))}; it has {listed(columns)}"
    if len(suggested) < len(missing):
        words = {
            **{f"COLUMN{at}": name for at, name in enumerate(missing, 1) if name not in suggested.values()},
            **suggested,
        }
        return NeedsOptions(message, fix=f"name them: {renames(words)}; a file of votes has one row per vote")
    return NeedsOptions(message, fix=renames(suggested), options=options(suggested))


def _guessed(columns: Mapping[str, Sequence[str]], missing: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Guess: two columns with mostly the same names are the agents; one with few values is the winner."""
    free = {name: set(values) - {""} for name, values in columns.items() if name not in known}
    guessed: dict[str, str] = {}
    if {"left", "right"} <= set(missing):
        shared = {
            (one, other): len(free[one] & free[other]) / len(free[one] | free[other])
            for one, other in combinations(free, 2)
            if free[one] and free[other] and len(free[one] | free[other]) > 1
        }
        best = max(shared, key=lambda pair: shared[pair], default=None)
        if best is not None and shared[best] >= 0.5:
            guessed = {best[0]: "left", best[1]: "right"}
    if "winner" in missing:
        sizes = {name: len(values) for name, values in free.items() if name not in guessed and 1 < len(values) <= 5}
        fewest = [name for name, size in sizes.items() if size == min(sizes.values())]
        guessed |= dict.fromkeys(fewest if len(fewest) == 1 else (), "winner")
    return guessed
