"""Every reader and parser of Shoal, each a target of fuzzing."""

from __future__ import annotations

import target_decisions
import target_hierarchies
import target_page
import target_tables  # noqa: F401 - these register what they hold
from abuse import TARGETS, Target, attempt

__all__ = ["TARGETS", "Target", "attempt"]
