"""What tests of several rooms share: where the benchmark data lies, and the made-up register."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# machines are noisy, so no example has a deadline; where a red run must be red again, examples are the same ones
settings.register_profile(
    "house",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    max_examples=200 if os.environ.get("SHOAL_TRIES") == "full" else 40,
)
settings.load_profile("house")

# what runs in the background of a script or under nohup ignores these signals, and so would every child of a test
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


TESTS = Path(__file__).resolve().parent
GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # group, fixture, files or folders
    ("spark-clusters", "", ("spark/test_spark_faults.py", "spark/test_spark_programs.py")),
    ("spark", "spark", ("engines/test_engines_alike.py",)),  # one Java process
    ("browser", "browser", ("browser/",)),  # one browser and one page
    ("page-server", "site", ("web/test_server.py",)),
    ("faults", "ground", ()),  # one process that all runs are forked from
    ("golden", "", ("golden/",)),
    ("wheel", "", ("release/",)),
    ("site", "", ("house/test_site.py",)),
)
"""With ``--dist loadgroup``, tests of a group run in one worker, so that what they share is started once. A test is in
the first group whose fixture it takes or whose files it is among."""


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        group = _group(item)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))


def _group(item: pytest.Item) -> str | None:
    path, taken = item.path.relative_to(TESTS).as_posix(), getattr(item, "fixturenames", ())
    for group, fixture, places in GROUPS:
        if fixture in taken or path.startswith(places):
            return group
    # tests that share a fixture of their file, which would be made anew in each worker
    found = getattr(item, "_fixtureinfo", None)
    shared = found is not None and any(
        one.scope == "module" for some in found.name2fixturedefs.values() for one in some
    )
    return path if shared else None


def pytest_collection_finish() -> None:
    """Thousands of tests are there to stay: what looks for garbage need not look at them each time."""
    gc.freeze()


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the benchmark data: SHOAL_DATA, or a folder `shared/data` beside the checkout."""
    folder = Path(os.environ.get("SHOAL_DATA", SHARED / "data"))
    if not folder.is_dir():
        pytest.skip(
            "no benchmark data: set SHOAL_DATA to the folder that holds it (docs/data.md says where it is published)"
        )
    return folder


@pytest.fixture(scope="session")
def register_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made-up register as a csv file; never written to."""
    from shoal import tables

    path = tmp_path_factory.mktemp("register") / "register.csv"
    tables.write(tables.read(tables.example_register(rows=800, seed=3)), path)
    return path


@pytest.fixture(scope="session")
def java() -> str:
    """Java, without which nothing of Spark runs."""
    found = shutil.which("java")
    if found is None:
        pytest.skip("no Java: `make test` installs it where it may")
    return found


@pytest.fixture(scope="session")
def spark(java: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of Spark on this machine, with a Python worker in a process of its own.

    One worker, so that kernels are compiled once; there are several in the clusters of `test_spark_faults.py`.
    """
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
            # Java that does not compile more than it must: tests are short
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.session.timeZone": "Pacific/Auckland",
            # what comes to the driver are summaries
            "spark.driver.maxResultSize": "24m",
        }
        builder: Any = SparkSession.builder
        builder = builder.master("local[1]").appName("shoal-tests")
        for name, value in settings.items():
            builder = builder.config(name, value)
        interrupted = signal.getsignal(signal.SIGINT)
        session = builder.getOrCreate()
        signal.signal(signal.SIGINT, interrupted)  # Spark takes the signal for itself, and other tests send it
        yield session
        gateway = session.sparkContext._gateway
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)
