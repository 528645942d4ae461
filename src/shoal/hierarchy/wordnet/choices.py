"""Choices of a WordNet build: a sense for each value and a parent for each synset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shoal.errors.messages import pluralize, quote_name
from shoal.hierarchy.tree import Hierarchy

_RULES = {
    "given": "as given",
    "only": "its only sense",
    "first": "the first",
    "under": "the first under the synset named",
    "none-under": "the first, since none is under the synset named",
    "top": "the only one that leads to the top",
    "alphabetical": "the first by name",
    "shortest": "the one nearest to the root",
}


@dataclass(frozen=True)
class WordNetChoice:
    """Choice of a sense for a value or of a parent for a synset."""

    kind: str
    """``sense`` or ``parent``."""
    subject: str
    """The value or the child synset."""
    word: str
    """The word looked up; empty for a parent."""
    candidates: tuple[str, ...]
    """The senses or hypernyms in WordNet, in its order."""
    chosen: str
    rule: str
    """``given``, ``only``, or the rule that decided between several candidates."""

    @property
    def by_rule(self) -> bool:
        """Whether a rule decided between several candidates."""
        return len(self.candidates) > 1 and self.rule != "given"

    def __str__(self) -> str:
        name, plural = (
            (quote_name(self.subject), f"senses of {self.word}")
            if self.kind == "sense"
            else (self.subject, "hypernyms")
        )
        listed = f"; {plural}: {', '.join(self.candidates)}" if self.candidates != (self.chosen,) else ""
        return f"{name} -> {self.chosen} ({_RULES[self.rule]}{listed})"


@dataclass(frozen=True)
class WordNetBuild:
    """Hierarchy built from WordNet, with its choices."""

    hierarchy: Hierarchy
    choices: tuple[WordNetChoice, ...] = field(repr=False)
    """The sense of every value, then the parent of every synset that has several or was given one."""
    under: str | None
    rule: str
    unused: int
    """Number of entries of ``senses`` and ``parents`` that match no value or synset."""

    @property
    def is_certain(self) -> bool:
        """Whether no rule had to decide and every given entry was used."""
        return not (self.unused or any(choice.by_rule or choice.rule == "none-under" for choice in self.choices))

    @property
    def unused_text(self) -> str:
        """Message about unused entries; empty if there are none."""
        verb = "fits" if self.unused == 1 else "fit"
        return f"{self.unused:,} of the senses and parents given {verb} nothing" if self.unused else ""

    def summary(self) -> str:
        """One sentence of counts, without values of the data."""
        senses = [choice for choice in self.choices if choice.kind == "sense"]
        parents = [choice for choice in self.choices if choice.kind == "parent"]
        first = f"the first under {self.under}, else the first" if self.under else _RULES["first"]
        sentence = (
            f"Rules chose a sense for {sum(choice.by_rule for choice in senses):,} of {pluralize(len(senses), 'value')}"
            f" ({first}) and a parent for {pluralize(sum(choice.by_rule for choice in parents), 'synset')}"
            f" ({_RULES[self.rule]})"
        )
        outside = sum(choice.rule == "none-under" for choice in senses)
        if outside:
            sentence += f"; no sense of {pluralize(outside, 'value')} is under {self.under}"
        return f"{sentence}; {self.unused_text}" if self.unused_text else sentence

    def report(self) -> str:
        """The summary and one line per choice. It names values of the data."""
        return "\n".join([f"{self.summary()}:", *(f"  {choice}" for choice in self.choices)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data with a stable key order. It names values of the data."""
        return {
            "nodes": len(self.hierarchy),
            "levels": self.hierarchy.levels,
            "under": self.under,
            "rule": self.rule,
            "unused": self.unused,
            "choices": [
                {
                    "kind": choice.kind,
                    "of": choice.subject,
                    "word": choice.word,
                    "found": list(choice.candidates),
                    "chosen": choice.chosen,
                    "rule": choice.rule,
                }
                for choice in self.choices
            ],
        }
