"""Methods in blocks: every group is inside one block, independent of threads, and constraints hold."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.domain import ModelConstraints, Records, Scale, SurveyDesign
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.microaggregation import auto, blockwise, registry
from shoal.microaggregation.cut_tree import build_cut_tree
from shoal.microaggregation.group import GroupingTask, group
from shoal.system.threads import use_threads


def records(
    rows: int = 300, columns: int = 3, *, seed: int = 0, constraints: ModelConstraints | None = None
) -> Records:
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    names = tuple(f"c{j}" for j in range(columns))
    return Records(names, values, Scale.standardized(values), np.ones(columns), constraints=constraints)


def distinct(codes: np.ndarray, least: int) -> ModelConstraints:
    """At least so many different values of one sensitive column in every group."""
    width = int(codes.max()) + 1
    shares = np.bincount(codes, minlength=width) / len(codes)
    one = np.zeros(1, dtype=np.int64)
    return ModelConstraints.none(len(codes))._replace(
        codes=codes[:, None].astype(np.int64),
        value_offsets=np.array([0, width]),
        column=one,
        rule=one,
        threshold=np.array([float(least)]),
        factor=np.zeros(1),
        frequencies=shares,
        node_offsets=np.zeros(2, dtype=np.int64),
    )


@pytest.mark.parametrize(
    "name", [name for name, method in registry.methods().items() if method.supports([Kind.NUMERIC] * 3, records=200)]
)
def test_every_method_runs_in_blocks(name: str) -> None:
    """As the method makes them of each block alone, and the same on any number of threads."""
    table = records(200)
    made = blockwise.run(table, k=3, method=name, max_records=60)
    block = build_cut_tree(table.space.sketched_points, 60, 12).block_of(table.space.sketched_points)
    assert block.max() >= 3
    for number in range(block.max() + 1):
        rows = np.flatnonzero(block == number)
        alone = registry.run(table.take(rows), k=3, method=name).labels
        pairs = set(zip(made.labels[rows].tolist(), alone.tolist(), strict=True))
        assert len(pairs) == len(set(made.labels[rows])) == alone.max() + 1
    assert made.sizes.min() >= 3
    assert made.count == sum(len(set(made.labels[block == number])) for number in range(block.max() + 1))
    assert made.account == (f"{name} ran in {block.max() + 1} blocks of at most {np.bincount(block).max()} records.",)
    for count in (1, 2, 3):
        with use_threads(count):
            assert (blockwise.run(table, k=3, method=name, max_records=60).labels == made.labels).all()


def test_one_block_is_the_method_itself() -> None:
    table, seen = records(50), []
    made = blockwise.run(
        table, k=3, method="mdav", max_records=50, progress=lambda done, total: seen.append((done, total))
    )
    assert (made.labels == registry.run(table, k=3, method="mdav").labels).all()
    assert made.account == ("mdav ran in 1 block of at most 50 records.",)
    assert seen[-1] == (50, 50)


def test_options_and_seed_reach_every_block() -> None:
    table = records(120)
    found = [blockwise.run(table, k=3, method="fcm", max_records=60, seed=seed).labels for seed in (0, 0, 1)]
    assert (found[0] == found[1]).all()
    with pytest.raises(OptionError, match="no option 'depth'"):
        blockwise.run(table, k=3, method="mdav", max_records=60, options={"depth": 3})


@pytest.mark.parametrize("method", ["mdav", "mondrian"])
def test_groups_in_blocks_keep_demands(method: str) -> None:
    """One value is so rare that some blocks do not have it and have to be joined."""
    codes = (np.random.default_rng(1).random(400) < 0.06).astype(np.int64)
    table = records(400, constraints=distinct(codes, 2))
    made = blockwise.run(table, k=4, method=method, max_records=50)
    assert all(len(set(codes[made.labels == number])) == 2 for number in range(made.count))
    free = blockwise.run(records(400), k=4, method=method, max_records=50)
    blocks = [int(reported.account[0].split(" in ")[1].split()[0]) for reported in (made, free)]
    assert 1 < blocks[0] < blocks[1]


def test_strata_households_and_suppression() -> None:
    generator = np.random.default_rng(3)
    table = records(600)
    design = SurveyDesign(strata=np.repeat([0, 1], 300), households=np.arange(600) // 2)
    made = group(table, GroupingTask(3, "mdav", blocks=40), design=design)
    assert "mdav ran in " in made.account[0]
    for number in range(made.count):
        rows = np.flatnonzero(made.labels == number)
        assert len(set(rows // 300)) == 1
        homes = set(rows // 2)
        assert len(homes) >= 3
        assert len(rows) == 2 * len(homes)
    removed = generator.random(600) < 0.02
    made = group(table, GroupingTask(3, "mdav", blocks=40, max_suppression=0.05), always_suppressed=removed)
    assert made.suppressed is not None
    assert made.suppressed[removed].all()
    assert 0 < made.n_suppressed <= 600 * 0.05 + removed.sum()
    assert made.sizes.min() >= 3


def test_a_method_that_refuses_so_many_takes_blocks_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.methods(), "hac", _fewer(registry.get_method("hac"), 100))
    table = records(300).values
    with pytest.raises(OptionError, match="at most 100 records") as refused:
        shoal.partition(table, k=3, method="hac")
    assert "--blocks" in refused.value.hint
    assert shoal.partition(table, k=3, method="hac", blocks=100).sizes.min() >= 3


def _fewer(method: registry.Method, most: int) -> registry.Method:
    from dataclasses import replace

    return replace(method, max_records=most)


@pytest.mark.parametrize("blocks", [0, -3, 2.5, "many", True])
def test_blocks_are_a_whole_number(blocks: object) -> None:
    with pytest.raises(OptionError, match="'blocks'"):
        shoal.partition(records(30).values, k=3, blocks=blocks)  # type: ignore[arg-type]


def test_blocks_have_room_for_two_groups() -> None:
    table = records(60).values
    with pytest.raises(OptionError, match="at most 5 records cannot be cut for k = 3") as refused:
        shoal.partition(table, k=3, blocks=5)
    assert "at least 6" in refused.value.hint
    assert shoal.partition(table, k=3, method="mdav", blocks=np.int64(6)).sizes.min() >= 3


def test_auto_takes_blocks_of_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_BIG", 200)
    monkeypatch.setattr(auto, "_BLOCK", 80)
    table = records(300)
    made = registry.run(table, k=3, method="auto")
    assert made.account == ("auto took ward-mhm in blocks of at most 80 records for 300 records with 3 numbers.",)
    assert (made.labels == blockwise.run(table, k=3, method="ward-mhm", max_records=80).labels).all()
    assert "blocks" not in registry.run(records(200), k=3, method="auto").account[0]


def test_auto_takes_blocks_of_many_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    monkeypatch.setattr(auto, "_MANY", 50)
    monkeypatch.setattr(auto, "_CELLS", 40)
    monkeypatch.setattr(auto, "_BLOCK", 80)
    noise = np.random.default_rng(0).integers(0, 9, (400, 3))
    frame = pl.DataFrame({name: [f"v{code}" for code in noise[:, j]] for j, name in enumerate("abc")})
    made = shoal.partition(frame, k=3, kinds=dict.fromkeys("abc", "nominal"), refine=False)
    assert "sa-mdav-plus in blocks of at most 80 records" in made.account[0]
    assert made.sizes.min() >= 3
