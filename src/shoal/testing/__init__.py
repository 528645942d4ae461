"""The battery of checks that every method must pass; public, so that third-party methods can use it.

It needs ``hypothesis``, which comes with ``pip install 'shoal[testing]'``.
"""

from shoal.partition.registry import find
from shoal.schema.columns import Kind
from shoal.testing import battery, categories
from shoal.testing.battery import Check, check_says_what_it_is
from shoal.testing.strategies import category_tables, hierarchies, tables


def checks(name: str) -> list[Check]:
    """The checks for a registered method: those on numbers, on categories, or both, by the kinds that it takes."""
    method = find(name)
    numeric = battery.CHECKS if Kind.NUMERIC in method.kinds else []
    return [check_says_what_it_is, *numeric, *(categories.CHECKS if categories.takes_categories(method) else [])]


def check_method(name: str) -> None:
    """Run the whole battery on a registered method; the first check that fails raises AssertionError."""
    for check in checks(name):
        check(name)


__all__ = ["category_tables", "check_method", "checks", "hierarchies", "tables"]
