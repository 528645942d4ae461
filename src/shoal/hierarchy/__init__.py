"""Hierarchies of values: how they are built, read, written, checked, and what they say about distance."""

from shoal.hierarchy.tree import Edge, Hierarchy

__all__ = ["Edge", "Hierarchy"]
