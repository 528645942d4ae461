"""Local search: loss beside proven bounds on the tables of papers, and on tables that nothing was tuned on.

    SHOAL_DATA=folder python benchmarks/local_search.py [papers] [unseen] [best] [size] [mixed] [--quick] [--json]

One thread. Seeds 0 to 4: mean and worst. Budgets are kept by the clock, so that figures differ a little from run to
run and from machine to machine; those of `best` are counted in steps and do not.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import polars as pl
from measuring.datasets import FOLDER, missing
from measuring.output import Output, parser

import shoal
from shoal.domain import Kind

LEVELS = (3, 4, 5, 10)
SEEDS = range(5)
SLOW = ("auto", "fcm", "md", "md-mhm", "dbfs", "hac", "hac-max", "hac-priority", "k-ward", "mu-approx")
"""Methods that are left out of the comparison of all on tables of more than 1,000 records."""


def numbers(name: str, output: Output) -> np.ndarray | None:
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        output.note(missing(path))
        return None
    return pl.read_csv(path).cast(pl.Float64).to_numpy()


def papers(output: Output, *, quick: bool) -> None:
    """Every cell within about one second and ten."""
    budgets, seeds = ((1, 11),) if quick else ((1, 11), (10, 12)), SEEDS[:1] if quick else SEEDS
    output.note(
        f"{'table':11s}{'k':>3s}{'mdav':>9s}{'fast':>9s}{'1 s, mean':>11s}{'worst':>9s}{'10 s, mean':>12s}{'worst':>9s}"
    )
    for name in ("tarragona", "census", "eia"):
        values = numbers(name, output)
        for k in LEVELS if values is not None else ():
            mdav = shoal.partition(values, k=k, method="mdav").information_loss
            fast = shoal.partition(values, k=k, effort="fast").information_loss
            line = f"{name:11s}{k:3d}{mdav:9.3f}{fast:9.3f}"
            facts = {"part": "papers", "data": name, "k": k, "mdav": round(mdav, 3), "fast": round(fast, 3)}
            for seconds, width in budgets:
                found = [shoal.partition(values, k=k, time_limit=seconds, seed=seed).information_loss for seed in seeds]
                line += f"{np.mean(found):{width}.3f}{max(found):9.3f}"
                facts |= {
                    f"mean_{seconds}_s": round(float(np.mean(found)), 3),
                    f"worst_{seconds}_s": round(max(found), 3),
                }
            output.record(facts, line)


def best(output: Output, *, quick: bool) -> None:
    """Every cell with the effort `best`, beside its proven bound."""
    output.note(f"{'table':11s}{'k':>3s}{'loss':>9s}{'bound':>9s}{'gap, %':>8s}{'s':>7s}")
    for name in ("tarragona", "census", "eia"):
        values = numbers(name, output)
        for k in LEVELS[: 1 if quick else None] if values is not None else ():
            start = time.perf_counter()
            made = shoal.partition(values, k=k, effort="best")
            seconds, bound = time.perf_counter() - start, made.search.bound
            total = (len(values) - 1) * values.shape[1]
            line = f"{name:11s}{k:3d}{made.information_loss:9.4f}{100 * bound.value / total:9.4f}"
            gap = bound.gap(made.search.after)
            facts = {"part": "best", "data": name, "k": k, "loss": round(made.information_loss, 4)}
            facts |= {"bound": round(100 * bound.value / total, 4), "gap": round(gap, 2), "seconds": round(seconds, 1)}
            output.record(facts, f"{line}{gap:8.2f}{seconds:7.0f}")


def mixture(records: int, columns: int, parts: int, *, tail: bool, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed)
    centers = 3 * noise.standard_normal((parts, columns))
    spread = noise.uniform(0.3, 1.5, (records, 1)) * noise.standard_normal((records, columns))
    values = centers[noise.integers(0, parts, records)] + spread
    return np.exp(values / 2) if tail else values


def unseen(output: Output, *, quick: bool) -> None:
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
    output.note(f"{heads}{'/ best':>8s}{'/ mdav':>8s}{'s':>6s}")
    ratios = []
    for name, values in list(tables.items())[: 1 if quick else None]:
        for k in (3, 5, 10):
            known = {
                method: shoal.partition(values, k=k, method=method).information_loss
                for method, facts in shoal.methods().items()
                if facts.supports([Kind.NUMERIC] * values.shape[1], records=len(values))
                and (method not in SLOW or (len(values) <= 1_000 and method != "auto"))
            }
            single = min(known, key=known.__getitem__)
            start = time.perf_counter()
            auto = shoal.partition(values, k=k).information_loss
            seconds = time.perf_counter() - start
            ratios.append(auto / known["mdav"])
            line = f"{name:15s}{k:3d}{known['mdav']:9.3f}{single:>23s}{known[single]:9.3f}{auto:9.3f}"
            facts = {"part": "unseen", "data": name, "k": k, "mdav": round(known["mdav"], 3), "single": single}
            facts |= {"best_single": round(known[single], 3), "auto": round(auto, 3), "seconds": round(seconds, 1)}
            output.record(facts, f"{line}{auto / known[single]:8.3f}{ratios[-1]:8.3f}{seconds:6.1f}")
    output.note(f"auto / mdav in the mean: {np.mean(ratios):.3f}")


def size(output: Output, *, quick: bool) -> None:
    """Time and gain by the number of records: 8 columns of 30 normal clouds, k = 5."""
    output.note(f"{'records':>9s}{'mdav':>8s}{'s':>7s}{'fast':>8s}{'s':>7s}{'balanced':>10s}{'s':>7s}")
    for records in (1_000,) if quick else (1_000, 10_000, 100_000):
        values = mixture(records, 8, 30, tail=False, seed=0)
        line, facts = f"{records:9,d}", {"part": "size", "rows": records}
        for asked in ({"method": "mdav"}, {"effort": "fast"}, {}):
            start = time.perf_counter()
            loss = shoal.partition(values, k=5, **asked).information_loss
            seconds, name = time.perf_counter() - start, asked.get("method", asked.get("effort", "balanced"))
            line += f"{loss:{8 if asked else 10}.3f}{seconds:7.1f}"
            facts |= {name: round(loss, 3), f"{name}_seconds": round(seconds, 2)}
        output.record(facts, line)


def mixed(output: Output, *, quick: bool) -> None:
    """Time by k where categories have hundreds of nodes: numbers, dates and names of the made-up register."""
    people = shoal.example_register(500 if quick else 5_000)
    quasi = [c.name for c in shoal.describe(people).schema.columns if c.role == "quasi-identifier"]
    table = people.select(quasi)
    output.note(f"{'k':>4s}{'mdav':>9s}{'s':>7s}{'fast':>9s}{'s':>7s}")
    for k in (3,) if quick else (3, 5, 10, 20):
        line, facts = f"{k:4d}", {"part": "mixed", "rows": len(table), "columns": len(quasi), "k": k}
        for name, asked in {"mdav": {"refine": False}, "fast": {"effort": "fast"}}.items():
            start = time.perf_counter()
            made = shoal.partition(table, k=k, method="mdav", missing_values="category", **asked)
            seconds = time.perf_counter() - start
            line += f"{made.semantic_loss:9.3f}{seconds:7.1f}"
            facts |= {name: round(made.semantic_loss, 3), f"{name}_seconds": round(seconds, 2)}
        output.record(facts, line)


def main() -> None:
    parts = {"papers": papers, "unseen": unseen, "best": best, "size": size, "mixed": mixed}
    asked = parser(__doc__)
    asked.add_argument("parts", nargs="*", help=f"some of {', '.join(parts)}; all but best if not said")
    given = asked.parse_args()
    output = Output(as_json=given.json)
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    shoal.partition(mixture(300, 3, 3, tail=False, seed=0), k=3)  # compile
    for name in given.parts or ("papers", "unseen", "size", "mixed"):
        parts[name](output, quick=given.quick)
        output.note("")


if __name__ == "__main__":
    main()
