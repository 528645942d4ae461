"""Progress callbacks."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Callback that receives the number of processed records and the total."""


def no_progress(done: float, total: int) -> None:
    """Ignore progress."""
