"""Neighbor lists, spanning trees and forests over the records."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
