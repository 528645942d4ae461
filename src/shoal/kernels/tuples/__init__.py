"""Distinct combinations of categories (tuples) with their counts."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
