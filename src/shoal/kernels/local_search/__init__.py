"""Local search over partitions."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
