"""Sandboxes for untrusted programs: runners behind one protocol, resource limits, layers, and the warm pool.

Imports only `core`. Other packages use the `Sandbox` protocol and do not depend on a particular runner.
"""

from fairground.sandbox.hidden import keep_private
from fairground.sandbox.layers import Layer, LayerStore, cache_folder, hash_path
from fairground.sandbox.pool import Pool, Poolable
from fairground.sandbox.protocol import HOME, Completed, FileInfo, Limits, Process, Sandbox, SandboxSpec
from fairground.sandbox.runners import (
    NotIsolated,
    Runner,
    Support,
    default_runner,
    namespace_support,
    open_sandbox,
    runners,
)

__all__ = [
    "HOME",
    "Completed",
    "FileInfo",
    "Layer",
    "LayerStore",
    "Limits",
    "NotIsolated",
    "Pool",
    "Poolable",
    "Process",
    "Runner",
    "Sandbox",
    "SandboxSpec",
    "Support",
    "cache_folder",
    "default_runner",
    "hash_path",
    "keep_private",
    "namespace_support",
    "open_sandbox",
    "runners",
]
