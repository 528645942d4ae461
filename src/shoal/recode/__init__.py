"""From groups to released values."""

from shoal.recode.centroid import recode

__all__ = ["recode"]
