"""Where untrusted programs run: runners behind one protocol, limits, layers, the warm pool.

Imports `core` only. Screens, worlds and everything above take a `Sandbox` and do not care who made it.
"""

from fairground.sandbox.protocol import HOME, Completed, FileInfo, Limits, Process, Sandbox, SandboxSpec
from fairground.sandbox.runners import NotIsolated, Runner, Support, namespace_support, open_sandbox, runners

__all__ = [
    "HOME",
    "Completed",
    "FileInfo",
    "Limits",
    "NotIsolated",
    "Process",
    "Runner",
    "Sandbox",
    "SandboxSpec",
    "Support",
    "namespace_support",
    "open_sandbox",
    "runners",
]
