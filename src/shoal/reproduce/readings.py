"""How each printed row is read: which method, with which options, on which base. And why, where figures differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reading:
    """A way to run a method that a printed row may mean."""

    method: str
    options: Mapping[str, str | float] = field(default_factory=dict)
    standardize: bool = True
    dataset: str | None = None
    """Another data set than the table names: ``eia-10`` is EIA without UTILITYID."""

    @property
    def words(self) -> str:
        options = "".join(f", {name} {value}" for name, value in self.options.items())
        base = "" if self.standardize else ", raw columns"
        columns = ", without UTILITYID" if self.dataset == "eia-10" else ""
        return f"{self.method}{options}{base}{columns}"


@dataclass(frozen=True)
class Row:
    """The readings of a printed row: the first is ours, the others are evidence."""

    readings: tuple[Reading, ...]
    kind: str = "same definition"
    """Same definition, other data, other base, misprint, or open: the text leaves it open, and this is our reading."""
    why: str = ""


def _plain(method: str, why: str = "", kind: str = "same definition") -> Row:
    return Row((Reading(method),), kind, why)


ROWS: Mapping[str, Row] = {
    "MDAV-1": _plain("mdav-1"),
    "MDAV-2": _plain("mdav-2"),
    "DBA-1": _plain("dba-1"),
    "DBA-2": _plain("dba-2"),
    "TFRP-1": _plain("tfrp-1"),
    "TFRP-2": _plain("tfrp-2"),
    "MDAV-MHM": _plain("mdav-mhm"),
    "MD-MHM": _plain("md-mhm"),
    "CBFS-MHM": _plain("cbfs-mhm"),
    "NPN-MHM": _plain("npn-mhm"),
    "M-d": _plain("mst"),
    "μ-Approx": _plain("mu-approx"),
    "Multi-DSort": Row((Reading("multi-dsort", standardize=False), Reading("multi-dsort")), "other base", "raw"),
    "HAC single": _plain("hac"),
    "HAC-max-partitions single": _plain("hac-max"),
    "HAC-max-partitions complete": Row((Reading("hac-max", {"linkage": "complete"}),)),
    "HAC-max-partitions centroid": Row((Reading("hac-max", {"linkage": "centroid"}),)),
    "HAC-priority single": _plain("hac-priority"),
    "MDAV": _plain("mdav"),
    "MDAV-sdcMicro": _plain("mdav-generic"),
}
"""By the printed name of the method."""

SPECIAL: Mapping[tuple[str, str, int | None], Row] = {
    ("MDAV-2", "tarragona", 3): _plain(
        "mdav-2",
        "The printed 16.38261429 has every digit of ours but one; the other eleven cells of the method are exact.",
        "misprint",
    ),
    **{
        (name, "eia", None): Row(
            (Reading(method, dataset="eia-10"), Reading(method)),
            "other data",
            "The printed figures are those of the ten revenue and sales columns without UTILITYID, while MDAV-1,"
            " MDAV-2 and DBA in the same table are those of eleven columns: the table mixes two data sets.",
        )
        for name, method in (("TFRP-1", "tfrp-1"), ("TFRP-2", "tfrp-2"))
    },
}
"""By printed name, data set and k (None: every k); these go before ``ROWS``."""


def row_of(name: str, dataset: str, k: int) -> Row:
    """How a printed cell is read."""
    return SPECIAL.get((name, dataset, k)) or SPECIAL.get((name, dataset, None)) or ROWS[name]
