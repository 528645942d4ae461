"""Real clusters of processes on this machine, killed in the middle: the release is whole, verified, the same."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clusters
import polars as pl
import pytest

import shoal
from shoal.engines import sizing
from shoal.large import anonymize_file

ROWS = 2400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(clusters.SITE)
    (tmp_path / "local").mkdir()
    shoal.example_register(ROWS).write_parquet(tmp_path / "in.parquet")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """A home of Spark whose logs and folders of work are those of the test."""
    import pyspark

    home = folder / "spark"
    if not home.exists():
        home.mkdir()
        for path in Path(pyspark.__file__).parent.iterdir():
            if path.name != "work":
                (home / path.name).symlink_to(path)
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(home),
    }


def run(master: str, folder: Path, *faults: str) -> tuple[list[dict[str, Any]], str]:
    """The facts of all releases, and all that was written to the terminal and into the logs of the cluster."""
    command = [sys.executable, clusters.__file__, master, str(folder / "in.parquet"), str(folder), *faults]
    with (folder / "driver.log").open("w+") as log:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=log, text=True, check=False, env=environment(folder), timeout=400
        )
    logs = "\n".join(
        path.read_text(errors="replace") for path in [folder / "driver.log", *folder.glob("spark/work/**/std*")]
    )
    assert done.returncode == 0, logs[-6000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], logs


def check(folder: Path, found: list[dict[str, Any]], faults: list[str]) -> None:
    assert [facts["fault"] for facts in found] == faults
    releases = {}
    for facts in found:
        assert facts["met"], facts
        assert facts["verified"]
        assert facts["records"] == ROWS
        assert facts["seen"] == []
        parts = sorted((folder / "releases" / facts["fault"]).glob("part-*.parquet"))
        releases[facts["fault"]] = pl.concat([pl.read_parquet(path) for path in parts])
    expected = here(folder)
    for fault, release in releases.items():
        assert release.equals(expected), fault
    left = sorted(path.name for path in (folder / "releases").iterdir())
    assert left == sorted([*faults, *(f"{fault}.policy.toml" for fault in faults)])


def here(folder: Path) -> pl.DataFrame:
    """The same release, made by this process alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizing.Sizing, "piece", lambda *_, **__: clusters.PIECE)
        anonymize_file(folder / "in.parquet", folder / "here.parquet", **clusters.ASKED)
    return pl.read_parquet(folder / "here.parquet")


def processes(folder: Path) -> list[str]:
    """The processes that know of this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            told = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told and int(path.name) != os.getpid():
            found.append((path / "cmdline").read_text(errors="replace").replace("\0", " ")[:200])
    return found


def check_nobody_left(folder: Path) -> None:
    for _ in range(300):
        if not processes(folder):
            return
        time.sleep(0.1)
    assert processes(folder) == []


def test_executors_and_tasks_that_die_in_the_middle(folder: Path, java: str) -> None:
    faults = ["executor", "python", "fail"]
    found, logs = run("local-cluster[2,1,1024]", folder, *faults)
    check(folder, found, faults)
    assert "top-secret" not in logs
    check_nobody_left(folder)


@pytest.fixture
def standalone(folder: Path, java: str) -> Iterator[str]:
    """A master and two workers on loopback; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    home = folder / "spark"
    address = f"spark://127.0.0.1:{port}"
    of_master = ["--host", "127.0.0.1", "--port", port, "--webui-port", "0"]
    of_worker = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", address]
    begun = []
    with (folder / "cluster.log").open("w") as log:
        try:
            for role, given in (
                ("master.Master", of_master),
                ("worker.Worker", of_worker),
                ("worker.Worker", of_worker),
            ):
                begun.append(
                    subprocess.Popen(
                        [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *given],
                        stdout=log,
                        stderr=log,
                        env={**environment(folder), "SPARK_DAEMON_MEMORY": "256m"},
                    )
                )
            yield address
        finally:
            for process in begun:
                process.send_signal(signal.SIGTERM)
            for process in begun:
                process.wait(timeout=60)


def test_a_worker_of_a_standalone_cluster_that_dies(folder: Path, standalone: str) -> None:
    faults = ["worker"]
    found, _ = run(standalone, folder, *faults)
    check(folder, found, faults)


def test_a_driver_that_is_killed_leaves_nothing(folder: Path, java: str) -> None:
    command = [sys.executable, clusters.__file__, "local[2]", str(folder / "in.parquet"), str(folder)]
    with (folder / "driver.log").open("w") as log:
        driver = subprocess.Popen([*command, "sleep"], stdout=log, stderr=log, env=environment(folder))
        try:
            for _ in range(1200):
                if (folder / "victim").exists() or driver.poll() is not None:
                    break
                time.sleep(0.1)
            assert (folder / "victim").exists(), (folder / "driver.log").read_text()[-4000:]
            assert any(path.name.startswith(".shoal-scratch") for path in (folder / "releases").iterdir())
        finally:
            driver.kill()
            driver.wait()
    check_nobody_left(folder)
    assert list((folder / "releases").iterdir()) == []
