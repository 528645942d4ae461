"""Many runs in a row in one process: neither memory nor files, open files or threads grow."""

from __future__ import annotations

import os
import statistics
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from ledger import Ledger, tries

import shoal
from shoal.errors import ShoalError, ShoalWarning
from shoal.release.anonymize_file import anonymize_file, replay_file

METHODS = ("mondrian", "mdav", "mondrian-relaxed")
FREE = 48 << 20
"""Bytes by which memory may differ between two windows: what allocators keep, and not what runs lose."""


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def frame(draw: np.random.Generator) -> pl.DataFrame:
    """A small table of mixed kinds."""
    rows = int(draw.integers(20, 90))
    ages = draw.integers(18, 90, rows)
    return pl.DataFrame(
        {
            "person": [f"p{number}" for number in range(rows)],
            "age": [None if draw.random() < 0.03 else int(age) for age in ages],
            "income": draw.normal(3000, 900, rows).round(2),
            "job": draw.choice(["cook", "clerk", "smith", "nurse"], rows),
            "illness": draw.choice(["a", "b", "c", "d", "e"], rows),
        }
    )


def one(number: int, folder: Path) -> bool:
    """One run, saved and looked at again; whether it gave a release."""
    draw = np.random.default_rng(number)
    table, k = frame(draw), int(draw.integers(2, 7))
    source, target = folder / "in.csv", folder / f"out{draw.choice(['.csv', '.parquet', '.tsv'])}"
    table.write_csv(source)
    quasi = [["age", "income"], ["age", "job"], ["income"], ["age", "income", "job"]][number % 4]
    options = {"k": k, "quasi_identifiers": quasi, "identifiers": ["person"], "method": METHODS[number % len(METHODS)]}
    options["recode"] = "interval" if number % 7 == 0 and quasi == ["income"] else None
    options = {name: value for name, value in options.items() if value is not None}
    try:
        if number % 10 == 9:
            anonymize_file(source, target, memory="2GB", **options)
        else:
            release = shoal.anonymize(source, **options)
            release.save(target)
            if number % 5 == 0:
                release.report(folder / "out.html")
    except ShoalError:
        assert not target.exists()
        return False
    assert shoal.verify(target, k=k, quasi_identifiers=quasi).ok
    found = (
        pl.read_parquet(target)
        if target.suffix == ".parquet"
        else pl.read_csv(target, separator="\t" if target.suffix == ".tsv" else ",", infer_schema_length=None)
    )
    assert found.height == table.height
    assert "person" not in found.columns
    assert found.group_by(quasi).len()["len"].min() >= k
    if number % 6 == 0:
        shoal.evaluate(source, target, quasi_identifiers=quasi)
    if number % 4 == 0:
        again, policy = folder / f"again{target.suffix}", Path(f"{target}.policy.toml")
        if number % 10 == 9:
            replay_file(source, again, policy=policy)
        else:
            shoal.replay(source, policy=policy).save(again)
        assert again.read_bytes() == target.read_bytes()
    return True


def test_a_thousand_runs_in_a_row(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "load",
        "runs in a row in one process, on tables of mixed kinds, some in pieces",
        "Each release is verified; memory, files, open files and threads do not grow.",
    )
    numbers = tries(24, 1000)
    memory, files, threads = [], [], []
    for number in numbers:
        with account.trial(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            folder = tmp_path / "run"
            folder.mkdir()
            if one(number, folder):
                account.whole += 1
            else:
                account.refused += 1
            assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
            memory.append(resident())
            files.append(len(os.listdir("/proc/self/fd")))
            threads.append(len(os.listdir("/proc/self/task")))
    quarter = len(numbers) // 4
    for counted, free in ((memory, FREE), (files, 2), (threads, 2)):
        second, last = counted[quarter : 2 * quarter], counted[-quarter:]
        assert statistics.median(last) <= statistics.median(second) + free
    assert account.whole > len(numbers) * 0.7
