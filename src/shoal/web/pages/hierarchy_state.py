"""Editing of a hierarchy: its column, files, draft, and queries to workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.domain.columns import Kind
from shoal.errors import ShoalError
from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_drafts import HierarchyDraft
from shoal.web.projects.hierarchy_files import (
    hierarchy_file_name,
    hierarchy_from_dict,
    levels_file_name,
    read_hierarchy,
)
from shoal.web.projects.model import ColumnChoice, ColumnFacts, Project

if TYPE_CHECKING:
    from shoal.web.context import AppContext


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
