"""The local engine: one machine, all of its cores, and a scratch folder in the place of memory.

Records are dealt out into files, one for each leaf of the cuts. Leaves that are too small to hide in are worked on
together with their neighbors, and one that is too large, since equal records are not cut apart, in slices. What the
records of a piece show is put down in the order of the table, so that one more pass over the table writes the release.

What is done is noted: the same run again, after it was killed, goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal import tables, threads
from shoal.engines.allocators import keep_little, let_go
from shoal.engines.facts import check_count, facts_of, joined
from shoal.engines.interface import Done
from shoal.engines.pieces import Slice, pieces
from shoal.engines.plan import ROW, Arrays, Plan, put_down, take_up, tally
from shoal.engines.scratch import Scratch, fingerprint
from shoal.engines.sizing import AT_ONCE, Sizing
from shoal.errors import DataError, PromiseError
from shoal.measure.pieces import Sizes, Sums
from shoal.measure.sums import Tally
from shoal.schema import Policy
from shoal.tables import ReadOptions, Table
from shoal.tables.large import (
    Base,
    ReleasedSample,
    Source,
    Spill,
    Spot,
    Survey,
    Writer,
    open_source,
    outside,
    shuffle,
    surveyed,
)
from shoal.tables.large import total as total_survey
from shoal.values import IntMatrix, IntVector, Progress, Records, Verification
from shoal.verify import check_kept, check_shape, verify_chunks

_STEP = 1 << 16
"""Records of the table after which the place in a piece is noted."""
_HELD = 32 << 20
"""Bytes of records that are held on the way into files."""
_SURVEY, _DEALT, _SHOWN, _WRITTEN, _COUNTED = "survey", "dealt", "shown", "written", "counted"


class LocalEngine:
    """Works on one file with the memory that it may take."""

    def __init__(self, source: Source, scratch: Scratch, sizing: Sizing) -> None:
        keep_little()
        self.source, self.scratch, self.sizing = source, scratch, sizing
        self.dealt, self.shown = Spill(scratch.place(_DEALT)), Spill(scratch.place(_SHOWN))
        facts = {"sha256": source.sha256, "settings": dict(source.settings), "chunk": sizing.chunk, "rows": sizing.rows}
        # what another version has done is not taken up
        facts |= {name: version(name) for name in ("shoal", "numpy", "numba", "polars")}
        self.key = fingerprint(facts)
        self.formulas: Mapping[str, int] = {}
        self.broken: Sequence[tables.Broken] = ()

    def survey(self, *, progress: Progress) -> Survey:
        """What one look at every record tells; known from before where the file is the same."""
        kept = self.scratch.folder / f"{_SURVEY}.bin"
        noted = self.scratch.noted(_SURVEY) or {}
        if noted.get("key") == self.key and kept.is_file() and noted.get("sha256") == tables.fingerprint(kept):
            return Survey.from_bytes(kept.read_bytes())
        found = self._surveyed(progress)
        self.scratch.forget(kept.name)
        kept.touch(mode=0o600)
        kept.write_bytes(found.to_bytes())
        self.scratch.note(_SURVEY, {"key": self.key, "sha256": tables.fingerprint(kept)})
        let_go()
        return found

    def _surveyed(self, progress: Progress) -> Survey:
        """Chunk by chunk, put together in their order."""
        found: Survey | None = None
        known: dict[str, Any] = {"many": (), "step": 1}

        def looked(chunk: tuple[int, Table]) -> Survey:
            return surveyed(chunk[1], start=chunk[0], **known)

        for part in threads.share(looked, self._numbered(), ahead=1):
            found = part if found is None else total_survey(found, part)
            known |= {"many": found.estimated, "step": found.step}  # what is known spares work, and changes nothing
            progress(found.records, found.records)
        if found is None:
            raise DataError.no_records()
        return found

    def _numbered(self) -> Iterator[tuple[int, Table]]:
        """The chunks, each with the number of its first record."""
        start = 0
        for chunk in self.source.chunks():
            yield start, chunk
            start += chunk.height

    def outside(self, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float]) -> Spot:
        """How many numbers of a column lie outside of its bounds, and the first of them."""
        return outside(self.source, survey, base, name, bounds=bounds)

    def deal(self, plan: Plan, *, progress: Progress) -> None:
        """Deal the records out into the files of the leaves."""
        key = self._key(plan)
        if self._is_noted(_DEALT, key) and self._is_dealt():
            return
        self._forget()
        done, leaves = 0, np.zeros(plan.cuts.count, dtype=np.int64)
        held = _Held(self.dealt)
        tallies = plan.no_tallies()

        def dealt(chunk: Table) -> tuple[Records, IntVector]:
            records = plan.encode(chunk)
            return records, plan.deal(records)

        for records, leaf in threads.share(dealt, self.source.chunks(columns=plan.columns), ahead=1):
            arrays = put_down(records, done + np.arange(records.count))
            for number in np.flatnonzero(np.bincount(leaf)).tolist():
                some = np.flatnonzero(leaf == number)
                held.add(str(number), {name: column[some] for name, column in arrays.items()})
                leaves[number] += len(some)
                if tallies is not None:
                    tally(records, some, tallies[number])
            done += records.count
            progress(done, plan.records)
        held.put_down()
        self.dealt.seal()
        check_count(done, plan.records)
        noted = {"key": key, "leaves": leaves.tolist(), "tallies": None if tallies is None else tallies.tolist()}
        self.scratch.note(_DEALT, noted)
        let_go()

    def work(self, plan: Plan, *, progress: Progress) -> Done:
        """Work on all pieces, some at a time; what was done before is not done again."""
        noted = self.scratch.noted(_DEALT) or {}
        tallies = None if noted["tallies"] is None else np.array(noted["tallies"], dtype=np.int64)
        todo = pieces(plan, noted["leaves"], tallies, lambda slices: self._counted(plan, slices))
        found, done = [], 0

        def worked(piece: tuple[int, list[Slice]]) -> dict[str, Any]:
            name = f"{_SHOWN}-{piece[0]}"
            before = self.scratch.noted(name)
            if before is None or self.shown.rows(str(piece[0])) != before["records"]:
                self.shown.remove(str(piece[0]))
                before = self._piece(plan, *piece)
                self.scratch.note(name, before)
            return before

        with threads.using(min(threads.threads(), AT_ONCE)):
            # one piece alone has all threads for itself
            for facts in (
                map(worked, enumerate(todo)) if len(todo) == 1 else threads.share(worked, enumerate(todo), ahead=1)
            ):
                found.append(facts)
                done += facts["records"]
                progress(done, plan.records)
        check_count(done, plan.records)
        let_go()
        return joined(found)

    def _counted(self, plan: Plan, slices: Sequence[Slice]) -> IntMatrix:
        """How many records of each slice have each sensitive value."""
        found = np.zeros((len(slices), int(plan.like.demands.first[-1]) if plan.like.demands else 0), dtype=np.int64)
        for (leaf, start, stop), values in zip(slices, found, strict=True):
            records = take_up(self.dealt.slice(str(leaf), start, stop), plan.like)
            tally(records, np.arange(records.count), values)
        return found

    def _piece(self, plan: Plan, number: int, slices: list[Slice]) -> dict[str, Any]:
        """Work on one piece and put down what it shows, in the order of the table; its facts."""
        parts = [self.dealt.slice(str(leaf), start, stop) for leaf, start, stop in slices]
        arrays = {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
        rows = arrays[ROW]
        made = plan.work(take_up(arrays, plan.like))
        order = np.argsort(rows, kind="stable")
        self.shown.append(
            str(number), {ROW: rows[order], **{name: cells[order] for name, cells in made.columns.items()}}
        )
        self.shown.seal()
        ends = np.searchsorted(rows[order], np.arange(0, plan.records + _STEP, _STEP)).tolist()
        return {**facts_of(made), "ends": ends, "words": made.words}

    def deliver(self, plan: Plan, part: Path, *, progress: Progress) -> Sequence[Sums]:
        """Write the release chunk by chunk, in the order of the table."""
        facts = [self.scratch.noted(f"{_SHOWN}-{number}") or {} for number in range(len(self.shown.names()))]
        found: list[Sums] = []
        done = 0
        sample = ReleasedSample(plan.survey.sample, plan.survey.step)

        def delivered(chunk: tuple[int, Table]) -> tuple[Table, Sums]:
            first, table = chunk
            shown, words = self._between(first, first + table.height, facts)
            if not np.array_equal(shown.pop(ROW), np.arange(first, first + table.height)):
                raise PromiseError.changed("records that are missing or that occur twice")
            return plan.deliver(table, shown, words)

        folder = self.scratch.place(_WRITTEN)
        with ExitStack() as stack:
            writer = first = stack.enter_context(Writer(part, folder=folder, formulas=plan.policy.formulas))
            ordered = folder / f"ordered{tables.full_ending(part)}"
            if plan.policy.shuffle:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                ordered.touch(mode=0o600)
                first = stack.enter_context(Writer(ordered, folder=folder))
            for released, sums in threads.share(delivered, self._numbered(), ahead=1):
                first.write(released)
                sample.add(released)
                found.append(sums)
                done += released.height
                progress(done, plan.records)
            if plan.policy.shuffle:
                first.close()
                self._shuffle(plan, ordered, writer)
            writer.close()
        self.formulas = writer.formulas
        check_count(done, plan.records)
        self.broken = tables.broken_dependencies(plan.survey.sample, sample.table, plan.policy.schema)
        let_go()
        return found

    def _shuffle(self, plan: Plan, ordered: Path, writer: Writer) -> None:
        """Put the rows of the release, which lie in the order of the table, in an order of their own."""
        options, _ = self._reading(ordered, plan.policy)
        source = open_source(ordered, options=options, rows=self.sizing.rows, size=self.sizing.chunk)
        shuffle(
            source,
            writer,
            seed=plan.policy.seed,
            folder=ordered.parent,
            options=options,
            chunk=self.sizing.chunk,
        )
        ordered.unlink()

    def _reading(self, written: Path, policy: Policy) -> tuple[ReadOptions, dict[str, str]]:
        """How a release is read, and the names that its columns have there."""
        return tables.release_options(
            written, policy.schema.released, settings=self.source.settings, formulas=policy.formulas
        )

    def _between(
        self, first: int, last: int, facts: Sequence[dict[str, Any]]
    ) -> tuple[Arrays, dict[str, tuple[str, ...]]]:
        """What the records from one to before another show, in their order; and the words of intervals."""
        parts, words = [], {name: dict[str, int]() for name in facts[0]["words"]}
        for number, piece in enumerate(facts):
            start, stop = piece["ends"][first // _STEP], piece["ends"][-(-last // _STEP)]
            part = self.shown.slice(str(number), start, stop)
            low, high = np.searchsorted(part[ROW], (first, last))
            if low < high:
                part = {name: cells[low:high] for name, cells in part.items()}
                for name, known in words.items():
                    part[name] = _renumbered(part[name], piece["words"][name], known)
                parts.append(part)
        order = np.argsort(np.concatenate([part[ROW] for part in parts]), kind="stable")
        shown = {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}
        return shown, {name: tuple(known) for name, known in words.items()}

    def verify(self, plan: Plan, part: Path, *, progress: Progress) -> tuple[Verification, Sizes]:
        """Read what was written, as its input was read where the format is the same, and count its classes."""
        policy = plan.policy
        options, names = self._reading(part, policy)
        written = open_source(part, options=options, rows=self.sizing.rows, size=self.sizing.chunk)
        policy = policy.renamed(names)
        proof, sizes = verify_chunks(
            written,
            k=policy.k,
            quasi_identifiers=policy.schema.quasi_identifiers,
            models=policy.models,
            schema=policy.schema,
            folder=self.scratch.place(_COUNTED),
            room=self.sizing.room,
            progress=lambda done, _: progress(done, plan.records),
        )
        check_shape(written.names, proof.records, policy=policy, records=plan.records)
        check_kept(proof)
        return proof, Sizes(Tally(np.array([*sizes]), np.array([*sizes.values()])))

    def _key(self, plan: Plan) -> str:
        return fingerprint({"survey": self.key, "policy": plan.policy.to_dict()})

    def _is_noted(self, name: str, key: str) -> bool:
        return (self.scratch.noted(name) or {}).get("key") == key

    def _is_dealt(self) -> bool:
        """Whether the files of all leaves are whole: a torn one is as if it was not there."""
        counts = (self.scratch.noted(_DEALT) or {})["leaves"]
        return all(self.dealt.rows(str(leaf)) == count for leaf, count in enumerate(counts))

    def _forget(self) -> None:
        """Begin anew after the survey: what was dealt out before belongs to other decisions."""
        for kept in self.scratch.folder.glob(f"{_SHOWN}-*.json"):
            kept.unlink()
        self.scratch.forget(_DEALT, _SHOWN)
        self.dealt, self.shown = Spill(self.scratch.place(_DEALT)), Spill(self.scratch.place(_SHOWN))


class _Held:
    """Records on the way into the files of their leaves: put down many at a time, so that files have few parts."""

    def __init__(self, spill: Spill) -> None:
        self.spill, self.size = spill, 0
        self.parts: dict[str, list[Arrays]] = {}

    def add(self, leaf: str, arrays: Arrays) -> None:
        self.parts.setdefault(leaf, []).append(arrays)
        self.size += sum(column.nbytes for column in arrays.values())
        if self.size > _HELD:
            self.put_down()

    def put_down(self) -> None:
        for leaf, parts in self.parts.items():
            self.spill.append(leaf, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
        self.parts, self.size = {}, 0


def _renumbered(places: Any, words: Sequence[str], known: dict[str, int]) -> Any:
    """Places of words in a piece as places among all words that a chunk has."""
    used = np.unique(places[places >= 0]).tolist()
    table = np.full(max(len(words), 1), -1, dtype=np.int64)
    for place in used:
        table[place] = known.setdefault(words[place], len(known))
    return np.where(places < 0, -1, table[np.maximum(places, 0)])
