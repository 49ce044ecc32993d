"""The API asked for all that its description allows, and for more: by schemathesis, for three kinds of people."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from fairground.web import Site
from fairground.web.site import make_app
from tests.web.attacks.stage import Crowd, fought

pytestmark = pytest.mark.process

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
REAL = {"suite": "pocket", "app": "notes", "run": "first", "episode": "000000", "name": "first", "side": "a"}


@pytest.fixture(scope="module")
def operations(site: Site) -> list[Any]:
    document = make_app(site).app.openapi()  # type: ignore[attr-defined]
    return [found.ok() for found in schemathesis.openapi.from_dict(document).get_all_operations()]


@pytest.mark.process  # none is started, but it takes as long as with some
@pytest.mark.parametrize(
    "role", ["admin", *(pytest.param(role, marks=pytest.mark.slow) for role in ("owner", "visitor"))]
)
def test_no_request_breaks_the_api_and_every_answer_is_as_described(
    site: Site, url: str, crowd: Crowd, operations: list[Any], role: str
) -> None:
    fuzz(site, url, crowd, operations, role, examples=2)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", ["visitor", "owner", "admin"])
def test_very_many_requests_do_not_break_it_either(
    site: Site, url: str, crowd: Crowd, operations: list[Any], role: str
) -> None:
    fuzz(site, url, crowd, operations, role, examples=60)


def fuzz(site: Site, url: str, crowd: Crowd, operations: list[Any], role: str, *, examples: int) -> None:
    """Sends good and bad requests of every operation, the same ones every time."""
    client = getattr(crowd, role)
    headers = {"Cookie": f"fairground={client._cookie}", "X-Fairground-Token": client.token}
    real = {**REAL, "battle": fought(site, crowd.owner)}
    wrong, done = [], set()
    for operation in operations:
        modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

        @settings(
            max_examples=examples, derandomize=True, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(case=st.one_of(*modes), known=st.booleans())
        def check(case: Case, known: bool) -> None:
            if known:  # names of what is there, so that not everything ends with "there is no such"
                for name in real.keys() & (case.path_parameters or {}).keys():
                    case.path_parameters[name] = real[name]
            answer = case.call_and_validate(base_url=url.rstrip("/"), headers=headers, checks=CHECKS, timeout=60)
            if answer.status_code < 300:
                done.add(case.operation.label)

        try:
            check()
        except AssertionError as error:  # all of them at once
            wrong.append(f"{operation.label}: {error}")
        except BaseExceptionGroup as errors:
            wrong += [f"{operation.label}: {error}" for error in errors.exceptions]
    assert not wrong, "\n\n".join(wrong)
    assert len(done) > len(operations) / 4, f"hardly anything was asked for that can be had: {sorted(done)}"
