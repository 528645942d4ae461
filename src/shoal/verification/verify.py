"""Independent verification of k-anonymity and privacy models.

It uses released values only, with a group-by and a count, and shares no code with the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.data.chunked import ChunkedFile, ClassCounter, profile_file, with_column_types
from shoal.data.spelling import normalize_text_for_verification
from shoal.domain import (
    BoolVector,
    FloatVector,
    IntVector,
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
    to_builtin,
)
from shoal.errors import PromiseError


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
    schema = minimal_schema(table, names, models) if schema is None else schema
    design = design or SurveyDesign()
    classes = data.class_labels(table, names)
    parts = classes if design.strata is None else number_by_first_row(classes * len(classes) + design.strata)[1]
    wildcards = missing == "wildcard" and design.strata is None and design.households is None
    wildcard_sizes = (
        data.separate_wildcard_counts(table, names, alpha=alpha, apart=suppressed)[0] if wildcards else None
    )
    sizes = _class_sizes(parts, design) if wildcard_sizes is None else wildcard_sizes
    return Verification(
        k=k,
        records=len(classes),
        classes=int(classes.max()) + 1,
        min_class=to_builtin(sizes.min()),
        violations=int((sizes < k).sum()),
        unique_records=int((sizes < 2).sum()),
        quasi_identifiers=names,
        missing="wildcard" if wildcards else "category",
        models=data.check_models(
            data.encode_constraints(table, models, schema, normalize=normalize_text_for_verification), models, parts
        ),
        unit="records" if design.households is None else "households",
    )


def verify_chunks(
    source: ChunkedFile,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Sequence[PrivacyModel] = (),
    schema: Schema,
    folder: Path,
    max_bytes: int,
    progress: Progress = no_progress,
) -> tuple[Verification, Mapping[int, int]]:
    """Count the classes of a file that is read in chunks.

    Returns the verification and the number of classes of each size. About ``max_bytes`` of distinct records are held in
    memory, the others in the folder. The models use statistics of the file itself.
    """
    k = check_k(k)
    names = select_names(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    model_columns = list(dict.fromkeys(model.column for model in models))
    statistics = profile_file(source, columns=model_columns) if model_columns else None
    tally, done = ClassCounter(folder, names, sensitive=model_columns, max_bytes=max_bytes), 0
    for chunk in source.chunks(columns=[*names, *model_columns]):
        tally.add(chunk if statistics is None else with_column_types(chunk, statistics))
        done += chunk.height
        progress(done, done)
    result = tally.result(k)
    proof = Verification(
        k=k,
        records=result.records,
        classes=result.classes,
        min_class=result.min_class,
        violations=result.violations,
        unique_records=result.unique_records,
        quasi_identifiers=names,
        models=()
        if statistics is None
        else tally.check_models(
            data.SensitiveEncoder.from_statistics(statistics, models, schema, normalize=normalize_text_for_verification)
        ),
    )
    return proof, result.sizes


def _class_sizes(parts: IntVector, design: SurveyDesign) -> FloatVector:
    """Number of records, or of households, of each record's class within its stratum."""
    rows = np.arange(len(parts))
    if design.households is not None:
        rows = number_by_first_row(parts * len(parts) + design.households)[0]
    return np.bincount(parts[rows])[parts].astype(np.float64)


def minimal_schema(table: Table, quasi_identifiers: Names, models: Sequence[PrivacyModel]) -> Schema:
    names = select_names(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    sensitive = dict.fromkeys(model.column for model in models if model.column not in names)
    return Schema.assign(data.column_kinds(table), quasi_identifiers=names, sensitive=sensitive)


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
