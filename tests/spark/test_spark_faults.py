"""A real cluster of processes on this machine, killed in the middle: the release is whole, verified, the same."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import clusters
import polars as pl
import pytest

import shoal
from shoal.engines import sizing
from shoal.large import anonymize_file

ROWS = 1500
FAULTS = ["fail", "python", "executor", "worker"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster")
    (path / "site").mkdir()
    (path / "site" / "sitecustomize.py").write_text(clusters.SITE)
    (path / "local").mkdir()
    shoal.example_register(ROWS).write_parquet(path / "in.parquet")
    return path


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


def here(folder: Path) -> pl.DataFrame:
    """The same release, made by this process alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizing.Sizing, "piece", lambda *_, **__: clusters.PIECE)
        anonymize_file(folder / "in.parquet", folder / "here.parquet", **clusters.ASKED)
    return pl.read_parquet(folder / "here.parquet")


def processes(folder: Path, but: tuple[str, ...] = ()) -> list[str]:
    """The processes that know of this folder, but for those that have one of these words in their command."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            told = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
            command = (path / "cmdline").read_text(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if str(folder).encode() in told and int(path.name) != os.getpid() and not any(word in command for word in but):
            found.append(command[:200])
    return found


def check_nobody_left(folder: Path, but: tuple[str, ...] = ()) -> None:
    for _ in range(300):
        if not processes(folder, but):
            return
        time.sleep(0.1)
    assert processes(folder, but) == []


def wait_for(found: Callable[[], bool], log: Path, process: subprocess.Popen[str]) -> None:
    for _ in range(6000):
        if found():
            return
        assert process.poll() is None, log.read_text()[-6000:]
        time.sleep(0.05)
    raise AssertionError(log.read_text()[-6000:])


@pytest.fixture(scope="module")
def standalone(folder: Path, java: str) -> Iterator[str]:
    """A master and two workers on loopback; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    of_worker = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", address]
    begun: list[subprocess.Popen[str]] = []

    def listens() -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", port)) == 0

    with (folder / "cluster.log").open("w") as log:

        def start(role: str, *given: str) -> None:
            command = [str(folder / "spark" / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *given]
            more = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": clusters.SWIFT}
            begun.append(
                subprocess.Popen(command, stdout=log, stderr=log, env={**environment(folder), **more}, text=True)
            )

        try:
            start("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
            # who finds no master asks again only after many seconds
            wait_for(listens, folder / "cluster.log", begun[0])
            start("worker.Worker", *of_worker)
            start("worker.Worker", *of_worker)
            yield address
        finally:
            for process in begun:
                process.send_signal(signal.SIGTERM)
            for process in begun:
                process.wait(timeout=60)
    check_nobody_left(folder)


@pytest.fixture(scope="module")
def driver(folder: Path, standalone: str) -> Iterator[subprocess.Popen[str]]:
    """A program that makes a release among all faults, and then another one, in which a task waits for ever."""
    command = [sys.executable, clusters.__file__, standalone, str(folder / "in.parquet"), str(folder)]
    with (folder / "driver.out").open("w") as out, (folder / "driver.log").open("w") as log:
        process = subprocess.Popen(
            [*command, ",".join(FAULTS), "sleep"], stdout=out, stderr=log, env=environment(folder), text=True
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def test_tasks_executors_and_workers_that_die_in_the_middle(folder: Path, driver: subprocess.Popen[str]) -> None:
    wait_for(lambda: "}\n" in (folder / "driver.out").read_text(), folder / "driver.log", driver)
    facts = json.loads((folder / "driver.out").read_text())
    assert facts == {"met": sorted(FAULTS), "verified": True, "records": ROWS, "seen": []}
    parts = sorted((folder / "releases" / "0").glob("part-*.parquet"))
    assert pl.concat([pl.read_parquet(path) for path in parts]).equals(here(folder))
    left = {path.name for path in (folder / "releases").iterdir() if not path.name.startswith(".shoal-scratch")}
    assert left == {"0", "0.policy.toml"}
    logs = [folder / "driver.log", *folder.glob("spark/work/**/std*")]
    assert len(logs) > 4
    assert not [path for path in logs if "top-secret" in path.read_text(errors="replace")]


def test_a_driver_that_is_killed_leaves_nothing(folder: Path, driver: subprocess.Popen[str]) -> None:
    wait_for((folder / "victims" / "sleep").exists, folder / "driver.log", driver)
    assert any(path.name.startswith(".shoal-scratch") for path in (folder / "releases").iterdir())
    driver.kill()
    driver.wait()
    check_nobody_left(folder, but=("deploy.master.Master", "deploy.worker.Worker"))
    assert {path.name for path in (folder / "releases").iterdir()} == {"0", "0.policy.toml"}
