"""Programs that start Spark by themselves, as a user starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl

import swift

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "spark"
ASKED = ["-k", "4", "-q", "height_cm", "--identifiers", "person_id,name", "--method", "hm"]


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
            "SPARK_CONF_DIR": swift.settings(folder / "settings"),
            **environment,
        },
    )


def command(*given: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "shoal", "anonymize", *given, folder=folder, **environment)


def test_without_java_there_is_one_sentence(register: Path, tmp_path: Path) -> None:
    done = command(
        "register", *ASKED, "--engine", "spark", "-o", "out", folder=tmp_path, PATH=str(tmp_path), JAVA_HOME=""
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Java" in done.stderr


def test_spark_submit_takes_the_command(register: Path, tmp_path: Path, java: str) -> None:
    submit = Path(sys.executable).parent / "spark-submit"
    done = run(
        *(
            str(submit),
            "--master",
            "local[1]",
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
