"""What differs from vendor to vendor: how a conversation is kept, sent and read. The rest is `ModelAgent`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fairground.agents.models.context import Context, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.usage import Tokens
from fairground.agents.native import Dialect


@dataclass(frozen=True)
class Call:
    """A tool call that a model made.

    Attributes:
        id: What the vendor's protocol knows it by.
        name: The tool.
        arguments: As the model wrote them.
        native: What the dialect reads: for some vendors the arguments, for others the whole block.
        fault: Why it cannot be read at all, such as half a JSON; empty when it can.
        wants_cursor: Whether it asks where the pointer is.
    """

    id: str
    name: str
    arguments: Any
    native: Any
    fault: str = ""
    wants_cursor: bool = False


@dataclass(frozen=True)
class Result:
    """What came of a call: words, and a picture if there is one."""

    call: Call
    text: str = ""
    seen: Seen | None = None
    error: bool = False


@dataclass(frozen=True)
class Reply:
    """One answer of a model.

    Attributes:
        thought: What it thought and said beside its calls.
        text: What it said to the person, without its thinking; of a refusal, the reason.
        calls: The tools it called, in order.
        stop: Why it ended: `complete`; `cut` at the limit of its length; `paused` by the server, to be continued by
            asking again; `refused`; or `full`, when nothing more goes into what the model can hold. The last two are
            not part of the conversation.
        tokens: What it took; None when the server does not say.
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
        """Raises `MissingPrerequisite` when the SDK or a key is missing; makes no request."""

    def close(self) -> None:
        """Lets go of connections, also while `ask` waits in another thread; the next request makes new ones."""

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """Starts a conversation, with nothing of the last one."""

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """Says something to the model, as the person or the harness."""

    def results(self, results: list[Result]) -> None:
        """Gives the results of all calls of the last reply, in order."""

    def ask(self) -> Reply:
        """Sends the conversation once and adds the reply to it.

        Raises:
            Transient: It may work the next time.
            ModelRefused: The model declines.
            ContextTooLong: The conversation is too long for the model.
            ImageRefused: A picture is too large.
            RequestRefused: The request is not taken as it is.
            AccessRefused: The key is refused.
            UnknownModel: The server has no such model.
        """
