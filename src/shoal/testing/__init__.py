"""Checks that every method must pass, before any tests of its own. Third parties run them on their methods::

    import pytest
    from shoal.testing import checks

    @pytest.mark.parametrize("check", checks("my-method"))
    def test_common(check):
        check("my-method")

Requires ``hypothesis``: ``pip install 'shoal[testing]'``.
"""

from shoal.microaggregation.registry import get_method
from shoal.testing import checks_constraints
from shoal.testing.common_checks import CHECKS, Check, check_docstring
from shoal.testing.strategies import category_tables, hierarchies, mixed_tables, tables


def checks(name: str) -> list[Check]:
    """Return the checks for a registered method: on numbers, categories or both, by the kinds that it supports."""
    method = get_method(name)
    on_tables = [check for family, on_family in CHECKS.items() if family.supports(method) for check in on_family]
    return [check_docstring, *on_tables, *checks_constraints.CHECKS]


def check_method(name: str) -> None:
    """Run all checks on a registered method; the first failure raises AssertionError."""
    for check in checks(name):
        check(name)


__all__ = ["category_tables", "check_method", "checks", "hierarchies", "mixed_tables", "tables"]
