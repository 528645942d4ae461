"""One-dimensional orders of the records, and the optimal cut of an order."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
