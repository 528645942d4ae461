"""Every reader and parser of Shoal, each a target of fuzzing."""

from __future__ import annotations

from importlib import import_module

from fuzz_target import TARGETS, Target, attempt

for _module in ("target_tables", "target_hierarchies", "target_artifacts", "target_page"):
    import_module(_module)  # each registers what it holds

__all__ = ["TARGETS", "Target", "attempt"]
