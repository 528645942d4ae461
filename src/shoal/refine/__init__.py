"""How good a partition can get: bounds that no partition can beat."""

from shoal.refine.bounds import elementary_bound

__all__ = ["elementary_bound"]
