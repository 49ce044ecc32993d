"""A lazily created client of OpenAI's SDK, for OpenAI's own server and compatible ones."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from fairground.agents.models.calling import Transient
from fairground.agents.models.connecting import passing
from fairground.agents.models.openai_errors import translate, translate_failure
from fairground.core import FairgroundError, MissingPrerequisite

T = TypeVar("T")
MAX_ANSWER = 4 << 20  # maximum characters; more than any model writes at once


class Client:
    """The SDK and one client of it.

    Args:
        make: Creates the client, given the SDK. Returns None if there is no key.
        model: The model's name, for errors.
        key: Environment variable of the API key.
        extra: The extra that installs the package.
        place: Where the user wrote the address, for errors; empty for the vendor's own server.
    """

    def __init__(self, make: Callable[[Any], Any], *, model: str, key: str, extra: str, place: str = "") -> None:
        self._make, self._model, self._key, self._extra, self._place = make, model, key, extra, place
        self._sdk: Any = None
        self._client: Any = None

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK or an API key is missing. Makes no request."""
        if self._client is not None:
            return
        try:
            sdk: Any = importlib.import_module("openai")
            self._transport_error = importlib.import_module("httpx2").HTTPError
        except ImportError:
            raise MissingPrerequisite(
                f"the model {self._model} needs the package openai", fix=f"pip install 'fairground[{self._extra}]'"
            ) from None
        client = self._make(sdk)
        if client is None:
            raise MissingPrerequisite(
                f"no API key for model {self._model}: {self._key} is not set", fix=f"export {self._key}=..."
            )
        self._sdk, self._client = sdk, client
        weakref.finalize(self, client.close)  # it is unknown when an agent acts for the last time

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def ask(self, send: Callable[[Any], T]) -> T:
        """Return what `send` returns for the client. Translates the SDK's errors into those of agents."""
        self.check()
        client = self._client
        where = str(client.base_url).rstrip("/")
        try:
            return send(client)
        except (Transient, FairgroundError):
            raise
        except self._sdk.APIStatusError as error:
            raise translate(error, self._model, key=self._key, where=where, place=self._place) from None
        except self._sdk.APIError as error:
            if error.code:  # an error within a stream
                raise translate_failure(error.code, error.message) from None
            raise passing(error, where, self._place) from None
        except (self._transport_error, ValueError, RecursionError) as error:
            # No connection, a broken connection, or data that is not JSON. The SDK wraps only some of these.
            raise passing(error, where, self._place) from None
        except RuntimeError as error:
            if self._client is client:
                raise
            raise Transient(f"closed during the request: {error}"[:300]) from None


def plain(thing: Any) -> Any:
    """Convert an SDK object back to plain data."""
    return thing.to_dict(warnings=False) if hasattr(thing, "to_dict") else thing
