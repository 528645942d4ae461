"""Releases on real clusters of processes, made by a program of their own, so that all of it can be killed.

Run as ``python clusters.py MASTER SOURCE FOLDER FAULT...``: one release for each fault. A file
``sitecustomize.py`` that the workers load makes the fault happen in the first task that works on a piece.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PIECE = 400
ASKED: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": ["height_cm"],
    "identifiers": ["person_id", "name"],
    "method": "hm",  # whose kernels are compiled soon
}
SWIFT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java that does not compile more than it must: these programs are short."""
SITE = """
import os, sys, time
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder

def faulty(work):
    def piece(*given):
        folder = os.environ["SHOAL_TEST_FAULTS"]
        try:
            with open(os.path.join(folder, "fault"), encoding="utf-8") as file:
                fault = file.read()
            os.rename(os.path.join(folder, "fault"), os.path.join(folder, "met"))
        except FileNotFoundError:
            return work(*given)
        if fault == "fail":
            raise RuntimeError("top-secret cell")
        with open(os.path.join(folder, "victim.part"), "w", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {os.getppid()}")
        os.rename(os.path.join(folder, "victim.part"), os.path.join(folder, "victim"))
        time.sleep(120)  # until somebody kills the process, or the one above it
        raise SystemExit
    return piece

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "shoal.engines.spark.chores":
            return None
        spec = PathFinder.find_spec(name, path)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            module._piece = faulty(module._piece)
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder())
"""


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def kill_when_met(folder: Path, fault: str) -> None:
    """Wait for the victim, and kill what is to die: its executor, or the worker of the cluster that runs this."""
    while not (folder / "victim").exists():
        time.sleep(0.02)
    worker, daemon = (int(word) for word in (folder / "victim").read_text().split())
    executor = parent(daemon)
    doomed = {"python": [worker], "executor": [executor], "worker": [parent(executor), executor]}[fault]
    for process in doomed:
        os.kill(process, signal.SIGKILL)


def watch(target: Path, over: threading.Event, seen: list[str]) -> None:
    """Note whatever of the release is visible and not whole."""
    while not over.wait(0.01):
        if target.exists() and not ((target / "_SUCCESS").exists() and list(target.glob("part-*"))):
            seen.append("half of a release")


def releases(master: str, source: str, folder: Path, faults: list[str]) -> Iterator[dict[str, Any]]:
    from shoal.engines import sizing
    from shoal.large import anonymize_file

    sizing.Sizing.piece = lambda *_, **__: PIECE  # type: ignore[method-assign]
    for fault in faults:
        for name in ("fault", "victim", "met"):
            (folder / name).unlink(missing_ok=True)
        (folder / "fault").write_text(fault)
        if fault in ("python", "executor", "worker"):
            threading.Thread(target=kill_when_met, args=(folder, fault), daemon=True).start()
        target, over, seen = folder / "releases" / fault, threading.Event(), list[str]()
        watching = threading.Thread(target=watch, args=(target, over, seen))
        watching.start()
        try:
            made = anonymize_file(
                source,
                target,
                engine="spark",
                master=master,
                **ASKED,
            )
        finally:
            over.set()
            watching.join()
        yield {
            "fault": fault,
            "met": (folder / "met").exists(),
            "verified": made.verification.ok,
            "records": made.verification.records,
            "seen": seen,
        }


def main() -> None:
    from pyspark.sql import SparkSession

    master, source, folder, *faults = sys.argv[1:]
    builder: Any = SparkSession.builder
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": SWIFT,
        "spark.executor.extraJavaOptions": SWIFT,
        "spark.sql.shuffle.partitions": "2",
        "spark.executor.memory": "1g",
        "spark.executor.cores": "1",
        "spark.network.timeout": "60s",
        "spark.executor.heartbeatInterval": "5s",
        "spark.local.dir": f"{folder}/local",
        "spark.executorEnv.SHOAL_TEST_FAULTS": folder,
        "spark.executorEnv.PYTHONPATH": f"{folder}/site",
    }
    builder = builder.master(master).appName("shoal-faults")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    (Path(folder) / "releases").mkdir()
    for facts in releases(master, source, Path(folder), faults):
        sys.stdout.write(json.dumps(facts) + "\n")
        sys.stdout.flush()
    session.stop()


if __name__ == "__main__":
    main()
