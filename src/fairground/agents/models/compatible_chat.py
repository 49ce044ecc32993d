"""Conversation with a model behind any server with OpenAI's Chat Completions API."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from pydantic import Field

from fairground.agents.models.calling import Overlong, Pace, Transient
from fairground.agents.models.chat import Call, Reply, Result
from fairground.agents.models.compatible_dialects import Manner, manner_of
from fairground.agents.models.compatible_stream import from_chunks
from fairground.agents.models.context import Context, Image, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.openai_answer import tokens_of
from fairground.agents.models.openai_chat import read_arguments
from fairground.agents.models.openai_client import MAX_ANSWER, Client, plain
from fairground.agents.models.openai_errors import translate_failure
from fairground.agents.models.usage import Tokens
from fairground.agents.models.wellformed import well_formed
from fairground.core import Record

KEY = "COMPATIBLE_API_KEY"
_DONE = "Done."
_SCREEN = "This is the screen now."
_CUT = "Your answer was cut off at its limit of length within this call, so it was not carried out. Be brief."
_NO_KEY = "none"  # many servers need no key, but the SDK always sends one
_CONNECT = 10.0  # seconds
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_THINKING = re.compile(r"\A(.*)</think>", re.DOTALL)


class CompatibleOptions(Record):
    """Request options. They are recorded with a run as its condition, so they contain no key."""

    model: str = Field(min_length=1, max_length=500)
    dialect: str | None = Field(None, description="what the model writes; default: by its name, otherwise functions")
    max_tokens: int = Field(4096, ge=1, le=1_000_000, description="maximum per answer, including thinking")
    temperature: float | None = Field(None, ge=0, le=2, description="default: the server's")
    seed: int | None = Field(None, description="sampling seed, if the server supports it")
    extra: dict[str, Any] = Field(default_factory=dict, description="additional request fields for this server")
    stream: bool = Field(False, description="whether to stream answers; not every server supports it with tool calls")
    answer_seconds: float = Field(600.0, gt=0, description="timeout of one answer")


class CompatibleChat:
    """Keeps the messages in the protocol's form, with `Seen` in place of images.

    Results of calls can only be text here, so images follow in a separate message. A model that writes a text dialect
    has no tools: its whole answer is one call.
    """

    def __init__(self, options: CompatibleOptions, *, base_url: str, api_key: str | None = None, pace: Pace) -> None:
        self.options = options
        self.model = options.model
        self.manner: Manner = manner_of(options.model, options.dialect)
        self.dialect = self.manner.dialect
        self._pace = pace

        def make(sdk: Any) -> Any:
            # Never the vendor's own key, which must not reach this server.
            key = api_key or os.environ.get(KEY) or _NO_KEY
            timeout = sdk.Timeout(options.answer_seconds, connect=_CONNECT)
            headers = {"Authorization": f"Bearer {key}"}
            client = sdk.OpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=timeout, default_headers=headers)
            client.organization = client.project = None  # nor these, which the SDK finds in the environment
            return client

        self._client = Client(make, model=self.model, key=KEY, extra="openai", place="after @")

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK is missing. Makes no request."""
        self._client.check()

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        self._client.close()

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Start a new conversation."""
        self._system = system
        self._spoken = [_function(tool) for tool in tools]
        self._context = context
        self._messages: list[dict[str, Any]] = []
        self._calls = 0

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Send a message to the model, as the user or the harness."""
        self._say([_text(text)] if seen is None else [_text(text), seen])

    def results(self, results: list[Result]) -> None:
        """Send the results of all calls of the last reply, in order."""
        if not self.manner.words:
            for result in results:
                message = {"role": "tool", "tool_call_id": result.call.id, "content": result.text or _DONE}
                self._messages.append(message)
        words = [result.text for result in results if result.text and self.manner.words]
        seen = [result.seen for result in results if result.seen is not None]
        parts: list[Any] = [_text("\n".join(words))] if words else []
        if seen:
            parts += [_text(_SCREEN), *seen]
        if parts:
            self._say(parts)

    def ask(self) -> Reply:
        """Send the conversation once and add the reply to it. Raises the errors listed in `Chat.ask`."""
        request = self._request()
        return self._read(self._client.ask(lambda client: self._receive(client, request)))

    # --- sending ------------------------------------------------------------------------------------------------------

    def _request(self) -> dict[str, Any]:
        options, size, system = self.options, self._context.size, self._system
        if self.manner.words:
            system = f"{system}\n\n{self.manner.explanation(size)}"
        messages = self._context.render(self._messages, _image, _text)
        request: dict[str, Any] = {
            "model": options.model,
            "messages": [{"role": "system", "content": system}, *messages],
            "max_tokens": options.max_tokens,
        }
        if not self.manner.words:
            request["tools"] = [*self.dialect.describe_tools(size), *self._spoken]
        if options.temperature is not None:
            request["temperature"] = options.temperature
        if options.seed is not None:
            request["seed"] = options.seed
        if options.extra:
            request["extra_body"] = options.extra
        return request

    def _receive(self, client: Any, request: dict[str, Any]) -> Any:
        if not self.options.stream:
            return plain(client.chat.completions.create(stream=False, **request))
        until = self._pace.clock() + self.options.answer_seconds

        def in_time() -> None:
            if self._pace.clock() > until:
                raise Transient(f"the answer took longer than {self.options.answer_seconds:.0f} s")

        counts = {"include_usage": True}
        with client.chat.completions.create(stream=True, stream_options=counts, **request) as stream:
            return from_chunks(map(plain, stream), in_time)

    def _say(self, parts: list[Any]) -> None:
        if self._messages and self._messages[-1]["role"] == "user":
            self._messages[-1]["content"] += parts
        else:
            self._messages.append({"role": "user", "content": parts})

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read(self, answer: Any) -> Reply:
        message, finish, tokens = _checked(answer)
        thought, text = _spoken_of(message)
        refusal = message.get("refusal")
        if finish == "content_filter" or (isinstance(refusal, str) and refusal.strip()):
            return Reply(text=str(refusal or "the server's filter stopped the answer"), stop="refused", tokens=tokens)
        called = [call for call in message.get("tool_calls") or [] if isinstance(call, dict)]
        cut = finish == "length"
        calls: tuple[Call, ...]
        if self.manner.words:
            text += "".join(map(_as_text, called))  # some servers parse such text into calls; this restores the text
            calls = () if cut or not text.strip() else (self._text_call(text),)
            called = []
        else:
            calls = tuple(self._function_call(call, cut and call is called[-1]) for call in called)
        record: dict[str, Any] = {"role": "assistant"}
        if text.strip():
            record["content"] = text
        if called:
            record["tool_calls"] = [_record(call) for call in calls]
        if len(record) > 1:
            self._messages.append(record)
        return Reply(
            thought="\n".join(filter(None, (thought, text.strip()))),
            text=text,
            calls=calls,
            stop="cut" if cut else "complete",
            tokens=tokens,
        )

    def _text_call(self, text: str) -> Call:
        self._calls += 1
        return Call(f"answer {self._calls}", "(answer)", text, text)

    def _function_call(self, call: dict[str, Any], cut: bool) -> Call:
        self._calls += 1
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        name = function.get("name") if isinstance(function, dict) else None
        written = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(written, dict):  # some servers have already parsed it
            arguments, fault = written, ""
        else:
            arguments, fault = read_arguments(written if isinstance(written, str) else "")
        fault = _CUT if cut else fault
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            name, fault = "unnamed", "The call has no name of a function. Write the call again."
        # Our own IDs: servers omit them, or use the same one twice.
        return Call(f"call_{self._calls}", name, arguments, {"name": name, "arguments": arguments}, fault)


def _checked(answer: Any) -> tuple[dict[str, Any], str, Tokens | None]:
    """Return the message of an answer, why it ended, and its token counts. Raises `Transient` if it is invalid."""
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
        error = answer["error"]
        raise translate_failure(str(error.get("code") or ""), str(error.get("message") or "the server failed"))
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Transient("the server's answer is not a completion")
    if choice.get("finish_reason") == "error":
        raise Transient("the server aborted the answer")
    if len(str(message)) > MAX_ANSWER:
        raise Overlong(f"the answer is longer than {MAX_ANSWER} characters")
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise Transient("the tool calls of the answer are not a list")
    return (
        well_formed(message),
        str(choice.get("finish_reason")),
        tokens_of(answer.get("usage"), "prompt", "completion"),
    )


def _spoken_of(message: dict[str, Any]) -> tuple[str, str]:
    """Return what a message thought and said. Thinking may be in a separate field, or in tags before the text."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    text = content if isinstance(content, str) else ""
    beside = message.get("reasoning_content") or message.get("reasoning")
    thoughts = [beside.strip()] if isinstance(beside, str) else []
    if match := _THINKING.match(text):
        thoughts.append(match[1].replace("<think>", "").strip())
        text = text[match.end() :].lstrip()
    return "\n".join(filter(None, thoughts)), text


def _as_text(call: dict[str, Any]) -> str:
    function = call.get("function")
    return f"\n<tool_call>\n{json.dumps(function, ensure_ascii=False)}\n</tool_call>"


def _record(call: Call) -> dict[str, Any]:
    # Chat templates parse the arguments again, and fail if they are not JSON.
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": call.id, "type": "function", "function": function}


def _function(tool: SpokenTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.summary, "parameters": tool.schema()}
    return {"type": "function", "function": function}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(image: Image) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.data}"}}
