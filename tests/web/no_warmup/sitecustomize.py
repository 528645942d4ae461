"""Switches off the warm-up of a page that is started with this folder on its path: few tests need compiled kernels."""

import sys
from types import SimpleNamespace

from shoal.web.workers.tasks import MODULES

MODULES["warm"] = "no_warmup"
sys.modules["shoal.web.workers.tasks.no_warmup"] = SimpleNamespace(warm=lambda params, context: {})  # type: ignore[assignment]
