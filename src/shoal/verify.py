"""Verification: is every record of this table alike at least k - 1 others, and does every privacy model hold?

It looks at released values only, with a group-by and a count, and shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shoal import tables
from shoal.errors import PromiseError
from shoal.schema import Model, Names, Policy, Role, Schema, chosen
from shoal.tables import Table
from shoal.tables.large import Source, Tally, fixed, sensitive_base, survey
from shoal.tables.spelling import verified_meaning
from shoal.values import (
    BoolVector,
    Design,
    FloatVector,
    IntVector,
    Progress,
    Verification,
    by_first_row,
    plain,
    silent,
    whole_k,
)


def verify(
    table: Table,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Sequence[Model] = (),
    schema: Schema | None = None,
    missing: str = "category",
    alpha: float = 1.0,
    design: Design | None = None,
    suppressed: BoolVector | None = None,
) -> Verification:
    """Count the classes of a table on the values that it shows.

    A missing value is a value of its own, unless it is a ``wildcard``: then records count as alike that agree where
    both have a value, those with missing values by ``alpha``; those known to be ``suppressed`` are a class by
    themselves, which no wildcard reaches. Models are understood by the kinds and hierarchies of a schema; without one,
    by the types of their columns. By a ``design``, records are counted within their strata, and households instead of
    records; missing is a value there in any case.
    """
    k = whole_k(k)
    names = chosen(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    schema = protected(table, names, models) if schema is None else schema
    design = design or Design()
    classes = tables.class_numbers(table, names)
    parts = classes if design.strata is None else by_first_row(classes * len(classes) + design.strata)[1]
    reaching = missing == "wildcard" and design.strata is None and design.households is None
    wild = tables.alike_counts(table, names, alpha=alpha, apart=suppressed)[0] if reaching else None
    alike = _within(parts, design) if wild is None else wild
    return Verification(
        k=k,
        records=len(classes),
        classes=int(classes.max()) + 1,
        min_class=plain(alike.min()),
        violations=int((alike < k).sum()),
        unique_records=int((alike < 2).sum()),
        quasi_identifiers=names,
        missing="wildcard" if reaching else "category",
        models=tables.check_models(tables.demands(table, models, schema, same=verified_meaning), models, parts),
        unit="records" if design.households is None else "households",
    )


def verify_chunks(
    source: Source,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Sequence[Model] = (),
    schema: Schema,
    folder: Path,
    room: int,
    progress: Progress = silent,
) -> tuple[Verification, Mapping[int, int]]:
    """Count the classes of a file that is read in chunks, and how many there are of each size.

    At most about ``room`` bytes of different records are held in memory; all others lie in the folder. Models are
    understood by a survey of the file itself.
    """
    k = whole_k(k)
    names = chosen(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    asked = list(dict.fromkeys(model.column for model in models))
    known = survey(source, columns=asked) if asked else None
    tally, done = Tally(folder, names, sensitive=asked, room=room), 0
    for chunk in source.chunks(columns=[*names, *asked]):
        tally.add(chunk if known is None else fixed(chunk, known))
        done += chunk.height
        progress(done, done)
    found = tally.result(k)
    proof = Verification(
        k=k,
        records=found.records,
        classes=found.classes,
        min_class=found.min_class,
        violations=found.violations,
        unique_records=found.unique_records,
        quasi_identifiers=names,
        models=()
        if known is None
        else tally.check_models(sensitive_base(known, models, schema, same=verified_meaning), models),
    )
    return proof, found.sizes


def _within(parts: IntVector, design: Design) -> FloatVector:
    """The records of each record's class in its stratum, or the households: no wildcard reaches into another."""
    counted = np.arange(len(parts))
    if design.households is not None:
        counted = by_first_row(parts * len(parts) + design.households)[0]
    return np.bincount(parts[counted])[parts].astype(np.float64)


def protected(table: Table, quasi_identifiers: Names, models: Sequence[Model]) -> Schema:
    """The schema of a table of which only this is known: what others could know, and what models are about."""
    names = chosen(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    asked = dict.fromkeys(model.column for model in models if model.column not in names)
    return Schema.assign(tables.kinds(table), quasi_identifiers=names, sensitive=asked)


def verify_release(
    released: Table, *, policy: Policy, records: int, design: Design, suppressed: BoolVector | None = None
) -> Verification:
    """Verify a release by its policy: its records, its columns, then its classes. Raise where it breaks."""
    schema = policy.schema
    check_shape(released.names, released.height, policy=policy, records=records)
    proof = verify(
        released,
        k=policy.k,
        quasi_identifiers=schema.quasi_identifiers,
        models=policy.models,
        schema=schema,
        missing="wildcard" if policy.missing == "wildcard" else "category",
        alpha=policy.alpha,
        design=design,
        suppressed=suppressed,
    )
    check_kept(proof)
    return proof


def check_shape(names: tuple[str, ...], found: int, *, policy: Policy, records: int) -> None:
    """Refuse a release with other records or columns than it should have: an identifier, say."""
    if found != records:
        raise PromiseError.changed(f"{found:,} records instead of {records:,}")
    if names != policy.schema.released:
        raise PromiseError.changed("other columns than the schema releases")


def check_kept(proof: Verification) -> None:
    """Refuse a release that breaks its promise."""
    if proof.violations or proof.min_class < proof.k:
        raise PromiseError.below_k(records=proof.violations, k=proof.k, smallest=proof.min_class)
    for check in proof.models:
        if not check.ok:
            raise PromiseError.model_broken(
                check.model, column=check.column, records=check.violations, of=proof.records
            )
