"""Policy of a release: every decision behind it, as a TOML file that reproduces it.

A policy holds names, numbers and hashes, never a cell of the data, and no time: the same release writes the same
policy.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from shoal.domain.columns import Column, Kind, Role, Schema
from shoal.domain.policy_draft import PolicyDraft, check_keys, declared_values, undeclared_options
from shoal.domain.privacy_models import PrivacyModel
from shoal.domain.recodings import BY_COLUMN, INTEGER_COLUMNS, NO_ROUNDING, assign_recodings
from shoal.domain.results import Verification
from shoal.errors import OptionError, PolicyError, ShoalError
from shoal.options.checks import check_bool, check_scalar
from shoal.options.table import RELEASE_OPTIONS, check_option, default

POLICY_FORMAT, _BASE_FORMAT = 5, 4
"""The newest format, and the one that suffices without blocks and parts."""
_HEADER = """\
# A Shoal policy: the decisions behind one release.
# Make the release again:  shoal anonymize INPUT --policy THIS_FILE -o OUTPUT
"""


@dataclass(frozen=True)
class Survey:
    """The columns of the survey design; empty if unknown."""

    sampling_weights: str = ""
    strata: tuple[str, ...] = ()
    households: str = ""
    largest_household: int = default("largest_household")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.sampling_weights, *self.strata, self.households)))

    @property
    def names(self) -> dict[str, Any]:
        """Columns by what they are in the survey."""
        return {"sampling_weights": self.sampling_weights, "strata": self.strata, "households": self.households}

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        if self.sampling_weights:
            facts["sampling_weights"] = self.sampling_weights
        if self.strata:
            facts["strata"] = list(self.strata)
        if self.households:
            facts |= {"households": self.households, "largest_household": self.largest_household}
        return facts


@dataclass(frozen=True)
class Refinement:
    """Options of the local search after the method.

    If a time limit or an interrupt ended the search, ``steps_planned`` and ``steps_done`` record the annealing steps
    and ``descent_passes`` the passes of the descent, by stratum, so that a replay gives the same release.
    """

    effort: str = "balanced"
    time_limit: float | None = None
    """Time limit of method and search."""
    steps_planned: tuple[int, ...] = ()
    steps_done: tuple[int, ...] = ()
    descent_passes: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"effort": self.effort}
        if self.time_limit is not None:
            facts["seconds"] = self.time_limit
        if self.steps_planned:
            facts |= {
                "planned": list(self.steps_planned),
                "done": list(self.steps_done),
                "looks": list(self.descent_passes),
            }
        return facts

    @property
    def has_valid_steps(self) -> bool:
        planned, done = self.steps_planned, self.steps_done
        return (
            len(planned) == len(done) == len(self.descent_passes)
            and all(0 <= done_steps <= steps < 2**62 for done_steps, steps in zip(done, planned, strict=True))
            and all(passes >= 0 for passes in self.descent_passes)
        )


@dataclass(frozen=True)
class Policy:
    k: int
    method: str
    seed: int
    schema: Schema
    """Every quasi-identifier has its recoding."""
    method_options: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    standardize: bool = default("standardize")
    distance: str = default("distance")
    rounding: str = BY_COLUMN
    """``BY_COLUMN``, ``NO_ROUNDING``, or ``INTEGER_COLUMNS`` of older policies."""
    keep_totals: bool = default("keep_totals")
    shuffle: bool = default("shuffle")
    """Whether the records are released in random order."""
    formulas: str = default("formulas")
    """Treatment of cells that a spreadsheet would execute, one of ``FORMULA_POLICIES``."""
    models: tuple[PrivacyModel, ...] = ()
    missing: str = default("missing_values")
    """Treatment of missing quasi-identifiers, one of ``MISSING_POLICIES``."""
    alpha: float = default("alpha")
    """The weight of a compatible record with missing values, if these are wildcards."""
    suppression: float = default("max_suppression")
    """The maximum fraction of suppressed records."""
    refinement: Refinement | None = None
    """None if the groups of the method are final."""
    blocks: int | None = None
    """Maximum number of records, or households, per block of the method; None without blocks."""
    pieces: int | None = None
    """Maximum number of records per part, if the table exceeded the memory limit."""
    survey: Survey = Survey()
    keep: tuple[str, ...] | None = None
    """Columns without a role that are deliberately released unchanged; None in a policy of a version that did not ask
    for confirmation of columns that look like identifiers.
    """
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Lower and upper limits of numeric quasi-identifiers."""
    input: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    path: Path | None = field(default=None, compare=False, repr=False)
    """The file that it was read from; files of hierarchies may lie beside it."""

    @property
    def options(self) -> dict[str, Any]:
        """Table ``options`` of the policy file: options of the release, then those of the method."""
        facts: dict[str, Any] = {"standardize": self.standardize, "distance": self.distance}
        if self.rounding != INTEGER_COLUMNS:
            facts["exact_means"] = self.rounding == NO_ROUNDING
        for name in ("keep_totals", "shuffle", "formulas"):
            if getattr(self, name) != default(name):
                facts[name] = getattr(self, name)
        if self.rounding == INTEGER_COLUMNS:
            facts["round_integers"] = True
        return facts | dict(self.method_options)

    def with_output(self, proof: Verification, *, file: str | None = None, sha256: str | None = None) -> Self:
        """Return the policy with the facts about its release."""
        counts = {"records": proof.records, "classes": proof.classes, "min_class": proof.min_class}
        facts = {"file": file, **counts, "sha256": sha256}
        return replace(self, output={name: fact for name, fact in facts.items() if fact is not None})

    def without_parts(self) -> Self:
        """Return the policy without what only a release in parts needs: their size, and the steps of each search."""
        if self.pieces is None:
            return self
        refinement = self.refinement
        if refinement is not None:
            refinement = replace(refinement, steps_planned=(), steps_done=(), descent_passes=())
        return replace(self, pieces=None, refinement=refinement)

    def rename(self, names: Mapping[str, str]) -> Self:
        models = tuple(replace(model, column=names.get(model.column, model.column)) for model in self.models)
        survey = replace(
            self.survey,
            sampling_weights=names.get(self.survey.sampling_weights, self.survey.sampling_weights),
            strata=tuple(names.get(name, name) for name in self.survey.strata),
            households=names.get(self.survey.households, self.survey.households),
        )
        keep = None if self.keep is None else tuple(names.get(name, name) for name in self.keep)
        return replace(self, schema=self.schema.rename(names), models=models, survey=survey, keep=keep)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": _BASE_FORMAT if self.blocks is None and self.pieces is None else POLICY_FORMAT,
            **({} if self.keep is None else {"keep": list(self.keep)}),
            "release": {
                "k": self.k,
                "method": self.method,
                "seed": self.seed,
                # the keys of `max_suppression` and, in `Refinement`, of `time_limit` are those of all earlier versions
                "suppression": self.suppression,
                **({} if self.blocks is None else {"blocks": self.blocks}),
                **({} if self.pieces is None else {"pieces": self.pieces}),
            },
            "missing": {"policy": self.missing, **({"alpha": self.alpha} if self.missing == "wildcard" else {})},
            "options": self.options,
            "refine": {} if self.refinement is None else self.refinement.to_dict(),
            "weights": dict(self.weights),
            "bounds": {name: list(pair) for name, pair in self.bounds.items()},
            "survey": self.survey.to_dict(),
            "models": [{"column": model.column, "model": model.notation} for model in self.models],
            "columns": [_column_facts(column) for column in self.schema.columns],
            "input": dict(self.input),
            "output": dict(self.output),
            "versions": dict(self.versions),
        }

    def to_toml(self) -> str:
        return _HEADER + "\n".join(_toml_lines(self.to_dict())) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read the policy that a release wrote."""
        return replace(cls.from_toml(_read_bytes(path), path=path), path=Path(path))

    @classmethod
    def from_toml(cls, text: bytes, *, path: object) -> Self:
        """Parse the policy that a release wrote; ``path`` is its name in messages."""
        facts = _parse(text, path)
        if _is_draft(facts):
            raise PolicyError.is_draft(path)
        return cls._from_dict(facts, path)

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any], path: object) -> Self:
        if facts["format"] >= _BASE_FORMAT:
            check_keys(facts, path)
        try:
            policy = cls._from_tables(facts)
        except KeyError as error:
            raise PolicyError.damaged(path, f"it has no {error.args[0]!r}") from None
        except OptionError as error:
            raise PolicyError.invalid(path, error) from None
        except (TypeError, ValueError, AttributeError, OverflowError, ShoalError):
            raise PolicyError.damaged(path, "an entry has the wrong type") from None
        for why, is_valid in policy._validity():
            if not is_valid:
                raise PolicyError.damaged(path, why)
        return policy

    @classmethod
    def _from_tables(cls, facts: Mapping[str, Any]) -> Self:
        release, options = facts["release"], undeclared_options({"options": _checked(facts["options"], dict)})
        values = {option.name: option.default for option in RELEASE_OPTIONS}
        values["missing_values"] = "refuse"  # in policies of versions without missing values
        values |= {name: check_option(name, value) for name, value in declared_values(facts)}
        schema = Schema(tuple(_read_column(column) for column in _checked(facts["columns"], list)))
        return cls(
            k=check_option("k", release["k"]),
            method=_checked(release["method"], str),
            seed=check_option("seed", release["seed"]),
            schema=assign_recodings(schema, options.pop("recode", None)),
            rounding=_read_rounding(facts["options"], rounds_integers=options.pop("round_integers", False)),
            method_options={name: check_scalar(name, value) for name, value in options.items()},
            **{name: values[name] for name in ("standardize", "distance", "keep_totals", "shuffle", "formulas")},
            weights=values["weights"] or {},
            models=tuple(
                PrivacyModel.parse(_checked(entry["column"], str), entry["model"])
                for entry in _checked(facts.get("models", []), list)
            ),
            missing=values["missing_values"],
            alpha=values["alpha"],
            suppression=values["max_suppression"],
            refinement=_read_refinement(_checked(facts.get("refine", {}), dict)),
            blocks=values["blocks"],
            pieces=_checked(release["pieces"], int) if "pieces" in release else None,
            survey=Survey(
                values["sampling_weights"] or "",
                tuple(_checked(name, str) for name in _checked(values["strata"], list | tuple)),
                values["households"] or "",
                values["largest_household"],
            ),
            bounds=values["bounds"] or {},
            keep=tuple(_checked(name, str) for name in _checked(facts["keep"], list)) if "keep" in facts else None,
            input=_checked(facts.get("input", {}), dict),
            output=_checked(facts.get("output", {}), dict),
            versions=_checked(facts.get("versions", {}), dict),
        )

    def _validity(self) -> Iterator[tuple[str, bool]]:
        """What may be wrong with the values of a policy that was read, and whether it is right."""
        columns = self.schema.columns
        hierarchical = [column for column in columns if column.kind is Kind.HIERARCHICAL]
        without_role = {*self.schema.names_with_role(Role.INSENSITIVE)}
        yield "it decides about a column twice", len({column.name for column in columns}) == len(columns)
        yield "it names no quasi-identifier", bool(self.schema.quasi_identifiers)
        yield "a hierarchical column has no hierarchy", all(column.hierarchy_fingerprint for column in hierarchical)
        yield "the steps of its search do not fit", self.refinement is None or self.refinement.has_valid_steps
        yield "its pieces have no room", self.pieces is None or 1 <= self.pieces < 2**62
        yield "it keeps a column that has a role, or that it does not know", {*(self.keep or ())} <= without_role


def read_policy(path: str | os.PathLike[str]) -> Policy | PolicyDraft:
    """Read a policy file: that of a release, or one written by hand."""
    facts = _parse(_read_bytes(path), path)
    policy = PolicyDraft.from_dict(facts, path) if _is_draft(facts) else Policy._from_dict(facts, path)
    return replace(policy, path=Path(path))


def _is_draft(facts: Mapping[str, Any]) -> bool:
    """Whether a file was written by hand: every release writes the versions that it was made with."""
    return facts["format"] >= _BASE_FORMAT and "versions" not in facts


def _read_bytes(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise PolicyError.damaged(path, (error.strerror or "it cannot be read").lower()) from None
    except TypeError:
        raise PolicyError.not_a_policy(type(path).__name__) from None
    except ValueError:
        raise PolicyError.damaged(path, "no file can have this name") from None


def _parse(text: bytes, path: object) -> dict[str, Any]:
    """Parse a policy file of a known format."""
    try:
        facts = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:  # includes TOML and decoding errors
        line = re.search(r"\(at (line \d+)", str(error))
        raise PolicyError.damaged(path, f"it is not TOML{f': {line[1]}' if line else ''}") from None
    version = facts.get("format")
    if type(version) is not int or version < 1:
        raise PolicyError.damaged(path, "it has no format number")
    if version > POLICY_FORMAT:
        raise PolicyError.too_new(path, version, POLICY_FORMAT)
    return facts


def _column_facts(column: Column) -> dict[str, Any]:
    """The decisions about a column. A hierarchy is stored as a fingerprint: its nodes are values of the data."""
    facts: dict[str, Any] = {"name": column.name, "role": str(column.role), "kind": str(column.kind)}
    if column.reason:
        facts["reason"] = column.reason
    if column.recode:
        facts["recode"] = column.recode
    fingerprint = column.hierarchy.fingerprint if column.hierarchy else column.hierarchy_fingerprint
    if fingerprint:
        facts["hierarchy"] = {
            **({"file": column.hierarchy_file} if column.hierarchy_file else {}),
            "sha256": fingerprint,
        }
    return facts


def _read_rounding(options: Mapping[str, Any], *, rounds_integers: Any) -> str:
    """Rounding of released numbers. Policies without ``exact_means`` are older and have ``round_integers``."""
    if "exact_means" not in options:
        return INTEGER_COLUMNS if check_bool("round_integers", rounds_integers) else NO_ROUNDING
    if options["exact_means"] and options.get("keep_totals"):
        raise OptionError.exact_means_with_totals()
    return NO_ROUNDING if options["exact_means"] else BY_COLUMN


def _read_refinement(facts: Mapping[str, Any]) -> Refinement | None:
    if not facts:
        return None
    seconds = facts.get("seconds")
    return Refinement(
        _checked(facts["effort"], str),
        None if seconds is None else float(seconds),
        *(
            tuple(_checked(steps, int) for steps in _checked(facts.get(name, []), list))
            for name in ("planned", "done", "looks")
        ),
    )


def _read_column(facts: Mapping[str, Any]) -> Column:
    hierarchy = _checked(facts.get("hierarchy", {}), dict)
    return Column(
        _checked(facts["name"], str),
        Role(facts["role"]),
        Kind(facts["kind"]),
        reason=_checked(facts.get("reason", ""), str),
        hierarchy_file=_checked(hierarchy.get("file", ""), str),
        hierarchy_fingerprint=_checked(hierarchy["sha256"], str) if hierarchy else "",
        recode=_checked(facts.get("recode", ""), str),
    )


def _checked(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _toml_lines(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """TOML lines of a table: plain entries first, then nested tables."""
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_table_array(value) and (value != [] or key == "keep"):
            yield f"{toml_key(key)} = {toml_value(value)}"
    for key, value in table.items():
        inner = f"{path}.{toml_key(key)}" if path else toml_key(key)
        if isinstance(value, Mapping) and value:
            yield f"\n[{inner}]"
            yield from _toml_lines(value, inner)
        elif _is_table_array(value):
            for row in value:
                yield f"\n[[{inner}]]"
                yield from _toml_lines(row, inner)


def _is_table_array(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], Mapping)


def toml_key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else toml_value(key)


def toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        # TOML has the escapes of JSON, but also requires one for DEL
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
