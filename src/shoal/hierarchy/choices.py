"""What was chosen on the way from values to a hierarchy: a sense for each value, a parent for each synset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shoal.hierarchy.tree import Hierarchy
from shoal.words import counted, shown

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
class Choice:
    """One sense for a value, or one parent for a synset."""

    kind: str
    """``sense`` or ``parent``."""
    of: str
    """The value, or the synset below."""
    word: str
    """The word that was looked up; empty for a parent."""
    found: tuple[str, ...]
    """The senses or hypernyms that WordNet has, in its order."""
    chosen: str
    rule: str
    """``given``, ``only``, or what decided between several."""

    @property
    def by_rule(self) -> bool:
        """Whether there were several, and a rule decided."""
        return len(self.found) > 1 and self.rule != "given"

    def __str__(self) -> str:
        name, many = (shown(self.of), f"senses of {self.word}") if self.kind == "sense" else (self.of, "hypernyms")
        listed = f"; {many}: {', '.join(self.found)}" if self.found != (self.chosen,) else ""
        return f"{name} -> {self.chosen} ({_RULES[self.rule]}{listed})"


@dataclass(frozen=True)
class Built:
    """A hierarchy, and what was chosen on the way to it."""

    hierarchy: Hierarchy
    choices: tuple[Choice, ...] = field(repr=False)
    """The sense of every value, then the parent of every synset where there were several or one was given."""
    under: str | None
    rule: str
    unused: int
    """The entries of ``senses`` and ``parents`` that fit no value and no synset."""

    @property
    def certain(self) -> bool:
        """Whether no rule had to decide, and everything given was of use."""
        return not (self.unused or any(choice.by_rule or choice.rule == "none-under" for choice in self.choices))

    @property
    def useless(self) -> str:
        """The words for what was given and is of no use; empty if all is."""
        verb = "fits" if self.unused == 1 else "fit"
        return f"{self.unused:,} of the senses and parents given {verb} nothing" if self.unused else ""

    def summary(self) -> str:
        """One sentence of counts, without any value."""
        senses = [choice for choice in self.choices if choice.kind == "sense"]
        parents = [choice for choice in self.choices if choice.kind == "parent"]
        first = f"the first under {self.under}, else the first" if self.under else _RULES["first"]
        sentence = (
            f"Rules chose a sense for {sum(choice.by_rule for choice in senses):,} of {counted(len(senses), 'value')}"
            f" ({first}) and a parent for {counted(sum(choice.by_rule for choice in parents), 'synset')}"
            f" ({_RULES[self.rule]})"
        )
        outside = sum(choice.rule == "none-under" for choice in senses)
        if outside:
            sentence += f"; no sense of {counted(outside, 'value')} is under {self.under}"
        return f"{sentence}; {self.useless}" if self.useless else sentence

    def report(self) -> str:
        """The summary and a line for each choice. It names values of the data."""
        return "\n".join([f"{self.summary()}:", *(f"  {choice}" for choice in self.choices)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys. It names values of the data."""
        return {
            "nodes": len(self.hierarchy),
            "levels": self.hierarchy.levels,
            "under": self.under,
            "rule": self.rule,
            "unused": self.unused,
            "choices": [
                {
                    "kind": choice.kind,
                    "of": choice.of,
                    "word": choice.word,
                    "found": list(choice.found),
                    "chosen": choice.chosen,
                    "rule": choice.rule,
                }
                for choice in self.choices
            ],
        }
