"""Spark on the command line and in the examples."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from shoal.cli.anonymize import command as anonymize
from shoal.cli.main import main
from shoal.engines.spark.session import log_path
from shoal.errors import ShoalError

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "spark"
OPTIONS = ["-k", "4", "-q", "height_cm", "--identifiers", "person_id,name", "--method", "hm"]


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
    done = CliRunner().invoke(anonymize, [name, *OPTIONS, "--engine", "spark", "-o", "out"])
    assert isinstance(done.exception, ShoalError), done.exception
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--engine", "sparc"], "There is no engine 'sparc'"),
        (["--master", "yarn"], "add --engine spark"),
        (["--engine", "spark", "--bundle", "b.zip"], "A bundle holds one file"),
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
    monkeypatch.setattr(
        sys, "argv", ["shoal", "anonymize", "register/a.parquet", *OPTIONS, *given, "-o", "out.parquet"]
    )
    monkeypatch.setattr("shoal.engines.spark.session.open_session", lambda *_: pytest.fail("a session was wanted"))
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert said in printed
    assert not (tmp_path / "out.parquet").exists()


def test_a_session_that_shoal_starts_is_quiet_and_for_this_machine(spark: Any) -> None:
    given = spark.sparkContext.getConf()
    assert given.get("spark.ui.enabled") == given.get("spark.ui.showConsoleProgress") == "false"
    assert given.get("spark.driver.host") == given.get("spark.driver.bindAddress") == "127.0.0.1"
    assert given.get("spark.executorEnv.POLARS_MAX_THREADS") == given.get("spark.executorEnv.OMP_NUM_THREADS") == "1"
    # what Spark itself says at the start is not on the terminal
    assert "log4j" in Path(str(log_path())).read_text()


def test_without_java_there_is_one_sentence(
    register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "shoal.engines.spark.session._active_session", lambda: None
    )  # where no session is, one is started
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", "")
    command = ["shoal", "anonymize", str(register), *OPTIONS, "--engine", "spark", "-o", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "Java" in printed


def test_the_examples_run_at_any_size(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They run in the session of the tests, which they must not stop."""
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
