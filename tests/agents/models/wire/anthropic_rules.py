"""What the Messages API refuses: a conversation that it would not take makes a test fail here already."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
import re
from typing import Any

from PIL import Image

from .server import Asked

KEY = "test-key"
NEW = re.compile(r"claude-(fable|mythos|opus|sonnet|haiku)-5-[1-9]")  # thinking is bound, no old tools
FIFTH = re.compile(r"claude-(fable|mythos|opus|sonnet|haiku)-5")  # no sampling parameters
BETAS = {"computer_20250124": "computer-use-2025-01-24", "computer_20251124": "computer-use-2025-11-24"}
TOOLSET = "computer_toolset_20260801"
MEMBERS = set(
    [
        "key",
        "hold_key",
        "type",
        "cursor_position",
        "mouse_move",
        "left_mouse_down",
        "left_mouse_up",
        "left_click",
        "left_click_drag",
        "right_click",
        "middle_click",
        "double_click",
        "triple_click",
        "scroll",
        "wait",
        "screenshot",
        "zoom",
    ]
)
FIELDS = set(
    [
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "thinking",
        "cache_control",
        "output_config",
        "temperature",
        "stream",
    ]
)
MAX_REQUEST = 32 << 20
MAX_IMAGE = 5 << 20


class Refused(Exception):
    """What the API answers instead: status, kind, message."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(f"{status} {kind}: {message}")
        self.status, self.kind, self.message = status, kind, message


def check(asked: Asked, *, paused: bool) -> None:
    """Raises `Refused` for a request that the API would not take; `paused` lets it end with the model's own turn."""
    if KEY not in (asked.headers.get("x-api-key"), asked.headers.get("authorization", "").removeprefix("Bearer ")):
        raise Refused(401, "authentication_error", "invalid API key")
    if asked.size > MAX_REQUEST:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    must("anthropic-version" in asked.headers, "anthropic-version: header is required")
    body = asked.body
    must(isinstance(body, dict), "The request body is not valid JSON")
    for name in body:
        must(name in FIELDS, f"{name}: Extra inputs are not permitted")
    betas = [beta for beta in asked.headers.get("anthropic-beta", "").split(",") if beta]
    must(isinstance(body.get("model"), str), "model: Field required")
    must(isinstance(body.get("max_tokens"), int) and body["max_tokens"] > 0, "max_tokens: Field required")
    if "temperature" in body:
        must(not FIFTH.match(body["model"]), "`temperature` is not supported by this model")
    check_thinking(body, betas)
    check_tools(body, betas)
    for block in body.get("system", []):
        check_text(block, "system")
    check_messages(body, paused=paused)


def must(holds: bool, message: str) -> None:
    if not holds:
        raise Refused(400, "invalid_request_error", message)


def check_thinking(body: dict[str, Any], betas: list[str]) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    must(thinking.get("type") in ("adaptive", "enabled", "disabled", "between_tools"), "thinking.type: unknown")
    if thinking["type"] == "adaptive":
        old = re.match(r"claude-(opus|sonnet|haiku)-4-[0-5]\b|claude-3", body["model"])
        must(not old, "adaptive thinking is not supported on this model")
    if "block_binding" in thinking:
        must("thinking-binding-controls-2026-08-01" in betas, "thinking.block_binding: Extra inputs are not permitted")


def check_tools(body: dict[str, Any], betas: list[str]) -> None:
    names = []
    for number, tool in enumerate(body.get("tools", [])):
        where, kind = f"tools.{number}", tool.get("type", "custom")
        if kind in BETAS:
            must(not NEW.match(body["model"]), f"{where}: '{body['model']}' does not support tool type {kind}")
            must(BETAS[kind] in betas, f"{where}: tool type {kind} needs its beta header")
            allowed = {"type", "name", "display_width_px", "display_height_px", "display_number", "cache_control"}
            allowed |= {"enable_zoom"} if kind == "computer_20251124" else set()
            must(tool.get("name") == "computer", f"{where}.name: Input should be 'computer'")
            for side in ("display_width_px", "display_height_px"):
                must(isinstance(tool.get(side), int) and tool[side] > 0, f"{where}.{side}: Field required")
            names.append("computer")
        elif kind == TOOLSET:
            must(
                bool(FIFTH.match(body["model"]) or body["model"].startswith("claude-opus-4-8")),
                f"{where}: '{body['model']}' does not support tool type {kind}",
            )
            allowed = {"type", "configs", "cache_control"}
        else:
            must(kind == "custom", f"{where}.type: Input tag '{kind}' found")
            must(bool(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool.get("name", ""))), f"{where}.name: wrong")
            must(tool.get("input_schema", {}).get("type") == "object", f"{where}.input_schema.type: Field required")
            allowed = {"type", "name", "description", "input_schema", "cache_control"}
            names.append(tool["name"])
        must(set(tool) <= allowed, f"{where}: Extra inputs are not permitted: {sorted(set(tool) - allowed)}")
    must(len(set(names)) == len(names), "tools: Tool names must be unique.")


def check_messages(body: dict[str, Any], *, paused: bool) -> None:
    messages = body.get("messages")
    must(isinstance(messages, list) and bool(messages), "messages: at least one message is required")
    images: list[tuple[int, int]] = []
    used: dict[str, dict[str, Any]] = {}  # calls of the message before that wait for a result
    for number, message in enumerate(messages):
        where = f"messages.{number}"
        must(set(message) == {"role", "content"}, f"{where}: wrong fields")
        must(message["role"] == ("user" if number % 2 == 0 else "assistant"), f"{where}: roles must alternate")
        content = message["content"]
        must(isinstance(content, list) and bool(content), f"{where}: content must not be empty")
        if message["role"] == "user":
            check_user(content, used, images, where)
            used = {}
        else:
            used = check_assistant(content, where)
            check_bound(body, number)
    must(messages[-1]["role"] == "user" or paused, "This model does not support assistant message prefill.")
    longest = 2000 if len(images) > 20 else 8000
    for width, height in images:
        must(
            max(width, height) <= longest,
            f"messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed"
            f" size: {longest} pixels",
        )


def check_user(content: list[Any], used: dict[str, Any], images: list[tuple[int, int]], where: str) -> None:
    results = [block for block in content if block.get("type") == "tool_result"]
    ids = [block.get("tool_use_id") for block in results]
    must(sorted(ids) == sorted(used), f"{where}: tool_use ids need a tool_result each: {sorted(used)}, found {ids}")
    must(content[: len(results)] == results, f"{where}: tool_result blocks must come first")
    for number, block in enumerate(content):
        place = f"{where}.content.{number}"
        if block.get("type") != "tool_result":
            check_shown(block, images, place)
            continue
        allowed = {"type", "tool_use_id", "content", "is_error", "toolset_name", "cache_control"}
        must(set(block) <= allowed, f"{place}: Extra inputs are not permitted")
        family = used[block["tool_use_id"]].get("toolset_name")
        must(block.get("toolset_name") == family, f"{place}.toolset_name: must match that of the tool_use")
        must(isinstance(block.get("content"), list), f"{place}.content: expected a list")
        for part in block["content"]:
            check_shown(part, images, place)
            if block.get("is_error"):
                must(part["type"] == "text", f"{place}: all content must be type `text` if `is_error` is true")
        must(bool(block["content"]), f"{place}: content cannot be empty if `is_error` is true")


def check_assistant(content: list[Any], where: str) -> dict[str, Any]:
    used: dict[str, Any] = {}
    for number, block in enumerate(content):
        place = f"{where}.content.{number}"
        match block.get("type"):
            case "text":
                check_text(block, place)
            case "tool_use":
                must(bool(re.fullmatch(r"[a-zA-Z0-9_-]+", block.get("id", ""))), f"{place}.id: wrong")
                must(isinstance(block.get("input"), dict), f"{place}.input: Input should be a valid dictionary")
                must(block["id"] not in used, f"{place}: `tool_use` ids must be unique")
                used[block["id"]] = block
            case "thinking":
                must(set(block) == {"type", "thinking", "signature"}, f"{place}: wrong fields")
            case "redacted_thinking":
                must(set(block) == {"type", "data"}, f"{place}: wrong fields")
            case kind:
                must(False, f"{place}.type: Input tag '{kind}' found")
    return used


def check_bound(body: dict[str, Any], number: int) -> None:
    """Thinking comes back as it went out, and after the very messages that it came after."""
    binding = body.get("thinking", {}).get("block_binding", {})
    for place, block in enumerate(body["messages"][number]["content"]):
        if block.get("type") != "thinking":
            continue
        kind, _, bound = block["signature"].partition(":")
        must(kind == digest(block["thinking"]), f"messages.{number}.content.{place}: Invalid `signature`")
        same = bound == digest(body["messages"][:number])
        must(
            same or not NEW.match(body["model"]) or binding.get("prefix_mismatch_behavior") == "drop_block",
            f"messages.{number}.content.{place}: Invalid `signature` in `thinking` block. The block is bound to a"
            " different conversation.",
        )


def signature(thinking: str, messages: list[Any]) -> str:
    return f"{digest(thinking)}:{digest(messages)}"


def digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def check_shown(block: dict[str, Any], images: list[tuple[int, int]], where: str) -> None:
    if block.get("type") == "text":
        check_text(block, where)
        return
    must(block.get("type") == "image", f"{where}.type: Input tag '{block.get('type')}' found")
    source = block.get("source", {})
    must(source.get("type") == "base64", f"{where}.image.source.type: wrong")
    try:
        data = base64.b64decode(source.get("data", ""), validate=True)
    except binascii.Error:
        raise Refused(400, "invalid_request_error", f"{where}.image.source.base64: invalid base64 data") from None
    must(len(data) <= MAX_IMAGE, f"{where}.image.source.base64: image exceeds 5 MB maximum: {len(data)} bytes")
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        must(source.get("media_type") == f"image/{(image.format or '').lower()}", f"{where}: media type mismatch")
        images.append(image.size)


def check_text(block: dict[str, Any], where: str) -> None:
    must(set(block) <= {"type", "text", "cache_control", "citations"}, f"{where}: Extra inputs are not permitted")
    must(isinstance(block.get("text"), str), f"{where}.text: Field required")
    must(bool(block["text"].strip()), f"{where}: text content blocks must contain non-whitespace text")
