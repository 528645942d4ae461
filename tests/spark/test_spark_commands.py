"""Spark from the command line and in the examples, as a user types it."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.cli.anonymize import command as anonymize
from shoal.cli.main import main
from shoal.errors import ShoalError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "spark"
ASKED = ["-k", "4", "-q", "height_cm", "--identifiers", "person_id,name", "--method", "hm"]
SWIFT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def run(*command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
        env={
            **os.environ,
            "PYTHONWARNINGS": "ignore",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "JDK_JAVA_OPTIONS": SWIFT,
            **environment,
        },
    )


def command(*given: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "shoal", "anonymize", *given, folder=folder, **environment)


@pytest.fixture
def register(tmp_path: Path) -> Path:
    """A folder of two files."""
    (tmp_path / "register").mkdir()
    frame = shoal.example_register(600)
    frame[:350].write_parquet(tmp_path / "register" / "a.parquet")
    frame[350:].write_parquet(tmp_path / "register" / "b.parquet")
    return tmp_path / "register"


def test_a_folder_is_released(register: Path, tmp_path: Path, java: str) -> None:
    on_spark = ["--engine", "spark", "--master", "local[1]"]
    done = command(
        "register",
        *ASKED,
        *on_spark,
        "-o",
        "out",
        "--json",
        "--report",
        "report.html",
        folder=tmp_path,
        TMPDIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["verification"]["ok"]
    assert facts["policy"]["versions"]["spark"]
    assert done.stderr.count("\n") == len(facts["warnings"])
    assert "<html" in (tmp_path / "report.html").read_text()
    released = pl.read_parquet(tmp_path / "out" / "*.parquet")
    old = pl.read_parquet(register / "*.parquet")
    assert released["income"].equals(old["income"])  # in the order of the files
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(("hsperf", "blockmgr", "spark-"))}
    named = {"register", "out", "out.policy.toml", "report.html"}
    assert {name for name in left if "java" not in name and "snappy" not in name} == named


@pytest.mark.parametrize(
    ("name", "said"),
    [("people.csv", "Parquet"), ("empty", "Parquet"), ("torn.parquet", "Parquet"), ("nothing", "does not exist")],
)
def test_bad_input_gets_one_sentence(
    spark: Any, register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn.parquet").write_bytes((register / "a.parquet").read_bytes()[:-100])
    done = CliRunner().invoke(anonymize, [name, *ASKED, "--engine", "spark", "-o", "out"])
    assert isinstance(done.exception, ShoalError), done.exception
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--engine", "sparc"], "There is no engine 'sparc'"),
        (["--master", "yarn"], "add --engine spark"),
        (["--engine", "spark", "--bundle", "b.zip"], "a bundle"),
        (["--engine", "spark", "--delimiter", ";"], "Parquet"),
        (["--engine", "spark", "--memory", "much"], "2GB"),
        (["--engine", "spark", "--report", "register/a.parquet", "--force"], "input"),
        (["--engine", "spark", "--report", "out.parquet.policy.toml"], "same name"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_starts(
    register: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["shoal", "anonymize", "register/a.parquet", *ASKED, *given, "-o", "out.parquet"])
    monkeypatch.setattr("shoal.engines.spark.session.session", lambda *_: pytest.fail("a session was wanted"))
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert said in printed
    assert not (tmp_path / "out.parquet").exists()


def test_without_java_there_is_one_sentence(register: Path, tmp_path: Path) -> None:
    done = command(
        "register", *ASKED, "--engine", "spark", "-o", "out", folder=tmp_path, PATH=str(tmp_path), JAVA_HOME=""
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Java" in done.stderr


def test_the_examples_run_at_any_size(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the session of the tests, which they must not stop."""
    monkeypatch.setattr(type(spark), "stop", lambda _: None)
    people, released = str(tmp_path / "people"), str(tmp_path / "released")
    for name, *given in (("register", "900", people, "360"), ("release", people, released)):
        monkeypatch.setattr(sys, "argv", [name, *given])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "900 persons with 900 identifiers in 3 files" in printed
    assert "Verified: k = 10 holds" in printed
    frame = pl.read_parquet(tmp_path / "released" / "*.parquet")
    assert frame.height == 900
    assert (
        frame.group_by(["age", "sex", "region", "marital_status", "education", "household_size"]).len()["len"].min()
        >= 10
    )


def test_spark_submit_takes_the_command(register: Path, tmp_path: Path, java: str) -> None:
    submit = Path(sys.executable).parent / "spark-submit"
    done = run(
        *(
            str(submit),
            "--master",
            "local-cluster[1,1,1024]",
            "--conf",
            "spark.ui.enabled=false",
            "--conf",
            "spark.log.level=ERROR",
        ),
        *(str(EXAMPLES / "submit.py"), "anonymize", "register", *ASKED, "--engine", "spark", "-o", "out"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "VERIFIED  k = 4 holds" in done.stdout
    assert pl.read_parquet(tmp_path / "out" / "*.parquet").height == 600
