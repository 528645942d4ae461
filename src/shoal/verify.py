"""Verification: is every record of this table alike at least k - 1 others, and does every privacy model hold?

It looks at released values only, with a group-by and a count, and shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal import tables
from shoal.errors import PromiseError
from shoal.schema import Model, Names, Policy, Role, Schema, chosen
from shoal.tables import Table
from shoal.values import BoolVector, Design, FloatVector, IntVector, Verification, by_first_row, plain, whole_k


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
        models=tables.check_models(tables.demands(table, models, schema), models, parts),
        unit="records" if design.households is None else "households",
    )


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
    if released.height != records:
        raise PromiseError.changed(f"{released.height:,} records instead of {records:,}")
    if released.names != schema.released:
        raise PromiseError.changed("other columns than the schema releases")
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
    if proof.violations or proof.min_class < policy.k:
        raise PromiseError.below_k(records=proof.violations, k=policy.k, smallest=proof.min_class)
    for check in proof.models:
        if not check.ok:
            raise PromiseError.model_broken(
                check.model, column=check.column, records=check.violations, of=proof.records
            )
    return proof
