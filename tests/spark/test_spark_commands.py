"""Spark from the command line and in the examples, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import shoal

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
    frame = shoal.example_register(900)
    frame[:500].write_parquet(tmp_path / "register" / "a.parquet")
    frame[500:].write_parquet(tmp_path / "register" / "b.parquet")
    return tmp_path / "register"


def test_a_folder_is_released(register: Path, tmp_path: Path, java: str) -> None:
    on_spark = ["--engine", "spark", "--master", "local[2]"]
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


def test_bad_input_gets_one_sentence(register: Path, tmp_path: Path, java: str) -> None:
    """One session for all of them: `shoal` is called as the command line calls it."""
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn.parquet").write_bytes((register / "a.parquet").read_bytes()[:-100])
    cases = {
        "people.csv": "Parquet",
        "empty": "Parquet",
        "torn.parquet": "Parquet",
        "nothing": "does not exist",
    }
    script = (
        "import sys, json\n"
        "from click.testing import CliRunner\n"
        "from pyspark.sql import SparkSession\n"
        "from shoal.errors import ShoalError\n"
        "from shoal.cli.anonymize import command\n"
        "session = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        "for name in json.loads(sys.argv[1]):\n"
        f"    done = CliRunner().invoke(command, [name, *{ASKED!r}, '--engine', 'spark', '-o', 'x'])\n"
        "    assert isinstance(done.exception, ShoalError), (name, done.exception)\n"
        "    print(name, done.exception)\n"
    )
    done = run(sys.executable, "-c", script, json.dumps(list(cases)), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert told.keys() == cases.keys()
    for name, said in cases.items():
        assert said in told[name], told[name]
    assert not (tmp_path / "x").exists()


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
    register: Path, tmp_path: Path, given: list[str], said: str
) -> None:
    done = command("register/a.parquet", *ASKED, *given, "-o", "out.parquet", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_without_java_there_is_one_sentence(register: Path, tmp_path: Path) -> None:
    done = command(
        "register", *ASKED, "--engine", "spark", "-o", "out", folder=tmp_path, PATH=str(tmp_path), JAVA_HOME=""
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Java" in done.stderr


def test_the_examples_run_at_any_size(tmp_path: Path, java: str) -> None:
    script = (  # one process, so that Java starts once
        "import runpy, sys\n"
        "for name, *given in [('register', '1500', 'people', '600'), ('release', 'people', 'released')]:\n"
        "    sys.argv = [name, *given]\n"
        f"    runpy.run_path('{EXAMPLES}/' + name + '.py', run_name='__main__')\n"
    )
    done = run(sys.executable, "-c", script, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1,500 persons with 1,500 identifiers in 3 files" in done.stdout
    assert "Verified: k = 10 holds" in done.stdout
    frame = pl.read_parquet(tmp_path / "released" / "*.parquet")
    assert frame.height == 1500
    assert (
        frame.group_by(["age", "sex", "region", "marital_status", "education", "household_size"]).len()["len"].min()
        >= 10
    )


def test_spark_submit_takes_the_command(register: Path, tmp_path: Path, java: str) -> None:
    submit = Path(sys.executable).parent / "spark-submit"
    done = run(
        *(str(submit), "--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR"),
        *(str(EXAMPLES / "submit.py"), "anonymize", "register", *ASKED, "--engine", "spark", "-o", "out"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "VERIFIED  k = 4 holds" in done.stdout
    assert pl.read_parquet(tmp_path / "out" / "*.parquet").height == 900
