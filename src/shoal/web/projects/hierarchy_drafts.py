"""Drafts of hierarchies: in memory, with undo, until the user applies them. The editor of a column has its draft,
files and queries.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.domain.columns import Kind
from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_files import (
    hierarchy_file_name,
    hierarchy_from_dict,
    levels_file_name,
    read_hierarchy,
)
from shoal.web.projects.model import ColumnChoice, ColumnFacts, Project

if TYPE_CHECKING:
    from shoal.web.context import AppContext

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


@dataclass(frozen=True)
class HierarchyEditor:
    """The column whose hierarchy is edited, with its files and draft."""

    context: AppContext
    project: Project
    number: int
    facts: ColumnFacts
    choice: ColumnChoice

    @property
    def address(self) -> str:
        return f"/p/{self.project.id}/columns/{self.number}/hierarchy"

    @property
    def folder(self) -> Path:
        return self.context.store.hierarchies(self.project.id)

    @property
    def columns(self) -> tuple[ColumnChoice, ...]:
        return () if self.project.choices is None else self.project.choices.columns

    @property
    def hierarchy_path(self) -> Path:
        """File of the hierarchy, which may not exist yet."""
        return self.folder / hierarchy_file_name(self.number, self.columns)

    @property
    def levels_path(self) -> Path:
        return self.folder / levels_file_name(self.number, self.columns)

    @property
    def scratch(self) -> Path:
        return self.context.scratch / self.project.id / "trees"

    @property
    def wordnet_folder(self) -> Path:
        return self.context.scratch / "wordnet"

    @property
    def kind(self) -> Kind:
        """Kind of the original values."""
        return Kind(self.facts.kind)

    def draft(self) -> HierarchyDraft:
        """Return the draft; a new one starts with the hierarchy in use."""
        draft = self.context.drafts.get(self.project.id, self.number, self.facts.name)
        if draft is not None:
            return draft
        try:
            tree, error = read_hierarchy(self.hierarchy_path) if self.choice.hierarchy else None, ""
        except ShoalError as damage:  # a damaged file must not block a new one
            tree, error = None, damage.sentence
        draft = self.context.drafts.start(self.project.id, self.number, self.facts.name, tree)
        draft.error = error
        return draft

    def column_params(self) -> dict[str, Any]:
        return {"file": self.context.inspected_file(self.project), "column": self.facts.name}

    async def values(self) -> dict[str, Any] | None:
        """Return the values of the column with their counts; None while they are counted."""
        return await self.query("values", {**self.column_params(), "kind": str(self.kind)})

    async def query(self, task: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        return await self.context.workers.query(self.project.id, task, params, about=str(self.number))

    async def finish_build(self, draft: HierarchyDraft) -> bool:
        """Whether no build is running; the result of a finished one becomes the current state."""
        request = draft.build_params
        if request is None:
            return True
        try:
            result = await self.query("trees", request)
        except PageError as error:
            result, draft.error, draft.build_params = {}, error.sentence, None
        if result is None:
            return False
        if draft.build_params is request:
            draft.build_params = None
            draft.builder_notes = {name: value for name, value in result.items() if name != "tree"}
            if "tree" in result:
                draft.push(hierarchy_from_dict(result["tree"]))
        return True
