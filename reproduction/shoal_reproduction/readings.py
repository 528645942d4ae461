"""Readings of printed rows: method, options and base, with an explanation if figures differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from shoal_reproduction.datasets import DATASETS


@dataclass(frozen=True)
class MethodReading:
    """Interpretation of a printed row as a run of a method; without a method, the original data."""

    method: str
    options: Mapping[str, str | float] = field(default_factory=dict)
    standardize: bool = True
    dataset: str | None = None
    """Dataset, if not that of the table: ``eia-10`` is EIA without UTILITYID."""
    as_printed: bool = False
    """Run the printed variant, although k does not hold; evidence only."""
    semantic: bool = False
    """On categories, with hierarchy distances."""
    mixed: bool = False
    """On numbers and categories, without hierarchies."""

    @property
    def description(self) -> str:
        """Description: method, options and base."""
        options = [f"{name} {value}" for name, value in self.options.items()]
        return ", ".join([self.method or "as it is", *options, self.base])

    @property
    def base(self) -> str:
        """The columns used."""
        if self.mixed:
            return "as printed" if self.as_printed else "numbers and categories"
        if self.semantic:
            return f"hypernyms by rule {DATASETS[self.dataset].rule}" if self.dataset else "categories"
        count = f"{DATASETS[self.dataset].n_columns} " if self.dataset else ""
        ends = ", rest left out" if self.as_printed else ""
        return f"{count}{'standardized' if self.standardize else 'raw'} columns{ends}"

    def difference(self, other: MethodReading | CountReading) -> str:
        """Describe the difference from another reading."""
        if isinstance(other, CountReading):
            return self.description
        names = [
            name for name in {**self.options, **other.options} if self.options.get(name) != other.options.get(name)
        ]
        options = [f"{name} {self.options[name]}" for name in names if name in self.options]
        method = [self.method] if self.method != other.method else []
        return ", ".join([*method, *options, *([self.base] if self.base != other.base else [])])


@dataclass(frozen=True)
class CountReading:
    """Interpretation of a printed row as a count of records or of the values of a column."""

    method: ClassVar[str] = ""
    where: Mapping[str, str] = field(default_factory=dict)
    """Column to the value of the counted records."""
    n_most_frequent: int = 0
    """Count the records of this many most frequent tuples."""
    values_of: str = ""
    """The column whose distinct values are counted."""
    dataset: ClassVar[str | None] = None

    @property
    def description(self) -> str:
        """Description of the count."""
        if self.values_of:
            return f"values of {self.values_of}"
        details = [f"{name} {value}" for name, value in self.where.items()]
        details += [f"the {self.n_most_frequent} most frequent combinations"] if self.n_most_frequent else []
        return ", ".join(["records", *details])

    def difference(self, _: MethodReading | CountReading) -> str:
        """Describe the difference from another reading."""
        return self.description


@dataclass(frozen=True)
class RowReadings:
    """Readings of a printed row: the first is reproduced, the others are evidence."""

    readings: tuple[MethodReading | CountReading, ...]
    definition: str = "same definition"
    """Same definition; misprint or miscount; other data, base, hierarchy or sample; k broken in print; or open, if the
    text does not define it."""
    explanation: str = ""


def _plain(method: str, why: str = "", kind: str = "same definition") -> RowReadings:
    return RowReadings((MethodReading(method),), kind, why)


_LEFT_OUT = (
    " And they leave records without a group of k: groups are made in pairs while 2k records are left; what is left"
    " then (4 to 14 records in four cells) is not counted, or, if it is two records (two cells), is a group of two. Run"
    " so, ours are the printed ones to every digit, shown as 'rest left out'; where 2k does not divide n, a partition"
    " whose groups all have k records differs."
)


def _multi_dsort() -> RowReadings:
    raw = MethodReading("multi-dsort", standardize=False)
    return RowReadings(
        (raw, replace(raw, as_printed=True), replace(raw, options={"ranks": "anew"}), MethodReading("multi-dsort")),
        "other base",
        "The printed figures are those of raw columns." + _LEFT_OUT,
    )


def _multi_dsort_on_eia(dataset: str) -> RowReadings:
    raw = MethodReading("multi-dsort", standardize=False, dataset=dataset)
    return RowReadings(
        (raw, replace(raw, as_printed=True), replace(raw, dataset="eia"), MethodReading("multi-dsort", dataset="eia")),
        "other base",
        "The printed figures are those of raw columns, and of 13 of them, UTILITYID, YEAR, MONTH and the ten that the"
        " other rows are about; at k = 4 of 12, without YEAR (or MONTH: the digits are the same). No text says so; the"
        " columns were found by trying. YEAR is constant, and yet it counts: equal values are ranked in the order of"
        " the rows." + _LEFT_OUT,
    )


_SMALLEST = (
    "How clusters below k end is left open. The printed figures are those of giving each of their records to the then"
    " smallest cluster, without a look at distances. The default, each record to the nearest group, is lower in seven"
    " of these cells, higher in one, and the same where no cluster below k is left."
)


def _hac(
    method: str, *, why: str = _SMALLEST, kind: str = "open", also: Sequence[str] = (), **options: str
) -> RowReadings:
    ours = MethodReading(method, {**options, "leftovers": "smallest"})
    others = [replace(ours, options={**ours.options, "linkage": linkage}) for linkage in also]
    return RowReadings((ours, replace(ours, options={**options, "leftovers": "nearest"}), *others), kind, why)


_MHM = (
    "The text that quotes these figures does not say how the groups become one order. Ours goes on to the nearest"
    " record and finishes each group that it enters. It was chosen by its figures, as the one with the least loss of"
    " those tried; chaining the groups by their centroids is closer to print on Tarragona and Census, and above it on"
    " EIA. The cut of the order is exact."
)

_TREES = (
    "The hierarchies were published as pictures. Ours are the chains of WordNet 3.1 for the words of Tables 1 and 2,"
    " with senses of our choice for Columbia, Japan, South, Trinadad&Tobago and Yugoslavia. Of several hypernyms ours"
    " is the first by name; with the one that the file lists first, losses are far higher. So losses are of the printed"
    " size, and not the printed ones; their order between methods is the printed one at k = 6 and 10, and another at"
    " k = 2. Global risk counts the different combinations that are released: groups with the"
    " same centroids are one class."
)
_FURTHEST = (
    " Algorithm 4 as printed never moves its cut, since it asks for a distance below 0; the text says the furthest, and"
    " so do we. Where that cut is not allowed, ours goes on to the next furthest, and then to the next column."
)
_GIVEN_UP = (
    " Giving up the column at once is shown as 'persistent False'; our way is nearer to the printed risks, and the loss"
    " is lower."
)
_CLOSEST = (
    " Where the centroid is no value of the part, the closest one takes its place. The text does not say which that is,"
    " if several are equally near; ours is the one with the least sum of distances to the part, chosen because it gives"
    " nearly the printed risks on Adult."
)
_SAMPLE = (
    "The printed sample was drawn at random and cannot be had again; ours is another one, drawn with seed 1. The"
    " hierarchies cannot be had either, but for the root of the countries and some nodes that the text names: ours are"
    " operating systems by what they run on, and countries by the regions of WordNet 3.1, with nodes of our own for the"
    " Caribbean and Oceania. Of the risks in Table 6 only the first stands: the other nine repeat those of Table 5,"
    " digit by digit, and are left out."
)


def _semantic(
    method: str, why: str = "", kind: str = "same definition", also: Sequence[str] = (), **options: bool
) -> RowReadings:
    """Return readings on the dataset, on other datasets and with other options."""
    ours = MethodReading(method, semantic=True)
    others = [replace(ours, dataset=dataset) for dataset in also]
    return RowReadings((ours, *others, *([replace(ours, options=options)] if options else [])), kind, why)


_ADULT = (
    ("executive", "Exec-managerial"),
    ("specialist", "Prof-specialty"),
    ("craftsman", "Craft-repair"),
    ("clerk", "Adm-clerical"),
    ("salesperson", "Sales"),
)
_ANALYTICS = (
    ("windows", "Windows"),
    ("mac_os", "Macintosh"),
    ("android", "Android"),
    ("ios", "iOS"),
    ("chrome_os", "Chrome OS"),
)
_FEWER = (
    "As published, the data has one operating system and five countries more than the thesis counts, and so more rare"
    " combinations. All other counts are the printed ones. Some values must have been counted as others there; which,"
    " cannot be told: more than a thousand ways to count one system as another and five dependent places as parts of"
    " their countries give all of the printed figures."
)
_SHORT = "The frequencies are the printed ones, and do not give this share: it lacks the first digit after the point."


XMONDRIAN = MethodReading("xmondrian", mixed=True)
XMONDRIAN_AS_PRINTED = replace(XMONDRIAN, as_printed=True)
_BROKEN = (
    "As printed, every value of a column of categories is a part, whatever its size: Figure 10 has four classes of one"
    " record for k = 2, and nine of the ten records. A C_avg below 1 is not a better one, it says that k is broken:"
    " where every class has k records it is 1 or more, as ours always is. Run as printed, shown beside it, the classes"
    " are as many as the printed ones, though not the same: two of them have one record."
)


ROWS: Mapping[str, RowReadings] = {
    "MDAV-1": _plain("mdav-1"),
    "MDAV-2": _plain("mdav-2"),
    "DBA-1": _plain("dba-1"),
    "DBA-2": _plain("dba-2"),
    "TFRP-1": _plain("tfrp-1"),
    "TFRP-2": _plain("tfrp-2"),
    "MDAV-MHM": _plain("mdav-mhm", _MHM, "open"),
    "MD-MHM": _plain("md-mhm", _MHM, "open"),
    "CBFS-MHM": _plain("cbfs-mhm", _MHM, "open"),
    "NPN-MHM": _plain(
        "npn-mhm",
        "The order is that of the text, from the end of the most distant pair that has the lower row; the other end is"
        " farther from print. The cut is exact here: where ours is lower (by up to 1.2 %, on EIA up to 7.6 %), theirs"
        " is not, or an order differs by ties.",
        "open",
    ),
    "M-d": _plain(
        "mst",
        "Large components are split around most distant pairs. The text leaves open which end of a pair grows first and"
        " when splitting ends, and that moves the figures by up to half a percent. The original prints two decimals.",
        "open",
    ),
    "μ-Approx": _plain(
        "mu-approx",
        "Which small tree grows first and where a large one is cut are left open. Of several hundred combinations ours"
        " was chosen by its figures, as the closest to print with no cell more than 1 % above it.",
        "open",
    ),
    "Multi-DSort": _multi_dsort(),
    "HAC single": _hac("hac"),
    "HAC-max-partitions single": _hac("hac-max"),
    "HAC-max-partitions complete": _hac("hac-max", linkage="complete"),
    "HAC-max-partitions centroid": _hac(
        "hac-max",
        linkage="centroid",
        also=("average", "ward"),
        why="Two cells are within half a percent. At k = 3 and 5 no reading that was tried gives the printed figure,"
        " other linkages included; the loss at k = 3 is the only one of the thesis that is higher than at the next k.",
    ),
    "HAC-priority single": _hac("hac-priority"),
    "MDAV": _plain("mdav"),
    "MDAV-sdcMicro": _plain("mdav-generic"),
    "Before microaggregation": _semantic(""),
    "SA-Mondrian-Strict": _semantic(
        "sa-mondrian-strict", _TREES + _FURTHEST + _GIVEN_UP, "other hierarchy", ("adult-first",), persistent=False
    ),
    "Mondrian-Strict-Improved": _semantic(
        "mondrian-strict-improved", _TREES + _CLOSEST, "other hierarchy", ("adult-first",)
    ),
    "SA-MDAV": _semantic("sa-mdav", _TREES, "other hierarchy", ("adult-first",)),
    "Mondrian": RowReadings((MethodReading("mondrian-encoded", mixed=True),)),
    "XMondrian": RowReadings(
        (XMONDRIAN, XMONDRIAN_AS_PRINTED, MethodReading("mondrian-extent", mixed=True)), "k broken in print", _BROKEN
    ),
    "records": RowReadings((CountReading(),)),
    "records in classes below k": RowReadings((CountReading(),)),
    "five most frequent": RowReadings(
        (CountReading(n_most_frequent=5), CountReading(n_most_frequent=4)),
        "miscount",
        "The frequencies are the printed ones, and do not give this share: it is that of the four most frequent.",
    ),
    "united_states": RowReadings((CountReading(where={"native-country": "United-States"}),)),
    "specialist": RowReadings((CountReading(where={"occupation": "Prof-specialty"}),), "miscount", _SHORT),
    "values of native.country": RowReadings((CountReading(values_of="native-country"),)),
    "values of occupation": RowReadings((CountReading(values_of="occupation"),)),
    "windows": RowReadings((CountReading(where={"os": "Windows"}),)),
    "values of os": RowReadings((CountReading(values_of="os"),), "other data", _FEWER),
    "values of country": RowReadings((CountReading(values_of="country"),), "other data", _FEWER),
    **{
        f"({word}, united_states)": RowReadings(
            (CountReading(where={"occupation": value, "native-country": "United-States"}),)
        )
        for word, value in _ADULT
    },
    **{
        f"({word}, united_states)": RowReadings((CountReading(where={"os": value, "country": "United States"}),))
        for word, value in _ANALYTICS
    },
}
"""Readings by the printed name of the method or count."""

CELL_ROWS: Mapping[tuple[str, str, int | None], RowReadings] = {
    ("MDAV-2", "tarragona", 3): _plain(
        "mdav-2",
        "The printed 16.38261429 has every digit of ours but one; the other eleven cells of the method are exact.",
        "misprint",
    ),
    ("HAC-max-partitions complete", "census", 5): _hac(
        "hac-max",
        linkage="complete",
        kind="misprint",
        why="The printed 3852.33 has every digit of ours but the first; the other three cells of the row are exact.",
    ),
    ("HAC-priority single", "census", 5): _hac(
        "hac-priority",
        kind="same definition",
        why="Ours is 1624.837; the last printed digit is cut off there and rounded in the other cells of the row.",
    ),
    ("MDAV", "toy19", 4): RowReadings(
        (MethodReading("mdav"), MethodReading("mdav-1"), MethodReading("mdav-generic")),
        "open",
        "Ours has groups of 4, 5, 5 and 5 records, as the thesis says of its own. Three records are left for the four"
        " groups of k; none of the 64 ways to place them gives the printed figure. sdcMicro's, printed beside it, is"
        " that of mdav-generic, and on Census all four cells are exact.",
    ),
    **{("Multi-DSort", "eia", k): _multi_dsort_on_eia("eia-12" if k == 4 else "eia-13") for k in (3, 4, 5, 10)},
    **{
        (name, "eia", None): RowReadings(
            (MethodReading(method, dataset="eia-10"), MethodReading(method, dataset="eia")),
            "other data",
            "The printed figures are those of the ten revenue and sales columns without UTILITYID, while MDAV-1,"
            " MDAV-2 and DBA in the same table are those of eleven columns: the table mixes two data sets.",
        )
        for name, method in (("TFRP-1", "tfrp-1"), ("TFRP-2", "tfrp-2"))
    },
    ("records in classes below k", "analytics", None): RowReadings((CountReading(),), "other data", _FEWER),
    ("united_states", "analytics", None): RowReadings((CountReading(where={"country": "United States"}),)),
    ("five most frequent", "analytics", None): RowReadings((CountReading(n_most_frequent=5),), "miscount", _SHORT),
    **{
        (name, "analytics-sample-one", None): _semantic(method, _SAMPLE + more, "other sample")
        for name, method, more in (
            ("Before microaggregation", "", ""),
            ("SA-Mondrian-Strict", "sa-mondrian-strict", _FURTHEST),
            ("Mondrian-Strict-Improved", "mondrian-strict-improved", _CLOSEST),
            ("SA-MDAV", "sa-mdav", ""),
        )
    },
}
"""Readings by printed name, dataset and k (None: every k); they override ``ROWS``."""


def get_row_readings(name: str, dataset: str, k: int | None) -> RowReadings:
    """Return the readings of a printed cell."""
    return CELL_ROWS.get((name, dataset, k)) or CELL_ROWS.get((name, dataset, None)) or ROWS[name]
