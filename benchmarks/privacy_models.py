"""Privacy models: counts with wildcards, l-diversity and t-closeness, checked and enforced.

Adult is read from the folder named in SHOAL_DATA, or from ../shared/data; without it, made-up tables alone are counted.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
from measuring.datasets import ADULT, missing
from measuring.datasets import ADULT_COLUMNS as QUASI
from measuring.output import Output, parser

import shoal
from shoal import data

MODELS = {"income": ["distinct-l(2)", "entropy-l(1.2)", "recursive-l(4,2)", "t-equal(0.3)"]}


def min_cpu_seconds(run: Callable[[], object], times: int = 3) -> float:
    """The least CPU time of a few runs."""
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def with_gaps(rows: int, columns: int, share: float, holed: int) -> data.Table:
    """Keys of ten values each; in the first so many columns a share of the cells is missing."""
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{j}": draw.integers(0, 10, rows) for j in range(columns)})
    gaps = {f"c{j}": pl.Series(draw.random(rows) < share) for j in range(holed)}
    return data.read_table(
        frame.with_columns(pl.when(~gap).then(pl.col(name)).alias(name) for name, gap in gaps.items())
    )


def main() -> None:
    given = parser(__doc__).parse_args()
    output = Output(as_json=given.json)
    warnings.simplefilter("ignore")
    output.note("counts with wildcards (CPU seconds)")
    for rows in (3_000,) if given.quick else (30_000, 300_000):
        for columns, holed in ((4, 2), (8, 8)):
            table = with_gaps(rows, columns, 0.05, holed)
            spent = min_cpu_seconds(lambda table=table: data.wildcard_counts(table, table.names))
            facts = {"rows": rows, "keys": columns, "keys_with_gaps": holed, "cpu_seconds": round(spent, 4)}
            line = f"  {rows:>8,} records, {columns} keys, 5 % missing in {holed}: {spent:.3f}"
            output.record({"what": "counts with wildcards", **facts}, line)
    if not ADULT.exists():
        output.note(missing(ADULT))
        return
    adult = shoal.read(pl.read_csv(ADULT, n_rows=2_000) if given.quick else ADULT)
    output.note("Adult, eight quasi-identifiers, income sensitive, k = 5 (CPU seconds)")
    for column, models in MODELS.items():
        for model in models:
            check = min_cpu_seconds(
                lambda model=model, column=column: shoal.verify(
                    adult, k=5, quasi_identifiers=QUASI, models={column: model}
                )
            )
            output.record(
                {"what": "verify Adult", "model": model, "cpu_seconds": round(check, 4)},
                f"  verify {model}: {check:.3f}",
            )
    plain = {"k": 5, "quasi_identifiers": QUASI, "sensitive": "income", "exact_means": True}
    for method in ("mondrian", "mondrian-extent", "mdav"):
        for models in ({}, {"income": "distinct-l(2)"}, {"income": "t-equal(0.2)"}):
            made = shoal.anonymize(adult, **plain, models=models, method=method)
            spent = min_cpu_seconds(
                lambda models=models, method=method: shoal.anonymize(adult, **plain, models=models, method=method),
                times=1,
            )
            model = next(iter(models.values()), "k alone")
            figures = f"{made.verification.classes:,} classes, extent {made.evaluation.extent:.4f}"
            facts = {"what": "release Adult", "method": method, "model": model, "cpu_seconds": round(spent, 3)}
            facts |= {"classes": made.verification.classes, "extent": round(made.evaluation.extent, 4)}
            output.record(facts, f"  {method} {model}: {spent:.2f}, {figures}")


if __name__ == "__main__":
    main()
