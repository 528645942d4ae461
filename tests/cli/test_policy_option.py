"""`--policy`, and the policy beside a release, of `shoal verify`, `evaluate`, `compare` and `explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

CELLS = ("Qanna", "Qbaker", "Qclerk", "Zflu", "Zgout")
BESIDE = "out.csv.policy.toml"
NOTE = "note: the released file is not the one that the policy describes"


@pytest.fixture
def folder(shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, a release of it and its policy."""
    pl.DataFrame(
        {
            "name": [f"Qanna {i}" for i in range(24)],
            "age": [20 + 3 * (i % 8) for i in range(24)],
            "job": ["Qbaker", "Qclerk"] * 12,
            "diagnosis": ["Zflu", "Zgout", "Zflu"] * 8,
        }
    ).write_csv(tmp_path / "in.csv")
    monkeypatch.chdir(tmp_path)
    arguments = ["-k", 3, "-l", 2, "-q", "age,job", "--identifiers", "name", "--sensitive", "diagnosis"]
    assert shoal("anonymize", "in.csv", *arguments, "--weight", "age=2", "-o", "out.csv", "--quiet").code == 0
    return tmp_path


def without_policy(printed: str) -> dict[str, Any]:
    facts = json.loads(printed)
    assert facts.pop("policy")
    return facts


def test_verify_finds_the_policy_beside_the_release(shoal, folder: Path) -> None:
    run = shoal("verify", "out.csv")
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0].startswith("VERIFIED  k = 3 holds")
    assert lines[1].startswith("  holds   distinct-l(2) on diagnosis")
    assert lines[2] == "  counted on age, job of 24 records; a missing value counts as a value"
    assert lines[3:] == [f"  by the policy '{BESIDE}'"]
    given = shoal("verify", "out.csv", "-k", 3, "-q", "age,job", "--model", "diagnosis=distinct-l(2)", "--json")
    assert "policy" not in json.loads(given.out), "all is given"
    facts = json.loads(shoal("verify", "out.csv", "--json").out)
    assert json.loads(shoal("verify", "out.csv", "--memory", "1GB", "--json").out) == facts
    assert facts.pop("policy") == {"file": BESIDE, "same_file": {"released": True}}
    assert facts == json.loads(given.out)


def test_options_win_over_the_policy(shoal, folder: Path) -> None:
    run = shoal("verify", "out.csv", "-k", 20)
    assert (run.code, run.out.startswith("NOT k-ANONYMOUS")) == (3, True)
    assert f"by the policy '{BESIDE}'" in run.out
    run = shoal("verify", "out.csv", "-q", "job")
    assert (run.code, "counted on job of" in run.out) == (0, True)
    facts = without_policy(shoal("evaluate", "in.csv", "out.csv", "-k", 4, "--json").out)
    assert (facts["k"], facts["quasi_identifiers"]) == (4, ["age", "job"])


def test_a_release_that_was_changed_is_counted_as_it_is_now(shoal, folder: Path) -> None:
    lines = (folder / "out.csv").read_text().splitlines()
    (folder / "out.csv").write_text("\n".join([*lines[:-1], "99,Qbaker,Zflu"]))
    run = shoal("verify", "out.csv")
    assert (run.code, run.out.startswith("NOT k-ANONYMOUS")) == (3, True)
    assert NOTE in run.out
    assert json.loads(shoal("verify", "out.csv", "--json").out)["policy"]["same_file"] == {"released": False}
    run = shoal("evaluate", "in.csv", "out.csv")
    assert (run.code, NOTE in run.out) == (0, True)
    with (folder / "in.csv").open("a") as file:
        file.write("\n")
    assert "note: the original file is not the one" in shoal("evaluate", "in.csv", "out.csv").out


def test_a_policy_elsewhere_is_named(shoal, folder: Path) -> None:
    (folder / "out.csv").rename(folder / "sent.csv")
    run = shoal("verify", "sent.csv")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert "no policy 'sent.csv.policy.toml' is beside 'sent.csv'" in run.err
    assert "-q" in run.err
    assert "--policy" in run.err
    run = shoal("verify", "sent.csv", "--policy", BESIDE)
    assert (run.code, NOTE in run.out) == (0, False)
    assert shoal("evaluate", "in.csv", "sent.csv", "--policy", BESIDE).code == 0


def test_evaluate_takes_all_that_measures_depend_on(shoal, folder: Path) -> None:
    by_policy = shoal("evaluate", "in.csv", "out.csv", "--json")
    assert by_policy.code == 0
    given = ["-q", "age,job", "-k", 3, "--sensitive", "diagnosis", "--model", "diagnosis=distinct-l(2)"]
    by_flags = shoal("evaluate", "in.csv", "out.csv", *given, "--weight", "age=2", "--json")
    assert without_policy(by_policy.out) == json.loads(by_flags.out)
    assert f"by the policy '{BESIDE}'" in shoal("evaluate", "in.csv", "out.csv").out
    run = shoal("evaluate", "in.csv", "in.csv")
    assert (run.code, "no policy 'in.csv.policy.toml'" in run.err) == (2, True)


def test_files_with_a_title_are_evaluated_in_pieces(shoal, folder: Path) -> None:
    rows = (folder / "in.csv").read_text()
    (folder / "titled.csv").write_text(f"Register of persons\nas of today\n{rows}")
    arguments = ["-k", 3, "-q", "age", "--identifiers", "name", "--method", "mdav", "--skip", 2, "--quiet"]
    assert shoal("anonymize", "titled.csv", *arguments, "-o", "plain.csv").code == 0
    whole = shoal("evaluate", "titled.csv", "plain.csv", "--json")
    assert whole.code == 0, whole.err
    in_pieces = shoal("evaluate", "titled.csv", "plain.csv", "--memory", "1GB", "--json")
    assert in_pieces.code == 0, in_pieces.err
    one, other = json.loads(whole.out), json.loads(in_pieces.out)
    assert one["policy"] == other["policy"]
    assert one["risk"]["after"]["global_risk"] == other["risk"]["after"]["global_risk"]
    assert one["loss"]["information_loss"] == pytest.approx(other["loss"]["information_loss"])


def test_compare_by_a_policy(shoal, folder: Path) -> None:
    arguments = ["compare", "in.csv", "--methods", "mdav,mondrian", "--no-cache", "--json"]
    by_policy = shoal(*arguments, "--policy", BESIDE, "-k", "3,4")
    given = ["-q", "age,job", "--identifiers", "name", "--sensitive", "diagnosis", "-l", 2, "--weight", "age=2"]
    by_flags = shoal(*arguments, *given, "-k", "3,4")
    one, other = json.loads(by_policy.out), json.loads(by_flags.out)
    assert one.pop("policy") == BESIDE
    for facts in (one, other):
        for point in facts["points"]:
            del point["seconds"]
    assert one == other
    text = shoal(*arguments[:-1], "--policy", BESIDE).out
    assert f"Policy   {BESIDE}" in text
    assert "  3  mdav" in text
    for option in (["-q", "age"], ["--seed", 1], ["-l", 2]):
        run = shoal(*arguments, "--policy", BESIDE, *option)
        assert (run.code, "The policy decides" in run.err) == (2, True)
    assert shoal(*arguments, "--policy", BESIDE, "--effort", "fast").code == 0


def test_explain_by_the_policy_beside_the_release(shoal, folder: Path) -> None:
    by_policy = shoal("explain", "in.csv", "--row", 3, "--policy", BESIDE)
    beside = shoal("explain", "in.csv", "--row", 3, "--released", "out.csv")
    assert by_policy.code == 0
    assert by_policy.out == beside.out
    assert by_policy.out.splitlines()[-1] == f"  by the policy '{BESIDE}'"
    assert json.loads(shoal("explain", "in.csv", "--row", 3, "--policy", BESIDE, "--json").out)["policy"] == BESIDE


def test_a_draft_serves_all_commands(shoal, folder: Path) -> None:
    assert shoal("init", "in.csv", "-k", 3).code == 0
    draft = ["--policy", "in.policy.toml"]
    for arguments in (
        ["verify", "out.csv"],
        ["evaluate", "in.csv", "out.csv"],
        ["compare", "in.csv", "--methods", "mdav", "--no-cache"],
        ["explain", "in.csv", "--row", 3, "--released", "out.csv"],
    ):
        run = shoal(*arguments, *draft)
        assert (run.code, run.err) == (0, ""), arguments
        assert "in.policy.toml" in run.out
        assert "note: the" not in run.out


@pytest.mark.parametrize("text", ["", "format = 4\ncolumns = [", "\x00", '{"format": 4}', "format = 99"])
def test_an_unreadable_policy_is_one_sentence(shoal, folder: Path, text: str) -> None:
    (folder / BESIDE).write_text(text)
    for arguments in (
        ["verify", "out.csv"],
        ["evaluate", "in.csv", "out.csv"],
        ["compare", "in.csv", "--policy", BESIDE],
        ["explain", "in.csv", "--row", 1, "--released", "out.csv"],
        ["anonymize", "in.csv", "--policy", BESIDE, "-o", "new.csv"],
    ):
        run = shoal(*arguments)
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1), arguments
        assert BESIDE in run.err
        assert not any(cell in run.err for cell in CELLS)


def test_nothing_is_taken_beside_a_bundle(shoal, folder: Path) -> None:
    (folder / "x.zip").write_bytes(b"")
    run = shoal("verify", "x.zip", "--policy", BESIDE)
    assert (run.code, "The bundle decides 'policy' already" in run.err) == (2, True)
