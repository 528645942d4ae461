"""Memory engine: the whole table at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from shoal import data, metrics, recode
from shoal.data import Encoder, Table
from shoal.domain import (
    BoolVector,
    ColumnProfile,
    Evaluation,
    IntVector,
    Kind,
    ModelConstraints,
    Policy,
    Precision,
    Progress,
    Records,
    Role,
    SurveyDesign,
    Verification,
)
from shoal.engines.engine import Engine, ProcessTotals, WrittenTable
from shoal.engines.plan import ProcessedRecords, ReleasePlan
from shoal.errors.messages import pluralize
from shoal.metrics.partial_sums import KeyedCounts
from shoal.verification.verify import verify_release


@dataclass(frozen=True, eq=False, repr=False)
class TableInMemory:
    """Profile of a table that is in memory."""

    table: Table

    @property
    def records(self) -> int:
        return self.table.height

    @property
    def sample(self) -> Table:
        """The whole table."""
        return self.table

    def kinds(self) -> tuple[tuple[str, Kind], ...]:
        """Return the kinds of the columns."""
        return data.column_kinds(self.table)

    def column_profiles(self) -> tuple[ColumnProfile, ...]:
        """Return the profiles of the columns."""
        return self._profiles

    @cached_property
    def _profiles(self) -> tuple[ColumnProfile, ...]:
        return data.profile_columns(self.table)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MemoryPlan(ReleasePlan):
    """Plan of a release in memory: the encoded table."""

    records: Records
    design: SurveyDesign

    @classmethod
    def build(cls, table: Table, policy: Policy) -> MemoryPlan:
        """Encode a table for the methods by its policy. Raise if no method could take it."""
        encoder, records = Encoder.fit_transform(
            table,
            policy.schema,
            standardize=policy.standardize,
            distance=policy.distance,
            weights=policy.weights,
            missing=policy.missing,
        )
        encoder.check_bounds(policy.bounds, partial(encoder.out_of_bounds, table))
        design = data.build_survey_design(table, **policy.survey.names)
        if policy.models:
            records = replace(records, constraints=_model_constraints(table, policy, design))
        return cls(policy=policy, encoder=encoder, records=records, design=design)


@dataclass(frozen=True, eq=False, repr=False)
class RowMetadata:
    """What verification must know about the rows of a release beyond their values."""

    design: SurveyDesign = field(default_factory=SurveyDesign)
    """Strata and households of the rows."""
    suppressed: BoolVector | None = None
    """Mask of the suppressed rows."""
    order: IntVector | None = None
    """Row in the original of each released row; None if the order is the same."""

    def reorder(self, order: IntVector | None) -> RowMetadata:
        """Reorder to these rows; no change if ``order`` is None."""
        if order is None:
            return self
        return RowMetadata(self.design.take(order), None if self.suppressed is None else self.suppressed[order], order)


class MemoryEngine(Engine[TableInMemory, MemoryPlan, None]):
    """Runs a release of a table in memory, with everything that Shoal can do."""

    supports_wildcards = True
    stages: Mapping[str, float] = MappingProxyType({"process": 1.0})
    processed: ProcessedRecords
    released: Table
    rows: RowMetadata
    inputs: metrics.MetricInputs

    def __init__(self, table: Table) -> None:
        self.table = table

    def profile(self, *, progress: Progress) -> TableInMemory:
        """Return the table itself; its columns are profiled when they are needed."""
        return TableInMemory(self.table)

    def plan(self, profile: TableInMemory, policy: Policy) -> MemoryPlan:
        """Encode the table."""
        return MemoryPlan.build(self.table, policy)

    def partition(self, plan: MemoryPlan, *, progress: Progress) -> None:
        """Do nothing: the table is one part."""

    def process(self, plan: MemoryPlan, *, progress: Progress) -> ProcessTotals:
        """Group and recode all records."""
        self.processed = plan.group_and_recode(
            plan.records,
            design=plan.design,
            precisions=partial(self._precisions, plan),
            refinement=plan.policy.refinement,
            progress=progress,
        )
        groups = self.processed.groups
        return ProcessTotals(
            group_sizes=KeyedCounts.of(groups.sizes),
            n_suppressed=groups.n_suppressed,
            notes=groups.account,
            search=groups.search,
        )

    def _precisions(self, plan: MemoryPlan, records: Records, suppressed: BoolVector | None) -> Mapping[str, Precision]:
        return recode.precisions(plan.policy.rounding, self.table, records, suppressed)

    def write(self, plan: MemoryPlan, destination: None, *, progress: Progress) -> WrittenTable:
        """Replace the quasi-identifiers, and shuffle the rows if the policy says so."""
        policy, groups = plan.policy, self.processed.groups
        unshuffled = data.replace_columns(self.table, policy.schema, self.processed.columns)
        order = data.shuffled_order(unshuffled, seed=policy.seed) if policy.shuffle else None
        self.released = unshuffled if order is None else data.take(unshuffled, order)
        self.rows = RowMetadata(plan.design, groups.suppressed).reorder(order)
        self.inputs = self._metric_inputs(plan, unshuffled)
        return WrittenTable(
            formulas=data.count_formulas(self.released),
            broken_dependencies=data.broken_dependencies(self.table, unshuffled, policy.schema),
            has_informative_index=data.has_informative_index(self.released),
        )

    def _metric_inputs(self, plan: MemoryPlan, released: Table) -> metrics.MetricInputs:
        policy, groups = plan.policy, self.processed.groups
        count = partial(
            metrics.count_classes,
            names=plan.records.names,
            k=policy.k,
            missing=policy.missing,
            alpha=policy.alpha,
            design=plan.design,
        )
        bound = None if groups.search is None or groups.n_suppressed else groups.search.bound
        sensitive = [column for column in policy.schema.columns if column.role is Role.SENSITIVE]
        return plan.metric_inputs(
            self.table,
            released,
            plan.records,
            columns=self.processed.columns,
            intervals=self.processed.intervals,
            classes=(count(self.table), count(released, suppressed=groups.suppressed)),
            sensitive=data.sensitive_columns(self.table, sensitive),
            sampling_weights=plan.design.sampling_weights,
            lower_bound=None if bound is None else bound.value,
        )

    def verify(self, plan: MemoryPlan, destination: None, *, progress: Progress) -> Verification:
        """Count the classes of the released values."""
        return verify_release(
            self.released,
            policy=plan.policy,
            records=self.table.height,
            design=self.rows.design,
            suppressed=self.rows.suppressed,
        )

    def evaluate(self, plan: MemoryPlan, proof: Verification) -> Evaluation:
        """Evaluate the release record by record."""
        return metrics.evaluate(self.inputs, models=proof.models)


def _model_constraints(table: Table, policy: Policy, design: SurveyDesign) -> ModelConstraints:
    """Model constraints of the groups. Raises if the table, or a stratum of it, cannot meet them."""
    constraints = data.encode_constraints(table, policy.models, policy.schema)
    data.check_feasible(constraints, policy.models)
    if design.strata is not None:
        for rows in np.split(np.argsort(design.strata, kind="stable"), np.cumsum(np.bincount(design.strata))[:-1]):
            where = f"a stratum of {pluralize(len(rows), 'record')}"
            data.check_feasible(constraints.take(rows), policy.models, records_name=where)
    return constraints
