"""`shoal anonymize --policy` with a policy file written by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal import verify

MINIMAL = 'format = 5\n[release]\nk = 3\n[[columns]]\nname = "age"\nrole = "quasi-identifier"\n'


def test_a_policy_by_hand_works_in_memory_and_out_of_core(shoal, tmp_path: Path) -> None:
    source, policy = tmp_path / "in.csv", tmp_path / "policy.toml"
    pl.DataFrame({"age": [20 + i % 8 for i in range(24)], "ill": ["flu", "cold", "gout"] * 8}).write_csv(source)
    policy.write_text(MINIMAL)
    assert shoal("anonymize", source, "--policy", policy, "-o", tmp_path / "a.csv").code == 0
    run = shoal("anonymize", source, "--policy", policy, "--memory", "2GB", "-o", tmp_path / "b.csv")
    assert run.code == 0, run
    for name in ("a.csv", "b.csv"):
        assert verify(tmp_path / name, k=3, quasi_identifiers="age").ok
    again = shoal("anonymize", source, "--policy", tmp_path / "a.csv.policy.toml", "-o", tmp_path / "c.csv")
    assert again.code == 0
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()


def test_nothing_was_made_yet_that_could_be_replayed(shoal, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(MINIMAL)
    run = shoal("replay", policy, "--input", tmp_path / "in.csv", "-o", tmp_path / "c.csv")
    assert (run.code, "written by hand" in run.err, "--policy" in run.err) == (2, True, True)


def test_a_mistake_has_the_name_of_the_file(shoal, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(MINIMAL.replace("k = 3", "k = 1"))
    run = shoal("anonymize", tmp_path / "in.csv", "--policy", policy, "-o", tmp_path / "c.csv")
    assert run.code == 2
    assert "policy.toml', k = 1 protects nobody; give k as a whole number of at least 2." in run.err
