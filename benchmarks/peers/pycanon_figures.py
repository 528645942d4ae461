"""All figures that pycanon has for a release, beside those of `docs/coming-from/pycanon.md`.

    python benchmarks/peers/pycanon_figures.py people.csv released.csv

It runs where pycanon is installed: `benchmarks/.envs/pycanon` after `make bench`, or an environment of your own. The
two files are those that the Python of the page writes.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import pandas as pd
from pycanon import anonymity, metrics

COLUMNS, SECRETS = ["age", "sex", "region"], ["diagnosis", "length_of_stay"]


def figures(people: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """The figures by the name of the function; those of a sensitive column for each of them."""
    found: dict[str, Any] = {"k_anonymity": anonymity.k_anonymity(released, COLUMNS)}
    for secret in SECRETS:
        for name in (
            *("l_diversity", "entropy_l_diversity", "recursive_c_l_diversity", "alpha_k_anonymity", "t_closeness"),
            *("basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure"),
        ):
            found[f"{name}({secret})"] = getattr(anonymity, name)(released, COLUMNS, [secret])
    found["average_ecsize"] = metrics.average_ecsize(people, released, COLUMNS)
    found["discernability_metric"] = metrics.discernability_metric(people, released, COLUMNS)
    found["max_rir"] = metrics.max_rir(released, COLUMNS)
    found["average_rir"] = metrics.average_rir(released, COLUMNS)
    return found


def main() -> None:
    people, released = (pd.read_csv(path, keep_default_na=False) for path in sys.argv[1:3])
    told = figures(people, released)
    print(json.dumps({"pycanon": version("pycanon"), **told}, indent=1, default=float))


if __name__ == "__main__":
    main()
