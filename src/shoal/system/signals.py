"""Signals that stop the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no hang-up
)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer signals that would stop the program until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda signal_number, _: received.append(signal_number)) for number in _STOPPING
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for number in received[:1]:
            signal.raise_signal(number)
