"""Who wants to know that something about a battle is another than before."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable


class Changes:
    """Calls those who listen, from whichever thread changed something; they must not take long, nor raise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, list[Callable[[], None]]] = defaultdict(list)

    def listen(self, id_: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Has `listener` called whenever this battle has changed; returns what ends that."""
        with self._lock:
            self._listeners[id_].append(listener)

        def end() -> None:
            with self._lock:
                self._listeners[id_].remove(listener)
                if not self._listeners[id_]:
                    del self._listeners[id_]

        return end

    def tell(self, id_: str) -> None:
        """Says that a battle has changed."""
        with self._lock:
            listeners = tuple(self._listeners.get(id_, ()))
        for listener in listeners:
            listener()
