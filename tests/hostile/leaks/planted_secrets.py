"""A register with secrets planted in it: random words and numbers that stand nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

N = 90


@dataclass(frozen=True)
class Planted:
    """The register, and its secrets by where they were planted."""

    frame: pl.DataFrame
    names: tuple[str, ...]
    """Identifiers."""
    notes: tuple[str, ...]
    """Sensitive values."""
    rare: tuple[str, ...]
    """Quasi-identifiers that one record has: a category, the extremes of a number and of a date."""
    unused: tuple[str, ...]
    """Nodes of the hierarchy that no record has."""
    tree: str
    """The hierarchy, as ARX writes it."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """What no release may hold."""
        return (*self.names, *self.rare, *self.unused)

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.dropped, *self.notes)

    def write(self, folder: Path, name: str = "people.csv") -> Path:
        (folder / "jobs.csv").write_text(self.tree, encoding="utf-8")
        place = folder / name
        self.frame.write_csv(place) if place.suffix == ".csv" else self.frame.write_parquet(place)
        return place


def word(chance: np.random.Generator) -> str:
    """One that no text has by itself, too long to be kept beside other cells."""
    return "".join(chance.choice(list("bcdfghjkmpqvwxz"), 18))


def planted(seed: int) -> Planted:
    chance = np.random.default_rng([seed, 77])
    names = [word(chance) for _ in range(N)]
    notes = [word(chance) for _ in range(6)]
    rare, unused = [word(chance) for _ in range(2)], [word(chance) for _ in range(3)]
    number = int(chance.integers(61_234_567, 98_765_432))
    pay = chance.integers(1_000, 5_000, N).astype(float)
    jobs = chance.choice(["nurse on the children's ward", "carpenter for wooden houses"], N).tolist()
    days = (np.datetime64("1975-01-01") + chance.integers(0, 3000, N)).astype("datetime64[D]").astype(str).tolist()
    places = chance.permutation(N)[:4].tolist()
    pay[places[0]], days[places[1]], jobs[places[2]], jobs[places[3]] = number, "1787-11-23", rare[0], rare[1]
    frame = pl.DataFrame(
        {
            "name": names,
            "pay": pay,
            "born": pl.Series(days).str.to_date(),
            "job": jobs,
            "note": [notes[row % 6] for row in range(N)],
            "ward": chance.choice(["a", "b", "c"], N),
        }
    )
    leaves = [*dict.fromkeys(jobs), *unused]
    tree = "".join(f"{leaf};work {place % 2};*\n" for place, leaf in enumerate(leaves))
    return Planted(frame, tuple(names), tuple(notes), (*rare, str(number), "1787-11-23"), tuple(unused), tree)
