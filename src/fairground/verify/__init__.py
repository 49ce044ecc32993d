"""Verification: checks on recorded states, safe readers of untrusted files, and judging.

Scenarios use the checks and readers; the environment uses `judge`. Model judges, image matching and the cascade over
all of them cover what the state does not show. Imports `worlds` and the packages below it.
"""

from fairground.verify.answers import match_answer, with_form
from fairground.verify.cascade import Cascaded, Decider, by_model, by_picture, by_state, cascade
from fairground.verify.checks import close_to, contains, equal, holds, plain, readable, unchanged
from fairground.verify.image_match import image_match, ssim
from fairground.verify.json_answers import UnreadableAnswer, read_json_answer
from fairground.verify.judge_checklist import JudgeError, Model, judge_by_checklist, sampled
from fairground.verify.judge_checklists import default_checklist, read_checklist
from fairground.verify.judging import judge
from fairground.verify.reading.spreadsheet import (
    Cell,
    NumberFormat,
    Sheet,
    Workbook,
    address,
    position,
    read_csv,
    read_ods,
    read_xlsx,
)

__all__ = [
    "Cascaded",
    "Cell",
    "Decider",
    "JudgeError",
    "Model",
    "NumberFormat",
    "Sheet",
    "UnreadableAnswer",
    "Workbook",
    "address",
    "by_model",
    "by_picture",
    "by_state",
    "cascade",
    "close_to",
    "contains",
    "default_checklist",
    "equal",
    "holds",
    "image_match",
    "judge",
    "judge_by_checklist",
    "match_answer",
    "plain",
    "position",
    "read_checklist",
    "read_csv",
    "read_json_answer",
    "read_ods",
    "read_xlsx",
    "readable",
    "sampled",
    "ssim",
    "unchanged",
    "with_form",
]
