"""Answers in words: compare them with what is expected, and tell agents which form is wanted.

An answer is read before it is compared: its quantities with their role, unit and scale, without what it denies. It is
right if exactly one value is left, the answer commits to it, and that value is the expected one.
"""

from fairground.verify.answers.forms import with_form
from fairground.verify.answers.matching import MAX_ANSWER, match_answer

__all__ = ["MAX_ANSWER", "match_answer", "with_form"]
