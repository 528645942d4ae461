"""Fixtures of several packages, groups of tests for parallel runs, and slow tests."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import spark_settings

# Frames and matrices of tests are small: with threads, a third of the time would be spent waiting. Tests of
# independence from threads start processes with several threads.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Output is buffered, as it is for users: only then does Python write at the end of a process.
os.environ.pop("PYTHONUNBUFFERED", None)

# Machines are noisy, so no example has a deadline. The suite draws the same few examples each time, so that failures
# are repeatable. `make check` draws fewer, and `make reliability` many new ones.
TRIES = os.environ.get("SHOAL_TRIES", "")
EXAMPLES = {"few": 6, "": 16, "full": 200}
settings.register_profile("shoal", deadline=None, derandomize=TRIES != "full", max_examples=EXAMPLES[TRIES])
settings.load_profile("shoal")

# processes in the background or under nohup ignore these signals, and so would all processes that tests start
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


GROUPS = {
    # longest first; parts of the ids of the tests
    "spark": (
        "tests/engines/test_engine_equivalence.py",
        "tests/engines/test_all_engines.py",
        "tests/engines/spark/",
        "spark.md",
    ),  # one Java process
    "spark-clusters": ("tests/engines/spark/test_spark_faults.py",),
    "browser": ("tests/browser/",),  # one browser and one page
    "printed-figures": ("tests/reproduction/printed/",),  # one reproduction of all printed figures
    "page-server": ("tests/web/test_server.py", "tests/web/test_security.py", "tests/web/test_uploads.py"),
    "faults": ("tests/hostile/faults/",),  # one process that all runs are forked from
    "out-of-core": ("tests/engines/test_out_of_core_release.py",),
    "hierarchies": ("tests/web/test_hierarchy_page.py",),
    "reports": ("tests/report/",),
    "wheel": ("tests/packaging/",),
    "site": ("tests/repository/test_site.py", "tests/repository/test_making.py"),  # one copy of the docs
    "processes": (  # one warm process of the command line
        "test_commands.py::test_colors_on_a_terminal_only",
        "test_commands.py::test_a_signal_",
        "test_commands.py::test_an_output_that_takes_nothing",
        "test_commands.py::test_progress_with_time_left",
        "test_refine_command.py::test_the_first_interrupt",
        "test_refine_command.py::test_the_second_interrupt",
        "test_compare_command.py::test_a_comparison_that_was_killed",
    ),
    "plain-python": ("tests/kernels/test_plain_python.py",),  # one process without the compiler
}
"""With ``--dist loadgroup``, all tests of a group run in one worker and share its fixtures. A test is in the last group
that matches; other tests go to any worker."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule by GROUPS, the longest first. The marks of xdist do not work with all versions of pytest."""
    from xdist.scheduler import LoadScopeScheduling

    order = list(GROUPS)

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            found = [name for name, places in GROUPS.items() if any(place in nodeid for place in places)]
            return found[-1] if found else nodeid

        def _assign_work_unit(self, node: Any) -> None:
            name = next((name for name in order if name in self.workqueue), None)
            if name is not None:
                self.workqueue.move_to_end(name, last=False)
            super()._assign_work_unit(node)

    return Grouped(config, log) if config.getvalue("dist") == "loadgroup" else None


SLOW = (
    *(place for name in GROUPS if name not in ("hierarchies", "reports", "processes") for place in GROUPS[name]),
    *(
        f"tests/{folder}/"
        for folder in ("benchmarks", "data/chunked", "hostile", "regression", "repository", "reproduction", "web")
    ),
    *(f"tests/cli/test_{name}_command.py" for name in ("privacy_options", "compare", "refine")),
    *(f"tests/microaggregation/test_{name}.py" for name in ("common_checks", "mixed_oracles", "oracles")),
    *("tests/search/test_local_search.py", "tests/release/test_sklearn.py"),
)
"""Parts of the ids of tests that `make check` leaves out."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let workers collect one after the other: all but the first find cached bytecode, and need a third of the time."""
    with Path(__file__).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(place in item.nodeid for place in SLOW):
            item.add_marker("slow")


@pytest.fixture(scope="module", autouse=True)
def _freeze_garbage_collection() -> None:
    """Exclude modules, tests and compiled kernels, which stay in memory, from garbage collection."""
    gc.collect()
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
    from shoal import data

    path = tmp_path_factory.mktemp("register") / "register.csv"
    data.write_table(data.read_table(data.example_register(rows=800, seed=3)), path)
    return path


@pytest.fixture(scope="session")
def java() -> str:
    """Path of Java; tests of Spark are skipped without it."""
    found = shutil.which("java")
    if found is None:
        pytest.skip("no Java: `make test` installs it where it may")
    return found


@pytest.fixture(scope="session")
def spark(java: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A local Spark session with one Python worker, so that kernels are compiled once.

    `test_spark_faults.py` starts a cluster with several workers.
    """
    from shoal.engines.spark.session import open_session

    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "Pacific/Auckland",
        # the driver gets summaries only
        "spark.driver.maxResultSize": "24m",
    }
    interrupted = signal.getsignal(signal.SIGINT)
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPARK_CONF_DIR", spark_settings.write_settings(folder / "settings", **options))
            for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):  # Shoal sets them if they are missing
                patch.setenv(name, "")
                patch.delenv(name)
            session = stack.enter_context(open_session("local[1]"))
        signal.signal(signal.SIGINT, interrupted)  # Spark takes the signal for itself, and other tests send it
        yield session
        gateway: Any = session.sparkContext._gateway
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(timeout=60)
