"""Conversation with a Gemini model, through the vendor's SDK."""

from __future__ import annotations

import base64
import contextlib
import importlib
import math
import os
import weakref
from typing import Any, Literal

from pydantic import Field

from fairground.agents.models.calling import Pace, Transient
from fairground.agents.models.chat import Call, Reply, Result
from fairground.agents.models.connecting import passing, place_of
from fairground.agents.models.context import FORGOTTEN, Context, Image, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.gemini_answers import Received, from_chunks
from fairground.agents.models.gemini_errors import translate
from fairground.agents.models.gemini_models import traits_of
from fairground.agents.models.usage import Tokens
from fairground.agents.native import dialect
from fairground.core import MissingPrerequisite, Record, unknown

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_ADDRESS = "GOOGLE_GEMINI_BASE_URL"
_SERVER = "https://generativelanguage.googleapis.com"
_DIALECTS = ("gemini-2.5", "gemini-3.5")
_DONE = "Done."
_NO_URL = "about:blank"  # the first models expect a URL with each result; a desktop has none
_CUT = "Your answer was cut off at its limit of length within this call, so it was not carried out. Be brief."
_MALFORMED = "Your call could not be read ({why}), so nothing was done. Write it again."
_FILTERS = {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
_FILTERS |= {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
_UNREADABLE = {"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}
_ALLOWED = {"", "regular", "allow", "allowed"}  # decisions that need no consent
_NONSENSE = (
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    IndexError,
    RuntimeError,
)  # RuntimeError includes RecursionError
_REMARKS = ("intent", "safety_decision")  # remarks of the model and the server, besides a function's arguments
_SHOWN = 500


class GeminiOptions(Record):
    """Request options. They are recorded with a run as its condition, so they contain no key."""

    model: str = Field(min_length=1, max_length=200)
    dialect: str = Field("", description="gemini-2.5 (click_at) or gemini-3.5 (click); empty: by the model's name")
    exclude: tuple[str, ...] = Field((), description="predefined functions that are not offered to the model")
    acknowledge_safety: bool = Field(
        False, description="whether actions that need a user's consent are allowed; otherwise they end the episode"
    )
    max_tokens: int = Field(8192, ge=1, le=1_000_000, description="maximum per answer, including thinking")
    temperature: float | None = Field(None, ge=0, le=2, description="0, with a seed, for deterministic decoding")
    seed: int | None = Field(None, ge=0, lt=2**31)
    effort: Literal["minimal", "low", "medium", "high"] | None = Field(
        None, description="thinking effort, for models since version 3"
    )
    thinking_tokens: int | None = Field(
        None, ge=-1, description="thinking budget, for models before version 3; -1: dynamic"
    )
    thinking: Literal["auto", "off"] = Field("auto", description="off: thoughts are not requested")
    api_version: str = Field("v1beta", pattern=r"^v\d+\w*$", description="protocol version; preview models need a beta")
    stream: bool = True
    idle_seconds: float = Field(120.0, gt=0, description="timeout without any data from the server")
    answer_seconds: float = Field(600.0, gt=0, description="timeout of one answer")


class GeminiChat:
    """Keeps the contents in the protocol's form, with `Seen` in place of images."""

    def __init__(
        self, options: GeminiOptions, *, api_key: str | None = None, base_url: str | None = None, pace: Pace
    ) -> None:
        self.options = options
        self.model = options.model
        spoken = options.dialect or traits_of(options.model).dialect
        if spoken not in _DIALECTS:
            raise unknown("dialect", spoken, _DIALECTS)
        self.dialect = dialect(spoken)
        self._in_browser = spoken == "gemini-2.5"
        self._key = api_key
        self._base_url = base_url
        self._where = base_url or os.environ.get(_ADDRESS) or _SERVER
        self._pace = pace
        self._client: Any = None

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK or an API key is missing. Makes no request."""
        if self._client is not None:
            return
        try:
            sdk: Any = importlib.import_module("google.genai")
        except ImportError:
            raise MissingPrerequisite(
                "Gemini's models need the package google-genai", fix="pip install 'fairground[gemini]'"
            ) from None
        key = next(filter(None, [self._key, *map(os.environ.get, KEYS)]), "").strip()
        if not key:
            raise MissingPrerequisite(
                f"no API key for Gemini model {self.model}: neither {KEYS[0]} nor {KEYS[1]} is set",
                fix=f"export {KEYS[0]}=...",
            )
        self._types, self._api_error = sdk.types, sdk.errors.APIError
        self._broken: tuple[type[Exception], ...] = (*_transport_errors(), *_NONSENSE)
        # One attempt: the SDK's own retries would not handle a broken stream, and would not count in the budget. Its
        # timeout limits silence, but it sends the same number to the server as the total time. The header corrects
        # that.
        silence, whole = self.options.idle_seconds, math.ceil(self.options.answer_seconds)
        http = sdk.types.HttpOptions(
            base_url=self._base_url,
            api_version=self.options.api_version,
            timeout=math.ceil(silence * 1000),
            headers={"X-Server-Timeout": str(whole)},
            retry_options=sdk.types.HttpRetryOptions(attempts=1),
        )
        self._client = sdk.Client(api_key=key, vertexai=False, http_options=http)
        self._let_go = weakref.finalize(self, self._client.close)  # it is unknown when an agent acts for the last time

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        if self._client is not None:
            self._client = None
            self._let_go()

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Start a new conversation."""
        self._system = system
        self._spoken = [
            {"name": tool.name, "description": tool.summary, "parameters_json_schema": tool.schema()} for tool in tools
        ]
        self._spoken_names = {tool.name for tool in tools}
        self._context = context
        self._contents: list[dict[str, Any]] = []

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Send a message to the model, as the user or the harness."""
        self._say([{"text": text}] if seen is None else [{"text": text}, seen])

    def results(self, results: list[Result]) -> None:
        """Send the results of all calls of the last reply, in order."""
        self._say([{"function_response": self._response(result)} for result in results])

    def ask(self) -> Reply:
        """Send the conversation once and add the reply to it. Raises the errors listed in `Chat.ask`."""
        self.check()
        request = self._request()
        received = Received()
        try:
            self._receive(request, received)
            return self._read(received)
        except Transient as failure:
            failure.tokens = _counted(received)  # a partial answer is charged, too
            raise

    # --- sending ------------------------------------------------------------------------------------------------------

    def _request(self) -> dict[str, Any]:
        options = self.options
        config: dict[str, Any] = {
            "system_instruction": self._system,
            "tools": self._tools(),
            "automatic_function_calling": {"disable": True},
            "max_output_tokens": options.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed,
        }
        thinking = {
            "include_thoughts": True if options.thinking == "auto" else None,
            "thinking_level": options.effort,
            "thinking_budget": options.thinking_tokens,
        }
        if any(value is not None for value in thinking.values()):
            config["thinking_config"] = thinking
        contents = [self._render(content) for content in self._contents]
        # The SDK's types are created here, so that a mistake of ours is not attributed to the server.
        return {
            "model": options.model,
            "contents": [self._types.Content.model_validate(content) for content in contents],
            "config": self._types.GenerateContentConfig.model_validate(config),
        }

    def _tools(self) -> list[dict[str, Any]]:
        tools = [*self.dialect.describe_tools(self._context.size)]
        computer = dict(tools[0]["computer_use"])
        left_out = dict.fromkeys([*computer["excluded_predefined_functions"], *self.options.exclude])
        tools[0] = {"computer_use": computer | {"excluded_predefined_functions": list(left_out) or None}}
        return [*tools, {"function_declarations": self._spoken}]

    def _render(self, content: dict[str, Any]) -> dict[str, Any]:
        parts = []
        for part in content["parts"]:
            if isinstance(part, Seen):
                image = self._context.image(part)
                parts.append({"text": FORGOTTEN} if image is None else _image(image))
            elif isinstance(part.get("function_response"), dict):
                parts.append({"function_response": self._rendered(part["function_response"])})
            else:
                parts.append(part)
        return content | {"parts": parts}

    def _rendered(self, response: dict[str, Any]) -> dict[str, Any]:
        """Return a result with its image. Text about a dropped image goes into the response itself."""
        seen = response.get("parts")
        if seen is None:
            return response
        image = self._context.image(seen)
        if image is None:
            without = {name: value for name, value in response.items() if name != "parts"}
            return without | {"response": response["response"] | {"screenshot": FORGOTTEN}}
        return response | {"parts": [_image(image)]}

    def _response(self, result: Result) -> dict[str, Any]:
        call = result.call
        content: dict[str, Any] = {"error": result.text} if result.error else {"output": result.text or _DONE}
        if self._in_browser and call.name not in self._spoken_names:
            content["url"] = _NO_URL
        if _decision(call.native["args"])[0] not in _ALLOWED:
            content["safety_acknowledgement"] = "true"  # without the option, the call would not have got this far
        response: dict[str, Any] = {"name": call.name, "response": content}
        if call.id:
            response["id"] = call.id
        if result.seen is not None:
            response["parts"] = result.seen
        return response

    def _say(self, parts: list[Any]) -> None:
        if self._contents and self._contents[-1]["role"] == "user":
            self._contents[-1]["parts"] += parts
        else:
            self._contents.append({"role": "user", "parts": parts})

    # --- receiving ----------------------------------------------------------------------------------------------------

    def _receive(self, request: dict[str, Any], received: Received) -> None:
        until = self._pace.clock() + self.options.answer_seconds

        def in_time() -> None:
            if self._pace.clock() > until:
                raise Transient(f"the answer took longer than {self.options.answer_seconds:.0f} s")

        try:
            models = self._client.models  # None if it was closed by another thread
            if self.options.stream:
                with contextlib.closing(models.generate_content_stream(**request)) as stream:
                    from_chunks(map(_plain, stream), received, in_time)
            else:
                from_chunks([_plain(models.generate_content(**request))], received)
        except self._api_error as error:
            raise translate(error, self.model, self._where) from None
        except self._broken as error:
            # No connection, a broken connection, or data that is not JSON or violates the protocol.
            raise passing(error, self._where, place_of(self._base_url, _ADDRESS)) from None

    def _read(self, received: Received) -> Reply:
        tokens, reason = _counted(received), received.finish_reason
        why = f"{reason}: {received.finish_message}".strip(": ")  # the SDK currently omits the message
        if received.blocked:
            return Reply(
                text=f"the prompt was blocked: {received.finish_message or received.blocked}"[:_SHOWN],
                stop="refused",
                tokens=tokens,
            )
        if reason in _FILTERS:
            return Reply(text=why[:_SHOWN], stop="refused", tokens=tokens)
        if reason in _UNREADABLE:
            self.tell(_MALFORMED.format(why=why[:_SHOWN]))
            return Reply(stop="paused", tokens=tokens)
        if reason not in ("STOP", "MAX_TOKENS"):
            raise Transient(f"the answer ended for an unknown reason: {why}"[:300])
        calls = [part["function_call"] for part in received.parts if part.get("function_call")]
        if (held := self._withheld(calls)) is not None:
            return Reply(text=held[:_SHOWN], stop="refused", tokens=tokens)
        return self._reply(received, cut=reason == "MAX_TOKENS")

    def _reply(self, received: Received, *, cut: bool) -> Reply:
        parts = received.parts
        if any(not part.get("thought") or "thought_signature" in part for part in parts):
            self._contents.append({"role": "model", "parts": parts})
        calls = [self._call(part["function_call"]) for part in parts if part.get("function_call")]
        if cut and calls and parts[-1].get("function_call"):
            calls[-1] = Call(calls[-1].id, calls[-1].name, calls[-1].arguments, calls[-1].native, _CUT)
        texts = [part["text"] for part in parts if part.get("text") and not part.get("thought")]
        thought = [part["text"] for part in parts if part.get("text") and part.get("thought")]
        intents = [call.native["args"].get("intent") for call in calls]
        return Reply(
            thought="\n".join([*thought, *texts, *(intent for intent in intents if isinstance(intent, str))]),
            text="".join(texts),
            calls=tuple(calls),
            stop="cut" if cut else "complete",
            tokens=_counted(received),
        )

    def _call(self, call: dict[str, Any]) -> Call:
        name, args = call["name"], call.get("args") or {}
        fault = f"{name} is not offered here; use another function." if name in self.options.exclude else ""
        if call.get("partial_args") or call.get("will_continue"):
            fault = "The arguments of this call are not complete. Nothing was done; write the call again."
        given = {field: value for field, value in args.items() if field not in _REMARKS}
        return Call(call.get("id") or "", name, given, {"name": name, "args": args}, fault)

    def _withheld(self, calls: list[dict[str, Any]]) -> str | None:
        """Return why the answer must not be acted on: an action needs consent that was not given, or is blocked."""
        for call in calls:
            decision, why = _decision(call.get("args"))
            if decision not in _ALLOWED and (decision.startswith("block") or not self.options.acknowledge_safety):
                return f"{call['name']} has the safety decision {decision}, which was not acknowledged: {why}".rstrip(
                    ": "
                )
        return None


def _counted(received: Received) -> Tokens | None:
    return received.tokens if received.usage else None


def _decision(arguments: Any) -> tuple[str, str]:
    """Return the safety decision about a call, and its explanation; empty if there is none."""
    entry = arguments.get("safety_decision") if isinstance(arguments, dict) else None
    if entry is None:
        return "", ""
    if not isinstance(entry, dict):
        return str(entry)[:100].lower() or "unclear", ""
    return str(entry.get("decision") or "unclear")[:100].lower(), str(entry.get("explanation") or "")


def _image(image: Image) -> dict[str, Any]:
    return {"inline_data": {"mime_type": image.media_type, "data": base64.b64decode(image.data)}}


def _plain(response: Any) -> Any:
    """Convert an SDK object back to plain data."""
    return response.model_dump(exclude_none=True, warnings=False)


def _transport_errors() -> tuple[type[Exception], ...]:
    """Return the error types of the HTTP libraries that the SDK may use."""
    errors: list[type[Exception]] = []
    for name in ("httpx2", "httpx"):
        try:
            errors.append(importlib.import_module(name).HTTPError)
        except ImportError:
            continue
    return tuple(errors)
