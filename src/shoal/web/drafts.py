"""Hierarchies that somebody is making: each a few states that can be undone, in memory until it is taken."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.hierarchy import Hierarchy

_MOST_STATES = 20
_MOST_DRAFTS = 12


@dataclass
class Draft:
    """The hierarchy of a column as it is being made."""

    states: list[Hierarchy] = field(default_factory=list)
    """The present one last."""
    wish: Mapping[str, Any] | None = None
    """What a worker is asked to build; the answer becomes the present state."""
    error: str = ""
    """Why the last wish came to nothing, until that was shown."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """What the builder said: choices between senses, words that it does not know."""

    taken: str = ""
    """The fingerprint of the hierarchy that the project uses; empty if there is none."""
    handed: str = ""
    """The fingerprint of the one that lies where workers find it."""

    @property
    def present(self) -> Hierarchy | None:
        return self.states[-1] if self.states else None

    def put(self, hierarchy: Hierarchy) -> None:
        """A new present state, unless it is the one that is there."""
        if hierarchy != self.present:
            self.states = [*self.states, hierarchy][-_MOST_STATES - 1 :]

    def undo(self) -> None:
        if len(self.states) > 1:
            self.states = self.states[:-1]


class Drafts:
    """The drafts that were looked at last."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[tuple[str, int, str], Draft] = OrderedDict()

    def of(self, project: str, number: int, column: str) -> Draft | None:
        """That of a column, by its number and its name: another file may have another column there."""
        key = (project, number, column)
        if key in self._drafts:
            self._drafts.move_to_end(key)
        return self._drafts.get(key)

    def start(self, project: str, number: int, column: str, tree: Hierarchy | None) -> Draft:
        """A new draft of a column, which begins with the hierarchy that the project uses."""
        key = (project, number, column)
        found = self._drafts[key] = Draft() if tree is None else Draft([tree], taken=tree.fingerprint)
        self._drafts.move_to_end(key)
        while len(self._drafts) > _MOST_DRAFTS:
            self._drafts.popitem(last=False)
        return found

    def unused(self, project: str, names: Sequence[str]) -> set[int]:
        """The columns of a project whose draft is another tree than the one that is used."""
        own = {(project, number, name): number for number, name in enumerate(names)}
        drafts = ((own[key], draft) for key, draft in self._drafts.items() if key in own)
        return {number for number, draft in drafts if draft.present and draft.present.fingerprint != draft.taken}

    def forget(self, project: str, number: int | None = None) -> None:
        """Those of a project, or of one of its columns."""
        for key in [key for key in self._drafts if key[0] == project and number in (None, key[1])]:
            del self._drafts[key]
