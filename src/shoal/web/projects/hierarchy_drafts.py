"""Drafts of hierarchies: in memory, with undo, until the user applies them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.hierarchy import Hierarchy

_MAX_UNDO = 20
_MAX_DRAFTS = 12


@dataclass
class HierarchyDraft:
    """The hierarchy of a column while it is edited."""

    states: list[Hierarchy] = field(default_factory=list)
    """The current one last."""
    build_params: Mapping[str, Any] | None = None
    """Parameters of a running build; its result becomes the current state."""
    error: str = ""
    """Error of the last build, until it was displayed."""
    builder_notes: Mapping[str, Any] = field(default_factory=dict)
    """Notes of the builder: choices between senses, unknown words."""

    used_fingerprint: str = ""
    """Fingerprint of the hierarchy that the project uses; empty if there is none."""
    written_fingerprint: str = ""
    """Fingerprint of the one that was written for workers."""

    @property
    def current(self) -> Hierarchy | None:
        return self.states[-1] if self.states else None

    def push(self, hierarchy: Hierarchy) -> None:
        """Add a state, unless it equals the current one."""
        if hierarchy != self.current:
            self.states = [*self.states, hierarchy][-_MAX_UNDO - 1 :]

    def undo(self) -> None:
        if len(self.states) > 1:
            self.states = self.states[:-1]


class HierarchyDrafts:
    """The most recently used drafts."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[tuple[str, int, str], HierarchyDraft] = OrderedDict()

    def get(self, project: str, number: int, column: str) -> HierarchyDraft | None:
        """Return the draft of a column, by number and name, since another file may have another column there."""
        key = (project, number, column)
        if key in self._drafts:
            self._drafts.move_to_end(key)
        return self._drafts.get(key)

    def start(self, project: str, number: int, column: str, tree: Hierarchy | None) -> HierarchyDraft:
        key = (project, number, column)
        draft = self._drafts[key] = (
            HierarchyDraft() if tree is None else HierarchyDraft([tree], used_fingerprint=tree.fingerprint)
        )
        self._drafts.move_to_end(key)
        while len(self._drafts) > _MAX_DRAFTS:
            self._drafts.popitem(last=False)
        return draft

    def unused(self, project: str, names: Sequence[str]) -> set[int]:
        """Return the columns of a project whose draft differs from the hierarchy in use."""
        numbers = {(project, number, name): number for number, name in enumerate(names)}
        drafts = ((numbers[key], draft) for key, draft in self._drafts.items() if key in numbers)
        return {
            number for number, draft in drafts if draft.current and draft.current.fingerprint != draft.used_fingerprint
        }

    def remove(self, project: str, number: int | None = None) -> None:
        """Drop the drafts of a project, or of one of its columns."""
        for key in [key for key in self._drafts if key[0] == project and number in (None, key[1])]:
            del self._drafts[key]
