"""The Spark engine: every stage of a release in pieces as a job of Spark."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import tables
from shoal.engines.facts import Facts, check_count, joined
from shoal.engines.interface import Done
from shoal.engines.pieces import Slice, pieces
from shoal.engines.plan import ROW, TYPED, WHOLE, WORDS, Plan
from shoal.engines.spark import surveying
from shoal.engines.spark.chores import ALL, CODE, COUNT, FACTS, LEAF, PIECE, PLACE, Dealing, Working, opened, typed
from shoal.engines.spark.jobs import arrow, run
from shoal.engines.spark.places import Places, places
from shoal.engines.spark.ranks import first_rows
from shoal.engines.spark.recount import recount
from shoal.engines.spark.source import Source, open_source, read, sortable
from shoal.engines.spark.worker import Chore
from shoal.errors import PromiseError
from shoal.measure.pieces import Sizes, Sums
from shoal.measure.sums import Tally
from shoal.tables.large import Base, Spot, Survey
from shoal.values import IntMatrix, Progress, Verification
from shoal.verify import check_kept, check_shape

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

FILE = 1_000_000
"""The records of a file of the release: they decide how many files there are, whatever the cluster is."""


class SparkEngine:
    """Works on a table in Parquet files, with a scratch folder that all machines reach."""

    def __init__(self, source: Source, scratch: str, *, ordered: bool) -> None:
        """``ordered`` says whether the release keeps the order of the table, or has one by what it shows."""
        self.source, self.session, self.scratch, self.ordered = source, source.session, scratch, ordered
        self.formulas: Mapping[str, int] = {}  # Parquet is no text that a spreadsheet would run
        self.broken: Sequence[tables.Broken] = ()
        self._key = secrets.token_bytes(32)
        self._places: Places | None = None
        self._sums: list[Sums] = []
        self._texts: set[str] = set()
        self._rows: dict[tuple[int, int], int] = {}
        """The number of the record that has a rank in a large leaf."""

    def survey(self, *, progress: Progress) -> Survey:
        """What one look at every record tells."""
        return surveying.surveyed(self.source, f"{self.scratch}/survey", progress=progress)

    def outside(self, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float]) -> Spot:
        """How many numbers of a column lie outside of its bounds, and the first of them."""
        return surveying.outside(self.source, survey, base, name, bounds=bounds)

    def deal(self, plan: Plan, *, progress: Progress) -> None:
        """Count the records of every leaf, and decide where each is worked on."""
        chore = Chore("chores.deal", self._dealing(plan, None))
        dealt = arrow(self._of_groups(plan), chore, f"{LEAF} long, {CODE} long, {COUNT} long")
        counts = dealt.groupBy(LEAF, CODE).agg({COUNT: "sum"})
        found = run(self.session, "deal out", counts.collect, records=plan.records, progress=progress)
        leaves, tallies = np.zeros(plan.cuts.count, dtype=np.int64), plan.no_tallies()
        for leaf, code, count in found:
            if code == ALL:
                leaves[leaf] = count
            elif tallies is not None:
                tallies[leaf, code] = count
        check_count(int(leaves.sum()), plan.records)
        self._places = self._placed(plan, leaves.tolist(), tallies)

    def _of_groups(self, plan: Plan) -> DataFrame:
        """The columns that groups depend on."""
        return self.source.numbered(plan.columns)

    def _dealing(self, plan: Plan, where: Places | None) -> Dealing:
        return Dealing(self.source.named(plan.columns), plan.light(), where)

    def _placed(self, plan: Plan, leaves: Sequence[int], tallies: IntMatrix | None) -> Places:
        """The places of all pieces."""
        found = pieces(plan, leaves, tallies, partial(self._counted, plan))
        return self._begun(plan, places(found, len(leaves)))

    def _counted(self, plan: Plan, slices: Sequence[Slice]) -> IntMatrix:
        """How many records of each slice have each sensitive value."""
        where = self._begun(plan, places([[part] for part in slices], plan.cuts.count))
        chore = Chore("chores.tallies", self._dealing(plan, where))
        counts = arrow(self._of_groups(plan), chore, f"{PLACE} long, {CODE} long, {COUNT} long")
        found = np.zeros((len(slices), int(plan.like.demands.first[-1]) if plan.like.demands else 0), dtype=np.int64)
        for place, code, count in run(self.session, "slice", counts.groupBy(PLACE, CODE).agg({COUNT: "sum"}).collect):
            found[place, code] = count
        return found

    def _begun(self, plan: Plan, where: Places) -> Places:
        """The places with the numbers of the records with which slices of large leaves begin."""
        unknown = [
            (leaf, rank) for leaf, ranks in where.ranks.items() for rank in ranks if (leaf, rank) not in self._rows
        ]
        if unknown:
            self._rows |= first_rows(self._leaf_rows(plan, where), unknown, records=plan.records)
        starts = {
            leaf: np.array([self._rows[leaf, rank] for rank in ranks], dtype=np.int64)
            for leaf, ranks in where.ranks.items()
        }
        return replace(where, starts=starts)

    def _leaf_rows(self, plan: Plan, where: Places) -> DataFrame:
        """The numbers of the records of large leaves."""
        folder = f"{self.scratch}/rows-{len(self._rows)}"
        chore = Chore("chores.rows_of_leaves", self._dealing(plan, where))
        rows = arrow(self._of_groups(plan), chore, f"{ROW} long, {LEAF} long")
        run(self.session, "slice", lambda: rows.write.parquet(folder))
        return read(self.session, folder, rows.schema)

    def work(self, plan: Plan, *, progress: Progress) -> Done:
        """Bring what is known of the records of each piece together, and let a worker say what they show."""
        where = self._places
        if where is None:
            raise RuntimeError("records are dealt out first")
        dealing, records = self._dealing(plan, where), self._of_groups(plan)
        fields = [(field.name, field.dataType) for field in records.schema]
        dealt = arrow(records, Chore("chores.place", dealing), _schema([*fields, (PLACE, "long"), (PIECE, "long")]))
        count = int(where.piece[-1]) + 1
        state = Working(dealing.names, dealing.plan, [key for key, _ in self._shown(plan)], self._key)
        worked = arrow(_by_number(dealt, count, PIECE), Chore("chores.work", state), self._handed_back(plan))
        write = partial(worked.write.parquet, self._worked)
        run(self.session, "work", write, records=plan.records, progress=progress)
        return self._noted(plan, *self._read_results(plan), count)

    @property
    def _worked(self) -> str:
        return f"{self.scratch}/worked"

    def _read_worked(self, plan: Plan) -> DataFrame:
        return read(self.session, self._worked, self._handed_back(plan))

    def _handed_back(self, plan: Plan) -> StructType:
        """What workers hand back: the numbers of the records, what they show, and the facts of pieces."""
        return _schema([(ROW, "long"), *self._shown(plan), (FACTS, "binary")])

    def _read_results(self, plan: Plan) -> tuple[tuple[int, ...], list[tuple[int, Facts, Sums]]]:
        """Read the files of the workers, in one query.

        Gives the count, the sum and the sum of squares of the record numbers, and the facts of each piece.
        """
        from pyspark.sql import functions as F  # noqa: N812

        wide = f"cast({ROW} as decimal(38, 0))"
        sums = ["count(*)", f"sum({wide})", f"sum(cast({wide} * {ROW} as decimal(38, 0)))"]
        results = self._read_worked(plan).groupBy(FACTS).agg(*map(F.expr, sums))
        records, found = (0, 0, 0), list[tuple[int, Facts, Sums]]()
        for facts, times, *more in run(self.session, "work", results.collect):
            if facts is None:
                records = (times, *map(int, more))
            else:
                found += [opened(bytes(facts), self._key)] * times
        return records, sorted(found, key=lambda piece: piece[0])

    def _noted(
        self, plan: Plan, records: tuple[int, ...], said: Sequence[tuple[int, Facts, Sums]], expected: int
    ) -> Done:
        check_count(sum(facts["records"] for _, facts, _ in said), plan.records)
        if [number for number, _, _ in said] != list(range(expected)):
            raise PromiseError.changed("pieces that are missing or that came twice")
        # a record that is missing while another came twice shows in the sum of the squares
        n = plan.records
        if records != (n, n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6):
            raise PromiseError.changed("records that are missing or that occur twice")
        self._sums = [sums for _, _, sums in said]
        self._texts = {name for _, facts, _ in said for name in facts["texts"]}
        return joined([facts for _, facts, _ in said])

    def _shown(self, plan: Plan) -> list[tuple[str, Any]]:
        """The columns that workers hand back, with their types: words also in the type that they had."""
        found: list[tuple[str, Any]] = []
        types = {field.name: field.dataType for field in self.source.frame.schema}
        for name in plan.base.names:
            key, old, form = self.source.keys[name], types[name], plan.form(name)
            if form == WORDS:
                found.append((key, "string"))
                if not _is_text(old):
                    found.append((typed(key), old))
            elif form == TYPED:
                found.append((key, old))
            else:
                found.append((key, "long" if form == WHOLE else "double"))
        return found

    def deliver(self, plan: Plan, part: str, *, progress: Progress) -> Sequence[Sums]:
        """Write the release under the names of its columns; what the measures need was counted with the pieces."""
        from pyspark.sql import functions as F  # noqa: N812

        names = plan.policy.schema.released
        keys, count = [self.source.keys[name] for name in names], math.ceil(plan.records / FILE)
        rows = self._complete(plan)
        if self.ordered and not plan.policy.shuffle:
            numbered = rows.select(ROW, F.expr(f"{ROW} div {FILE}").alias(PIECE), *keys)
            in_order = _by_number(numbered, count, PIECE).sortWithinPartitions(ROW)
        else:
            # the order of the table would tell what it held: this one depends on what the release shows
            by = [sortable(rows, key) for key in keys]
            in_order = rows.repartition(count, *by).sortWithinPartitions(*by)
        few = rows.where(F.expr(f"{ROW} % {plan.survey.step} = 0")).sort(ROW).select(*keys).toDF(*names)
        sample = tables.read(run(self.session, "sample", few.toArrow))
        self.broken = tables.broken_dependencies(plan.survey.sample, sample, plan.policy.schema)
        write = partial(in_order.select(*keys).toDF(*names).write.mode("errorifexists").parquet, part)
        run(self.session, "deliver", write, records=plan.records, progress=progress)
        return self._sums

    def _complete(self, plan: Plan) -> DataFrame:
        """What the records show, and all that is released of them as it was: this has never been in a worker."""
        from pyspark.sql import functions as F  # noqa: N812

        given, columns = dict(self._shown(plan)), []
        for name in plan.base.names:
            key = self.source.keys[name]
            columns.append(F.col(typed(key) if typed(key) in given and name not in self._texts else key).alias(key))
        worked = self._read_worked(plan).where(f"{FACTS} is null").select(ROW, *columns)
        others = [name for name in plan.policy.schema.released if name not in plan.base.names]
        # by sorting both: a small side would be sent to all by way of the driver
        return self.source.numbered(others).join(worked.hint("merge"), ROW) if others else worked

    def verify(self, plan: Plan, part: str, *, progress: Progress) -> tuple[Verification, Sizes]:
        """Read what was written, and let Spark count its classes."""
        written = open_source(self.session, part, literal=True)
        folder = f"{self.scratch}/verified"
        proof, sizes = recount(written, plan.policy, folder, records=plan.records, progress=progress)
        check_shape(written.names, proof.records, policy=plan.policy, records=plan.records)
        check_kept(proof)
        self.source.check()
        return proof, Sizes(Tally(np.array([*sizes]), np.array([*sizes.values()])))


def _schema(fields: Sequence[tuple[str, Any]]) -> StructType:
    from pyspark.sql.types import StructType

    found = StructType()
    for name, kind in fields:
        found = found.add(name, kind, nullable=True)
    return found


def _is_text(kind: Any) -> bool:
    return str(kind.typeName()) in ("string", "char", "varchar")


def _by_number(frame: DataFrame, count: int, name: str) -> DataFrame:
    """The rows of each number in a partition of their own; versions before 4.1 may put several into one, sorted."""
    direct = getattr(frame, "repartitionById", None)
    if direct is None:
        return frame.repartitionByRange(count, name).sortWithinPartitions(name)
    from pyspark.sql import functions as F  # noqa: N812

    found: DataFrame = direct(count, F.col(name).cast("int"))
    return found
