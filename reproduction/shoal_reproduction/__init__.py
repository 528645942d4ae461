"""Reproduction of printed figures: the papers' tables, run again on their data."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal_reproduction.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `shoal --help` is fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from shoal_reproduction import reproduction

    return getattr(reproduction, name)
