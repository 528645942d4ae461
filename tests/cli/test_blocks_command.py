"""Blocks and threads from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROLES = ["-k", 5, "-q", "age,height_cm,income", "--identifiers", "person_id,name", "--method", "mdav"]


def test_blocks_and_threads(shoal, register_csv: Path, tmp_path: Path) -> None:
    """The bytes are those of any number of threads, and the policy makes them again."""
    for threads in (1, 3):
        options = ["--blocks", 200, "--threads", threads, "-o", tmp_path / f"{threads}.csv", "--json"]
        run = shoal("anonymize", register_csv, *ROLES, *options)
        assert run.code == 0, run.err
        facts = json.loads(run.out)
        assert facts["policy"]["release"]["blocks"] == 200
        assert facts["account"][0].startswith("mdav ran in 5 blocks of at most 200 records")
    policy = tmp_path / "1.csv.policy.toml"
    run = shoal("anonymize", register_csv, "--policy", policy, "--threads", 2, "-o", tmp_path / "again.csv")
    assert run.code == 0, run.err
    releases = [(tmp_path / f"{name}.csv").read_bytes() for name in ("1", "3", "again")]
    assert releases[0] == releases[1] == releases[2]
    assert policy.read_text() == (tmp_path / "3.csv.policy.toml").read_text().replace("3.csv", "1.csv")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--blocks", "many"], "Option --blocks has a value"),
        (["--blocks", "9"], "Blocks of at most 9 records cannot be cut for k = 5"),
        (["--threads", "0"], "Option --threads has a value"),
        (["--threads", "some"], "Option --threads has a value"),
    ],
)
def test_what_is_no_number_of_them(shoal, register_csv: Path, tmp_path: Path, options: list[str], words: str) -> None:
    run = shoal("anonymize", register_csv, *ROLES, *options, "-o", tmp_path / "out.csv")
    assert run.code == 2
    assert words in run.err
    assert "Traceback" not in run.err
    assert not list(tmp_path.iterdir())


def test_the_policy_decides_about_blocks(shoal, register_csv: Path, tmp_path: Path) -> None:
    run = shoal("anonymize", register_csv, *ROLES, "-o", tmp_path / "out.csv")
    assert run.code == 0, run.err
    options = ["--policy", tmp_path / "out.csv.policy.toml", "--blocks", 100, "-o", tmp_path / "again.csv"]
    run = shoal("anonymize", register_csv, *options)
    assert run.code == 2
    assert "The policy decides 'blocks' already" in run.err
