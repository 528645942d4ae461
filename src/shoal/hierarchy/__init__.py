"""Value hierarchies: builders, file formats, coverage and distances."""

from shoal.hierarchy.tree import Edge, Hierarchy

__all__ = ["Edge", "Hierarchy"]
