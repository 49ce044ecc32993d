"""The keeper: the small program that makes a sandbox and is the first process in it.

It is started as a program of its own, with the standard library only, because it must be quick, must fork
without threads, and goes on inside where nothing of Fairground may be seen. So modules here import each
other relatively and nothing else of Fairground, and take from the library only what starts quickly: no
`typing`, `dataclasses`, `shutil` or `re`. Whatever is needed later is imported at the start, because once
inside, the host's Python is out of sight.

`main.py` is the way in and the process that stays outside; `inside.py` becomes the first process of the
sandbox; `serve.py` answers the host; `install.py` is another program, for layers.
"""
