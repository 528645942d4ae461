"""How good local search gets, and how good it could: the benchmarks of the papers, and tables nobody tuned anything on.

    SHOAL_DATA=folder python benchmarks/refine.py [papers] [unseen] [best] [size]

One thread. Seeds 0 to 4: mean and worst. Budgets are kept by the clock, so that figures differ a little from run to
run and from machine to machine; those of `best` are counted in steps and do not.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from shoal.schema import Kind

FOLDER = Path(os.environ.get("SHOAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
LEVELS = (3, 4, 5, 10)
SEEDS = range(5)
PATIENT = ("auto", "fcm", "md", "md-mhm", "dbfs", "hac", "hac-max", "hac-priority", "k-ward", "mu-approx")
"""Methods that are left out of the comparison of all on tables of more than 1,000 records."""


def numbers(name: str) -> np.ndarray | None:
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        print(f"no {path.name}: set SHOAL_DATA to the folder that holds it (docs/data.md says where it is published)")
        return None
    return pl.read_csv(path).cast(pl.Float64).to_numpy()


def papers() -> None:
    """Every cell within about one second and ten."""
    print(
        f"{'table':11s}{'k':>3s}{'mdav':>9s}{'fast':>9s}{'1 s, mean':>11s}{'worst':>9s}{'10 s, mean':>12s}{'worst':>9s}"
    )
    for name in ("tarragona", "census", "eia"):
        values = numbers(name)
        for k in LEVELS if values is not None else ():
            mdav = shoal.partition(values, k=k, method="mdav").information_loss
            fast = shoal.partition(values, k=k, effort="fast").information_loss
            line = f"{name:11s}{k:3d}{mdav:9.3f}{fast:9.3f}"
            for seconds, width in ((1, 11), (10, 12)):
                found = [shoal.partition(values, k=k, seconds=seconds, seed=seed).information_loss for seed in SEEDS]
                line += f"{np.mean(found):{width}.3f}{max(found):9.3f}"
            print(line, flush=True)


def best() -> None:
    """Every cell with the effort `best`, beside its proven bound."""
    print(f"{'table':11s}{'k':>3s}{'loss':>9s}{'bound':>9s}{'gap, %':>8s}{'s':>7s}")
    for name in ("tarragona", "census", "eia"):
        values = numbers(name)
        for k in LEVELS if values is not None else ():
            start = time.perf_counter()
            made = shoal.partition(values, k=k, effort="best")
            seconds, bound = time.perf_counter() - start, made.search.bound
            total = (len(values) - 1) * values.shape[1]
            line = f"{name:11s}{k:3d}{made.information_loss:9.4f}{100 * bound.value / total:9.4f}"
            print(f"{line}{bound.gap(made.search.after):8.2f}{seconds:7.0f}", flush=True)


def mixture(records: int, columns: int, parts: int, *, tail: bool, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed)
    centers = 3 * noise.standard_normal((parts, columns))
    spread = noise.uniform(0.3, 1.5, (records, 1)) * noise.standard_normal((records, columns))
    values = centers[noise.integers(0, parts, records)] + spread
    return np.exp(values / 2) if tail else values


def unseen() -> None:
    """Auto beside mdav and the best single method, on tables that no rule was chosen by."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    register = shoal.example_register(rows=1_000).select("age", "height_cm", "income", "treatment_cost").drop_nulls()
    tables = {
        "wine": load_wine().data,
        "breast cancer": load_breast_cancer().data,
        "diabetes": load_diabetes().data,
        "register": register.to_numpy().astype(float),
        "mixture": mixture(1_000, 5, 10, tail=False, seed=1),
        "long tails": mixture(1_000, 4, 6, tail=True, seed=2),
        "large mixture": mixture(4_000, 8, 25, tail=False, seed=3),
    }
    heads = f"{'table':15s}{'k':>3s}{'mdav':>9s}{'best single method':>32s}{'auto':>9s}"
    print(f"{heads}{'/ best':>8s}{'/ mdav':>8s}{'s':>6s}")
    ratios = []
    for name, values in tables.items():
        for k in (3, 5, 10):
            known = {
                method: shoal.partition(values, k=k, method=method).information_loss
                for method, facts in shoal.methods().items()
                if facts.takes([Kind.NUMERIC] * values.shape[1], records=len(values))
                and (method not in PATIENT or (len(values) <= 1_000 and method != "auto"))
            }
            single = min(known, key=known.__getitem__)
            start = time.perf_counter()
            auto = shoal.partition(values, k=k).information_loss
            seconds = time.perf_counter() - start
            ratios.append(auto / known["mdav"])
            line = f"{name:15s}{k:3d}{known['mdav']:9.3f}{single:>23s}{known[single]:9.3f}{auto:9.3f}"
            print(f"{line}{auto / known[single]:8.3f}{ratios[-1]:8.3f}{seconds:6.1f}", flush=True)
    print(f"auto / mdav in the mean: {np.mean(ratios):.3f}")


def size() -> None:
    """Time and gain by the number of records: 8 columns of 30 normal clouds, k = 5."""
    print(f"{'records':>9s}{'mdav':>8s}{'s':>7s}{'fast':>8s}{'s':>7s}{'balanced':>10s}{'s':>7s}")
    for records in (1_000, 10_000, 100_000):
        values = mixture(records, 8, 30, tail=False, seed=0)
        line = f"{records:9,d}"
        for asked in ({"method": "mdav"}, {"effort": "fast"}, {}):
            start = time.perf_counter()
            loss = shoal.partition(values, k=5, **asked).information_loss
            line += f"{loss:{8 if asked else 10}.3f}{time.perf_counter() - start:7.1f}"
        print(line, flush=True)


def main() -> None:
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    shoal.partition(mixture(300, 3, 3, tail=False, seed=0), k=3)  # compile
    parts = {"papers": papers, "unseen": unseen, "best": best, "size": size}
    for name in sys.argv[1:] or ("papers", "unseen", "size"):
        parts[name]()
        print()


if __name__ == "__main__":
    main()
