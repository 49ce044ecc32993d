"""The vendor-specific part of a model agent: how a conversation is kept, sent and parsed. The rest is `ModelAgent`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fairground.agents.models.context import Context, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.usage import Tokens
from fairground.agents.native import Dialect


@dataclass(frozen=True)
class Call:
    """A tool call of a model.

    Attributes:
        id: ID in the vendor's protocol.
        name: The tool.
        arguments: Arguments as the model wrote them.
        native: What the dialect parses: for some vendors the arguments, for others the whole block.
        fault: Why it cannot be parsed, such as incomplete JSON; empty if it can.
        wants_cursor: Whether it asks for the pointer's position.
    """

    id: str
    name: str
    arguments: Any
    native: Any
    fault: str = ""
    wants_cursor: bool = False


@dataclass(frozen=True)
class Result:
    """The result of a call: text, and an image if there is one."""

    call: Call
    text: str = ""
    seen: Seen | None = None
    error: bool = False


@dataclass(frozen=True)
class Reply:
    """One answer of a model.

    Attributes:
        thought: What it thought and said besides its calls.
        text: What it said to the user, without its thinking; for a refusal, the reason.
        calls: Its tool calls, in order.
        stop: Why it ended: `complete`; `cut` at its length limit; `paused` by the server, to be continued by asking
            again; `refused`; or `full`, if the context window is full. The last two are not part of the conversation.
        tokens: Token counts. None if the server does not report them.
    """

    thought: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: Literal["complete", "cut", "paused", "refused", "full"] = "complete"
    tokens: Tokens | None = field(default_factory=Tokens)


class Chat(Protocol):
    """A conversation with one vendor's model.

    Attributes:
        model: The model's name.
        dialect: How its computer calls are written.
    """

    model: str
    dialect: Dialect

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the SDK or an API key is missing. Makes no request."""

    def close(self) -> None:
        """Close connections, also while `ask` waits in another thread. The next request opens new ones."""

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Start a new conversation."""

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Send a message to the model, as the user or the harness."""

    def results(self, results: list[Result]) -> None:
        """Send the results of all calls of the last reply, in order."""

    def ask(self) -> Reply:
        """Send the conversation once and add the reply to it.

        Raises:
            Transient: If a retry may succeed.
            ModelRefused: If the model refuses.
            ContextTooLong: If the conversation is too long for the model.
            ImageRefused: If an image is too large.
            RequestRefused: If the server rejects the request.
            AccessRefused: If the key is rejected.
            UnknownModel: If the server has no such model.
        """
