"""The battery of checks that every method must pass; public, so that third-party methods can use it.

It needs ``hypothesis``, which comes with ``pip install 'shoal[testing]'``.
"""

from shoal.testing.battery import CHECKS, check_method
from shoal.testing.strategies import tables

__all__ = ["CHECKS", "check_method", "tables"]
