"""From groups to released values."""

from shoal.recode.centroid import center_named, mean, recode

__all__ = ["center_named", "mean", "recode"]
