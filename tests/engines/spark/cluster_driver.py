"""Releases on a real cluster of processes, made by a separate program, so that all of it can be killed.

Run as ``spark-submit cluster_driver.py SOURCE FOLDER FAULTS...``: one release for each argument, which lists its faults
with commas between them. Each is made by the script of the examples, as a user submits it. A file ``sitecustomize.py``
that the workers load makes each fault happen once: the first task of a part gets the next fault, and no part gets two.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import signal
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

SUBMIT = Path(__file__).resolve().parents[3] / "examples" / "spark" / "submit.py"
PART_ROWS = 250
OPTIONS: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": ["height_cm"],
    "identifiers": ["person_id", "name"],
    "method": "hm",  # whose kernels are compiled soon
}
COMMAND_OPTIONS = ["-k", "4", "-q", "height_cm", "--identifiers", "person_id,name", "--method", "hm"]
"""The same options on the command line."""
SITE = """
import os, sys, time
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder

def next_fault(folder, piece):
    try:
        os.close(os.open(os.path.join(folder, "pieces", str(piece)), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return None
    for name in sorted(os.listdir(os.path.join(folder, "faults"))):
        try:
            os.rename(os.path.join(folder, "faults", name), os.path.join(folder, "met", name))
        except FileNotFoundError:  # another worker took it
            continue
        return name.partition("-")[2]
    return None

def faulty(work):
    def piece(state, number, block):
        folder = os.environ["SHOAL_TEST_FAULTS"]
        fault = next_fault(folder, number)
        if fault is None:
            return work(state, number, block)
        if fault == "fail":
            raise RuntimeError("top-secret cell")
        with open(os.path.join(folder, f"victim-{os.getpid()}"), "w", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {os.getppid()}")
        os.rename(file.name, os.path.join(folder, "victims", fault))
        time.sleep(120)  # until somebody kills the process, or the one above it
        raise SystemExit
    return piece

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "shoal.engines.spark.tasks":
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


def kill_victims(folder: Path, faults: list[str]) -> None:
    """Wait for the victim of each fault, and kill it, its executor, or the cluster worker of that executor."""
    waiting = {fault for fault in faults if fault in ("python", "executor", "worker")}
    while waiting:
        for fault in [fault for fault in waiting if (folder / "victims" / fault).exists()]:
            worker, daemon = (int(word) for word in (folder / "victims" / fault).read_text().split())
            executor = parent(daemon)
            doomed = {"python": [worker], "executor": [executor], "worker": [parent(executor), executor]}[fault]
            for process in doomed:
                os.kill(process, signal.SIGKILL)
            waiting.remove(fault)
        time.sleep(0.02)


def watch(target: Path, stopped: threading.Event, incomplete: list[str]) -> None:
    """Note whenever the release is visible but not complete."""
    while not stopped.wait(0.01):
        if target.exists() and not ((target / "_SUCCESS").exists() and list(target.glob("part-*"))):
            incomplete.append("half of a release")


def release(source: str, target: Path, output: Path) -> int:
    """Return the exit code of the command; its output goes to files, since Spark merges both of its streams."""
    sys.argv = ["submit", "anonymize", source, *COMMAND_OPTIONS, "--engine", "spark", "-o", str(target)]
    sys.argv += ["--json", "--report", f"{target}.html"]
    with (
        output.open("w") as out,
        output.with_suffix(".log").open("w") as log,
        redirect_stdout(out),
        redirect_stderr(log),
    ):
        try:
            runpy.run_path(str(SUBMIT), run_name="__main__")
        except SystemExit as stopped:
            return int(stopped.code or 0)


def main() -> None:
    from pyspark.sql import SparkSession

    from shoal.engines import memory_budget

    source, folder, given = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    (folder / "driver").write_text(str(os.getpid()))
    memory_budget.MemoryBudget.part_rows = lambda *_, **__: PART_ROWS  # type: ignore[method-assign]
    SparkSession.stop = lambda _: None  # type: ignore[method-assign]  # for the next release
    (folder / "releases").mkdir()
    for number, faults in enumerate([names.split(",") for names in given]):
        for name in ("pieces", "met", "victims", "faults"):
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir()
        for place, fault in enumerate(faults):
            (folder / "faults" / f"{place}-{fault}").touch()
        threading.Thread(target=kill_victims, args=(folder, faults), daemon=True).start()
        target, stopped, incomplete = folder / "releases" / str(number), threading.Event(), list[str]()
        watching = threading.Thread(target=watch, args=(target, stopped, incomplete))
        watching.start()
        try:
            code = release(source, target, folder / f"output-{number}")
        finally:
            stopped.set()
            watching.join()
        met = sorted(path.name.partition("-")[2] for path in (folder / "met").iterdir())
        (folder / "facts").write_text(json.dumps({"code": code, "met": met, "incomplete": incomplete}))
        (folder / "facts").rename(folder / f"facts-{number}")


if __name__ == "__main__":
    main()
