"""Independent verification of k-anonymity and privacy models.

It uses released values only, with a group-by and a count, and shares no code with the methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.data.chunked import (
    ChunkedFile,
    ClassCounter,
    TableStatistics,
    profile_file,
    with_column_types,
)
from shoal.data.spelling import normalize_text_for_verification
from shoal.domain import (
    BoolVector,
    FloatVector,
    IntVector,
    Kind,
    ModelCheck,
    Names,
    Policy,
    PrivacyModel,
    Progress,
    Role,
    Schema,
    SurveyDesign,
    Verification,
    check_k,
    no_progress,
    number_by_first_row,
    select_names,
)
from shoal.errors import OptionError, PromiseError


def verify(
    table: Table,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Sequence[PrivacyModel] = (),
    schema: Schema | None = None,
    missing: str = "category",
    alpha: float = 1.0,
    design: SurveyDesign | None = None,
    suppressed: BoolVector | None = None,
) -> Verification:
    """Count the classes of a table on its values.

    A missing value is a value like any other, or with ``missing="wildcard"`` compatible with every value; ``alpha`` is
    then the weight of records with missing values, and known ``suppressed`` records are a class of their own. Models
    use the kinds and hierarchies of a schema; without one, the types of the columns. With a ``design``, records are
    counted within strata, and households instead of records; missing values are a category then.
    """
    k = check_k(k)
    names = select_names(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    schema = minimal_schema(data.column_kinds(table), names, models) if schema is None else schema
    design = design or SurveyDesign()
    classes = data.class_labels(table, names)
    parts = classes if design.strata is None else number_by_first_row(classes * len(classes) + design.strata)[1]
    wildcards = missing == "wildcard" and design.strata is None and design.households is None
    if wildcards:
        counts = data.separate_wildcard_counts(table, names, alpha=alpha, apart=suppressed)[0]
        records = _records_by_size(counts, None)
    else:
        records = _records_by_size(_units(parts, design), np.bincount(parts))
    return Verification.of_counts(
        k,
        records,
        classes=int(classes.max()) + 1,
        quasi_identifiers=names,
        missing="wildcard" if wildcards else "category",
        models=data.check_models(
            data.encode_constraints(table, models, schema, normalize=normalize_text_for_verification), models, parts
        ),
        unit="records" if design.households is None else "households",
    )


def _units(parts: IntVector, design: SurveyDesign) -> IntVector:
    """Count the records, or the households, of each class within its stratum."""
    if design.households is not None:
        parts = parts[number_by_first_row(parts * len(parts) + design.households)[0]]
    return np.bincount(parts)


def _records_by_size(sizes: FloatVector | IntVector, records: IntVector | None) -> dict[float, int]:
    """Count the records by size of their class; ``records`` are those of each entry, 1 by default."""
    distinct, place = np.unique(sizes, return_inverse=True)
    return dict(zip(distinct.tolist(), np.bincount(place, records).astype(np.int64).tolist(), strict=True))


def verify_chunks(
    source: ChunkedFile,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Sequence[PrivacyModel] = (),
    schema: Schema,
    folder: Path,
    max_bytes: int,
    missing: str = "category",
    strata: Sequence[str] = (),
    households: str = "",
    sensitive: Sequence[str] = (),
    statistics: TableStatistics | None = None,
    progress: Progress = no_progress,
) -> tuple[Verification, ClassCounter]:
    """Count the classes of a file that is read in chunks, as `verify` counts those of a table.

    Returns the verification and the counter. About ``max_bytes`` of distinct records are held in memory, the others in
    the folder. The models use ``statistics`` of the file itself. The counter has the distributions of the ``sensitive``
    columns of the schema, but for those with too many distinct values.
    """
    k = check_k(k)
    names = select_names(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    if missing == "wildcard" and not (strata or households):
        raise OptionError.wildcards_need_memory()
    with_models = dict.fromkeys(model.column for model in models)
    typed = list(dict.fromkeys([*with_models, *sensitive, *strata, *([households] if households else [])]))
    if typed and statistics is None:
        statistics = profile_file(source, columns=typed)
    counted = {}
    if statistics is not None:
        counted = data.counted_values(statistics, schema, models=models, sensitive=sensitive)
    counter = ClassCounter(
        folder,
        names,
        strata=strata,
        households=households,
        **counted,
        max_bytes=max_bytes,
    )
    done = 0
    for chunk in source.chunks(columns=[*names, *typed]):
        counter.add(chunk if statistics is None else with_column_types(chunk, statistics))
        done += chunk.height
        progress(done, done)
    checks: tuple[ModelCheck, ...] = ()
    if models and statistics is not None:
        checks = counter.check_models(
            data.SensitiveEncoder.from_statistics(statistics, models, schema, normalize=normalize_text_for_verification)
        )
    proof = Verification.of_counts(
        k,
        counter.counts.records,
        classes=sum(counter.counts.sizes.values()),
        quasi_identifiers=names,
        models=checks,
        unit="households" if households else "records",
    )
    return proof, counter


def minimal_schema(
    kinds: Sequence[tuple[str, Kind]], quasi_identifiers: Names, models: Sequence[PrivacyModel]
) -> Schema:
    """Return the roles that a verification needs, of columns of these kinds."""
    names = select_names(quasi_identifiers, [name for name, _ in kinds], Role.QUASI_IDENTIFIER)
    sensitive = dict.fromkeys(model.column for model in models if model.column not in names)
    return Schema.assign(kinds, quasi_identifiers=names, sensitive=sensitive)


def verify_release(
    released: Table, *, policy: Policy, records: int, design: SurveyDesign, suppressed: BoolVector | None = None
) -> Verification:
    """Verify a release by its policy: records, columns and classes. Raises if one of them fails."""
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
    check_verification(proof)
    return proof


def check_shape(names: tuple[str, ...], n_records: int, *, policy: Policy, records: int) -> None:
    """Refuse a release with other records or columns than the policy releases, such as an identifier."""
    if n_records != records:
        raise PromiseError.unexpected_content(f"{n_records:,} records instead of {records:,}")
    if names != policy.schema.released:
        raise PromiseError.unexpected_content("other columns than the schema releases")


def check_verification(proof: Verification) -> None:
    """Refuse a release that violates k or a privacy model."""
    if proof.violations or proof.min_class < proof.k:
        raise PromiseError.below_k(records=proof.violations, k=proof.k, smallest=proof.min_class)
    for check in proof.models:
        if not check.ok:
            raise PromiseError.model_broken(
                check.model, column=check.column, records=check.violations, of=proof.records
            )
