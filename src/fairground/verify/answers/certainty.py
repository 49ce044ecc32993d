"""Whether an answer commits to what it names: negation, bounds, hedges and open choices."""

from __future__ import annotations

import re
from typing import Final

_REACH: Final = 90  # characters before a value in which words may refer to it


def unsure(text: str) -> bool:
    """Whether an answer is a guess, or says that it does not know."""
    return _HEDGE.search(text) is not None


def denied(text: str, start: int, end: int, *, name: bool = False) -> bool:
    """Whether an answer denies a value: `not 17`, `17 is wrong`, `I don't believe that it is 17`.

    Args:
        text: The answer.
        start: Where the value begins.
        end: Where it ends.
        name: Whether the value is a name: `Ana did not` denies it, `17 did not` does not.
    """
    before = text[max(0, start - _REACH) : start]
    left = _clause(before)
    if _BUT.search(before) or _NOT_DIRECTLY.search(left) or _NOT_IN_CLAUSE.search(_HARMLESS.sub(" ", left)):
        return True
    right = text[end : end + 60]
    return bool(_WRONG.match(right) or (name and _DID_NOT.match(right)))


def vague(text: str, start: int, end: int, question: str, *, moment: bool = False, name: bool = False) -> bool:
    """Whether a value is a bound, an approximation, part of a choice, or a question.

    Args:
        text: The answer.
        start: Where the value begins.
        end: Where it ends.
        question: The question. If it asks for a minimum or maximum, these words are no bounds.
        moment: Whether the value is a day or a time: `before` and `after` are then bounds.
        name: Whether the value is a name, for which fewer words are bounds.
    """
    left, right = text[max(0, start - _REACH) : start], text[end : end + 60]
    bound = (_NAME_BOUND if name else _BOUND).search(left) or (None if name else _BOUND_AFTER.match(right))
    if bound and not (re.search(r"min|max", bound[0]) and re.search(r"\bm(?:in|ax)imum\b|est\b", question)):
        return True
    if moment and (side := _SIDE.search(left)) and not re.search(rf"\b{side[1]}\b", question):
        return True
    if _CHOICE.search(left) or _CHOICE_AFTER.match(right):
        return True
    if not name and (_OTHER_SUM.search(left) or _OTHER_SUM_AFTER.match(right)):
        return True
    closing = _END.search(text, end)
    return closing is not None and closing[0] == "?"


def compared(text: str, start: int) -> bool:
    """Whether a value only serves to compare: `more than 12`, `up from 12`."""
    return _COMPARED.search(text[max(0, start - _REACH) : start]) is not None


def _clause(left: str) -> str:
    return _CLAUSE.split(left)[-1]


_GLUE: Final = r"(?: (?:the|an?|of|to|at|from|by|is|be|it|it's|that|like|exactly|only))*\W{0,3}$"
_CLAUSE: Final = re.compile(r"[.;:!?\n](?=\s|$)|,\s|[()]|\bbut\b| - ")
_NOT: Final = r"not|never|cannot|(?:is|was|are|were|do|does|did|would|could|ca|wo|have|has|ai)n'?t"
_NOT_DIRECTLY: Final = re.compile(
    rf"(?:\b(?:{_NOT}|no|neither|nor|except|excluding|excludes|besides|unlike|hardly|scarcely|"
    r"(?:other|rather) than|instead of|"
    r"far from|incorrect|wrong|false)|!=|≠|<>)"
    r"(?: (?:even|exactly|quite|just|only|really|necessarily|be|is|was|it|it's|that|equal to|equal|the|an?|always|of|"
    r"by|to|for|from|actually|answer|answers?|either|sent|written|called|named|at|on|in))*\W{0,3}$"
)
_BUT: Final = re.compile(r"\b(?:any|every|no)(?:one|body|thing)? but\W{0,3}$|\ball but\W{0,3}$")
_NOT_IN_CLAUSE: Final = re.compile(
    rf"\b(?:{_NOT}|doubt|doubts|deny|denies|untrue|incorrect|wrong|false|falsely|impossible|unlikely|nobody|no one|"
    r"no (?:way|chance|evidence))\b"
)
_HARMLESS: Final = re.compile(
    r"\bnot (?:counting|counted|including|included|in|from|on|yet|deleted|archived|cancelled|trashed|hidden)\b"
    r"|\b(?:that|which|who|whose)(?: \w+){0,3} (?:not|\w+n't)\b|\bno (?:doubt|longer|problem|changes?)\b"
    r"|\b(?:did|have|has|do)(?: not|n't) (?:change|touch|modif|count|includ|cancel|edit|open|delet|sav|alter)\w*"
    r"|\bnot only\b"
)
_WRONG: Final = re.compile(
    r"(?: \w+){0,2} (?:is|was|are|were|would be|seems|looks|can)(?:n't| not|)"
    r"(?:(?<=n't)|(?<=not)) (?:be )?(?:the |a |my |it|what|right|correct|true|answer|enough|possible)"
    r"|(?: \w+){0,2} (?:is|was|are|were|would be) (?:wrong|incorrect|false|impossible|too|out of the question|not it)\b"
    r"|\W{1,3}(?:wrong|incorrect|false|no)\b\W*$"
)
_DID_NOT: Final = re.compile(
    r"(?:'s)?(?: \w+){0,1} (?:(?:did|does|do|is|was|has|had|would|could|can)(?:n't| not)|didnt|never|cannot)\b"
)
_BOUND: Final = re.compile(
    r"(?:\b(?:at (?:the )?(?:least|most|minimum|maximum|best)|(?:more|less|fewer|greater|higher|lower|larger|smaller|"
    r"bigger|later|earlier|longer|shorter) than(?: or equal to)?|equal to or|over|under|above|below|beyond|"
    r"exceed(?:s|ing)?|up to|about|around|"
    r"roughly|approximately|approx|circa|ca|c|nearly|almost|close to|just shy of|near|some|upwards? of|"
    r"in the (?:region|neighbou?rhood|range|vicinity|order|ballpark) of|on the order of|somewhere|anywhere|"
    r"give or take|starting (?:at|from)|"
    r"(?<!\d )(?<!\d)min(?:imum)?|max(?:imum)?|barely|within|between|approaching|say|something|north of|"
    r"south of|as (?:many|much|few|little|late|early|low|high) as|closer to|an? (?:estimated|approximate)|"
    r"approximate(?:ly)?|estimated|rounded to|sort of|kind of|more or less)"
    rf"\.?{_GLUE}|[~≈≃≅<>≤≥±]\W{{0,3}}$)"
)
_NAME_BOUND: Final = re.compile(
    r"(?:\b(?:at (?:least|most)|almost|nearly|roughly|approximately|something like|similar to|(?:next|"
    r"adjacent|opposite) to|opposite|sort of|kind of)"
    rf"{_GLUE}|[~≈]\W{{0,3}}$)"
)
_BOUND_AFTER: Final = re.compile(
    r"(?: \w+)?(?:\s?\+(?!\s?\d)|\s?±|[-,]? ?\(?(?:or (?:more|less|fewer|so|higher|lower|above|below|over|under|later|"
    r"earlier|longer|thereabouts|something)|at (?:the )?(?:least|most|minimum|maximum)|ish|odd|plus(?!\s?\d)|"
    r"and counting|and change|and something|something|give or take|minimum|maximum|approximately|approx|roughly|"
    r"more or less|plus or minus|plus/minus|upwards?|on average)\b)"
)
_SIDE: Final = re.compile(rf"\b(before|after|by|past){_GLUE}")
_CHOICE: Final = re.compile(
    r"\b(?:or|either|versus|vs\.?|and/or)(?: (?:rather|maybe|even|else|possibly|the|is it))*\W{0,3}$"
)
_CHOICE_AFTER: Final = re.compile(r"(?: \w+)?\W{0,3}\b(?:or|versus|vs|and/or)\b(?! \w+ing\b)")
_OTHER_SUM: Final = re.compile(r"\b(?:double|twice|triple|half|a (?:third|quarter)|the square(?: root)?)(?: of)? ?$")
_OTHER_SUM_AFTER: Final = re.compile(
    r" ?(?:squared|cubed|times(?= \d)|(?:too (?:much|many|little|few)|per|each|apiece|an? (?:day|week|month|"
    r"year|hour))\b"
    r"|at the (?:earliest|latest|very least))"
)
_END: Final = re.compile(r"[!?\n]|\.(?!\d)")
_COMPARED: Final = re.compile(
    r"(?:\b(?:more|less|fewer|higher|lower|larger|smaller|bigger|later|earlier|longer|shorter|cheaper) than"
    r"|\b(?:up|down|increased?|reduced?|changed|raised|lowered|dropped|rose|fell) from"
    r"|\b(?:instead of|rather than))(?: (?:the|a|an|my|our|its|last|previous))*\W{0,2}$"
)
_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|apparently|hopefully|potentially|"
    r"conceivably|arguably|tentatively|might|could be|may be|should be|could have been|unsure|uncertain|unclear|"
    r"unknown|undetermined|guess(?:ed|ing|es)?|guesstimate|best estimate|estimate is|i(?:'d| would) say|it seems|"
    r"seems? to|seemingly|it appears|appears to be|looks? like|likely|not (?:\w+ )?(?:sure|certain|confident|clear)|"
    r"no (?:idea|clue|answer)|(?:fairly|pretty|quite|almost|nearly|reasonably|somewhat|mostly|rather) "
    r"(?:sure|certain|confident)|don'?t know|do not know|not know|can(?:not|'t|not) (?:tell|say|determine|know|verify|"
    r"confirm|find|see|be (?:sure|certain))|could(?: not|n't) (?:determine|tell|verify|confirm|be sure|read|find "
    r"(?:it|out|the answer))|unable to|hard to (?:say|tell)|depends|depending|if i (?:remember|recall|am not|'m not)|"
    r"if memory serves|who knows|a random|take your pick|one of (?:these|those|them)[:,]|any of (?:these|those))\b"
    r"|\bi(?:'d| would| do| really| also| still)? (?:don't |do not )?(?:think|believe|suppose|assume|reckon|imagine|"
    r"suspect|figure|doubt|presume|expect)\b|\bi(?:'m| am) (?:guessing|assuming|\d{1,2}(?:\.\d+)? ?%)"
    r"|\b(?:sure|certain)\?|\(\?\)|\?\?"
)
