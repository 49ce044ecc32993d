"""The keeper: the small program that makes a sandbox and is the first process in it.

It is started as a program of its own, with the standard library only, because it must be quick, must fork
without threads, and goes on inside where nothing of Fairground may be seen. So modules here import each
other relatively and nothing else of Fairground. `main.py` is the way in; `serve.py` answers the host.
"""
