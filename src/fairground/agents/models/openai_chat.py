"""Conversation with one of OpenAI's models through the Responses API. The server stores nothing of it."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Literal

import numpy as np
from pydantic import Field

from fairground.agents.models.calling import Pace, Transient
from fairground.agents.models.chat import Call, Reply, Result
from fairground.agents.models.connecting import place_of
from fairground.agents.models.context import Context, ContextPolicy, Image, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.openai_answer import Answer, from_events, from_response
from fairground.agents.models.openai_client import Client, plain
from fairground.agents.models.wellformed import well_formed
from fairground.agents.native import dialect
from fairground.core import Frame, InvalidInput, Record, parse_json

KEY = "OPENAI_API_KEY"
_DONE = "Done."
_CONNECT = 10.0  # seconds
_DIALECTS = {"computer": "openai-computer", "computer_use_preview": "openai-preview"}
_SUMMARIES = {"computer": "auto", "computer_use_preview": "concise"}  # the value that each accepts


class OpenAIOptions(Record):
    """Request options. They are recorded with a run as its condition, so they contain no key."""

    model: str = Field(min_length=1, max_length=200)
    tool: Literal["", "computer", "computer_use_preview"] = Field("", description="empty: by the model's name")
    max_tokens: int = Field(16384, ge=16, le=1_000_000, description="maximum per answer, including reasoning")
    temperature: float | None = Field(None, ge=0, le=2, description="reasoning models reject any value")
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    summary: Literal["on", "off"] = Field(
        "on", description="summary of its reasoning; some accounts may not request it"
    )
    safety: Literal["stop", "acknowledge"] = Field("stop", description="what to do at a safety check of the vendor")
    stream: bool = True
    idle_seconds: float = Field(300.0, gt=0, description="timeout without any data from the server")
    answer_seconds: float = Field(900.0, gt=0, description="timeout of one answer")


class OpenAIChat:
    """Keeps the items in the protocol's form, with `Seen` in place of images.

    The whole conversation is sent each time, including reasoning (encrypted by the server), and the server stores
    nothing. So an answer depends only on its request.
    """

    def __init__(
        self, options: OpenAIOptions, *, api_key: str | None = None, base_url: str | None = None, pace: Pace
    ) -> None:
        self.options = options
        self.model = options.model
        preview = options.tool == "computer_use_preview" or (not options.tool and "computer-use-preview" in self.model)
        self._tool = "computer_use_preview" if preview else "computer"
        self.dialect = dialect(_DIALECTS[self._tool])
        self._pace = pace

        def make(sdk: Any) -> Any:
            if not (api_key or os.environ.get(KEY)):
                return None
            timeout = sdk.Timeout(options.idle_seconds, connect=_CONNECT)
            # The SDK's own retries are off: they would not count in the budget.
            return sdk.OpenAI(api_key=api_key, base_url=base_url, max_retries=0, timeout=timeout)

        place = place_of(base_url, "OPENAI_BASE_URL")
        self._client = Client(make, model=self.model, key=KEY, extra="openai", place=place)

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK or an API key is missing. Makes no request."""
        self._client.check()

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        self._client.close()

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Start a new conversation."""
        self._system = system
        self._spoken = {tool.name: tool for tool in tools}
        self._context = context
        self._items: list[dict[str, Any]] = []
        self._newest: Seen | None = None

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Send a message to the model, as the user or the harness."""
        self._newest = seen or self._newest
        self._items.append({"role": "user", "content": [_text(text), *([] if seen is None else [seen])]})

    def results(self, results: list[Result]) -> None:
        """Send the results of all calls of the last reply, in order. Text about computer calls follows them."""
        self._newest = next((result.seen for result in reversed(results) if result.seen), self._newest)
        words: list[str] = []
        for result in results:
            if result.call.name != "computer":
                inside = [_text(result.text or _DONE), *([] if result.seen is None else [result.seen])]
                output: dict[str, Any] = {"type": "function_call_output", "output": inside}
            else:
                # The protocol allows only an image here. For a call that was not performed it is the previous screen.
                # Text follows after the results.
                output = {"type": "computer_call_output", "output": result.seen or self._newest}
                if checks := result.call.native.get("pending_safety_checks"):
                    output["acknowledged_safety_checks"] = checks
                words += [result.text] if result.text else []
            self._items.append(output | {"call_id": result.call.id})
        if words:
            self._items.append({"role": "user", "content": [_text("\n".join(words))]})

    def ask(self) -> Reply:
        """Send the conversation once and add the reply to it. Raises the errors listed in `Chat.ask`."""
        request = self._request()
        answer = from_response(self._client.ask(lambda client: self._receive(client, request)))
        return self._read(answer)

    # --- sending ------------------------------------------------------------------------------------------------------

    def _request(self) -> dict[str, Any]:
        options = self.options
        functions = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.summary,
                "parameters": tool.schema(),
                "strict": True,
            }
            for tool in self._spoken.values()
        ]
        request: dict[str, Any] = {
            "model": options.model,
            "instructions": self._system,
            "input": [self._render(item) for item in self._items],
            "tools": [*self.dialect.describe_tools(self._context.size), *functions],
            "max_output_tokens": options.max_tokens,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        reasoning: dict[str, Any] = {} if options.effort is None else {"effort": options.effort}
        if options.summary == "on":
            reasoning["summary"] = _SUMMARIES[self._tool]
        if reasoning:
            request["reasoning"] = reasoning
        if options.temperature is not None:
            request["temperature"] = options.temperature
        if self._tool == "computer_use_preview":
            request["truncation"] = "auto"  # the preview accepts no other value
        return request

    def _render(self, item: dict[str, Any]) -> Any:
        if item.get("type") == "computer_call_output":
            return self._context.render(item, _screenshot, lambda text: _forgotten())
        return self._context.render(item, _image, _text)

    def _receive(self, client: Any, request: dict[str, Any]) -> Any:
        if not self.options.stream:
            return plain(client.responses.create(stream=False, **request))
        until = self._pace.clock() + self.options.answer_seconds

        def in_time() -> None:
            if self._pace.clock() > until:
                raise Transient(f"the answer took longer than {self.options.answer_seconds:.0f} s")

        with client.responses.create(stream=True, **request) as stream:
            return from_events(map(plain, stream), in_time)

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, answer: Answer) -> Reply:
        if answer.stop == "refused":
            return Reply(text=answer.refusal, stop="refused", tokens=answer.tokens)
        checks = [check for call in answer.calls() for check in _checks(call)]
        if checks and self.options.safety == "stop":
            reason = "a safety check was not acknowledged: " + "; ".join(checks)
            return Reply(text=reason, stop="refused", tokens=answer.tokens)
        self._items += answer.items
        texts = answer.said()
        noted = [f"(Safety check acknowledged: {check})" for check in checks]
        return Reply(
            thought="\n".join([*answer.thought(), *texts, *noted]),
            text="\n".join(texts),
            calls=tuple(map(self._call, answer.calls())),
            stop=answer.stop,
            tokens=answer.tokens,
        )

    def _call(self, item: dict[str, Any]) -> Call:
        if item["type"] == "computer_call":
            # An item never has both: the single action is the older name of the same field.
            native = {name: value for name, value in item.items() if name != "action" or not item.get("actions")}
            return Call(item["call_id"], "computer", item.get("actions") or item.get("action"), native)
        arguments, fault = read_arguments(item["arguments"])
        if item["name"] not in self._spoken:
            fault = f"There is no function {item['name'][:60]!r}; there are the computer and {', '.join(self._spoken)}."
        return Call(item["call_id"], f"function {item['name']}" if fault else item["name"], arguments, item, fault)


def read_arguments(text: str) -> tuple[Any, str]:
    """Parse the arguments of a function call. Returns them, and an error message (empty if they are valid)."""
    try:
        value = well_formed(parse_json(text or "{}", where="arguments"))
    except InvalidInput as error:
        return {}, f"The arguments of this call are not a JSON object: {error.message[:300]}. Write the call again."
    if not isinstance(value, dict):
        return {}, f"The arguments of this call are not a JSON object but {type(value).__name__}. Write the call again."
    return value, ""


def _checks(call: dict[str, Any]) -> list[str]:
    listed = call.get("pending_safety_checks")
    return [
        f"{check.get('code') or 'unnamed'}: {check.get('message') or 'no reason given'}"[:300]
        for check in (listed if isinstance(listed, list) else [])
        if isinstance(check, dict)
    ]


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _url(image: Image) -> str:
    return f"data:{image.media_type};base64,{image.data}"


def _image(image: Image) -> dict[str, Any]:
    return {"type": "input_image", "image_url": _url(image), "detail": "high"}


def _screenshot(image: Image) -> dict[str, Any]:
    return {"type": "computer_screenshot", "image_url": _url(image)}


@cache
def _forgotten() -> dict[str, Any]:
    """Return a small grey image, for results whose image was dropped: the protocol requires one."""
    grey, policy = Frame(np.full((64, 64, 3), 128, np.uint8)), ContextPolicy()
    return _screenshot(Image("image/png", Seen(grey).encoded(grey, grey.size, policy), grey.size))
