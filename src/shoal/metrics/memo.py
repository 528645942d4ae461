"""Memoization of intermediate results that several metrics share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def memoize(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """Cache the result of a function of the inputs, a block or the table facts, for the lifetime of that object."""
    key = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def wrapper(data: Any) -> T:
        cache: dict[str, T] = data.__dict__
        if key not in cache:
            cache[key] = function(data)
        return cache[key]

    return wrapper
