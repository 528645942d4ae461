"""A hierarchy as it grows: its column, its files, its draft, and what workers tell about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PageError, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.schema.columns import Kind
from shoal.web.drafts import Draft
from shoal.web.interface import ColumnChoice, ColumnFacts, Project
from shoal.web.trees import from_plain, levels_name, read_tree, tree_name
from shoal.web.workplace import Workplace


@dataclass(frozen=True)
class Growing:
    """The column that a hierarchy is made for, and all that belongs to it."""

    place: Workplace
    project: Project
    number: int
    facts: ColumnFacts
    choice: ColumnChoice

    @property
    def address(self) -> str:
        return f"/p/{self.project.id}/columns/{self.number}/hierarchy"

    @property
    def folder(self) -> Path:
        """Where the project keeps hierarchies."""
        return self.place.store.hierarchies(self.project.id)

    @property
    def columns(self) -> tuple[ColumnChoice, ...]:
        return () if self.project.choices is None else self.project.choices.columns

    @property
    def tree(self) -> Path:
        """The file of the hierarchy that is used, or will be."""
        return self.folder / tree_name(self.number, self.columns)

    @property
    def levels(self) -> Path:
        return self.folder / levels_name(self.number, self.columns)

    @property
    def scratch(self) -> Path:
        """A folder of the project that goes with it."""
        return self.place.scratch / self.project.id / "trees"

    @property
    def wordnet(self) -> Path:
        return self.place.scratch / "wordnet"

    @property
    def kind(self) -> Kind:
        """The kind of its values as they are, whatever tree was made of them."""
        return Kind(self.facts.kind)

    def draft(self) -> Draft:
        """The one that is being made, which begins with the one that is used."""
        found = self.place.drafts.of(self.project.id, self.number, self.facts.name)
        if found is not None:
            return found
        try:
            return self.start(read_tree(self.tree) if self.choice.hierarchy else None)
        except ShoalError as error:  # a damaged file must not keep anybody from making another
            found = self.start(None)
            found.error = error.sentence
            return found

    def start(self, tree: Hierarchy | None) -> Draft:
        """A new draft, of the hierarchy that the project uses."""
        return self.place.drafts.start(self.project.id, self.number, self.facts.name, tree)

    def asked(self) -> dict[str, Any]:
        return {"file": self.place.looked(self.project), "column": self.facts.name}

    async def values(self) -> dict[str, Any] | None:
        """The values of the column with their records; None while they are counted."""
        asked = {**self.asked(), "kind": str(self.kind)}
        return await self.place.desk.answer(self.project.id, "values", asked, about=str(self.number))

    async def settle(self, draft: Draft) -> bool:
        """Whether nothing is being built any more; what was built is then the present state."""
        wish = draft.wish
        if wish is None:
            return True
        try:
            answer = await self.place.desk.answer(self.project.id, "trees", wish, about=str(self.number))
        except PageError as error:
            answer, draft.error, draft.wish = {}, error.sentence, None
        if answer is None:
            return False
        if draft.wish is wish:
            draft.wish, draft.told = None, {name: value for name, value in answer.items() if name != "tree"}
            if "tree" in answer:
                draft.put(from_plain(answer["tree"]))
        return True
