"""For every test of the vendors' clients."""

import ssl
from collections.abc import Iterator

import certifi
import pytest


@pytest.fixture(scope="package", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One trusted certificate instead of all: the servers speak plain HTTP, and loading them was half of each test."""
    with open(certifi.where(), encoding="utf-8") as bundle:
        first, end, _ = bundle.read().partition(ssl.PEM_FOOTER)
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(first + end + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield
