"""`shoal.plan`: proposed roles that can be changed, options, the policy file, and the release."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from naive.surveys import ILLS, JOBS, SIZES
from shoal.errors import ColumnError, DataError, OptionError, OutputError, PolicyError
from shoal.hierarchy import Hierarchy

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")

ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")
CELLS = ("Qanna", "Qbaker", "Qclerk", "Zflu", "Zgout", "Qnorth", "Qsouth")
FAST: dict[str, Any] = {"k": 3, "method": "mdav"}


def people(rows: int = 24) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"Qanna {i}" for i in range(rows)],
            "age": [20 + 3 * (i % 8) for i in range(rows)],
            "job": ["Qbaker", "Qclerk"] * (rows // 2),
            "region": ["Qnorth", "Qnorth", "Qsouth", "Qsouth"] * (rows // 4),
            "diagnosis": ["Zflu", "Zgout", "Zflu"] * (rows // 3),
        }
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    people().write_csv(path)
    return path


def test_roles_are_those_of_describe_with_their_reasons(source: Path) -> None:
    plan, described = shoal.plan(source), shoal.describe(source).schema.columns
    assert plan.roles == {column.name: column.role for column in described}
    assert plan.reasons == {column.name: column.reason for column in described}
    assert "k" not in plan.options


def test_a_release_has_the_roles_that_were_assigned(source: Path) -> None:
    plan = shoal.plan(source, **FAST)
    plan.roles["region"] = "sensitive"
    plan.roles.update(job=shoal.Role.IDENTIFIER)
    release = plan.run()
    called = shoal.anonymize(
        source, **FAST, quasi_identifiers="age", identifiers=["name", "job"], sensitive=["region", "diagnosis"]
    )
    assert release.policy == called.policy
    assert shoal.replay(source, policy=plan.policy()).policy == called.policy
    assert release.table.equals(called.table)
    del plan.roles["region"]
    assert plan.roles["region"] == "quasi-identifier"


def test_changes_are_for_one_call(source: Path) -> None:
    plan = shoal.plan(source, **FAST)
    assert plan.run(k=4, weights={"age": 2}).policy.k == 4
    assert plan.policy(l=2).models[0].notation == "distinct-l(2)"
    assert plan.policy().k == 3
    plan.options["k"] = 5
    assert plan.run(threads=1).policy.k == 5


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("sensitve", "did you mean 'sensitive'"),
        ("", "There is no role"),
        (None, "There is no role"),
        (3, "no role '3'"),
    ],
)
def test_a_mistyped_role_is_refused(source: Path, role: Any, words: str) -> None:
    plan = shoal.plan(source)
    with pytest.raises(OptionError, match=words):
        plan.roles["age"] = role
    assert plan.roles["age"] == "quasi-identifier"


def test_an_unknown_column_is_refused(source: Path) -> None:
    plan = shoal.plan(source)
    with pytest.raises(ColumnError, match="did you mean 'age'"):
        plan.roles["agee"] = "sensitive"
    with pytest.raises(ColumnError, match="There is no column 'height'"):
        del plan.roles["height"]
    assert "agee" not in plan.roles


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"methd": "mdav"}, "did you mean 'method'"),
        ({"zzz": 1}, "No method has an option 'zzz'"),
        ({"quasi_identifiers": ["age"]}, r"plan\.roles"),
        ({"sensitive": "age"}, r"plan\.roles"),
    ],
)
def test_an_unknown_option_is_refused(source: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        shoal.plan(source, **options)
    plan = shoal.plan(source, k=3)
    with pytest.raises(OptionError, match=words):
        plan.run(**options)
    plan.options.update(options)
    with pytest.raises(OptionError, match=words):
        plan.to_toml()


def test_k_is_needed_for_a_release_and_not_for_a_file(source: Path, tmp_path: Path) -> None:
    plan = shoal.plan(source)
    for call in (plan.run, plan.policy):
        with pytest.raises(OptionError, match="k is not"):
            call()
    plan.save(tmp_path / "p.toml")
    assert "k" not in tomllib.loads((tmp_path / "p.toml").read_text()).get("release", {})
    with pytest.raises(PolicyError, match="leaves k open"):
        shoal.replay(source, policy=tmp_path / "p.toml")
    again = shoal.plan(source, policy=tmp_path / "p.toml")
    assert again.run(**FAST).policy == plan.run(**FAST).policy


def test_an_identifier_does_not_slip_out(source: Path, tmp_path: Path) -> None:
    plan = shoal.plan(source, **FAST)
    plan.roles["name"] = "insensitive"
    with pytest.raises(ColumnError, match="looks like an identifier: 'name'"):
        plan.run()
    plan.save(tmp_path / "p.toml")
    with pytest.raises(ColumnError, match="looks like an identifier: 'name'"):
        shoal.replay(source, policy=tmp_path / "p.toml")
    assert "name" in plan.run(keep="name").table.columns


def test_the_file_gives_the_same_plan_and_the_same_release(source: Path, tmp_path: Path) -> None:
    Hierarchy.from_dict({"*": {"Qfood": {"Qbaker": {}}, "Qdesk": {"Qclerk": {}}}}).save(tmp_path / "jobs.csv")
    (tmp_path / "regions.txt").write_text("Qnorth\nQsouth\n")
    plan = shoal.plan(
        source,
        **FAST,
        l=2,
        models={"diagnosis": ["distinct-l(2)", "t-equal(0.9)"]},
        hierarchies={"job": tmp_path / "jobs.csv"},
        levels={"region": tmp_path / "regions.txt"},
        weights={"age": 2},
        bounds={"age": (0, 120)},
        recode={"job": "lcs", "*": "generalize"},
        max_suppression=0.2,
        missing_values="wildcard",
        alpha=0.5,
        shuffle=True,
        seed=7,
        effort="fast",
        exact_means=True,
    )
    plan.save(tmp_path / "p.toml")
    again = shoal.plan(source, policy=tmp_path / "p.toml")
    assert again.to_toml(file="p.toml") == (tmp_path / "p.toml").read_text()
    releases = [plan.run(), again.run(), shoal.replay(source, policy=tmp_path / "p.toml")]
    assert releases[0].policy == releases[1].policy == releases[2].policy
    assert releases[0].table.equals(releases[1].table)
    assert releases[0].table.equals(releases[2].table)


@pytest.mark.parametrize(
    "options", [{"refine": False}, {"refine": True, "method": "mdav"}, {"method": "mdav"}, {"time_limit": 5}, {}]
)
def test_whether_groups_are_improved_is_written(source: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    plan = shoal.plan(source, k=3, **options)
    plan.save(tmp_path / "p.toml")
    assert shoal.plan(source, policy=tmp_path / "p.toml").policy() == plan.policy()


def test_a_plan_from_the_policy_of_a_release(source: Path, tmp_path: Path) -> None:
    (tmp_path / "trees").mkdir()
    Hierarchy.from_dict({"*": {"Qbaker": {}, "Qclerk": {}}}).save(tmp_path / "jobs.csv")
    release = shoal.anonymize(
        source, k=3, quasi_identifiers=["age", "job"], identifiers="name", sensitive="diagnosis", l=2, refine=False,
        hierarchies={"job": tmp_path / "jobs.csv"}, recode={"age": "median"},
    )  # fmt: skip
    release.save(tmp_path / "out.csv")
    plan = shoal.plan(source, policy=tmp_path / "out.csv.policy.toml")
    assert plan.roles["region"] == "insensitive"
    assert plan.options == {
        "k": 3, "models": {"diagnosis": ["distinct-l(2)"]}, "refine": False, "recode": {"age": "median"},
        "hierarchies": {"job": str(tmp_path / "jobs.csv")},
    }  # fmt: skip
    assert plan.run().table.equals(release.table)
    plan.save(tmp_path / "p.toml")
    assert shoal.replay(source, policy=tmp_path / "p.toml").policy == release.policy


def test_how_a_table_was_read_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;note\n" + "".join(f"{20 + i % 4},5;x\n" for i in range(12)))
    shoal.plan(shoal.read(path, delimiter=";", decimal=",")).save(tmp_path / "p.toml")
    settings_read = tomllib.loads((tmp_path / "p.toml").read_text())["input"]["settings"]
    assert (settings_read["delimiter"], settings_read["decimal"]) == (";", ",")
    assert shoal.plan(path, policy=tmp_path / "p.toml").table.settings == settings_read
    shoal.plan(path).save(tmp_path / "detected.toml")
    assert "input" not in tomllib.loads((tmp_path / "detected.toml").read_text())


def test_no_cell_is_in_the_file_nor_in_what_is_displayed(source: Path) -> None:
    plan = shoal.plan(source, **FAST, l=2, strata="region")
    for text in (plan.to_toml(), repr(plan), plan._repr_html_(), str(plan.__rich__())):
        assert not any(cell in text for cell in CELLS)
    assert "diagnosis  sensitive" in repr(plan)
    assert "Plan with k = 3: 1 identifier column, 3 quasi-identifier columns" in repr(plan)
    assert "<td" in plan._repr_html_()


def test_no_file_is_replaced_and_none_is_left_half_written(source: Path, tmp_path: Path) -> None:
    plan = shoal.plan(source, k=3)
    (tmp_path / "p.toml").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        plan.save(tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text() == "mine"
    plan.save(tmp_path / "p.toml", force=True)
    with pytest.raises(OutputError, match="is the input itself"):
        plan.save(source, force=True)
    plan.options["k"] = 1
    with pytest.raises(OptionError, match="protects nobody"):
        plan.save(tmp_path / "other.toml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.toml", "people.csv"]


def test_hierarchies_that_no_file_holds_cannot_be_saved(source: Path) -> None:
    plan = shoal.plan(source, **FAST, hierarchies={"job": {"*": {"Qbaker": {}, "Qclerk": {}}}})
    assert plan.run().verification.ok
    with pytest.raises(OptionError, match="column 'job' are not in a file"):
        plan.to_toml()


def test_a_policy_that_does_not_fit_is_refused(source: Path, tmp_path: Path) -> None:
    plan = shoal.plan(source, **FAST)
    text = plan.to_toml()
    for old, new, words in (
        ('"age"', '"agee"', "There is no column 'agee'"),
        ('role = "sensitive"', 'role = "sensitve"', "no role 'sensitve'; did you mean 'sensitive'"),
        ('name = "job"', 'name = "age"', "column twice"),
        ("columns = [", "columns = [,", "not TOML: line"),
        ("release.k", "release.kk", "unknown key in 'release'"),
    ):
        (tmp_path / "p.toml").write_text(text.replace(old, new, 1))
        for call in (shoal.plan, shoal.replay):
            with pytest.raises((ColumnError, PolicyError), match=words):
                call(source, policy=tmp_path / "p.toml")
    with pytest.raises(PolicyError, match="no such file"):
        shoal.plan(source, policy=tmp_path / "none.toml")


def test_a_column_that_the_file_does_not_list_is_insensitive(source: Path, tmp_path: Path) -> None:
    lines = shoal.plan(source, **FAST).to_toml().splitlines()
    (tmp_path / "p.toml").write_text("\n".join(line for line in lines if '"region"' not in line))
    assert shoal.plan(source, policy=tmp_path / "p.toml").roles["region"] == "insensitive"
    assert shoal.replay(source, policy=tmp_path / "p.toml").table["region"].to_list() == people()["region"].to_list()


def test_other_tables() -> None:
    plan = shoal.plan(people().to_pandas(), **FAST)
    assert plan.run().verification.ok
    plan = shoal.plan(people().select("age").to_numpy(), k=3)
    assert list(plan.roles) == ["0"]
    assert plan.run(method="mdav").verification.ok
    with pytest.raises(DataError):
        shoal.plan({"age": [1]})


def test_hierarchies_of_every_kind_are_in_the_file(tmp_path: Path) -> None:
    """The policy of the largest example is a plan that can be saved again."""
    from naive.surveys import frame

    table = frame(4, 60, gaps=0.0, strata=2, members=2)
    table.write_csv(tmp_path / "in.csv")
    for name, tree in (("jobs", JOBS), ("ills", ILLS)):
        Hierarchy.from_dict(tree).save(tmp_path / f"{name}.csv")
    (tmp_path / "sizes.txt").write_text("\n".join(SIZES))
    release = shoal.anonymize(
        tmp_path / "in.csv", **FAST, quasi_identifiers=["age", "size", "job"], identifiers="name", sensitive="ill",
        models={"ill": "t-hierarchical(0.9)"}, keep="home", households="home", sampling_weights="weight",
        hierarchies={"job": tmp_path / "jobs.csv", "ill": tmp_path / "ills.csv"},
        levels={"size": tmp_path / "sizes.txt"},
    )  # fmt: skip
    release.save(tmp_path / "out.csv")
    plan = shoal.plan(tmp_path / "in.csv", policy=tmp_path / "out.csv.policy.toml")
    plan.save(tmp_path / "p.toml")
    assert shoal.replay(tmp_path / "in.csv", policy=tmp_path / "p.toml").policy == release.policy


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=5, unique=True), roles=st.lists(st.sampled_from(ROLES), min_size=5))
def test_every_column_name_can_be_written_and_read(names: list[str], roles: list[str]) -> None:
    plan = shoal.plan(pl.DataFrame({name: [1, 2, 3, 4] for name in names}), k=2)
    plan.roles.update(zip(names, roles, strict=False))
    facts = tomllib.loads(plan.to_toml())
    assert {entry["name"]: entry["role"] for entry in facts["columns"]} == dict(plan.roles)
    assert list(plan.roles) == names
