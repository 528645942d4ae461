"""From groups to released values."""

from shoal.recode.category import centroid
from shoal.recode.number import mean
from shoal.recode.recode import WAYS, decided, recode, ways

__all__ = ["WAYS", "centroid", "decided", "mean", "recode", "ways"]
