"""What OpenAI's two protocols refuse: a conversation that they would not take makes a test fail here already."""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from typing import Any

from PIL import Image

from .server import Asked

KEY = "test-key"
MAX_REQUEST = 50 << 20
RESPONSE_FIELDS = {"model", "instructions", "input", "tools", "max_output_tokens", "store", "include", "reasoning"}
RESPONSE_FIELDS |= {"temperature", "truncation", "stream"}
CHAT_FIELDS = {"model", "messages", "tools", "max_tokens", "temperature", "seed", "stop", "stream"}
CHAT_FIELDS |= {"chat_template_kwargs", "stream_options"}
DATA_URL = re.compile(r"data:image/(png|jpeg);base64,(.*)", re.DOTALL)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
OUTPUTS = {"computer_call_output": "computer_call", "function_call_output": "function_call"}


class Refused(Exception):
    """What the API answers instead: status, type, code, message."""

    def __init__(self, status: int, kind: str, message: str, code: str | None = None) -> None:
        super().__init__(f"{status} {kind}: {message}")
        self.status, self.kind, self.message, self.code = status, kind, message, code


def must(holds: Any, message: str, code: str | None = None) -> None:
    if not holds:
        raise Refused(400, "invalid_request_error", message, code)


def check_request(asked: Asked, fields: set[str]) -> Any:
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        raise Refused(401, "invalid_request_error", "Incorrect API key provided", "invalid_api_key")
    if asked.size > MAX_REQUEST:
        raise Refused(413, "invalid_request_error", "Request too large")
    body = asked.body
    must(isinstance(body, dict), "We could not parse the JSON body of your request.")
    for name in body:
        must(name in fields, f"Unknown parameter: '{name}'.", "unknown_parameter")
    must(isinstance(body.get("model"), str), "Missing required parameter: 'model'.")
    return body


def picture(url: Any, where: str) -> tuple[int, int]:
    found = DATA_URL.fullmatch(url) if isinstance(url, str) else None
    must(found, f"Invalid '{where}'. Expected a base64-encoded data URL.", "invalid_value")
    assert found is not None
    try:
        data = base64.b64decode(found[2], validate=True)
    except binascii.Error:
        raise Refused(400, "invalid_request_error", f"{where}: invalid base64", "invalid_base64_image") from None
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        must((image.format or "").lower() == found[1], f"{where}: media type mismatch", "invalid_image_format")
        must(min(image.size) >= 28, f"{where}: image too small", "image_too_small")
        return image.size


# --- Responses -------------------------------------------------------------------------------------------------------


def check_responses(asked: Asked, issued: dict[str, dict[str, Any]]) -> None:
    """Raises `Refused` for what the Responses API would not take; `issued` is what it gave before, by id."""
    body = check_request(asked, RESPONSE_FIELDS)
    preview = body["model"].startswith("computer-use-preview")
    must(body.get("store") is False, "these tests expect nothing to be stored")
    must(isinstance(body.get("max_output_tokens"), int) and body["max_output_tokens"] >= 16, "max_output_tokens")
    if "temperature" in body:
        must(preview, "Unsupported parameter: 'temperature' is not supported with this model.", "unsupported_parameter")
    must(not preview or body.get("truncation") == "auto", "computer-use-preview requires truncation 'auto'")
    summary = body.get("reasoning", {}).get("summary")
    must(summary in (None, "auto", "concise", "detailed"), "Unsupported value: 'reasoning.summary'")
    must(not preview or summary in (None, "concise"), "Unsupported value: 'reasoning.summary'")
    check_response_tools(body, preview)
    must(isinstance(body.get("input"), list) and body["input"], "Missing required parameter: 'input'.")
    check_items(body["input"], issued, set(body.get("include", [])))


def check_response_tools(body: dict[str, Any], preview: bool) -> None:
    for number, tool in enumerate(body.get("tools", [])):
        where = f"tools[{number}]"
        match tool.get("type"):
            case "computer":
                must(not preview, f"{where}: 'computer' is not supported with {body['model']}.")
                allowed = {"type"}
            case "computer_use_preview":
                must(preview, f"{where}: 'computer_use_preview' is not supported with {body['model']}.")
                allowed = {"type", "display_width", "display_height", "environment"}
                must(set(tool) == allowed, f"Missing required parameter of {where}")
                must(tool["environment"] in ("windows", "mac", "linux", "ubuntu", "browser"), f"{where}.environment")
            case "function":
                allowed = {"type", "name", "description", "parameters", "strict"}
                must(NAME.fullmatch(tool.get("name", "")), f"Invalid '{where}.name'")
                schema = tool.get("parameters", {})
                strict = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(
                    schema.get("properties", {})
                )
                must(strict or not tool.get("strict"), f"Invalid schema for function '{tool.get('name')}'")
            case kind:
                raise Refused(400, "invalid_request_error", f"Invalid value: '{kind}' at {where}.type")
        must(set(tool) <= allowed, f"Unknown parameter: {where}: {sorted(set(tool) - allowed)}")


def check_items(items: list[Any], issued: dict[str, dict[str, Any]], include: set[str]) -> None:
    open_calls: dict[str, dict[str, Any]] = {}
    last_reasoning: str | None = None
    for number, item in enumerate(items):
        where, kind = f"input[{number}]", item.get("type", "message")
        must(None not in item.values(), f"Invalid type for '{where}': null")
        if "id" in item:
            known = issued.get(item["id"])
            must(known is not None, f"Item with id '{item['id']}' not found.")
            assert known is not None
            must(item == {k: v for k, v in known.items() if v is not None}, f"{where} is not as it was given")
        if last_reasoning is not None:
            ours = kind in OUTPUTS or item.get("role") == "user"
            must(
                not ours,
                f"Item '{last_reasoning}' of type 'reasoning' was provided without its required following item.",
            )
        last_reasoning = None
        if kind == "reasoning":
            must("reasoning.encrypted_content" in include and item.get("encrypted_content"), f"{where} not found")
            last_reasoning = item["id"]
        elif kind in OUTPUTS:
            call = open_calls.pop(item.get("call_id", ""), None)
            must(call is not None, f"No tool call found for output with call_id {item.get('call_id')}.")
            assert call is not None
            must(call["type"] == OUTPUTS[kind], f"{where}.type does not fit the call")
            check_output(item, call, where)
        elif kind in OUTPUTS.values():
            must("id" in item, f"{where}: calls come from the model")
            open_calls[item["call_id"]] = item
        else:
            must(kind == "message", f"Invalid value: '{kind}' at {where}.type")
            if item.get("role") == "user":
                must(not open_calls, f"No tool output found for call {next(iter(open_calls), '')}.")
                check_parts(item.get("content"), f"{where}.content")
    must(last_reasoning is None, f"Item '{last_reasoning}' of type 'reasoning' without its required following item.")
    must(not open_calls, f"No tool output found for call {next(iter(open_calls), '')}.")


def check_output(item: dict[str, Any], call: dict[str, Any], where: str) -> None:
    output = item.get("output")
    if item["type"] == "function_call_output":
        must(set(item) == {"type", "call_id", "output"}, f"Unknown parameter in {where}")
        if not isinstance(output, str):
            check_parts(output, f"{where}.output")
        return
    must(set(item) <= {"type", "call_id", "output", "acknowledged_safety_checks"}, f"Unknown parameter in {where}")
    must(isinstance(output, dict) and set(output) == {"type", "image_url"}, f"Invalid type for '{where}.output'")
    assert isinstance(output, dict)
    must(output["type"] == "computer_screenshot", f"Invalid value at {where}.output.type")
    picture(output["image_url"], f"{where}.output.image_url")
    pending = [check["id"] for check in call.get("pending_safety_checks", [])]
    acknowledged = [check["id"] for check in item.get("acknowledged_safety_checks", [])]
    must(pending == acknowledged, f"The following safety checks have not been acknowledged: {pending}")


def check_parts(parts: Any, where: str) -> None:
    must(isinstance(parts, list) and parts, f"Invalid type for '{where}'")
    for number, part in enumerate(parts):
        match part.get("type"):
            case "input_text":
                must(set(part) == {"type", "text"} and part["text"], f"{where}[{number}].text")
            case "input_image":
                must(set(part) <= {"type", "image_url", "detail"}, f"{where}[{number}]")
                picture(part.get("image_url"), f"{where}[{number}].image_url")
            case kind:
                raise Refused(400, "invalid_request_error", f"Invalid value: '{kind}' at {where}[{number}].type")


# --- Chat Completions ------------------------------------------------------------------------------------------------


def check_chat(asked: Asked) -> None:
    """Raises `Refused` for what a strict server of the Chat Completions protocol would not take."""
    body = check_request(asked, CHAT_FIELDS)
    for number, tool in enumerate(body.get("tools", [])):
        function = tool.get("function", {})
        must(tool.get("type") == "function" and set(tool) == {"type", "function"}, f"tools[{number}].type")
        must(NAME.fullmatch(function.get("name", "")), f"tools[{number}].function.name")
        must(function.get("parameters", {}).get("type") == "object", f"tools[{number}].function.parameters")
    names = [tool["function"]["name"] for tool in body.get("tools", [])]
    must(len(set(names)) == len(names) and (names or "tools" not in body), "tools: names must be unique")
    messages = body.get("messages")
    must(isinstance(messages, list) and messages, "[] is too short - 'messages'")
    waiting: list[str] = []
    before = ""
    for number, message in enumerate(messages):
        where, role = f"messages[{number}]", message.get("role")
        must((role == "system") == (number == 0), f"{where}.role: one system message, at the beginning")
        # The templates of many models take nothing else.
        must(role == "tool" or role != before, f"{where}.role: roles must alternate")
        if role != "tool":
            must(not waiting, f"An assistant message with 'tool_calls' must be followed by tool messages: {waiting}")
        match role:
            case "system":
                must(isinstance(message.get("content"), str) and message["content"], f"{where}.content")
            case "user":
                check_user(message.get("content"), where)
            case "assistant":
                waiting = check_assistant(message, where)
            case "tool":
                must(set(message) == {"role", "tool_call_id", "content"}, where)
                must(message["tool_call_id"] in waiting, f"{where}.tool_call_id: no such call is waiting")
                waiting.remove(message["tool_call_id"])
                must(isinstance(message["content"], str) and message["content"], f"{where}.content: expected text")
            case _:
                must(False, f"{where}.role")
        before = role
    must(not waiting and before in ("user", "tool"), "messages: the last must be the user's")


def check_user(content: Any, where: str) -> None:
    must(isinstance(content, list) and content, f"{where}.content")
    for part in content:
        if part.get("type") == "text":
            must(set(part) == {"type", "text"} and part["text"].strip(), f"{where}.content.text")
        else:
            must(part.get("type") == "image_url" and set(part) == {"type", "image_url"}, f"{where}.content.type")
            picture(part["image_url"].get("url"), f"{where}.content.image_url.url")


def check_assistant(message: dict[str, Any], where: str) -> list[str]:
    must(set(message) <= {"role", "content", "tool_calls"}, f"{where}: Extra inputs are not permitted")
    calls = message.get("tool_calls", [])
    must(calls or (isinstance(message.get("content"), str) and message["content"]), f"{where}: nothing is said")
    must("tool_calls" not in message or calls, f"{where}.tool_calls: [] is too short")
    for call in calls:
        must(set(call) == {"id", "type", "function"} and call["type"] == "function", f"{where}.tool_calls")
        must(set(call["function"]) == {"name", "arguments"}, f"{where}.tool_calls.function")
        try:
            value = json.loads(call["function"]["arguments"])
        except (TypeError, ValueError):
            value = None
        must(isinstance(value, dict), f"{where}.tool_calls.function.arguments: the template cannot read them")
    ids = [call["id"] for call in calls]
    must(len(set(ids)) == len(ids), f"{where}.tool_calls: ids must be unique")
    return ids
