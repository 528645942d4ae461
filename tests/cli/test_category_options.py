"""`shoal anonymize` and `shoal evaluate` on categories: hierarchies, levels and distances."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

QUASI = "job,size,sex"
SECRETS = ("baker", "smith", "cashier", "student", "medium")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    jobs = ["worker", "baker", "smith", "clerk", "cashier", "student"]
    frame = {
        "name": [f"person-{row}" for row in range(90)],
        "job": draw.choice(jobs, 90, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1]).tolist(),
        "size": draw.choice(["small", "medium", "large"], 90).tolist(),
        "sex": draw.choice([1, 2], 90).tolist(),
    }
    pl.DataFrame(frame).write_csv(tmp_path / "people.csv")
    (tmp_path / "jobs.csv").write_text(
        "child,parent\nworker,*\nstudent,*\nbaker,worker\nsmith,worker\nclerk,worker\ncashier,clerk\n"
    )
    (tmp_path / "sizes.txt").write_text("small\nmedium\nlarge\n")
    return tmp_path


def meaning(people: Path) -> list[str]:
    return [
        *("--hierarchy", f"job={people / 'jobs.csv'}", "--levels", f"size={people / 'sizes.txt'}"),
        *("--kind", "sex=nominal"),
    ]


def test_categories_are_released_evaluated_and_replayed(shoal, people: Path) -> None:
    target = people / "out.csv"
    run = shoal(
        *("anonymize", people / "people.csv", "-k", 5, "-q", QUASI, "--identifiers", "name", *meaning(people)),
        *("--recode", "job=lcs", "--recode", "size=mode", "-o", target, "--report", people / "report.html"),
        *("--method", "sa-mdav-plus"),
    )
    assert run.code == 0, run.err
    assert run.err.splitlines() == [line for line in run.err.splitlines() if "lost more than half" in line]
    assert "semantic loss" in run.out
    assert "information loss" not in run.out
    policy, report = (people / "out.csv.policy.toml").read_text(), (people / "report.html").read_text()
    for text in (run.out, run.err, policy):
        assert not any(word in text for word in SECRETS)
    assert 'recode = "lcs"' in policy
    assert "jobs.csv" in report
    assert shoal("verify", target, "-k", 5, "-q", QUASI).code == 0
    facts = json.loads(
        shoal("evaluate", people / "people.csv", target, "-q", QUASI, "-k", 5, *meaning(people), "--json").out
    )
    assert facts["loss"]["semantic_loss"] > 0
    assert facts["distance"] == "wu-palmer"
    again = shoal("anonymize", people / "people.csv", "--policy", f"{target}.policy.toml", "-o", people / "again.csv")
    assert again.code == 0, again.err
    assert (people / "again.csv").read_bytes() == target.read_bytes()
    (people / "jobs.csv").rename(people / "moved.csv")
    replay = ("anonymize", people / "people.csv", "--policy", f"{target}.policy.toml", "-o", people / "third.csv")
    lost = shoal(*replay)
    assert lost.code == 2
    assert "'jobs.csv', which cannot be found" in lost.err
    assert shoal(*replay, "--hierarchy", f"job={people / 'moved.csv'}").code == 0


def test_distances_change_the_loss_and_are_named(shoal, people: Path) -> None:
    losses = set()
    for distance in ("wu-palmer", "path", "leacock-chodorow", "information"):
        run = shoal(
            *("anonymize", people / "people.csv", "-k", 30, "-q", "job", "--identifiers", "name,size,sex"),
            *("--hierarchy", f"job={people / 'jobs.csv'}", "--distance", distance, "--recode", "lcs"),
            *("-o", people / f"{distance}.csv", "--json"),
        )
        figures = json.loads(run.out)["evaluation"]
        assert figures["distance"] == distance
        losses.add(figures["loss"]["semantic_loss"])
    assert len(losses) == 4


BAD = {
    "no file": (["--hierarchy", "job=none.csv"], "'none.csv' does not exist"),
    "no equals sign": (["--hierarchy", "jobs.csv"], "equals sign"),
    "unknown column": (["--hierarchy", "jobs=jobs.csv"], "did you mean 'job'"),
    "lacks values": (["--hierarchy", "job=few.csv"], "5 values (of 6, in"),
    "circle": (["--hierarchy", "job=circle.csv"], "has a cycle"),
    "two parents": (["--hierarchy", "job=parents.csv"], "two parents (line 2 and line 3)"),
    "of a column that is dropped": (["--hierarchy", "name=jobs.csv"], "'name' is no quasi-identifier"),
    "kind of nothing": (["--kind", "job=words"], "There is no kind 'words'"),
    "numbers": (["--kind", "job=numeric"], "where numbers are needed"),
    "distance": (["--distance", "far"], "There is no distance 'far'"),
    "recode": (["--recode", "job=mean"], "cannot be recoded by 'mean'"),
    "method": (["--method", "hm"], "is nominal, and 'hm' takes numeric"),
    "levels": (["--levels", "size=few.txt"], "at least two different values"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_meaning(shoal, people: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.chdir(people)
    (people / "few.csv").write_text("child,parent\nbaker,*\ncook,*\n")
    (people / "few.txt").write_text("small\n")
    (people / "circle.csv").write_text("child,parent\nbaker,smith\nsmith,baker\n")
    (people / "parents.csv").write_text("child,parent\nbaker,a\nbaker,b\n")
    options, words = BAD[case]
    run = shoal("anonymize", "people.csv", "-k", 5, "-q", QUASI, "--identifiers", "name", *options, "-o", "out.csv")
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1
    assert not any(word in run.err for word in SECRETS)
    assert not (people / "out.csv").exists()
