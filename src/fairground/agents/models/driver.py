"""The model agent, for any vendor: one action per observation, within budgets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from pydantic import Field

from fairground.agents.models.calling import (
    BudgetSpent,
    Caller,
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    Pace,
    RetryPolicy,
    Transient,
)
from fairground.agents.models.chat import Call, Chat, Reply, Result
from fairground.agents.models.connecting import reach
from fairground.agents.models.context import Context, ContextPolicy, ImageLimits
from fairground.agents.models.endings import GIVE_ANSWER, SpokenTool, read_spoken, spoken_tools
from fairground.agents.models.prices import Price
from fairground.agents.models.prompting import Coordinates, system_prompt, task_prompt
from fairground.agents.models.usage import Tokens, Usage
from fairground.agents.protocol import Brief, Turn
from fairground.core import Action, Done, Fail, FairgroundError, InvalidAction, InvalidInput, Look, Observation, Record

_REFUSED = "Refused:"  # prefix of the episode loop's message about a refused action
_NOT_DONE = "Not carried out, because an earlier call of the same answer was not."
_THOUGHT = 20_000  # maximum characters of a recorded thought
_SHOWN = 2_000  # maximum characters of a refusal or error message


class EpisodeBudget(Record):
    """Limits of one episode of a model agent.

    An agent that used up its tokens or dollars has failed. When its time is up, it gives up and is judged on what it
    did.
    """

    tokens: int | None = Field(None, ge=1, description="read and written, including cached ones")
    seconds: float | None = Field(None, gt=0, description="since the start of the episode")
    dollars: float | None = Field(None, gt=0, description="cannot be enforced if the price is unknown")


class ModelAgent:
    """An agent driven by a model.

    An answer may contain several calls. Each becomes one or more turns, and all results are sent back together. A call
    that cannot be parsed, or whose action is refused, is answered with the error, and the calls after it are not
    performed. An unusable answer is requested again, at most `asks` times in a row. Then it costs a step, like a
    refused action.

    Args:
        chat: The conversation with a vendor's model.
        name: Agent name in reports.
        limits: Image limits.
        context: Which frames stay in the conversation.
        price: Price of the model. None if unknown; then no dollars are counted.
        budget: Limits of one episode.
        retries: Retry policy of one request.
        asks: Maximum number of consecutive unusable answers per step.
        coordinates: How the model names a point. Its dialect parses them.
        pace: Clock and randomness.
        system: Creates the system prompt if the default does not fit, as for models without tools.
        server: Address of a server that is not the vendor's own, and where the user wrote it.

    Attributes:
        usage: Usage of the episode so far.
        budget: Limits of one episode. May be set before `begin`.
        price: Price of the model. May be set before `begin`.
        limits: Initial image limits.
        policy: Which frames stay in the conversation.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        name: str,
        limits: ImageLimits,
        context: ContextPolicy,
        price: Price | None,
        budget: EpisodeBudget,
        retries: RetryPolicy,
        asks: int = 3,
        coordinates: Coordinates = "pixels",
        pace: Pace,
        system: Callable[[Brief], str] | None = None,
        server: tuple[str, str] | None = None,
    ) -> None:
        if asks < 1:
            raise InvalidInput(f"asks is {asks}, expected at least 1")
        self.name = name
        self.budget = budget
        self.usage = self._unused(price)
        self._chat = chat
        self.limits = limits
        self.policy = context
        self.price = price
        self._caller = Caller(retries, pace, model=chat.model)
        self._asks = asks
        self._coordinates = coordinates
        self._pace = pace
        self._system = system or partial(system_prompt, coordinates=coordinates)
        self._server = server
        self._closed = False

    @property
    def model(self) -> str:
        """The model's name, as used by the vendor and price tables."""
        return self._chat.model

    @property
    def replied(self) -> bool:
        """Whether the model has ever replied to this agent."""
        return self._caller.replied

    @property
    def failure(self) -> FairgroundError | None:
        """The error of the last request, or None. Reset by a new episode."""
        return self._caller.failure

    def check(self) -> None:
        """Raise `MissingPrerequisite` if the vendor's SDK or an API key is missing. Makes no request."""
        self._chat.check()

    def reach(self) -> None:
        """Raise `Unreachable` if nothing listens at the given address. Makes no request."""
        if self._server is not None:
            reach(*self._server)

    def close(self) -> None:
        """Stop all requests: an agent left behind in a thread must not spend more. `begin` opens it again."""
        self._closed = True
        self._chat.close()

    def begin(self, brief: Brief) -> None:
        """Start a conversation about this task. Nothing of the last one is kept."""
        self._closed = False
        self._caller.failure = None
        self._chat.check()
        self.usage = self._unused(self.price)
        self._started = self._pace.clock()
        self._brief = brief
        self._context = Context(brief.size, self.limits, self.policy)
        self._tools: dict[str, SpokenTool] = {tool.name: tool for tool in spoken_tools(brief.kind)}
        self._chat.begin(self._system(brief), tuple(self._tools.values()), self._context)
        self._first = True
        self._waiting: deque[Call] = deque()  # calls of the last reply that were not processed yet
        self._call: Call | None = None  # the current call
        self._actions: deque[Action] = deque()  # remaining actions of the current call
        self._last: Action | None = None
        self._heard: list[str] = []  # messages of the world in the meantime
        self._results: list[Result] = []  # results of the calls before it

    def act(self, observation: Observation) -> Turn:
        """Return the next action."""
        try:
            if self._first:
                self._first = False
                self._chat.tell(task_prompt(self._brief), self._context.see(observation.frame))
            elif self._call is None:  # the last step was used up by unusable answers
                words = (*observation.messages, "This is the screen now. Call a tool, or say that you are finished.")
                self._chat.tell("\n".join(words), self._context.see(observation.frame))
            else:
                self._take(self._call, observation)
            return self._next(observation)
        except ModelRefused as refusal:
            return _give_up(f"the model refused: {refusal.message}")
        except ContextTooLong as error:
            return _give_up(f"the conversation is too long for the model: {error.message}")

    # --- what came of the last action ---------------------------------------------------------------------------------

    def _take(self, done: Call, observation: Observation) -> None:
        refused = any(message.startswith(_REFUSED) for message in observation.messages)
        self._heard += observation.messages
        if self._actions and not refused:
            return
        self._call = None
        self._actions.clear()
        seen = None
        if isinstance(self._last, Look) and not refused and not done.wants_cursor:
            seen = self._context.see(observation.frame, self._last.region)
        if done.wants_cursor:
            at = observation.cursor
            self._heard.append(
                "The pointer is out of sight." if at is None else "X={},Y={}".format(*self._context.from_screen(at))
            )
        self._results.append(Result(done, "\n".join(self._heard), seen, error=refused))
        self._heard = []
        if refused or (self._last is not None and self._last.ends):  # an end that was sent back changes what comes next
            self._drop_waiting()

    def _drop_waiting(self) -> None:
        self._results += [Result(left, _NOT_DONE, error=True) for left in self._waiting]
        self._waiting.clear()

    # --- what to do next ----------------------------------------------------------------------------------------------

    def _next(self, observation: Observation) -> Turn:
        if self._actions:
            return self._turn(self._actions.popleft(), "")
        if (turn := self._from_waiting("")) is not None:
            return turn
        if self._results:
            self._show_result(observation)
        for _ in range(self._asks):
            if (spent := self._spent()) is not None:
                raise BudgetSpent(spent)
            if (late := self._late()) is not None:
                return _give_up(late)
            reply = self._ask()
            if (turn := self._from_reply(reply)) is not None:
                return turn
        return Turn(Look(), f"None of {self._asks} answers in a row could be used.")

    def _show_result(self, observation: Observation) -> None:
        """Send all results at once. The last one always shows the screen."""
        *before, last = self._results
        if last.seen is None:
            last = Result(last.call, last.text, self._context.see(observation.frame), last.error)
        self._chat.results([*before, last])
        self._results = []

    def _from_reply(self, reply: Reply) -> Turn | None:
        """Return the turn that a reply asks for. None if it is unusable; then the model was told why."""
        if reply.calls:
            self._waiting.extend(reply.calls)
            turn = self._from_waiting(reply.thought)
            if turn is None:
                self._chat.results(self._results)
                self._results = []
            return turn
        if reply.stop == "paused":
            return None
        text = reply.text.strip()
        if reply.stop == "cut":
            self._chat.tell("Your answer was cut off because it was too long. Be brief, and call a tool.")
        elif not text:
            self._chat.tell("Your answer was empty. Call a tool, or say in a sentence that you are finished.")
        elif self._brief.kind == "action":
            return Turn(Done(), reply.thought[:_THOUGHT])
        else:
            try:
                return Turn(read_spoken(GIVE_ANSWER, {GIVE_ANSWER.field: text}), reply.thought[:_THOUGHT])
            except InvalidAction as error:
                self._chat.tell(f"That cannot be an answer: {error}")
        return None

    def _from_waiting(self, thought: str) -> Turn | None:
        if not self._waiting:
            return None
        call = self._waiting.popleft()
        try:
            actions = self._read(call)
        except InvalidAction as error:
            self._results.append(Result(call, str(error)[:_SHOWN], error=True))
            self._drop_waiting()
            return None
        self._call = call
        self._actions = deque(actions)
        return self._turn(self._actions.popleft(), thought)

    def _read(self, call: Call) -> tuple[Action, ...]:
        if call.fault:
            raise InvalidAction(call.fault)
        if call.name in self._tools:
            return (read_spoken(self._tools[call.name], call.arguments),)
        actions = self._chat.dialect.parse(call.native, self._context.size)
        return tuple(self._context.to_screen(action) for action in actions)

    def _turn(self, action: Action, thought: str) -> Turn:
        self._last = action
        return Turn(action, thought[:_THOUGHT])

    # --- asking -------------------------------------------------------------------------------------------------------

    def _ask(self) -> Reply:
        """Return one reply. A conversation that is too long is cut once; images that are too large are reduced once."""
        remedies: dict[type[Exception], Callable[[], bool]] = {
            ContextTooLong: self._shorten,
            ImageRefused: self._shrink,
        }
        while True:
            try:
                reply = self._caller.call(self._send, self._count_failure)
                self._count(reply.tokens)
                if reply.stop == "full":
                    raise ContextTooLong("its answer reached the end of what the model can hold")
            except (ContextTooLong, ImageRefused) as error:
                remedy = remedies.pop(type(error), None)
                if remedy is None or not remedy():
                    raise
                continue
            if reply.stop == "refused":
                raise ModelRefused(reply.text or "it gave no reason")
            return reply

    def _send(self) -> Reply:
        if self._closed:
            raise ModelUnavailable(f"{self.name} was closed; no more requests are sent")
        return self._chat.ask()

    def _shorten(self) -> bool:
        return self._context.forget(1)

    def _shrink(self) -> bool:
        if not self._context.shrink():
            return False
        if self._coordinates == "grid":
            return True  # independent of the size, so the model need not be told
        width, height = self._context.size
        self._chat.tell(f"From now on screenshots are {width}x{height} pixels; give coordinates in this size.")
        return True

    def _spent(self) -> str | None:
        """Return which budget of tokens or dollars is used up, or None."""
        budget, used = self.budget, self.usage
        if budget.tokens is not None and used.tokens >= budget.tokens:
            return f"token budget: {used.tokens} of {budget.tokens} tokens are used"
        if budget.dollars is not None and used.dollars is not None and used.dollars >= budget.dollars:
            return f"dollar budget: ${used.dollars:.2f} of ${budget.dollars:.2f} are spent"
        return None

    def _late(self) -> str | None:
        budget = self.budget
        seconds = self._pace.clock() - self._started
        if budget.seconds is not None and seconds >= budget.seconds:
            return f"time budget: {seconds:.0f} of {budget.seconds:.0f} seconds are over"
        return None

    def _count(self, tokens: Tokens | None) -> None:
        dollars = None if tokens is None or self.price is None else self.price.dollars(tokens)
        self.usage = self.usage.plus(tokens or Tokens(), dollars)

    def _count_failure(self, failure: Transient) -> None:
        self.usage = self.usage.model_copy(update={"failures": self.usage.failures + 1})
        if failure.tokens is not None:
            self._count(failure.tokens)

    @staticmethod
    def _unused(price: Price | None) -> Usage:
        return Usage(dollars=None if price is None else 0.0)


def _give_up(reason: str) -> Turn:
    """Return a turn that gives up. The thought has the reason too, because a replay shows it."""
    short = reason[:_SHOWN]
    return Turn(Fail(reason=short), short)
