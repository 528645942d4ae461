"""Processes of a real cluster on this machine are killed: the release is complete, verified and the same.

The driver is submitted, as programs for a cluster are. In the suite the master and the worker of the cluster live in
Spark's own process, and only its executor is apart. `make reliability` tries the same with processes for a master and
two workers, and one of these is killed too.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import cluster_driver
import polars as pl
import pytest

import shoal
import spark_settings
from shoal.engines import memory_budget
from shoal.release.anonymize_file import anonymize_file

ROWS = 1100
FULL = os.environ.get("SHOAL_TRIES") == "full"
FAULTS = ["fail", "python", "executor", *(["worker"] if FULL else [])]
MADE = {"0", "0.policy.toml", "0.html"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster")
    (path / "site").mkdir()
    (path / "site" / "sitecustomize.py").write_text(cluster_driver.SITE)
    frame = shoal.example_register(ROWS)
    frame.write_parquet(path / "in.parquet")
    (path / "in").mkdir()
    frame[:600].write_parquet(path / "in" / "a.parquet")
    frame[600:].write_parquet(path / "in" / "b.parquet")
    for name in ("local", "temporary"):
        (path / name).mkdir()
    spark_settings.write_settings(
        path / "settings",
        **{
            "spark.ui.enabled": "false",
            "spark.executor.memory": "1g",
            "spark.executor.cores": "1",
            # a task whose executor is gone goes to another one at once
            "spark.locality.wait": "0s",
            # a cluster whose driver is killed does not start executors again and again
            "spark.deploy.maxExecutorRetries": "3",
            "spark.local.dir": f"{path}/local",
            "spark.executorEnv.SHOAL_TEST_FAULTS": str(path),
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(
                [f"{path}/site", *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
        },
    )
    return path


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a Spark installation whose logs and work folders belong to the test."""
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
        "SPARK_CONF_DIR": str(folder / "settings"),
        "TMPDIR": str(folder / "temporary"),
    }


def local_release(folder: Path) -> pl.DataFrame:
    """Return the same release by the local engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: cluster_driver.PART_ROWS)
        anonymize_file(folder / "in.parquet", folder / "here.parquet", **cluster_driver.OPTIONS)
    return pl.read_parquet(folder / "here.parquet")


def processes(folder: Path, but: tuple[str, ...] = ()) -> list[str]:
    """Return the processes that use this folder, except those with one of these words in their command."""
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


def check_no_process_left(folder: Path, but: tuple[str, ...] = ()) -> None:
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


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """Start a master and two workers on loopback; yield the address."""
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
            more = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": spark_settings.JAVA_OPTIONS}
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
    check_no_process_left(folder)


@pytest.fixture(scope="module")
def driver(folder: Path, java: str) -> Iterator[subprocess.Popen[str]]:
    """Start a driver that makes a release with all faults, and then another one, in which a task never ends."""
    with (
        standalone(folder) if FULL else nullcontext("local-cluster[1,1,1024]") as master,
        (folder / "driver.out").open("w") as out,
        (folder / "driver.log").open("w") as log,
    ):
        environ = environment(folder)
        command = [f"{environ['SPARK_HOME']}/bin/spark-submit", "--master", master, cluster_driver.__file__]
        asked = [str(folder / "in"), str(folder), ",".join(FAULTS), "sleep"]
        process = subprocess.Popen([*command, *asked], stdout=out, stderr=log, env=environ, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def test_executors_and_workers_that_die_while_the_command_runs(folder: Path, driver: subprocess.Popen[str]) -> None:
    wait_for((folder / "facts-0").exists, folder / "driver.log", driver)
    log = (folder / "output-0.log").read_text()
    assert json.loads((folder / "facts-0").read_text()) == {"code": 0, "met": sorted(FAULTS), "incomplete": []}, log
    facts = json.loads((folder / "output-0").read_text())
    assert facts["verification"]["ok"]
    assert facts["verification"]["records"] == ROWS
    assert facts["policy"]["versions"]["spark"]
    assert log.count("\n") == len(facts["warnings"])
    # in the order of the files
    parts = sorted((folder / "releases" / "0").glob("part-*.parquet"))
    assert pl.concat([pl.read_parquet(path) for path in parts]).equals(local_release(folder))
    assert "<html" in (folder / "releases" / "0.html").read_text()
    left = {path.name for path in (folder / "releases").iterdir() if not path.name.startswith(".shoal-scratch")}
    assert left == MADE
    assert not [path.name for path in (folder / "temporary").iterdir() if "shoal" in path.name]
    executors = [*folder.glob("spark/work/**/std*")]
    assert len(executors) >= 4  # of two of them at least: one was killed
    logs = [*folder.glob("driver.*"), *folder.glob("output-*"), *executors]
    assert not [path for path in logs if "top-secret" in path.read_text(errors="replace")]


def test_a_driver_that_is_killed_leaves_nothing(folder: Path, driver: subprocess.Popen[str]) -> None:
    wait_for((folder / "victims" / "sleep").exists, folder / "driver.log", driver)
    assert any(path.name.startswith(".shoal-scratch") for path in (folder / "releases").iterdir())
    os.kill(int((folder / "driver").read_text()), signal.SIGKILL)
    assert driver.wait() != 0
    check_no_process_left(folder, but=("deploy.master.Master", "deploy.worker.Worker"))
    assert {path.name for path in (folder / "releases").iterdir()} == MADE
