"""Policy files written by hand: what they leave out has a default or comes from the table."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import data
from shoal.domain import Policy, PolicyDraft
from shoal.errors import ColumnError, PolicyError, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.release.options import build_policy

MINIMAL = 'format = 5\n[release]\nk = 3\n[[columns]]\nname = "age"\nrole = "quasi-identifier"\n'
TABLE = pl.DataFrame(
    {
        "name": [f"person {i}" for i in range(24)],
        "age": [20 + 3 * (i % 8) for i in range(24)],
        "size": ["S", "M", "L"] * 8,
        "job": ["cook", "baker", "nurse", "doctor"] * 6,
        "ill": ["flu", "cold", "gout"] * 8,
        "city": ["Bergen", "Oslo"] * 12,
    }
)
JOBS = {"*": {"food": {"cook": {}, "baker": {}}, "health": {"nurse": {}, "doctor": {}}}}
FULL = """\
format = 5
drop_others = true

[release]
k = 3
l = 2
seed = 7

[missing]
policy = "category"

[options]
shuffle = true

[refine]
effort = "fast"

[weights]
age = 2

[bounds]
age = [0, 120]

[survey]
strata = ["city"]

[[columns]]
name = "age"
role = "quasi-identifier"
recode = "median"

[[columns]]
name = "size"
role = "quasi-identifier"
levels = "trees/sizes.txt"

[[columns]]
name = "job"
role = "quasi-identifier"
hierarchy = "jobs.csv"

[[columns]]
name = "ill"
role = "sensitive"

[[columns]]
name = "name"
role = "identifier"
"""


def arguments(folder: Path) -> dict[str, object]:
    """The same decisions as ``FULL``."""
    return {
        "k": 3, "l": 2, "seed": 7, "shuffle": True, "effort": "fast", "weights": {"age": 2},
        "bounds": {"age": (0, 120)},
        "strata": ["city"], "quasi_identifiers": ["age", "size", "job"], "sensitive": "ill", "identifiers": "name",
        "recode": {"age": "median"}, "drop_others": True,
        "levels": {"size": folder / "trees" / "sizes.txt"}, "hierarchies": {"job": folder / "jobs.csv"},
    }  # fmt: skip


def write(folder: Path, text: str) -> Path:
    (folder / "trees").mkdir(exist_ok=True)
    (folder / "trees" / "sizes.txt").write_text("S\nM\nL\n")
    Hierarchy.from_dict(JOBS).save(folder / "jobs.csv", force=True)
    path = folder / "policy.toml"
    path.write_text(text)
    return path


def test_the_smallest_policy_has_every_default(tmp_path: Path) -> None:
    table = TABLE.select("age", "ill")
    by_hand = shoal.replay(table, policy=write(tmp_path, MINIMAL))
    called = shoal.anonymize(table, k=3, quasi_identifiers="age")
    assert by_hand.table.equals(called.table)
    assert by_hand.policy == called.policy
    assert by_hand.policy.method == "auto"
    assert by_hand.replayed_policy is None


def test_a_policy_by_hand_is_the_call_with_the_same_arguments(tmp_path: Path) -> None:
    by_hand = shoal.replay(TABLE, policy=write(tmp_path, FULL))
    called = shoal.anonymize(TABLE, **arguments(tmp_path))
    assert by_hand.table.equals(called.table)
    assert by_hand.policy.to_toml() == called.policy.to_toml()
    by_hand.save(tmp_path / "out.csv")
    written = Policy.read(tmp_path / "out.csv.policy.toml")
    assert [column.hierarchy_file for column in written.schema.columns if column.hierarchy_file] == [
        "sizes.txt", "jobs.csv",
    ]  # fmt: skip
    assert "trees" not in written.to_toml(), "a path of this machine"


def test_a_fingerprint_is_checked_where_there_is_one(tmp_path: Path) -> None:
    fingerprint = Hierarchy.from_dict(JOBS).fingerprint
    text = FULL.replace('hierarchy = "jobs.csv"', f'hierarchy = {{file = "jobs.csv", sha256 = "{fingerprint}"}}')
    assert shoal.replay(TABLE, policy=write(tmp_path, text)).verification.ok
    with pytest.raises(PolicyError, match="differ from those that the policy was made with"):
        shoal.replay(TABLE, policy=write(tmp_path, text.replace(fingerprint, "0" * 64)))
    with pytest.raises(PolicyError, match=r"'nowhere\.csv'"):
        shoal.replay(TABLE, policy=write(tmp_path, FULL.replace("jobs.csv", "nowhere.csv")))


def test_hierarchies_are_given_only_for_columns_that_the_policy_gives_one(tmp_path: Path) -> None:
    policy = write(tmp_path, FULL)
    assert shoal.replay(TABLE, policy=policy, hierarchies={"job": JOBS}).verification.ok
    with pytest.raises(PolicyError, match="no hierarchy or levels for column 'ill'"):
        shoal.replay(TABLE, policy=policy, hierarchies={"ill": JOBS})


def test_a_column_that_looks_like_an_identifier_is_refused(tmp_path: Path) -> None:
    policy = write(tmp_path, MINIMAL)
    with pytest.raises(ColumnError, match="'name'"):
        shoal.replay(TABLE, policy=policy)
    listed = write(tmp_path, MINIMAL + '[[columns]]\nname = "name"\n')
    with pytest.raises(ColumnError, match="'name'"):
        shoal.replay(TABLE, policy=listed)
    kept = write(tmp_path, MINIMAL.replace("[release]", 'keep = ["name"]\n[release]'))
    assert "name" in shoal.replay(TABLE, policy=kept).table.columns


def test_an_ambiguous_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(
        "age,day\n" + "".join(f"{i % 4},0{i % 9 + 1}/0{(i + 3) % 9 + 1}/2020\n" for i in range(20))
    )
    policy = write(tmp_path, MINIMAL + '[[columns]]\nname = "day"\nrole = "quasi-identifier"\n')
    with pytest.raises(ColumnError, match="'day'"):
        shoal.replay(tmp_path / "in.csv", policy=policy)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("k = 3", "kk = 3", "unknown key in 'release'"),
        ("[release]", "[relaese]", "unknown key 'relaese'; did you mean 'release'"),
        ("[release]\nk = 3", "[release]", "leaves k open"),
        ("k = 3", "k = 1", "k = 1 protects nobody"),
        ("k = 3", 'k = "3"', "k is not a whole number"),
        ("k = 3", "k = 3\nseed = -1", "seed is not a whole number"),
        ("k = 3", "k = 3\nsuppression = 2", "a number from 0 to 1"),
        ("k = 3", "k = 3\nsupression = 0.1", "did you mean 'suppression'"),
        ("k = 3", "k = 3\npieces = 5", "'pieces'"),
        ("k = 3", "k = 3\n[missing]\npolicy = 'joker'", "no missing_values 'joker'"),
        ("k = 3", "k = 3\n[options]\nshuffle = 1", "true or false"),
        ("k = 3", "k = 3\n[options]\nshufle = true", "'shufle'"),
        ("k = 3", "k = 3\n[refine]\neffort = 'much'", "no effort 'much'"),
        ("k = 3", "k = 3\n[weights]\nage = 'many'", "number above 0"),
        ("k = 3", "k = 3\n[bounds]\nage = [2, 1]", "the least and the largest"),
        ("quasi-identifier", "quasi", "no role 'quasi'; known are 'identifier', 'quasi-identifier'"),
        ('role = "quasi-identifier"', "", "nothing to protect"),
        ("role", "rolle", "unknown key 'rolle' in 'columns'; did you mean 'role'"),
        ("name", "nmae", "unknown key 'nmae'"),
        ('"age"', '"agee"', "did you mean 'age'"),
        ('"age"', "5", "'name' has a value"),
        ("[[columns]]", "[columns]", "wrong type"),
        ("format = 5", "format = 5\ninput = 3", "wrong type"),
        ("format = 5", "format = 5\nrefine = 3", "wrong type"),
        ("[[columns]]", '[[columns]]\nname = "age"\n[[columns]]', "column twice"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in MINIMAL
    with pytest.raises(ShoalError) as caught:
        shoal.replay(TABLE.select("age", "ill"), policy=write(tmp_path, MINIMAL.replace(old, new)))
    assert words in str(caught.value)
    assert isinstance(caught.value, PolicyError | ColumnError) or "shufle" in words


def test_only_the_policy_of_a_release_is_read_as_one(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="written by hand"):
        Policy.read(write(tmp_path, MINIMAL))
    text = shoal.anonymize(TABLE.select("age"), k=3, quasi_identifiers="age").policy.to_toml()
    with pytest.raises(PolicyError, match="unknown key 'supression' in 'release'; did you mean 'suppression'"):
        Policy.from_toml(text.replace("suppression", "supression").encode(), path="p")


def _entries(facts: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places of all entries of a file."""
    for key in facts if isinstance(facts, dict) else range(len(facts)):
        yield (*path, key)
        if isinstance(facts[key], dict | list):
            yield from _entries(facts[key], (*path, key))


@pytest.mark.parametrize("place", list(_entries(tomllib.loads(FULL))), ids=str)
def test_an_entry_of_any_type_is_used_or_refused(tmp_path: Path, place: tuple[Any, ...]) -> None:
    write(tmp_path, FULL)
    for value in (3, -1, 2.5, float("nan"), True, "x", "", [], [1], ["age"], {}, {"age": 1}, [{"name": "age"}]):
        facts = tomllib.loads(FULL)
        entry = facts
        for key in place[:-1]:
            entry = entry[key]
        entry[place[-1]] = value
        try:
            draft = PolicyDraft.from_dict(facts, "p.toml")
        except ShoalError:
            continue
        arguments = {**arguments_of(draft, tmp_path), "effort": "fast", "method": "mdav"}
        with suppress(ShoalError):
            build_policy(data.read_table(TABLE), **arguments)


def arguments_of(draft: PolicyDraft, folder: Path) -> dict[str, Any]:
    files = {"hierarchies": draft.hierarchy_files, "levels": draft.level_files}
    return {**draft.arguments} | {
        option: {name: folder / file for name, file in given.items()} for option, given in files.items()
    }
