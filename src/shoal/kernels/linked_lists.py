"""Doubly linked lists of members, one per group: ``first``, then ``after`` each one, and ``before`` on the way back."""

from __future__ import annotations

from shoal.kernels.jit import inline

NONE = -1
"""The end of a list."""


@inline
def insert_first(first, after, before, group, member):
    """Insert a member at the head of the list of a group."""
    head = first[group]
    first[group], after[member], before[member] = member, head, NONE
    if head != NONE:
        before[head] = member


@inline
def unlink(first, after, before, group, member):
    """Remove a member from the list of its group."""
    following, previous = after[member], before[member]
    if previous == NONE:
        first[group] = following
    else:
        after[previous] = following
    if following != NONE:
        before[following] = previous
