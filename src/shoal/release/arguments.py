"""Keyword arguments of public functions: deprecated names, and suggestions for misspelled ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from shoal.errors import OptionError
from shoal.errors.deprecation import RENAMED_ARGUMENTS, warn_deprecated
from shoal.errors.messages import similar_words
from shoal.microaggregation import registry
from shoal.options.table import RELEASE_OPTIONS

F = TypeVar("F", bound=Callable[..., Any])


def public_function(*, forwards: bool = False) -> Callable[[F], F]:
    """Accept deprecated names of keyword arguments, and refuse misspelled ones.

    ``forwards`` means that further arguments go to `build_policy`.
    """

    def decorate(function: F) -> F:
        known = [*signature(function).parameters, *((option.name for option in RELEASE_OPTIONS) if forwards else ())]
        renamed = {old: new for old, new in RENAMED_ARGUMENTS.items() if new in known}

        @wraps(function)
        def call(*args: Any, **arguments: Any) -> Any:
            for old, new in renamed.items():
                if old in arguments:
                    if new in arguments:
                        raise OptionError.two_names(f"{old}=", f"{new}=")
                    warn_deprecated(f"{old}=", f"{new}=")
                    arguments[new] = arguments.pop(old)
            for name in arguments:
                if name not in known:
                    _check_spelling(name, known)
            return function(*args, **arguments)

        return cast("F", call)

    return decorate


def _check_spelling(name: str, known: Sequence[str]) -> None:
    """Refuse a name that is similar to a known one, unless it is an option of a method."""
    if similar_words(name, known) and not any(name in method.options for method in registry.methods().values()):
        raise OptionError.unknown_choice("argument", name, known)
