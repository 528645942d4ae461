"""The plots of the page: which figures are drawn, and as what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from measuring.plots import ChartLine, plot
from measuring.results import Facts, recorded_elsewhere

Series = dict[str, list[tuple[float, float]]]
"""The points of each line, by its name; those without a name are bare dots."""
GROWN = ("auto", "dba-2", "fcm", "hac", "hm", "k-ward", "mdav", "mondrian", "mst", "optimal-cells", "tour-mhm")
"""Methods whose growth is drawn: quick and slow ones of each kind."""


def drawings(found: Mapping[str, Facts]) -> dict[str, str]:
    """Every plot that the figures suffice for, by name."""
    growth, peers, methods = (
        found[name]["figures"] if name in found else [] for name in ("growth", "against_peers", "methods")
    )
    known = {
        "growth": (growths(growth), "records", "CPU seconds"),
        "peers": (times(peers), "records", "seconds"),
        "peers-loss": (adult(peers), "seconds", "extent"),
        "loss": (losses(methods), "seconds", "loss, %"),
    }
    drawn = {}
    for name, (series, across, up) in known.items():
        lines = [ChartLine(each, points, i) for i, (each, points) in enumerate(series.items()) if points]
        if lines:
            drawn[name] = plot(lines, f"{up} by {across}", across=across, up=up)
    return drawn


def growths(facts: Sequence[Facts]) -> Series:
    """Seconds by records of some methods."""
    ladders = {each["method"]: each["ladder"] for each in facts if each["by"] == "records"}
    return {name: [(n, seconds) for n, seconds in ladders[name]] for name in GROWN if name in ladders}


def times(facts: Sequence[Facts]) -> Series:
    """Seconds by records of each tool on the made-up register: mixed columns, ours without hierarchies, and checks."""
    found: Series = {}
    for each in facts:
        twice = each["comparison"] == "hierarchies" and each["tool"].startswith("shoal")
        if each["comparison"] != "numbers" and each["data"] != "Adult" and "seconds" in each and not twice:
            found.setdefault(each["tool"], []).append((each["records"], each["seconds"]))
    return found


def adult(facts: Sequence[Facts]) -> Series:
    """Extent by seconds of each tool on Adult, and what was recorded of others on the whole of it."""
    found: Series = {}
    shown = [each for each in facts if each["data"] == "Adult" and "extent" in each]
    for each in shown:
        found.setdefault(each["tool"], [(each["seconds"], each["extent"])])
    for each in recorded_elsewhere():
        if "extent" in each and any(one["records"] == each["records"] for one in shown):
            found[f"{each['tool'].partition(',')[0]}, recorded"] = [(each["seconds"], each["extent"])]
    return found


def losses(facts: Sequence[Facts]) -> Series:
    """Loss by seconds of every method on the same numbers; those have names that no other beats in both."""
    points = {each["method"]: (each["seconds"], each["loss"]) for each in facts if each["columns"] > 1}
    best = [name for name, point in points.items() if not any(_beats(other, point) for other in points.values())]
    named: Series = {name: [points[name]] for name in sorted(best, key=points.__getitem__)}
    return named | {"": [point for name, point in points.items() if name not in best]}


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]
