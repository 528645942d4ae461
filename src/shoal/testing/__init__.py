"""The battery of checks that every method must pass; public, so that third-party methods can use it.

It needs ``hypothesis``, which comes with ``pip install 'shoal[testing]'``.
"""

from shoal.partition.registry import find
from shoal.schema.columns import Kind
from shoal.testing import battery, beyond, categories, mixed
from shoal.testing.battery import Check, check_says_what_it_is
from shoal.testing.strategies import category_tables, hierarchies, mixed_tables, tables


def checks(name: str) -> list[Check]:
    """The checks for a registered method: on numbers, on categories and on both, by the kinds that it takes."""
    method = find(name)
    found: list[Check] = [check_says_what_it_is]
    if Kind.NUMERIC in method.kinds:
        found += battery.CHECKS
    if categories.takes_categories(method):
        found += categories.CHECKS
    if mixed.takes_both(method):
        found += mixed.CHECKS
    return found + beyond.CHECKS


def check_method(name: str) -> None:
    """Run the whole battery on a registered method; the first check that fails raises AssertionError."""
    for check in checks(name):
        check(name)


__all__ = ["category_tables", "check_method", "checks", "hierarchies", "mixed_tables", "tables"]
