"""Deprecated names of the public API. They work for one version, with a warning."""

from __future__ import annotations

from typing import Any

from shoal.errors.base import warn_user

RENAMED_ARGUMENTS = {
    "seconds": "time_limit",
    "suppression": "max_suppression",
    "most": "max_columns",
    "more": "extra_files",
}
"""New names of keyword arguments by their deprecated names."""


def warn_deprecated(old: str, new: str) -> None:
    warn_user(f"{old} is deprecated; use {new}.")


def deprecated_property(old: str, new: str) -> Any:
    """Property of a result under its deprecated name."""

    def value(result: Any) -> Any:
        warn_deprecated(old, new)
        return getattr(result, new)

    return property(value, doc=f"Deprecated name of ``{new}``.")
