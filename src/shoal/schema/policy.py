"""The policy of a release: every decision that made it, as a TOML file that makes it again.

A policy holds names, numbers and hashes, never a cell of the data, and no clock: the same release
writes the same policy.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from shoal.errors import PolicyError, ShoalError
from shoal.schema.columns import Column, Kind, Role, Schema
from shoal.schema.models import Model

FORMAT, _OLD = 5, 4
"""The newest format, and the one that is enough where the table is worked on neither in blocks nor in pieces."""
_HEAD = """\
# A Shoal policy: the decisions behind one release.
# Make the release again:  shoal anonymize INPUT --policy THIS_FILE -o OUTPUT
"""


MISSING = ("category", "wildcard", "impute", "suppress", "refuse")
"""What a missing quasi-identifier is: a value of its own; compatible with every value; to be filled by its group; a
reason to suppress the record; or a reason to refuse the table."""


FORMULAS = ("keep", "neutralize")
"""What is done about cells of a text file that a spreadsheet would run: nothing, or an apostrophe before them."""


@dataclass(frozen=True)
class Survey:
    """The columns that tell how the records came into the table; empty where nothing is known."""

    sampling_weights: str = ""
    strata: tuple[str, ...] = ()
    households: str = ""
    largest_household: int = 20

    @property
    def columns(self) -> tuple[str, ...]:
        """All of these columns."""
        return tuple(filter(None, (self.sampling_weights, *self.strata, self.households)))

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        if self.sampling_weights:
            facts["sampling_weights"] = self.sampling_weights
        if self.strata:
            facts["strata"] = list(self.strata)
        if self.households:
            facts |= {"households": self.households, "largest_household": self.largest_household}
        return facts


EFFORTS = ("fast", "balanced", "best")
"""How far local search goes: down only; then annealing; ten times as much of it, and an integer program."""


@dataclass(frozen=True)
class Refinement:
    """How far local search goes beyond what a method gives.

    Where a clock or an interrupt had a say, ``planned`` and ``done`` keep the steps of annealing, and ``looks`` how far
    it went down, stratum by stratum, so that the same release can be made again.
    """

    effort: str = "balanced"
    seconds: float | None = None
    """The most that method and search may take."""
    planned: tuple[int, ...] = ()
    done: tuple[int, ...] = ()
    looks: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"effort": self.effort}
        if self.seconds is not None:
            facts["seconds"] = self.seconds
        if self.planned:
            facts |= {"planned": list(self.planned), "done": list(self.done), "looks": list(self.looks)}
        return facts


@dataclass(frozen=True)
class Policy:
    k: int
    method: str
    seed: int
    options: Mapping[str, Any]
    """Release options (standardize, distance, exact_means, keep_totals, shuffle, formulas) and the method's own."""
    weights: Mapping[str, float]
    schema: Schema
    models: tuple[Model, ...] = ()
    missing: str = "category"
    """What is done about missing quasi-identifiers: one of ``MISSING``."""
    alpha: float = 1.0
    """How much a compatible record with missing values counts, where these are wildcards."""
    suppression: float = 0.0
    """The share of the records that may be suppressed."""
    refinement: Refinement | None = None
    """None where groups stay as the method made them."""
    blocks: int | None = None
    """The most records, or households, of the blocks that the method runs in; None where it gets all at once."""
    pieces: int | None = None
    """The records of a piece at most, where the table was larger than the memory that it might take."""
    survey: Survey = Survey()
    keep: tuple[str, ...] | None = None
    """The columns without a role that are released unchanged on purpose; None in a policy of a version that did not ask
    for a word about columns that look like identifiers."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The least and the largest value that a numeric quasi-identifier may have."""
    input: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def shuffle(self) -> bool:
        """Whether the rows of the release are put in another order."""
        return self.options.get("shuffle", False) is True

    @property
    def formulas(self) -> str:
        """What is done about cells that a spreadsheet would run: one of ``FORMULAS``."""
        return str(self.options.get("formulas", FORMULAS[0]))

    def with_output(self, **facts: Any) -> Self:
        """The same policy with the facts of the file that was written."""
        return replace(self, output=facts)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same decisions about columns under other names."""
        models = tuple(replace(model, column=names.get(model.column, model.column)) for model in self.models)
        survey = replace(
            self.survey,
            sampling_weights=names.get(self.survey.sampling_weights, self.survey.sampling_weights),
            strata=tuple(names.get(name, name) for name in self.survey.strata),
            households=names.get(self.survey.households, self.survey.households),
        )
        keep = None if self.keep is None else tuple(names.get(name, name) for name in self.keep)
        return replace(self, schema=self.schema.renamed(names), models=models, survey=survey, keep=keep)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": _OLD if self.blocks is None and self.pieces is None else FORMAT,
            **({} if self.keep is None else {"keep": list(self.keep)}),
            "release": {
                "k": self.k,
                "method": self.method,
                "seed": self.seed,
                "suppression": self.suppression,
                **({} if self.blocks is None else {"blocks": self.blocks}),
                **({} if self.pieces is None else {"pieces": self.pieces}),
            },
            "missing": {"policy": self.missing, **({"alpha": self.alpha} if self.missing == "wildcard" else {})},
            "options": dict(self.options),
            "refine": {} if self.refinement is None else self.refinement.to_dict(),
            "weights": dict(self.weights),
            "bounds": {name: list(pair) for name, pair in self.bounds.items()},
            "survey": self.survey.to_dict(),
            "models": [{"column": model.column, "model": model.written} for model in self.models],
            "columns": [_column(column) for column in self.schema.columns],
            "input": dict(self.input),
            "output": dict(self.output),
            "versions": dict(self.versions),
        }

    def to_toml(self) -> str:
        return _HEAD + "\n".join(_lines(self.to_dict())) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a policy file."""
        try:
            text = Path(path).read_bytes()
        except OSError as error:
            raise PolicyError.damaged(path, (error.strerror or "it cannot be read").lower()) from None
        except TypeError:
            raise PolicyError.not_a_policy(type(path).__name__) from None
        except ValueError:
            raise PolicyError.damaged(path, "no file can have this name") from None
        return cls.from_toml(text, path=path)

    @classmethod
    def from_toml(cls, text: bytes, *, path: object) -> Self:
        """The policy that a file holds; ``path`` names it in messages."""
        try:
            facts = tomllib.loads(text.decode())
        except (ValueError, RecursionError):  # also an error of TOML or of the encoding
            raise PolicyError.damaged(path, "it is not TOML") from None
        return cls._from_dict(facts, path)

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any], path: object) -> Self:
        found = facts.get("format")
        if type(found) is not int:
            raise PolicyError.damaged(path, "it has no format number")
        if found > FORMAT:
            raise PolicyError.too_new(path, found, FORMAT)
        if found < 1:
            raise PolicyError.damaged(path, "it has no format number")
        try:
            release, missing = facts["release"], _typed(facts.get("missing", {}), dict)
            survey = _typed(facts.get("survey", {}), dict)
            policy = cls(
                k=_typed(release["k"], int),
                method=_typed(release["method"], str),
                seed=_typed(release["seed"], int),
                options=_typed(facts["options"], dict),
                weights={name: float(weight) for name, weight in _typed(facts.get("weights", {}), dict).items()},
                models=tuple(
                    Model.read(_typed(entry["column"], str), entry["model"])
                    for entry in _typed(facts.get("models", []), list)
                ),
                # a policy of a version that knew no missing values
                missing=_typed(missing.get("policy", "refuse"), str),
                alpha=float(missing.get("alpha", 1.0)),
                suppression=float(release.get("suppression", 0.0)),
                refinement=_read_refinement(_typed(facts.get("refine", {}), dict)),
                blocks=_typed(release["blocks"], int) if "blocks" in release else None,
                pieces=_typed(release["pieces"], int) if "pieces" in release else None,
                survey=Survey(
                    _typed(survey.get("sampling_weights", ""), str),
                    tuple(_typed(name, str) for name in _typed(survey.get("strata", []), list)),
                    _typed(survey.get("households", ""), str),
                    _typed(survey.get("largest_household", 20), int),
                ),
                bounds={
                    name: (float(low), float(high))
                    for name, (low, high) in _typed(facts.get("bounds", {}), dict).items()
                },
                keep=tuple(_typed(name, str) for name in _typed(facts["keep"], list)) if "keep" in facts else None,
                schema=Schema(tuple(_read_column(column) for column in _typed(facts["columns"], list))),
                input=_typed(facts.get("input", {}), dict),
                output=_typed(facts.get("output", {}), dict),
                versions=_typed(facts.get("versions", {}), dict),
            )
        except KeyError as error:
            raise PolicyError.damaged(path, f"it has no {error.args[0]!r}") from None
        except (TypeError, ValueError, AttributeError, OverflowError, ShoalError):
            raise PolicyError.damaged(path, "an entry has the wrong type") from None
        names = [column.name for column in policy.schema.columns]
        if len(set(names)) < len(names):
            raise PolicyError.damaged(path, "it decides about a column twice")
        if not policy.schema.quasi_identifiers:
            raise PolicyError.damaged(path, "it names no quasi-identifier")
        if any(column.kind is Kind.HIERARCHICAL and not column.fingerprint for column in policy.schema.columns):
            raise PolicyError.damaged(path, "a hierarchical column has no hierarchy")
        if policy.missing not in MISSING:
            raise PolicyError.damaged(path, "it knows no such way with missing values")
        if policy.refinement is not None and not _sound(policy.refinement):
            raise PolicyError.damaged(path, "it knows no such refinement")
        if policy.blocks is not None and not 1 <= policy.blocks < 2**62:
            raise PolicyError.damaged(path, "its blocks have no room")
        if policy.pieces is not None and not 1 <= policy.pieces < 2**62:
            raise PolicyError.damaged(path, "its pieces have no room")
        if policy.seed < 0:
            raise PolicyError.damaged(path, "its seed is negative")
        if not (0 <= policy.alpha <= 1 and 0 <= policy.suppression <= 1):
            raise PolicyError.damaged(path, "a share is not from 0 to 1")
        if not all(-math.inf < low <= high < math.inf for low, high in policy.bounds.values()):
            raise PolicyError.damaged(path, "bounds are not two numbers, the lower first")
        if policy.keep is not None and not {*policy.keep} <= {*policy.schema.named(Role.INSENSITIVE)}:
            raise PolicyError.damaged(path, "it keeps a column that has a role, or that it does not know")
        if policy.survey.largest_household < 1:
            raise PolicyError.damaged(path, "its largest household has no member")
        return policy


def _column(column: Column) -> dict[str, Any]:
    """A column's decisions. A hierarchy is named by its file and its fingerprint: its nodes are values of the data."""
    facts: dict[str, Any] = {"name": column.name, "role": str(column.role), "kind": str(column.kind)}
    if column.reason:
        facts["reason"] = column.reason
    if column.recode:
        facts["recode"] = column.recode
    fingerprint = column.hierarchy.fingerprint if column.hierarchy else column.fingerprint
    if fingerprint:
        facts["hierarchy"] = {**({"file": column.file} if column.file else {}), "sha256": fingerprint}
    return facts


def _read_refinement(facts: Mapping[str, Any]) -> Refinement | None:
    if not facts:
        return None
    seconds = facts.get("seconds")
    return Refinement(
        _typed(facts["effort"], str),
        None if seconds is None else float(seconds),
        *(
            tuple(_typed(steps, int) for steps in _typed(facts.get(name, []), list))
            for name in ("planned", "done", "looks")
        ),
    )


def _sound(refinement: Refinement) -> bool:
    planned, done = refinement.planned, refinement.done
    return (
        refinement.effort in EFFORTS
        and (refinement.seconds is None or 0 < refinement.seconds < math.inf)
        and len(planned) == len(done) == len(refinement.looks)
        and all(0 <= made <= steps < 2**62 for made, steps in zip(done, planned, strict=True))
        and all(looks >= 0 for looks in refinement.looks)
    )


def _read_column(facts: Mapping[str, Any]) -> Column:
    hierarchy = _typed(facts.get("hierarchy", {}), dict)
    return Column(
        _typed(facts["name"], str),
        Role(facts["role"]),
        Kind(facts["kind"]),
        reason=_typed(facts.get("reason", ""), str),
        file=_typed(hierarchy.get("file", ""), str),
        fingerprint=_typed(hierarchy["sha256"], str) if hierarchy else "",
        recode=_typed(facts.get("recode", ""), str),
    )


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _lines(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """TOML lines of a table: plain entries first, then the tables inside it."""
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_rows(value) and (value != [] or key == "keep"):
            yield f"{_text(key)} = {_value(value)}"
    for key, value in table.items():
        inner = f"{path}.{_text(key)}" if path else _text(key)
        if isinstance(value, Mapping) and value:
            yield f"\n[{inner}]"
            yield from _lines(value, inner)
        elif _is_rows(value):
            for row in value:
                yield f"\n[[{inner}]]"
                yield from _lines(row, inner)


def _is_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], Mapping)


def _text(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the one control character that JSON leaves as it is
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
