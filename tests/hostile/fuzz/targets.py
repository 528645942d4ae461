"""Every reader and parser of Shoal, each a target of fuzzing."""

from __future__ import annotations

from importlib import import_module

from abuse import TARGETS, Target, attempt

for _room in ("target_tables", "target_hierarchies", "target_decisions", "target_page"):
    import_module(_room)  # each registers what it holds

__all__ = ["TARGETS", "Target", "attempt"]
