"""Checks that every method must pass, before any tests of its own. Third parties run them on their methods::

    import pytest
    from shoal.testing import checks

    @pytest.mark.parametrize("check", checks("my-method"))
    def test_common(check):
        check("my-method")

Requires ``hypothesis``: ``pip install 'shoal[testing]'``.
"""

from shoal.testing.common_checks import checks
from shoal.testing.strategies import category_tables, hierarchies, mixed_tables, tables


def check_method(name: str) -> None:
    """Run all checks on a registered method; the first failure raises AssertionError."""
    for check in checks(name):
        check(name)


__all__ = ["category_tables", "check_method", "checks", "hierarchies", "mixed_tables", "tables"]
