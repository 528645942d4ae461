"""Checks of every method: on each family of tables that it supports, on constraints, and of its docstring."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.domain import Partition
from shoal.domain.columns import Kind
from shoal.errors import OptionError, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.microaggregation import registry
from shoal.microaggregation.registry import Method, get_method
from shoal.testing.example_tables import Example
from shoal.testing.table_families import CATEGORIES, MIXED, N_EXAMPLES, NUMBERS, TableFamily, normal_table

Check = Callable[[str], None]
N_RELEASES = 1
"""Number of released tables per family and method; all methods share the steps after grouping."""
_TREATMENTS = ("category", "wildcard")
"""Treatments of missing values. With ``category`` the method sees a separate category; in all other treatments it sees
an imputed center, or no such record."""
_TREE: dict[str, Any] = {"any": {"north": {"a": {}, "b": {}, "c": {}}, "south": {"d": {}, "e": {}}}}


def assert_group_sizes(name: str, example: Example, **options: Any) -> Partition:
    """Assert that each record has one label and that group sizes are between k and the declared maximum."""
    method, partition = get_method(name), example.partition(name, **options)
    labels, sizes = partition.labels, partition.sizes
    assert labels.shape == (example.rows,), f"{name}: one label a record"
    assert set(labels.tolist()) == set(range(partition.count)), f"{name}: groups are numbered without a gap"
    assert sizes.sum() == example.rows, f"{name}: every record is in one group"
    assert sizes.min() >= example.k, f"{name}: every group has at least k records"
    if method.largest_group is not None:
        assert sizes.max() <= method.largest_group(example.k), f"{name}: no group exceeds the declared size"
    return partition


def _typical(family: TableFamily, name: str, rows: int) -> Example:
    return family.examples(get_method(name), rows)[-1]


def check_sizes(family: TableFamily, name: str) -> None:
    """Each record has one label, and group sizes are between k and the declared maximum, in every encoding."""

    def test(example: Example) -> None:
        for options in family.encodings:
            assert_group_sizes(name, example, **options)

    family.random(get_method(name)).for_each(test)


def check_release_is_k_anonymous(family: TableFamily, name: str, *, examples: int = N_RELEASES) -> None:
    """The released values are k-anonymous by verification and by a naive count, and no record is lost."""

    def test(example: Example) -> None:
        data, is_frame = example.data, isinstance(example.data, pl.DataFrame)
        release = shoal.anonymize(
            data,
            k=example.k,
            quasi_identifiers=data.columns if is_frame else list(range(data.shape[1])),
            method=name,
            **example.column_options,
            **family.releases[example.rows % len(family.releases)],
        )
        naive = Counter(release.table.rows() if is_frame else map(tuple, release.table.tolist()))
        assert release.verification.ok, f"{name}: verification"
        assert release.table.shape == data.shape, f"{name}: no record lost or added"
        assert min(naive.values()) >= example.k, f"{name}: naive count"

    family.random(get_method(name)).for_each(test, limit=examples)


def check_deterministic(family: TableFamily, name: str) -> None:
    """The same records give the same labels in a second run, in another memory layout, and scaled or weighted."""

    def test(example: Example) -> None:
        first = example.partition(name).labels
        for records in (example.second_encoding, family.same_groups(example)):
            again = registry.run(records, k=example.k, method=name).labels
            assert np.array_equal(first, again), f"{name}: same labels again"

    family.random(get_method(name)).for_each(test)


def check_input_is_unchanged(family: TableFamily, name: str) -> None:
    """A method does not modify its input."""
    example = _typical(family, name, rows=40)
    original = deepcopy(example.data)
    example.public_partition(name)
    assert np.array_equal(example.data, original), f"{name}: the input is as it was"


def check_smallest_tables(family: TableFamily, name: str) -> None:
    """Tables of k to 3k records give valid groups, and fewer than 2k records a single one."""
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            for example in family.examples(get_method(name), rows):
                partition = assert_group_sizes(name, example.with_k(k))
                assert rows >= 2 * k or partition.count == 1, f"{name}: fewer than 2k records are one group"


def check_equal_records(family: TableFamily, name: str) -> None:
    """Tables with many equal records give valid groups, and nothing is lost if all are equal."""
    examples = family.equal(get_method(name))
    for example in examples:
        for k in (2, 3, 5, 17):
            assert_group_sizes(name, example.with_k(k))
    partition = examples[0].public_partition(name)
    losses = [loss for loss in (partition.information_loss, partition.semantic_loss) if loss is not None]
    assert losses, f"{name}: a measured loss"
    assert not any(losses), f"{name}: nothing lost on equal records"


def check_progress(family: TableFamily, name: str) -> None:
    """Progress is monotonic and never exceeds the total."""
    steps: list[tuple[int, int]] = []
    _typical(family, name, rows=300).public_partition(name, progress=lambda *step: steps.append(step))
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"


def check_bad_options(family: TableFamily, name: str) -> None:
    """Unknown options and invalid values of k raise an error."""
    example = _typical(family, name, rows=10)
    refused: list[dict[str, Any]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            shoal.partition(example.data, method=name, **example.column_options, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")


def check_refined_groups(name: str) -> None:
    """Local search keeps k, never raises the error, and is deterministic."""

    def test(example: Example) -> None:
        options = {"effort": "fast", "standardize": example.rows % 2 == 0}
        refined, again = (example.public_partition(name, **options) for _ in range(2))
        assert refined.sizes.min() >= example.k, f"{name}: every refined group has at least k records"
        assert refined.sizes.sum() == example.rows, f"{name}: every record is in one refined group"
        assert refined.search is not None
        assert refined.search.after <= refined.search.before, f"{name}: the error does not rise"
        assert np.array_equal(refined.labels, again.labels), f"{name}: same refined labels again"

    NUMBERS.random(get_method(name)).for_each(test, limit=N_EXAMPLES // 3)
    example = _typical(NUMBERS, name, rows=40)
    plain, refined = (example.public_partition(name, refine=refine).information_loss for refine in (False, True))
    assert plain is not None
    assert refined is not None
    assert refined <= plain * (1 + 1e-9), f"{name}: no more is lost"


def check_huge_and_tiny_scales(name: str) -> None:
    """Columns of any scale give the same groups, since distances are standardized."""
    example = _typical(NUMBERS, name, rows=31)
    expected = example.public_partition(name)
    for exponent in (-900, -40, 40, 900):
        scaled = Example(np.ldexp(example.data, exponent), k=3).public_partition(name)
        assert np.array_equal(scaled.labels, expected.labels), f"{name}: groups at 2**{exponent}"
        assert scaled.information_loss == expected.information_loss, f"{name}: loss at 2**{exponent}"


def check_one_column(name: str) -> None:
    """A single column gives valid groups."""
    for rows in (8, 30):
        assert_group_sizes(name, normal_table(1, rows))


def check_labels_are_independent(name: str) -> None:
    """Returned labels share no state with the method: changing them does not change a second result."""
    example = _typical(NUMBERS, name, rows=20)
    try:
        first = example.public_partition(name).labels
        expected = first.copy()
        first[:] = 0
        assert np.array_equal(example.public_partition(name).labels, expected), f"{name}: no shared state"
    except ShoalError as error:
        raise AssertionError(f"{name}: {error}") from error


def check_weights_decide(name: str) -> None:
    """A weight of a million on a column lowers its loss, compared with the same weight on the other column."""
    example = _typical(MIXED, name, rows=60).with_k(4)
    numbers, categories = (example.public_partition(name, weights={column: 1e6}) for column in ("x", "c0"))
    assert numbers.information_loss is not None
    assert categories.information_loss is not None
    assert numbers.information_loss < categories.information_loss, f"{name}: a weight on numbers lowers their loss"
    assert numbers.semantic_loss is not None
    assert categories.semantic_loss is not None
    assert categories.semantic_loss < numbers.semantic_loss, f"{name}: a weight on categories lowers their loss"


def _table(method: Method, *, rows: int, seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return one column of each supported kind with a fifth of the cells missing, and a sensitive column."""
    draw = np.random.default_rng(seed)
    column_options: dict[str, Any] = {}
    columns: dict[Kind, pl.Series] = {
        Kind.NUMERIC: pl.Series("number", draw.integers(0, 40, rows).astype(np.float64)),
        Kind.DATE: pl.Series("date", draw.integers(0, 900, rows).astype(np.int32)).cast(pl.Date),
        Kind.NOMINAL: pl.Series("word", draw.choice(["x", "y", "z"], rows)),
        Kind.ORDINAL: pl.Series("level", draw.choice(["low", "middle", "high"], rows)),
        Kind.HIERARCHICAL: pl.Series("place", draw.choice(list("abcde"), rows)),
    }
    with_numbers = method.supports_mixed or Kind.NOMINAL not in method.kinds
    kinds = [kind for kind in method.kinds if with_numbers or kind not in (Kind.NUMERIC, Kind.DATE)]
    supported = [columns[kind] for kind in columns if kind in kinds][: method.max_columns]
    with_missing = [column.set(pl.Series(draw.random(rows) < 0.2), None) for column in supported]
    names = [column.name for column in supported]
    if "level" in names:
        column_options["levels"] = {"level": ["low", "middle", "high"]}
    if "place" in names:
        column_options["hierarchies"] = {"place": Hierarchy.from_dict(_TREE)}
    return pl.DataFrame([*with_missing, pl.Series("sensitive", draw.choice(["p", "q", "r"], rows))]), column_options


def _min_compatible(rows: Sequence[tuple[Any, ...]]) -> int:
    """Return the minimum number of records compatible with a record, where missing values match any value."""
    return min(
        sum(all(a is None or b is None or a == b for a, b in zip(one, other, strict=True)) for other in rows)
        for one in rows
    )


def check_missing_values(name: str, *, ways: Sequence[str] = _TREATMENTS) -> None:
    """With every treatment of missing values, the release is k-anonymous by a naive count and has all records."""
    method = get_method(name)
    for seed, way in enumerate(ways):
        frame, column_options = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        release = shoal.anonymize(
            frame,
            k=4,
            quasi_identifiers=names,
            sensitive="sensitive",
            method=name,
            missing_values=way,
            **column_options,
        )
        released = release.table.select(names).rows()
        smallest_class = _min_compatible(released) if way == "wildcard" else min(Counter(released).values())
        assert release.verification.ok, f"{name}: verification with {way}"
        assert smallest_class >= 4, f"{name}: naive count with {way}"
        assert release.table.columns == frame.columns, f"{name}: the columns are there with {way}"
        assert release.table["sensitive"].equals(frame["sensitive"]), f"{name}: other columns are as they were"
        assert way != "impute" or not any(release.table.select(names).null_count().row(0)), f"{name}: gaps are filled"


def check_privacy_models(name: str) -> None:
    """Every class satisfies l-diversity and t-closeness by a naive count."""
    method = get_method(name)
    for seed in range(3 if method.supports_constraints else 1):  # the others share the code that enforces the models
        frame, column_options = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        release = shoal.anonymize(
            frame, k=3, quasi_identifiers=names, sensitive="sensitive", l=3, t=0.4, method=name, **column_options
        )
        classes: dict[tuple[Any, ...], list[str]] = {}
        for row in release.table.rows():
            classes.setdefault(row[:-1], []).append(row[-1])
        table = Counter(frame["sensitive"])
        for values in classes.values():
            counts = Counter(values)
            distance = (
                sum(abs(counts[value] / len(values) - count / frame.height) for value, count in table.items()) / 2
            )
            assert len(values) >= 3, f"{name}: k records"
            assert len(counts) >= 3, f"{name}: l different values"
            assert distance <= 0.4 + 1e-9, f"{name}: as close to the table as asked"


def check_docstring(name: str) -> None:
    """A method declares its paper and cost, and its docstring has the required sections."""
    method = get_method(name)
    assert method.summary, f"{name}: a docstring with a first line"
    assert method.paper, f"{name}: a paper"
    assert method.cost, f"{name}: a cost"
    assert re.search(r"\b(19|20)\d\d\b", str(method.year)), f"{name}: a year"
    for word in ("Steps", "Departures", "Cost"):
        assert word in method.docstring, f"{name}: the docstring tells its {word.lower()}"


_COMMON: tuple[Callable[..., None], ...] = (
    *(check_sizes, check_release_is_k_anonymous, check_deterministic, check_input_is_unchanged),
    *(check_smallest_tables, check_equal_records, check_progress, check_bad_options),
)


def _on_family(check: Callable[..., None], family: TableFamily) -> Check:
    @wraps(check)
    def on_family(name: str, **options: Any) -> None:
        check(family, name, **options)

    on_family.__name__ += f"_of_{family.name}"
    return on_family


FAMILY_CHECKS: dict[TableFamily, list[Check]] = {
    family: [_on_family(check, family) for check in _COMMON] for family in (NUMBERS, CATEGORIES, MIXED)
}
FAMILY_CHECKS[NUMBERS] += [
    *(check_refined_groups, check_huge_and_tiny_scales, check_one_column, check_labels_are_independent)
]
FAMILY_CHECKS[MIXED] += [check_weights_decide]


def checks(name: str) -> list[Check]:
    """Return the checks for a registered method: on numbers, categories or both, by the kinds that it supports."""
    supported = [checks for family, checks in FAMILY_CHECKS.items() if family.supports(get_method(name))]
    return [check_docstring, *chain(*supported), check_missing_values, check_privacy_models]
