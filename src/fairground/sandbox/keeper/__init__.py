"""The keeper: a small program that creates a sandbox and becomes its first process.

It runs as a separate program with only the standard library. It must start quickly, fork without threads, and continue
inside the sandbox, where nothing of Fairground may be visible. Modules here therefore import each other relatively and
nothing else of Fairground. From the standard library they use only what loads quickly: no `typing`, `dataclasses`,
`shutil` or `re`. All imports happen at the start, because the host's Python is not visible from inside.

`main.py` is the entry point and the process that stays outside. `inside.py` becomes the first process of the sandbox.
`serve.py` answers the host. `install.py` is a separate program, for layers.
"""
