"""Near misses of an oracle: its moves, edited. A good verifier rejects the results."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairground.core import State
from fairground.prove.answers import near_misses
from fairground.prove.sameness import leaves
from fairground.worlds import Enter, Fill, Move, Say, Tap

MOST = 24
"""Maximum number of mutants per pair: more of the same kinds add little evidence."""

_AUTHORS = 12
_PLAIN = re.compile(r"\W+")
_ROW = re.compile(r"\[[^\]]*\]")
_LONG = 120  # maximum characters of a name


@dataclass(frozen=True)
class Mutant:
    """An edited oracle.

    Attributes:
        kind: Kind of edit.
        name: Description of the edit.
        moves: The edited moves.
        edited: Indices of the moves that make it a mutant. None if all moves are different.
    """

    kind: str
    name: str
    moves: tuple[Move, ...]
    edited: frozenset[int] | None = None


@dataclass(frozen=True)
class Material:
    """What near misses are made from.

    Attributes:
        moves: The oracle's moves.
        before: The initial state, which shows what else could be chosen.
        others: Moves of other instances in the same world, by instance.
        elsewhere: Moves of other scenarios of the app in the same world, by name. Used as side effects.
        own: The author's mutants.
        words: Pairs of parameter values: of this instance, and of another.
        seed: Seed of the random choices.
    """

    moves: tuple[Move, ...]
    before: State = field(default_factory=State)
    others: Mapping[str, tuple[Move, ...]] = field(default_factory=dict)
    elsewhere: Mapping[str, tuple[Move, ...]] = field(default_factory=dict)
    own: Mapping[str, tuple[Move, ...]] = field(default_factory=dict)
    words: Sequence[tuple[str, str]] = ()
    seed: int = 0


def make_mutants(material: Material, most: int = MOST) -> list[Mutant]:
    """Return mutants of every kind in turn, without duplicates. The author's own come on top."""
    draw = random.Random(material.seed)
    siblings = Siblings(material.before, draw)
    asks = any(isinstance(move, Say) for move in material.moves)
    makers = [_answers, _also] if asks else [_left_out, _wrong_target, _wrong_text, _another, _twice, _also]
    seen: set[tuple[Move, ...]] = {material.moves}
    mutants = [Mutant("author", name, tuple(moves)) for name, moves in itertools.islice(material.own.items(), _AUTHORS)]
    seen.update(mutant.moves for mutant in mutants)
    lists = []
    for maker in makers:
        candidates = list(maker(material, siblings))
        if maker is not _answers:  # keeps its order, most telling first
            draw.shuffle(candidates)
        lists.append(candidates)
    for round_ in itertools.zip_longest(*lists):
        for candidate in round_:
            if candidate is not None and candidate.moves not in seen and len(mutants) < most + len(material.own):
                seen.add(candidate.moves)
                mutants.append(candidate)
    return mutants


class Siblings:
    """Values of the same field in other rows of a state."""

    def __init__(self, state: State, draw: random.Random) -> None:
        self._draw = draw
        self._columns: dict[str, set[str]] = {}
        self._where: dict[str, set[str]] = {}
        for place, value in leaves(state).items():
            if isinstance(value, str) and 2 < len(value) <= _LONG:
                column = _ROW.sub("[]", place)
                self._columns.setdefault(column, set()).add(value)
                self._where.setdefault(value, set()).add(column)

    def of(self, text: str) -> str | None:
        """Return a text with one value replaced by another of the same field.

        None if the text contains no value of the state.
        """
        for value in sorted((known for known in self._where if known in text), key=lambda known: (-len(known), known)):
            others = set[str]().union(*(self._columns[column] for column in self._where[value])) - {value}
            if others:
                return text.replace(value, self._draw.choice(sorted(others)), 1)
        return None


def _left_out(material: Material, _: Siblings) -> Iterator[Mutant]:
    moves = material.moves
    for place, move in enumerate(moves):
        yield Mutant("a move left out", _named(place, move), (*moves[:place], *moves[place + 1 :]), frozenset())


def _twice(material: Material, _: Siblings) -> Iterator[Mutant]:
    moves = material.moves
    for place, move in enumerate(moves):
        if not isinstance(move, Fill):  # replacing a text by itself
            edited = (*moves[: place + 1], move, *moves[place + 1 :])
            yield Mutant("a move made twice", _named(place, move), edited, frozenset({place + 1}))
    if len(moves) > 1:
        yield Mutant("everything twice", "", (*moves, *moves), frozenset(range(len(moves), 2 * len(moves))))


_ANSWERS_ONLY = ("nothing", "everything at once", "among guesses", "before guesses")


def _wrong_text(material: Material, siblings: Siblings) -> Iterator[Mutant]:
    for place, move in enumerate(material.moves):
        if isinstance(move, Fill | Enter) and move.text:
            near = [text for name, text in near_misses(move.text) if name not in _ANSWERS_ONLY]
            texts = [("near", text) for text in near[:3]]
            texts += [("of another", text) for text in _borrowed(material, place, move)]
            texts += [("of another", other) for this, other in material.words if this == move.text][:2]
            if (other := siblings.of(move.text)) is not None:
                texts.append(("of another", other))
            for how, text in dict.fromkeys(texts):
                if text.strip() != move.text.strip():
                    kind = "a wrong amount" if re.search(r"\d", move.text) and how == "near" else "a wrong text"
                    yield _with(material, place, replace(move, text=text), kind)


def _wrong_target(material: Material, siblings: Siblings) -> Iterator[Mutant]:
    for place, move in enumerate(material.moves):
        if not isinstance(move, Tap):
            continue
        names = list(_borrowed(material, place, move))
        names += [move.name.replace(this, other) for this, other in material.words if len(this) > 1]
        names += [other for _ in range(2) if (other := siblings.of(move.name)) is not None]
        for name in dict.fromkeys(names):
            if name != move.name:
                yield _with(material, place, replace(move, name=name), "another entity")
        if move.within and (other := siblings.of(move.within)) is not None:
            yield _with(material, place, replace(move, within=other), "another entity")


def _another(material: Material, _: Siblings) -> Iterator[Mutant]:
    for name, moves in material.others.items():
        yield Mutant("the right thing to the wrong record", f"as for {name}", moves)


def _also(material: Material, _: Siblings) -> Iterator[Mutant]:
    """Add side effects to the solution, before the answer if there is one.

    Only looking, as for a question, is no effect.
    """
    answer = tuple(move for move in material.moves if isinstance(move, Say))
    done = tuple(move for move in material.moves if not isinstance(move, Say))
    for name, extra in itertools.chain(material.elsewhere.items(), material.others.items()):
        if extra and not any(isinstance(move, Say) for move in extra):
            edited = frozenset(range(len(done), len(done) + len(extra)))
            yield Mutant("an extra side effect", f"also {name}", (*done, *extra, *answer), edited)


def _answers(material: Material, _: Siblings) -> Iterator[Mutant]:
    answers = [(place, move) for place, move in enumerate(material.moves) if isinstance(move, Say)]
    place, right = answers[-1]
    others = [move.text for moves in material.others.values() for move in moves if isinstance(move, Say)]
    for name, text in near_misses(right.text, others):
        yield _with(material, place, Say(text), "a near-miss answer", name)
    yield Mutant("a move left out", "the answer", tuple(m for m in material.moves if not isinstance(m, Say)))


def _borrowed(material: Material, place: int, move: Move) -> Iterator[str]:
    """Yield what other instances use at the same place."""
    for moves in material.others.values():
        if place >= len(moves) or type(moves[place]) is not type(move):
            continue
        match move, moves[place]:
            case (Tap(role=role), Tap(name=name, role=same)) if role == same:
                yield name
            case (Fill(field=one), Fill(field=same, text=text)) if one == same:
                yield text
            case (Enter(), Enter(text=text)):
                yield text


def _with(material: Material, place: int, move: Move, kind: str, name: str = "") -> Mutant:
    edited = (*material.moves[:place], move, *material.moves[place + 1 :])
    return Mutant(kind, name or _named(place, move), edited, frozenset({place}))


def _named(place: int, move: Move) -> str:
    text = next(iter(vars(move).values()))
    more = f" = {move.text}" if isinstance(move, Fill) else ""
    return f"{place + 1}: {type(move).__name__.lower()} {_PLAIN.sub(' ', str(text)).strip()[:40]}{more[:40]}"
