"""Conversation with one of Anthropic's models, through the vendor's SDK."""

from __future__ import annotations

import importlib
import weakref
from typing import Any, Literal

from pydantic import Field

from fairground.agents.models.anthropic_errors import translate
from fairground.agents.models.anthropic_models import BETAS, BINDING_BETA, traits_of
from fairground.agents.models.anthropic_stream import Received, from_events, from_message
from fairground.agents.models.calling import Pace, Transient
from fairground.agents.models.chat import Call, Reply, Result
from fairground.agents.models.connecting import passing, place_of
from fairground.agents.models.context import Context, Image, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.native import dialect
from fairground.core import MissingPrerequisite, Record, unknown

_CUT = "Your answer was cut off at its limit of length within this call, so it was not carried out. Be brief."
_DONE = "Done."
_SET_KEY = "export ANTHROPIC_API_KEY=..."
_CONNECT = 10.0  # seconds
_Stop = Literal["complete", "cut", "paused", "refused", "full"]
_STOPS: dict[str, _Stop] = {
    "max_tokens": "cut",
    "pause_turn": "paused",
    "refusal": "refused",
    "model_context_window_exceeded": "full",
}


class AnthropicOptions(Record):
    """Request options. They are recorded with a run as its condition, so they contain no key."""

    model: str = Field(min_length=1, max_length=200)
    tool: str = Field("", description="computer tool; empty: the newest that the model supports")
    max_tokens: int = Field(8192, ge=1, le=1_000_000, description="maximum per answer, including thinking")
    temperature: float | None = Field(
        None, ge=0, le=1, description="0 for the most deterministic decoding; newer models reject any value"
    )
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    thinking: Literal["auto", "off"] = Field(
        "auto", description="off: not set in the request, so the model's default applies"
    )
    stream: bool = True
    idle_seconds: float = Field(120.0, gt=0, description="timeout without any data from the server")
    answer_seconds: float = Field(600.0, gt=0, description="timeout of one answer")


class AnthropicChat:
    """Keeps the messages in the protocol's form, with `Seen` in place of images."""

    def __init__(
        self, options: AnthropicOptions, *, api_key: str | None = None, base_url: str | None = None, pace: Pace
    ) -> None:
        self.options = options
        self.model = options.model
        traits = traits_of(options.model)
        self._tool = options.tool or traits.tool
        if self._tool not in BETAS:
            raise unknown("computer tool", self._tool, BETAS)
        self.dialect = dialect(self._tool.replace("computer_", "anthropic-").replace("_", "-"))
        self._adaptive = traits.adaptive and options.thinking == "auto"
        self._key = api_key
        self._base_url = base_url
        self._pace = pace
        self._sdk: Any = None
        self._client: Any = None

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK or an API key is missing. Makes no request."""
        if self._client is not None:
            return
        try:
            sdk: Any = importlib.import_module("anthropic")
            self._transport_error = importlib.import_module("httpx2").HTTPError
        except ImportError:
            raise MissingPrerequisite(
                "Anthropic's models need the package anthropic", fix="pip install 'fairground[anthropic]'"
            ) from None
        timeout = sdk.Timeout(self.options.idle_seconds, connect=_CONNECT)
        # The SDK's own retries are off: they would not handle a broken stream, and would not count in the budget.
        try:
            client = sdk.Anthropic(api_key=self._key, base_url=self._base_url, max_retries=0, timeout=timeout)
        except sdk.AnthropicError as error:
            raise MissingPrerequisite(f"no API key for Anthropic's model {self.model}: {error}", fix=_SET_KEY) from None
        if not (client.api_key or client.auth_token or client.credentials):
            client.close()
            raise MissingPrerequisite(
                f"no API key for Anthropic's model {self.model}: ANTHROPIC_API_KEY is not set",
                fix=_SET_KEY,
            )
        self._sdk, self._client = sdk, client
        self._where = str(client.base_url).rstrip("/")
        weakref.finalize(self, client.close)  # it is unknown when an agent acts for the last time

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Start a new conversation."""
        self._system = system
        self._spoken = [
            {"name": tool.name, "description": tool.summary, "input_schema": tool.schema()} for tool in tools
        ]
        self._context = context
        self._messages: list[dict[str, Any]] = []

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Send a message to the model, as the user or the harness."""
        self._say([_text(text)] if seen is None else [_text(text), seen])

    def results(self, results: list[Result]) -> None:
        """Send the results of all calls of the last reply, in order."""
        blocks: list[Any] = []
        after: list[Any] = []
        for result in results:
            inside: list[Any] = [_text(result.text)] if result.text else []
            if result.seen is not None:
                # The protocol allows only text in the result of a failed call.
                (after if result.error else inside).append(result.seen)
            block: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": result.call.id,
                "content": inside or [_text(_DONE)],
            }
            if result.error:
                block["is_error"] = True
            if isinstance(result.call.native, dict) and (family := result.call.native.get("toolset_name")):
                block["toolset_name"] = family
            blocks.append(block)
        self._say([*blocks, *after])

    def ask(self) -> Reply:
        """Send the conversation once and add the reply to it. Raises the errors listed in `Chat.ask`."""
        self.check()
        request = self._request()
        received = Received()
        try:
            self._receive(request, received)
            return self._read(received)
        except Transient as failure:
            failure.tokens = received.tokens if received.usage else None  # a partial answer is charged, too
            raise

    # --- sending ------------------------------------------------------------------------------------------------------

    def _request(self) -> dict[str, Any]:
        options, betas = self.options, list(BETAS[self._tool])
        request: dict[str, Any] = {
            "model": options.model,
            "max_tokens": options.max_tokens,
            "system": [_text(self._system)],
            "messages": self._context.render(self._messages, _image, _text),
            "tools": [*self.dialect.describe_tools(self._context.size), *self._spoken],
            "cache_control": {"type": "ephemeral"},
        }
        if self._adaptive:
            request["thinking"] = {"type": "adaptive", "display": "summarized"}
            if self._context.edited:
                # Thinking is bound to the conversation before it. If that was edited, the thinking must be dropped.
                request["thinking"]["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
                betas.append(BINDING_BETA)
        if options.effort is not None:
            request["output_config"] = {"effort": options.effort}
        if options.temperature is not None:
            request["extra_body"] = {"temperature": options.temperature}  # the SDK no longer has a parameter for it
        if betas:
            request["betas"] = betas
        return request

    def _receive(self, request: dict[str, Any], received: Received) -> None:
        try:
            if self.options.stream:
                self._stream(request, received)
            else:
                from_message(_plain(self._client.beta.messages.create(stream=False, **request)), received)
        except self._sdk.APIStatusError as error:
            raise translate(error, self.model, self._where) from None
        except (self._sdk.APIError, self._transport_error, ValueError) as error:
            # No connection, a broken connection, or data that is not JSON. The SDK wraps only some of these.
            raise passing(error, self._where, place_of(self._base_url, "ANTHROPIC_BASE_URL")) from None

    def _stream(self, request: dict[str, Any], received: Received) -> None:
        until = self._pace.clock() + self.options.answer_seconds

        def in_time() -> None:
            if self._pace.clock() > until:
                raise Transient(f"the answer took longer than {self.options.answer_seconds:.0f} s")

        with self._client.beta.messages.create(stream=True, **request) as stream:
            from_events(map(_plain, stream), received, in_time)

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, received: Received) -> Reply:
        stop = _STOPS.get(received.stop_reason, "complete")
        if stop in ("refused", "full"):
            reason = received.stop_details.get("explanation") or received.stop_details.get("category") or ""
            return Reply(text=str(reason), stop=stop, tokens=received.tokens)
        blocks = [block for block in received.content if not _is_blank(block)]
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        faults = dict(received.faults)
        if stop == "cut" and uses and uses[-1] is blocks[-1]:
            faults[uses[-1]["id"]] = _CUT  # it is unknown whether it is complete
        if blocks:
            self._messages.append({"role": "assistant", "content": blocks})
        texts = [block["text"] for block in blocks if block.get("type") == "text"]
        thought = [block["thinking"] for block in blocks if block.get("type") == "thinking" and block["thinking"]]
        return Reply(
            thought="\n".join([*thought, *texts]),
            text="\n".join(texts),
            calls=tuple(_call(use, faults.get(use["id"], "")) for use in uses),
            stop=stop,
            tokens=received.tokens,
        )

    def _say(self, blocks: list[Any]) -> None:
        if self._messages and self._messages[-1]["role"] == "user":
            self._messages[-1]["content"] += blocks
        else:
            self._messages.append({"role": "user", "content": blocks})


def _call(block: dict[str, Any], fault: str) -> Call:
    arguments = block.get("input")
    tool = arguments.get("action") if block["name"] == "computer" and isinstance(arguments, dict) else block["name"]
    return Call(block["id"], block["name"], arguments, block, fault, wants_cursor=tool == "cursor_position")


def _is_blank(block: dict[str, Any]) -> bool:
    """Return whether a block is empty. The server sends such blocks, but does not accept them back."""
    return block.get("type") == "text" and not block["text"].strip()


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(image: Image) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}


def _plain(value: Any) -> Any:
    """Convert an SDK object back to plain data."""
    return value.to_dict(warnings=False) if hasattr(value, "to_dict") else value
