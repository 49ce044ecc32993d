"""Print estimates of time, tokens and cost before a run starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.markup import escape

from fairground.cli.output import print_entry
from fairground.report.plural import counted
from fairground.rollout.estimates import Estimate, Range


def print_estimates(agents: Sequence[str], estimates: Sequence[Estimate]) -> None:
    """Prints the total of all agents, each agent's part, and each basis once. Agents run one after the other."""
    both = list(zip(agents, estimates, strict=True))
    times = [(agent, estimate.seconds) for agent, estimate in both]
    _print("time", times, _duration, f" with {counted(estimates[0].workers, 'worker')}")
    _print_bases((agent, estimate.seconds_from) for agent, estimate in both)
    tokens = [(agent, estimate.tokens) for agent, estimate in both if estimate.tokens is not None]
    if not tokens:
        return
    _print("tokens", tokens, _amount)
    _print_bases((agent, estimate.tokens_from) for agent, estimate in both if estimate.tokens is not None)
    dollars = [(agent, estimate.dollars) for agent, estimate in both if estimate.dollars is not None]
    if dollars:
        _print("cost", dollars, _cost)
    else:
        print_entry("[bold]cost[/]", "unknown")
    _print_bases((agent, estimate.dollars_from) for agent, estimate in both if estimate.tokens is not None)


def _print(name: str, parts: Sequence[tuple[str, Range]], write: Callable[[Range], str], more: str = "") -> None:
    total = Range(sum(part.low for _, part in parts), sum(part.high for _, part in parts))
    print_entry(f"[bold]{name}[/]", f"{write(total)}{more}")
    if len(parts) > 1:
        print_entry(" ", f"[dim]{escape('; '.join(f'{agent}: {write(part)}' for agent, part in parts))}[/]")


def _print_bases(bases: Iterable[tuple[str, str]]) -> None:
    """Prints where the numbers come from. Agents with the same basis share a line."""
    by_basis: dict[str, list[str]] = {}
    for agent, basis in bases:
        by_basis.setdefault(basis, []).append(agent)
    for basis, agents in by_basis.items():
        whose = f"{', '.join(agents)}: " if len(by_basis) > 1 else "each agent: " if len(agents) > 1 else ""
        print_entry(" ", f"[dim]{escape(whose + basis)}[/]")


def _duration(seconds: Range) -> str:
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds.high >= 2 * size:
            return f"{_span(f'{seconds.low / size:.1f}', f'{seconds.high / size:.1f}')} {unit}"
    return f"{_span(f'{seconds.low:.0f}', f'{seconds.high:.0f}')} seconds"


def _amount(tokens: Range) -> str:
    for size, unit in ((1e6, " million"), (1e3, " thousand")):
        if tokens.high >= size:
            return f"{_span(f'{tokens.low / size:.1f}', f'{tokens.high / size:.1f}')}{unit}"
    return _span(f"{tokens.low:.0f}", f"{tokens.high:.0f}")


def _cost(dollars: Range) -> str:
    return _span(f"${dollars.low:,.2f}", f"${dollars.high:,.2f}")


def _span(low: str, high: str) -> str:
    """Formats a range; one number if both ends are written alike."""
    return low if low == high else f"{low} to {high}"
