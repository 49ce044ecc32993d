"""Notifications about changes of a battle."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable


class Changes:
    """Calls listeners from the thread that made a change. Listeners must be fast and must not raise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, list[Callable[[], None]]] = defaultdict(list)

    def listen(self, id_: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever this battle changes. Returns a function that ends this."""
        with self._lock:
            self._listeners[id_].append(listener)

        def end() -> None:
            with self._lock:
                self._listeners[id_].remove(listener)
                if not self._listeners[id_]:
                    del self._listeners[id_]

        return end

    def tell(self, id_: str) -> None:
        """Notify the listeners of a battle."""
        with self._lock:
            listeners = tuple(self._listeners.get(id_, ()))
        for listener in listeners:
            listener()
