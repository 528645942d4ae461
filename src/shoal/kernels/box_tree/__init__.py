"""A tree of bounding boxes for exact nearest and farthest records."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
