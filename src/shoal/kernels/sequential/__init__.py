"""Methods that build one group after another from the unassigned records."""

from shoal.kernels import lazy_modules

__getattr__ = lazy_modules(__name__)
