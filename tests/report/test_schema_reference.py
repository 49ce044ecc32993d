"""The schema reference of the documentation says what every field is."""

from __future__ import annotations

from importlib import import_module

import pytest

from scripts.docs_pages import SCHEMAS, _attribute

OURS = ("fairground.rollout", "fairground.arena")
MODELS = [(module, name) for models in SCHEMAS.values() for module, name, _ in models if module.startswith(OURS)]


@pytest.mark.parametrize(("module", "name"), MODELS, ids=[name for _, name in MODELS])
def test_every_field_is_described(module: str, name: str) -> None:
    model = getattr(import_module(module), name)
    fields = model.model_fields.items()
    assert [field for field, about in fields if not (about.description or _attribute(model, field))] == []
