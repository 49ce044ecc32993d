"""The policy: a small network that scores the controls of a page and points at words of the instruction.

It reads the instruction with a two-layer transformer, lets every control attend to it, and scores each control. If the
chosen control is a text field, two pointers choose the first and the last word of the instruction to type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from examples.train.features import (
    CONTROL_FEATURES,
    MAX_STEPS,
    MAX_TOKENS,
    N_ROLES,
    PAST,
    TOKEN_FEATURES,
    WORDS,
    Choice,
    Sample,
)

_WIDTH = 64
_HEADS = 4
_SPAN = 24  # maximum number of tokens that are copied
_NEVER = -1e9
_FORGET = 0.1


@dataclass(frozen=True)
class Batch:
    """Samples, padded to common lengths."""

    words: Tensor
    shape: Tensor
    names: Tensor
    roles: Tensor
    controls: Tensor
    title: Tensor
    past_names: Tensor
    past_roles: Tensor
    step: Tensor
    has_token: Tensor
    has_control: Tensor


@dataclass(frozen=True)
class _Read:
    tokens: Tensor
    controls: Tensor
    scores: Tensor


class Policy(nn.Module):
    """Probabilities of choices. Training and acting use the same functions.

    Attributes:
        temperature: Divides all scores. Above 1, choices are more random; the most likely ones stay the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self.temperature = 1.0
        self.word = nn.Embedding(WORDS, _WIDTH, padding_idx=0)
        self.role = nn.Embedding(N_ROLES, _WIDTH)
        self.place = nn.Embedding(MAX_TOKENS, _WIDTH)
        self.clock = nn.Embedding(MAX_STEPS, _WIDTH)
        self.shape = nn.Linear(TOKEN_FEATURES, _WIDTH)
        layer = nn.TransformerEncoderLayer(_WIDTH, _HEADS, 2 * _WIDTH, 0.1, batch_first=True, norm_first=True)
        self.reader = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.known = nn.Linear(CONTROL_FEATURES, _WIDTH)
        self.past = nn.Linear(PAST * _WIDTH, _WIDTH)
        self.question = _mlp(3 * _WIDTH, _WIDTH)
        self.recall = nn.MultiheadAttention(_WIDTH, _HEADS, batch_first=True)
        self.situation = _mlp(4 * _WIDTH, _WIDTH)
        self.control = _mlp(4 * _WIDTH, _WIDTH)
        self.look = nn.MultiheadAttention(_WIDTH, _HEADS, batch_first=True)
        self.score = _mlp(4 * _WIDTH, 1)
        self.first = _mlp(3 * _WIDTH, 1)
        self.last = _mlp(4 * _WIDTH, 1)
        self.dropout = nn.Dropout(0.1)

    def log_probs(self, batch: Batch, choices: Sequence[Choice]) -> tuple[Tensor, Tensor]:
        """Return the log-probability of each choice, and the entropy of each choice of a control."""
        read = self._read(batch)
        rows = torch.arange(len(choices))
        chosen = torch.tensor([choice.control for choice in choices])
        log_controls = read.scores.log_softmax(-1)
        total = log_controls[rows, chosen]
        entropy = -(log_controls.exp() * log_controls.clamp(min=-50)).sum(-1)
        typing = torch.tensor([number for number, choice in enumerate(choices) if choice.start >= 0], dtype=torch.long)
        if len(typing):
            first = torch.tensor([choices[number].start for number in typing.tolist()])
            last = torch.tensor([choices[number].end for number in typing.tolist()])
            tokens, present = read.tokens[typing], batch.has_token[typing]
            field = read.controls[typing, chosen[typing]]
            here = torch.arange(len(typing))
            starts = self._starts(tokens, present, field).log_softmax(-1)[here, first]
            ends = self._ends(tokens, present, field, first).log_softmax(-1)[here, last]
            total = total.index_add(0, typing, starts + ends)
        return total, entropy

    @torch.no_grad()
    def choose(self, sample: Sample, generator: np.random.Generator | None) -> tuple[Choice, float]:
        """Return a choice and its log-probability: a random one, or the most likely one without a generator."""
        batch = collate([sample])
        read = self._read(batch)
        control, log_prob = _pick(read.scores[0], generator)
        if not sample.fields[control]:
            return Choice(control), log_prob
        tokens, present = read.tokens, batch.has_token
        field = read.controls[:, control]
        start, log_start = _pick(self._starts(tokens, present, field)[0], generator)
        end, log_end = _pick(self._ends(tokens, present, field, torch.tensor([start]))[0], generator)
        return Choice(control, start, end), log_prob + log_start + log_end

    def _read(self, batch: Batch) -> _Read:
        length, count = batch.words.shape[1], batch.roles.shape[1]
        tokens = self.word(self._blurred(batch.words)) + self.shape(batch.shape) + self.place(torch.arange(length))
        tokens = self.reader(self.dropout(tokens), src_key_padding_mask=~batch.has_token)
        past = self._name(batch.past_names) + self.role(batch.past_roles)
        here = [self._name(batch.title), self.past(past.flatten(1)), self.clock(batch.step)]
        asked = self.question(torch.cat(here, -1))[:, None]
        hidden = ~batch.has_token
        answer, _ = self.recall(asked, tokens, tokens, key_padding_mask=hidden, need_weights=False)
        situation = self.situation(torch.cat([answer[:, 0], *here], -1))
        around = situation[:, None].expand(-1, count, -1)
        known = self.known(batch.controls)
        named = self._name(self._blurred(batch.names))
        controls = self.control(torch.cat([named, self.role(batch.roles), known, around], -1))
        seen, _ = self.look(controls, tokens, tokens, key_padding_mask=hidden, need_weights=False)
        scores = self.score(torch.cat([controls, seen, controls * around, known], -1)).squeeze(-1)
        return _Read(tokens, controls, (scores / self.temperature).masked_fill(~batch.has_control, _NEVER))

    def _blurred(self, words: Tensor) -> Tensor:
        """In training, forget some words, so that the policy does not learn demonstrations by heart."""
        return words * (torch.rand(words.shape) >= _FORGET) if self.training else words

    def _name(self, words: Tensor) -> Tensor:
        """The mean embedding of words."""
        together: Tensor = self.word(words).sum(-2)
        return together / (words > 0).sum(-1, keepdim=True).clamp(min=1)

    def _starts(self, tokens: Tensor, present: Tensor, field: Tensor) -> Tensor:
        wide = field[:, None].expand_as(tokens)
        scores: Tensor = self.first(torch.cat([tokens, wide, tokens * wide], -1)).squeeze(-1)
        return (scores / self.temperature).masked_fill(~present, _NEVER)

    def _ends(self, tokens: Tensor, present: Tensor, field: Tensor, first: Tensor) -> Tensor:
        wide = field[:, None].expand_as(tokens)
        begun = tokens[torch.arange(len(first)), first][:, None].expand_as(tokens)
        distance = torch.arange(tokens.shape[1])[None] - first[:, None]
        ahead = self.place(distance.clamp(0, MAX_TOKENS - 1))
        scores: Tensor = self.last(torch.cat([tokens, wide, begun, ahead], -1)).squeeze(-1)
        return (scores / self.temperature).masked_fill(~present | (distance < 0) | (distance >= _SPAN), _NEVER)


def collate(samples: Sequence[Sample]) -> Batch:
    """Pad samples to common lengths."""
    length = max(len(sample.words) for sample in samples)
    count = max(len(sample.roles) for sample in samples)

    def padded(name: str, size: int) -> Tensor:
        arrays = [getattr(sample, name) for sample in samples]
        filled = np.zeros((len(arrays), size, *arrays[0].shape[1:]), arrays[0].dtype)
        for row, array in enumerate(arrays):
            filled[row, : len(array)] = array
        return torch.from_numpy(filled)

    def stacked(name: str) -> Tensor:
        return torch.from_numpy(np.stack([getattr(sample, name) for sample in samples]))

    def present(name: str, size: int) -> Tensor:
        lengths = torch.tensor([len(getattr(sample, name)) for sample in samples])
        return torch.arange(size)[None] < lengths[:, None]

    return Batch(
        words=padded("words", length), shape=padded("shape", length), names=padded("names", count),
        roles=padded("roles", count), controls=padded("controls", count), title=stacked("title"),
        past_names=stacked("past_names"), past_roles=stacked("past_roles"),
        step=torch.tensor([sample.step for sample in samples]), has_token=present("words", length),
        has_control=present("roles", count),
    )  # fmt: skip


def _pick(scores: Tensor, generator: np.random.Generator | None) -> tuple[int, float]:
    log_probs = scores.log_softmax(-1)
    if generator is None:
        chosen = int(log_probs.argmax())
    else:
        shares = log_probs.double().exp().numpy()
        chosen = int(generator.choice(len(shares), p=shares / shares.sum()))
    return chosen, float(log_probs[chosen])


def _mlp(size_in: int, size_out: int) -> nn.Module:
    return nn.Sequential(nn.Linear(size_in, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, size_out))
