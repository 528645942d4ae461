"""Looks that several measures share: what one of them found is kept with what was looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def once(look: Callable[[Any], T]) -> Callable[[Any], T]:
    """Look at a pair, a block or the facts only once; what is found lives as long as they do."""
    key = f"{look.__module__}.{look.__qualname__}"

    @wraps(look)
    def found(data: Any) -> T:
        kept: dict[str, T] = data.__dict__
        if key not in kept:
            kept[key] = look(data)
        return kept[key]

    return found
