"""Lower bounds of the SSE, and the pricing problem of column generation."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
