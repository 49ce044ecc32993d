"""What the Gemini API refuses: a conversation that it would not take makes a test fail here already."""

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
PATH = re.compile(r"/v1beta/models/([\w.-]+):(generateContent|streamGenerateContent\?alt=sse)")
OLD = re.compile(r"gemini-2\.")  # signatures may be left out, thinking is measured in tokens
FIRST = re.compile(r"gemini-(2\.|3-|3\.[0-4]\b)")  # only browsers
FIELDS = {"contents", "systemInstruction", "tools", "generationConfig"}
GENERATION = {"temperature", "seed", "maxOutputTokens", "thinkingConfig"}
FREE = {"args", "response", "parametersJsonSchema"}
DATA = {"text", "inlineData", "functionCall", "functionResponse"}
PREDEFINED: dict[str, set[str]] = {
    "ENVIRONMENT_BROWSER": {
        "open_web_browser",
        "wait_5_seconds",
        "go_back",
        "go_forward",
        "search",
        "navigate",
        "click_at",
        "hover_at",
        "type_text_at",
        "key_combination",
        "scroll_document",
        "scroll_at",
        "drag_and_drop",
    },
    "ENVIRONMENT_DESKTOP": {
        "click",
        "double_click",
        "triple_click",
        "middle_click",
        "right_click",
        "mouse_down",
        "mouse_up",
        "move",
        "type",
        "press_key",
        "key_down",
        "key_up",
        "hotkey",
        "scroll",
        "drag_and_drop",
        "wait",
        "take_screenshot",
    },
}
MAX_REQUEST = 20 << 20


class Refused(Exception):
    """What the API answers instead: code, status, message."""

    def __init__(self, code: int, status: str, message: str) -> None:
        super().__init__(f"{code} {status}: {message}")
        self.code, self.status, self.message = code, status, message


def check(asked: Asked) -> None:
    """Raises `Refused` for a request that the API would not take."""
    found = PATH.fullmatch(asked.path)
    if found is None:
        raise Refused(404, "NOT_FOUND", f"no {asked.path}")
    model = found[1]
    must(asked.headers.get("x-goog-api-key") == KEY, "API key not valid. Please pass a valid API key.")
    must(asked.size <= MAX_REQUEST, f"Request payload size exceeds the limit: {MAX_REQUEST} bytes.")
    must(int(asked.headers.get("x-server-timeout", "999")) >= 300, "the server would have no time to answer")
    body = camel(asked.body)
    must(isinstance(body, dict), "Invalid JSON payload received.")
    for name in body:
        must(name in FIELDS, f'Invalid JSON payload received. Unknown name "{name}"')
    check_generation(body.get("generationConfig", {}), model)
    tools = check_tools(body.get("tools", []), model)
    for part in body.get("systemInstruction", {}).get("parts", []):
        must(set(part) == {"text"} and bool(part["text"].strip()), "systemInstruction: expected text")
    check_contents(body.get("contents"), model, tools)


def camel(data: Any) -> Any:
    """Fields may be spelt in two ways, and the SDK uses both; what people or models named stays as it is."""
    if isinstance(data, list):
        return [camel(each) for each in data]
    if not isinstance(data, dict):
        return data
    named = {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in data.items()}
    return {name: value if name in FREE else camel(value) for name, value in named.items()}


def must(holds: bool, message: str) -> None:
    if not holds:
        raise Refused(400, "INVALID_ARGUMENT", message)


def check_generation(config: dict[str, Any], model: str) -> None:
    must(set(config) <= GENERATION, f"generation_config: Unknown name {sorted(set(config) - GENERATION)}")
    must(0 <= config.get("temperature", 0) <= 2, "temperature must be in the range [0.0, 2.0]")
    must(isinstance(config.get("seed", 0), int) and config.get("seed", 0) < 2**31, "seed: expected an int32")
    thinking = config.get("thinkingConfig", {})
    must(set(thinking) <= {"includeThoughts", "thinkingLevel", "thinkingBudget"}, "thinking_config: Unknown name")
    must(len({"thinkingLevel", "thinkingBudget"} & set(thinking)) < 2, "only one of thinking budget and thinking level")
    if "thinkingLevel" in thinking:
        must(not OLD.match(model), "Thinking level is not supported for this model.")
        must(thinking["thinkingLevel"] in ("MINIMAL", "LOW", "MEDIUM", "HIGH"), "thinking_level: unknown")


def check_tools(tools: list[Any], model: str) -> tuple[str, set[str]]:
    """The environment, and the names of all functions."""
    environment, names = "", []
    for number, tool in enumerate(tools):
        must(len(tool) == 1, f"tools[{number}]: expected one kind of tool")
        for kind, value in tool.items():
            must(kind in ("computerUse", "functionDeclarations"), f'tools[{number}]: Unknown name "{kind}"')
            if kind == "computerUse":
                must(not environment, "at most one computer use tool")
                environment = value.get("environment")
                must(environment in PREDEFINED, f"tools[{number}].computer_use.environment: unknown")
                fits = environment == "ENVIRONMENT_BROWSER" or not FIRST.match(model)
                must(fits, f"{environment} is not supported for {model}")
                must(set(value) <= {"environment", "excludedPredefinedFunctions"}, "computer_use: Unknown name")
                left_out = set(value.get("excludedPredefinedFunctions", []))
                must(left_out <= PREDEFINED[environment], f"excluded_predefined_functions: {sorted(left_out)}")
                names += PREDEFINED[environment] - left_out
            else:
                names += [check_declaration(each) for each in value]
    must(len(set(names)) == len(names), f"Duplicate function declaration found: {names}")
    return environment, set(names)


def check_declaration(declaration: dict[str, Any]) -> str:
    must(set(declaration) == {"name", "description", "parametersJsonSchema"}, "function_declarations: wrong fields")
    must(bool(re.fullmatch(r"[a-zA-Z_][\w.-]{0,63}", declaration["name"])), "Invalid function name")
    schema = declaration["parametersJsonSchema"]
    must(schema.get("type") == "object" and bool(schema.get("properties")), "parameters: should be non-empty")
    must(set(schema.get("required", [])) <= set(schema["properties"]), "parameters.required: not defined")
    return str(declaration["name"])


def check_contents(contents: Any, model: str, tools: tuple[str, set[str]]) -> None:
    must(isinstance(contents, list) and bool(contents), "contents is not specified")
    called: list[dict[str, Any]] = []  # by the turn before
    for number, content in enumerate(contents):
        where = f"contents[{number}]"
        must(set(content) == {"role", "parts"}, f"{where}: wrong fields")
        must(content["role"] == ("user" if number % 2 == 0 else "model"), f"{where}: roles must alternate")
        must(isinstance(content["parts"], list) and bool(content["parts"]), f"{where}.parts: must not be empty")
        for place, part in enumerate(content["parts"]):
            kinds = DATA & set(part)
            must(
                len(kinds) == 1, f"{where}.parts[{place}]: required oneof field 'data' must have one initialized field"
            )
            must(set(part) <= DATA | {"thought", "thoughtSignature"}, f"{where}.parts[{place}]: Unknown name")
        if content["role"] == "user":
            check_user(content["parts"], called, tools, where)
            called = []
        else:
            called = check_model(content["parts"], model, where)
    must(contents[-1]["role"] == "user", "Please ensure that the last turn is a user turn.")


def check_user(parts: list[Any], called: list[dict[str, Any]], tools: tuple[str, set[str]], where: str) -> None:
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    must(
        len(responses) == len(called),
        f"{where}: Please ensure that the number of function response parts is equal to the number of function call"
        f" parts of the function call turn: {len(called)}, found {len(responses)}",
    )
    must(all("functionResponse" in part for part in parts[: len(called)]), f"{where}: function responses come first")
    for call, response in zip(called, responses, strict=True):
        check_response(call, response, tools, where)
    for place, part in enumerate(parts):
        if "text" in part:
            must(isinstance(part["text"], str) and bool(part["text"].strip()), f"{where}.parts[{place}]: empty text")
        elif "inlineData" in part:
            check_image(part["inlineData"], f"{where}.parts[{place}]")
        must("functionCall" not in part, f"{where}: a function call in a user turn")


def check_response(call: dict[str, Any], response: dict[str, Any], tools: tuple[str, set[str]], where: str) -> None:
    environment, _ = tools
    must(set(response) <= {"id", "name", "response", "parts"}, f"{where}.function_response: Unknown name")
    must(
        response.get("name") == call["name"], f"{where}: the response is of {response.get('name')}, not {call['name']}"
    )
    must(response.get("id") == call.get("id"), f"{where}: the response has another id than the call")
    said = response.get("response")
    must(isinstance(said, dict) and bool(said), f"{where}.function_response.response: expected an object")
    for part in response.get("parts", []):
        must(set(part) == {"inlineData"}, f"{where}.function_response.parts: Unknown name {sorted(part)}")
        check_image(part["inlineData"], where)
    if call["name"] in PREDEFINED.get(environment, set()) and environment == "ENVIRONMENT_BROWSER":
        must(isinstance(said.get("url"), str), f"{where}: Computer Use needs the url with each result")
    if call.get("args", {}).get("safety_decision", {}).get("decision") == "require_confirmation":
        must(said.get("safety_acknowledgement") == "true", f"{where}: the safety decision was not acknowledged")


def check_model(parts: list[Any], model: str, where: str) -> list[dict[str, Any]]:
    calls = [part for part in parts if "functionCall" in part]
    if calls and not OLD.match(model):
        must("thoughtSignature" in calls[0], f"{where}: Function call is missing a thought_signature")
    for place, part in enumerate(parts):
        must("functionResponse" not in part, f"{where}.parts[{place}]: a function response of the model's")
        if "thoughtSignature" in part:
            must(part["thoughtSignature"] == signature(part), f"{where}.parts[{place}]: Corrupted thought signature.")
    return [part["functionCall"] for part in calls]


def signature(part: dict[str, Any]) -> str:
    """Of one part: whatever is said otherwise, or elsewhere, has another one. As a server writes bytes in JSON."""
    content = {name: value for name, value in part.items() if name != "thoughtSignature"}
    return base64.urlsafe_b64encode(hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()).decode()


def check_image(blob: dict[str, Any], where: str) -> None:
    must(set(blob) == {"mimeType", "data"}, f"{where}.inline_data: wrong fields")
    try:
        text = blob["data"].replace("-", "+").replace("_", "/")  # the API takes both alphabets
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, AttributeError):
        raise Refused(400, "INVALID_ARGUMENT", f"{where}.inline_data.data: Base64 decoding failed") from None
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            kind = f"image/{(image.format or '').lower()}"
    except OSError:
        raise Refused(400, "INVALID_ARGUMENT", "Unable to process input image.") from None
    must(blob["mimeType"] == kind, f"{where}.inline_data.mime_type: it is {kind}")
