"""Recursive splits of the records: Mondrian and two-means."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
