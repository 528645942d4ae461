"""Local engine: one machine, all its cores, and a scratch folder for data that does not fit in memory.

Records are partitioned into spill files, one per leaf of the cut tree. Leaves that are too small are merged with their
neighbors; a leaf that is too large, because equal records are not separated, is cut into slices. The recoded columns of
a part are spilled in the order of the table, so that one more pass over the table writes the release.

Finished steps are noted in the scratch folder: a run that was killed resumes from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial, reduce
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal import data
from shoal.data import ReadOptions, SurveyStatistics, Table
from shoal.data.chunked import (
    ChunkedFile,
    ChunkWriter,
    ClassCounter,
    Occurrence,
    ReleasedSample,
    SpillFolder,
    TableStatistics,
    WeightedClasses,
    external_shuffle,
    open_chunked,
    profile_file,
    with_column_types,
)
from shoal.domain import Evaluation, IntMatrix, IntVector, Policy, Progress, Verification
from shoal.engines.engine import Engine, WrittenTable
from shoal.engines.household_leaves import HouseholdLeaves
from shoal.engines.memory_budget import PARALLEL_PARTS, MemoryBudget
from shoal.engines.part_totals import (
    PARTS_STAGES,
    PartSummary,
    PartTotals,
    ReleaseSums,
    check_count,
    counted_facts,
    merge_summaries,
    summarize_part,
)
from shoal.engines.parts import Slice, split_into_parts
from shoal.engines.parts_plan import (
    ROW,
    Arrays,
    EncodedRecords,
    PartsPlan,
    ReleasedChunk,
    add_value_counts,
    from_arrays,
    to_arrays,
)
from shoal.errors import PromiseError
from shoal.metrics.disclosure_sums import sum_disclosures
from shoal.metrics.evaluate import ClassSizeCounts, PartialSums, compute_risk_sums
from shoal.system import threads
from shoal.system.memory import limit_allocator_cache, release_memory
from shoal.system.scratch import ScratchFolder, hash_facts
from shoal.verification.verify import check_shape, check_verification, verify_chunks

_OFFSET_ROWS = 1 << 16
"""Rows of the table between two offsets that are kept for a part."""
_BUFFER_BYTES = 32 << 20
"""Bytes of records that are buffered before they are spilled."""
_STATISTICS, _LEAVES, _PARTS, _WRITTEN, _COUNTED = "statistics", "leaves", "parts", "written", "counted"
"""Names of the steps in the scratch folder."""


class LocalEngine(Engine[TableStatistics, PartsPlan, Path]):
    """Runs a release of one file within a memory limit."""

    supports_wildcards = False
    stages = PARTS_STAGES
    totals: PartTotals
    sums: ReleaseSums

    def __init__(self, source: ChunkedFile, scratch: ScratchFolder, budget: MemoryBudget) -> None:
        limit_allocator_cache()
        self.source, self.scratch, self.budget = source, scratch, budget
        self._open_spill_folders()
        facts: dict[str, Any] = {"sha256": source.sha256, "settings": dict(source.settings)}
        facts |= {"chunk": budget.chunk_bytes, "rows": budget.chunk_rows}
        # results of another version are not reused
        facts |= {name: version(name) for name in ("shoal", "numpy", "numba", "polars")}
        self.key = hash_facts(facts)
        self._sums: list[PartialSums] = []
        self._risks: tuple[PartialSums, PartialSums] | None = None

    def _open_spill_folders(self) -> None:
        self.leaf_spill = SpillFolder(self.scratch.subfolder(_LEAVES))
        self.part_spill = SpillFolder(self.scratch.subfolder(_PARTS))

    def profile(self, *, progress: Progress) -> TableStatistics:
        """Compute the statistics of the table, or reuse those of the scratch folder if the file is the same."""
        path = self.scratch.folder / f"{_STATISTICS}.bin"
        note = self.scratch.read_note(_STATISTICS) or {}
        if note.get("key") == self.key and path.is_file() and note.get("sha256") == data.file_sha256(path):
            return TableStatistics.from_bytes(path.read_bytes())
        statistics = profile_file(self.source, parallel=True, progress=progress)
        self.scratch.remove(path.name)
        path.touch(mode=0o600)
        path.write_bytes(statistics.to_bytes())
        self.scratch.write_note(_STATISTICS, {"key": self.key, "sha256": data.file_sha256(path)})
        release_memory()
        return statistics

    def plan(self, profile: TableStatistics, policy: Policy) -> PartsPlan:
        """Derive the plan from the statistics."""
        survey = None
        if policy.survey.columns:
            chunks = self.source.numbered_chunks(columns=policy.survey.columns)
            survey = reduce(
                SurveyStatistics.merge,
                (
                    SurveyStatistics.of(with_column_types(chunk, profile), policy.survey, start=start)
                    for start, chunk in chunks
                ),
            )
        parallel = min(threads.threads(), PARALLEL_PARTS)
        plan = PartsPlan.build(profile, policy, self.budget, survey=survey, parallel_parts=parallel)
        plan.encoder.check_bounds(policy.bounds, partial(self._out_of_bounds, plan))
        return plan

    def _out_of_bounds(self, plan: PartsPlan, name: str, bounds: tuple[float, float]) -> Occurrence:
        """Locate the numbers of a column outside its bounds."""
        occurrence = Occurrence()
        for start, chunk in self.source.numbered_chunks(columns=[name]):
            typed = with_column_types(chunk, plan.statistics)
            occurrence += plan.encoder.out_of_bounds(typed, name, bounds, start=start)
        return occurrence

    def partition(self, plan: PartsPlan, *, progress: Progress) -> None:
        """Partition the records into the spill files of the leaves."""
        key = hash_facts({"survey": self.key, "policy": plan.policy.to_dict()})
        if self._is_partitioned(key):
            return
        self._reset()
        done, leaves = 0, np.zeros(plan.n_leaves, dtype=np.int64)
        buffer = _SpillBuffer(self.leaf_spill)
        value_counts = plan.zero_value_counts(plan.n_leaves)
        households = HouseholdLeaves(blocks=plan.cuts.n_blocks, max_bytes=self.budget.household_bytes)

        def assign(chunk: Table) -> tuple[EncodedRecords, IntVector]:
            encoded = plan.encode(chunk)
            return encoded, plan.assign_leaves(encoded)

        for encoded, leaf in threads.parallel_map(assign, self.source.chunks(columns=plan.columns), prefetch=1):
            if encoded.households is not None:
                leaf = households.assign(encoded.households, leaf)
            arrays = to_arrays(encoded, done + np.arange(encoded.count))
            for number in np.flatnonzero(np.bincount(leaf)).tolist():
                some = np.flatnonzero(leaf == number)
                buffer.add(str(number), {name: column[some] for name, column in arrays.items()})
            leaves += np.bincount(leaf, minlength=len(leaves))
            add_value_counts(encoded.records, leaf, value_counts)
            done += encoded.count
            progress(done, plan.records)
        buffer.spill_all()
        self.leaf_spill.flush()
        check_count(done, plan.records)
        note = {"key": key, "leaves": leaves.tolist(), "value_counts": value_counts.tolist()}
        survey = plan.policy.survey
        if survey.households:
            totals = households.totals(leaves=plan.n_leaves, largest_household=survey.largest_household)
            totals.check(survey, plan.policy.k, blocks=plan.cuts.n_blocks)
            note["households"] = totals.per_leaf.tolist()
        self.scratch.write_note(_LEAVES, note)
        release_memory()

    def process(self, plan: PartsPlan, *, progress: Progress) -> PartTotals:
        """Process all parts, some in parallel; reuse finished parts of the scratch folder."""
        note = self.scratch.read_note(_LEAVES) or {}
        value_counts = np.array(note["value_counts"], dtype=np.int64)
        parts = split_into_parts(
            plan,
            note["leaves"],
            value_counts,
            lambda slices: self._value_counts(plan, slices),
            households=note.get("households"),
        )
        summaries, done = [], 0

        def process(part: tuple[int, list[Slice]]) -> PartSummary:
            name = f"{_PARTS}-{part[0]}"
            summary = self.scratch.read_note(name)
            if summary is None or self.part_spill.rows(str(part[0])) != summary["records"]:
                self.part_spill.remove(str(part[0]))
                summary = self._process_part(plan, *part)
                self.scratch.write_note(name, summary)
            return summary

        with threads.use_threads(min(threads.threads(), PARALLEL_PARTS)):
            numbered = enumerate(parts)
            # a single part uses all threads
            for summary in (
                map(process, numbered) if len(parts) == 1 else threads.parallel_map(process, numbered, prefetch=1)
            ):
                summaries.append(summary)
                done += summary["records"]
                progress(done, plan.records)
        check_count(done, plan.records)
        release_memory()
        self.totals = merge_summaries(summaries)
        return self.totals

    def _value_counts(self, plan: PartsPlan, slices: Sequence[Slice]) -> IntMatrix:
        counts = plan.zero_value_counts(len(slices))
        for number, (leaf, start, stop) in enumerate(slices):
            records = from_arrays(self.leaf_spill.slice(str(leaf), start, stop), plan.template).records
            add_value_counts(records, np.full(records.count, number), counts)
        return counts

    def _process_part(self, plan: PartsPlan, number: int, slices: list[Slice]) -> PartSummary:
        """Process one part, spill its recoded columns in the order of the table, and return its summary."""
        parts = [self.leaf_spill.slice(str(leaf), start, stop) for leaf, start, stop in slices]
        arrays = {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
        rows = arrays[ROW]
        result = plan.process_part(from_arrays(arrays, plan.template), number)
        order = np.argsort(rows, kind="stable")
        columns = {name: cells[order] for name, cells in result.columns.items()}
        self.part_spill.append(str(number), {ROW: rows[order], **columns})
        self.part_spill.flush()
        ends = np.searchsorted(rows[order], np.arange(0, plan.records + _OFFSET_ROWS, _OFFSET_ROWS)).tolist()
        return {**summarize_part(result), "ends": ends, "interval_texts": result.interval_texts}

    def write(self, plan: PartsPlan, destination: Path, *, progress: Progress) -> WrittenTable:
        """Write the release chunk by chunk, in the order of the table."""
        n_parts = len(self.part_spill.names())
        summaries = [self.scratch.read_note(f"{_PARTS}-{number}") or {} for number in range(n_parts)]
        done, self._sums = 0, []
        sample = ReleasedSample(plan.statistics.sample, plan.statistics.step)

        def recode_chunk(chunk: tuple[int, Table]) -> tuple[Table, ReleasedChunk]:
            first, table = chunk
            recoded, interval_texts = self._read_rows(first, first + table.height, summaries)
            if not np.array_equal(recoded.pop(ROW), np.arange(first, first + table.height)):
                raise PromiseError.unexpected_content("records that are missing or that occur twice")
            return table, plan.release_chunk(table, recoded, interval_texts)

        folder, names = self.scratch.subfolder(_WRITTEN), plan.encoder.names
        classes = [WeightedClasses(folder, names, max_bytes=self.budget.class_count_bytes) for _ in range(2)]
        original = ClassCounter(folder, names, max_bytes=self.budget.class_count_bytes)
        with ExitStack() as stack:
            writer = first = stack.enter_context(ChunkWriter(destination, folder=folder, formulas=plan.policy.formulas))
            ordered = folder / f"ordered{data.full_extension(destination)}"
            if plan.policy.shuffle:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                ordered.touch(mode=0o600)
                first = stack.enter_context(ChunkWriter(ordered, folder=folder))
            for chunk, (released, sums, weights) in threads.parallel_map(
                recode_chunk, self.source.numbered_chunks(), prefetch=1
            ):
                first.write(released)
                sample.add(released)
                self._sums.append(sums)
                if plan.separates_equal_records:
                    original.add(chunk)
                if weights is not None:
                    classes[0].add(chunk, weights)
                    classes[1].add(released, weights)
                done += released.height
                progress(done, plan.records)
            if plan.policy.shuffle:
                first.close()
                self._shuffle(plan, ordered, writer)
            writer.close()
        check_count(done, plan.records)
        if plan.separates_equal_records:
            self.totals = replace(self.totals, original_class_sizes=ClassSizeCounts.of(original.counts.sizes).counts)
            original.close()
        if plan.policy.survey.sampling_weights:
            before, after = (compute_risk_sums(each.sums(), plan.policy.k) for each in classes)
            self._risks = before, after
        release_memory()
        broken = data.broken_dependencies(plan.statistics.sample, sample.table, plan.policy.schema)
        return WrittenTable(formulas=writer.formulas, broken_dependencies=broken)

    def _shuffle(self, plan: PartsPlan, ordered: Path, writer: ChunkWriter) -> None:
        """Write the rows of the release, which are in the order of the table, in shuffled order."""
        options, _ = self._read_options(ordered, plan.policy)
        source = open_chunked(ordered, options=options, rows=self.budget.chunk_rows, size=self.budget.chunk_bytes)
        external_shuffle(
            source,
            writer,
            seed=plan.policy.seed,
            folder=ordered.parent,
            options=options,
            chunk=self.budget.chunk_bytes,
        )
        ordered.unlink()

    def _read_options(self, written: Path, policy: Policy) -> tuple[ReadOptions, dict[str, str]]:
        """Return the options to read a release, and the names of its columns there."""
        return data.release_read_options(
            written, policy.schema.released, settings=self.source.settings, formulas=policy.formulas
        )

    def _read_rows(
        self, first: int, last: int, summaries: Sequence[PartSummary]
    ) -> tuple[Arrays, dict[str, tuple[str, ...]]]:
        """Return the recoded columns of the rows from ``first`` to ``last``, and the texts of intervals."""
        parts, positions = [], {name: dict[str, int]() for name in summaries[0]["interval_texts"]}
        for number, summary in enumerate(summaries):
            start, stop = summary["ends"][first // _OFFSET_ROWS], summary["ends"][-(-last // _OFFSET_ROWS)]
            part = self.part_spill.slice(str(number), start, stop)
            low, high = np.searchsorted(part[ROW], (first, last))
            if low < high:
                part = {name: cells[low:high] for name, cells in part.items()}
                for name, known in positions.items():
                    part[name] = _renumbered(part[name], summary["interval_texts"][name], known)
                parts.append(part)
        order = np.argsort(np.concatenate([part[ROW] for part in parts]), kind="stable")
        recoded = {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}
        return recoded, {name: tuple(known) for name, known in positions.items()}

    def verify(self, plan: PartsPlan, destination: Path, *, progress: Progress) -> Verification:
        """Read the written release back, with the options of the input if the format is the same, and verify it."""
        policy = plan.policy
        options, names = self._read_options(destination, policy)
        written = open_chunked(destination, options=options, rows=self.budget.chunk_rows, size=self.budget.chunk_bytes)
        policy = policy.rename(names)
        proof, counter = verify_chunks(
            written,
            **counted_facts(policy),
            folder=self.scratch.subfolder(_COUNTED),
            max_bytes=self.budget.class_count_bytes,
            progress=lambda done, _: progress(done, plan.records),
        )
        check_shape(written.names, proof.records, policy=policy, records=plan.records)
        check_verification(proof)
        disclosures = sum_disclosures(counter.distributions())
        original_names = {new: old for old, new in names.items()}
        self.sums = ReleaseSums(
            parts=self._sums,
            class_sizes=counter.counts.sizes,
            disclosures={original_names.get(name, name): sums for name, sums in disclosures.items()},
            risks=self._risks,
        )
        return proof

    def evaluate(self, plan: PartsPlan, proof: Verification) -> Evaluation:
        """Evaluate the release from the sums of its chunks and classes."""
        return self.sums.evaluate(plan, self.totals, proof)

    def _is_partitioned(self, key: str) -> bool:
        """Return whether the spill files of all leaves are complete; a torn file counts as missing."""
        note = self.scratch.read_note(_LEAVES) or {}
        return note.get("key") == key and all(
            self.leaf_spill.rows(str(leaf)) == count for leaf, count in enumerate(note["leaves"])
        )

    def _reset(self) -> None:
        """Remove everything after the statistics: the partition belongs to another plan."""
        for path in self.scratch.folder.glob(f"{_PARTS}-*.json"):
            path.unlink()
        self.scratch.remove(_LEAVES, _PARTS)
        self._open_spill_folders()


class _SpillBuffer:
    """Buffer of records per leaf, so that spill files have few parts."""

    def __init__(self, spill: SpillFolder) -> None:
        self.spill, self.size = spill, 0
        self.parts: dict[str, list[Arrays]] = {}

    def add(self, leaf: str, arrays: Arrays) -> None:
        self.parts.setdefault(leaf, []).append(arrays)
        self.size += sum(column.nbytes for column in arrays.values())
        if self.size > _BUFFER_BYTES:
            self.spill_all()

    def spill_all(self) -> None:
        for leaf, parts in self.parts.items():
            self.spill.append(leaf, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
        self.parts, self.size = {}, 0


def _renumbered(codes: Any, texts: Sequence[str], known: dict[str, int]) -> Any:
    """Map text positions of a part to positions among all texts of a chunk."""
    new_codes = np.full(max(len(texts), 1), -1, dtype=np.int64)
    for code in np.unique(codes[codes >= 0]).tolist():
        new_codes[code] = known.setdefault(texts[code], len(known))
    return np.where(codes < 0, -1, new_codes[np.maximum(codes, 0)])
