"""Classes of a table that comes in chunks, counted on the values that it shows, in bounded memory."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError, OutputError, PromiseError
from shoal.schema.models import Model
from shoal.tables.counts import words
from shoal.tables.diversity import Occurrences, figures, meets
from shoal.tables.foreign import replaced_by
from shoal.tables.large.seen import shown
from shoal.tables.large.sensitive import SensitiveBase
from shoal.tables.sensitive import places_in
from shoal.tables.table import Table
from shoal.values import IntVector, ModelCheck

_COUNT = "count"


class Counted(NamedTuple):
    """The classes of a table."""

    records: int
    classes: int
    min_class: int
    violations: int
    """The records in classes below k."""
    unique_records: int
    sizes: Mapping[int, int]
    """How many classes there are of each size, the smallest first."""


class Tally:
    """Counts the classes of a table that comes in chunks, by value; it shares nothing with the methods.

    The different rows are kept in memory while they fit; from then on they are dealt by a hash into files of a folder,
    and each file is counted by itself.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        *,
        parts: int = 64,
        sensitive: Sequence[str] = (),
        room: int = 64 << 20,
    ) -> None:
        """Count classes by the named columns; at most about ``room`` bytes of different rows stay in memory.

        Sensitive columns are counted by their words: where there are some, give chunks that are `fixed`.
        """
        self._folder, self._names, self._parts, self._room = folder, tuple(names), max(1, parts), room
        self._sensitive = tuple(sensitive)
        self._held: list[pl.DataFrame] = []
        self._mark = secrets.token_hex(4)
        self._dealt = 0

    @property
    def _keys(self) -> list[str]:
        return [str(j) for j in range(len(self._names) + len(self._sensitive))]

    @property
    def _classes(self) -> list[str]:
        return self._keys[: len(self._names)]

    def add(self, chunk: Table, counts: IntVector | None = None) -> None:
        """Count the records of a chunk of the release, as it shows them; with ``counts``, each row for so many."""
        columns = []
        for name in self._names:
            if name not in chunk.names:
                raise ColumnError.unknown(name, chunk.names)
            columns.append(shown(chunk, name))
        columns += [words(chunk, name) for name in self._sensitive]
        with replaced_by(DataError.no_columns):
            rows = pl.DataFrame([_plain(cells).alias(key) for key, cells in zip(self._keys, columns, strict=True)])
            each = pl.lit(1, dtype=pl.Int64) if counts is None else pl.lit(pl.Series(counts, dtype=pl.Int64))
            self._held.append(_grouped(rows.with_columns(each.alias(_COUNT)), self._keys))
        if self._size() > self._room:
            self._held = [_grouped(pl.concat(self._held), self._keys)]
            # half of it, so that the next chunks are not merged one by one
            if self._size() > self._room // 2:
                self._deal()

    def _size(self) -> int:
        return sum(int(frame.estimated_size()) for frame in self._held)

    def _deal(self) -> None:
        """Put all rows that are held into the files of their hashes."""
        (rows,) = self._held
        part = rows.select(self._classes).hash_rows(seed=0).to_numpy() % np.uint64(self._parts)
        with replaced_by(
            lambda: OutputError.does_not_fit(self._folder), system=lambda why: OutputError.unwritable(self._folder, why)
        ):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(self._parts):
                mine = rows.filter(pl.Series(part == number))
                if mine.height:
                    path = self._file(number, self._dealt)
                    path.touch(mode=0o600)
                    mine.write_ipc(path)
        self._held, self._dealt = [], self._dealt + 1

    def _file(self, part: int, turn: int) -> Path:
        return self._folder / f"tally-{self._mark}-{part:05d}-{turn:05d}.arrow"

    def _groups(self) -> Iterator[pl.DataFrame]:
        """The different rows with their counts, part by part; rows of one class lie in one part."""
        if self._dealt and self._held:
            self._held = [_grouped(pl.concat(self._held), self._keys)]
            self._deal()
        if not self._dealt:
            if self._held:
                yield _grouped(pl.concat(self._held), self._keys)
            return
        for number in range(self._parts):
            files = [path for turn in range(self._dealt) if (path := self._file(number, turn)).exists()]
            if files:
                yield _grouped(pl.concat([pl.read_ipc(path) for path in files]), self._keys)

    def result(self, k: int) -> Counted:
        """The counts over all chunks."""
        counts: dict[int, int] = {}
        for rows in self._groups():
            found = _grouped(rows.drop(self._keys[len(self._names) :]), self._classes)[_COUNT].to_numpy()
            for size, classes in zip(*(each.tolist() for each in np.unique(found, return_counts=True)), strict=True):
                counts[size] = counts.get(size, 0) + classes
        if not counts:
            raise DataError.no_records()
        sizes = dict(sorted(counts.items()))
        return Counted(
            records=sum(size * classes for size, classes in sizes.items()),
            classes=sum(sizes.values()),
            min_class=min(sizes),
            violations=sum(size * classes for size, classes in sizes.items() if size < k),
            unique_records=sizes.get(1, 0),
            sizes=sizes,
        )

    def check_models(self, base: SensitiveBase, models: Sequence[Model]) -> tuple[ModelCheck, ...]:
        """Each model with the figure of the worst class and the number of records in classes that break it."""
        worst: list[list[float]] = [[] for _ in models]
        broken = [0] * len(models)
        for rows in self._groups():
            first = rows.with_row_index("row").select(pl.first("row").over(self._classes)).to_series()
            classes = np.unique(first.to_numpy(), return_inverse=True)[1].astype(np.int64)
            for d, model in enumerate(models):
                cells = self._occurrences(rows, classes, base, model.column)
                found = figures(base.demands, d, cells)
                worst[d].append(float(found.max() if model.close else found.min()))
                broken[d] += int(cells.sizes[~meets(base.demands, d, found)].sum())
        return tuple(
            ModelCheck(model.column, model.written, max(found) if model.close else min(found), violations)
            for model, found, violations in zip(models, worst, broken, strict=True)
        )

    def _occurrences(self, rows: pl.DataFrame, classes: IntVector, base: SensitiveBase, name: str) -> Occurrences:
        cells = rows[self._keys[len(self._names) + self._sensitive.index(name)]]
        values = base.values[name]
        codes = values.codes(cells)
        s = list(base.values).index(name)
        width = int(base.demands.first[s + 1] - base.demands.first[s])
        unknown = places_in(values.words, cells) == len(values.words)
        if (unknown & cells.is_not_null().to_numpy()).any() or int(codes.max()) >= width:
            raise PromiseError.changed("other sensitive values")
        keys, place = np.unique(classes * width + codes, return_inverse=True)
        return Occurrences.of(keys, np.bincount(place, rows[_COUNT].to_numpy()).astype(np.int64), width)

    def close(self) -> None:
        """Remove the files."""
        for path in self._folder.glob(f"tally-{self._mark}-*.arrow"):
            path.unlink(missing_ok=True)


def _grouped(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    return rows.group_by(keys).agg(pl.col(_COUNT).sum())


def _plain(cells: pl.Series) -> pl.Series:
    """Categories as text: the codes of those of two chunks need not agree."""
    return cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum) else cells
