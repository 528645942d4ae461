"""The page in the browser: its worker is killed, has no memory or cannot be started; its start is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from fault_harness import SECRET, TABLE, table
from ledger import Ledger, tries

from shoal.system.scratch import temporary_folder
from shoal.web.errors import PageError
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.process import Worker, WorkerLimits

OUTCOME = "One sentence on the page; the next question is answered by a fresh worker."


async def ask(worker: Worker, path: Path) -> dict[str, object]:
    return await worker.run("look", {"file": {"path": str(path), "name": TABLE, "reading": {}}, "name": TABLE})


@pytest.mark.parametrize("fate", ["killed", "out of memory"])
def test_a_worker_dies(tmp_path: Path, ledger: Ledger, fate: str) -> None:
    account = ledger.account("fault", f"a worker of the page is {fate}", OUTCOME)
    path = tmp_path / TABLE
    path.write_bytes(table())
    draw = Random(fate)  # noqa: S311 - moments, no secret

    async def dies() -> None:
        memory = 4 << 30 if fate == "killed" else 60 << 20
        worker = Worker(WorkerLimits(memory, tmp_path))
        asking = asyncio.create_task(ask(worker, path))
        if fate == "killed":
            while not worker.running:
                await asyncio.sleep(0.005)
            await asyncio.sleep(draw.uniform(0, 0.05))  # a look takes longer
            os.kill(worker._starting.result().pid, signal.SIGKILL)
        with pytest.raises(PageError) as caught:
            await asking
        assert not SECRET.search(str(caught.value))
        await worker.wait_closed()
        fresh = Worker(WorkerLimits(4 << 30, tmp_path))
        assert await ask(fresh, path)
        await fresh.wait_closed()

    for _ in tries(1, 12):
        with account.trial():
            asyncio.run(dies())
            assert path.read_bytes() == table()
            assert os.listdir(tmp_path) == [TABLE]
            account.refused += 1


KILLED = """
import sys
from pathlib import Path
from shoal.system.scratch import temporary_folder
from shoal.web.projects.store import ProjectStore
store = ProjectStore(Path(sys.argv[1]))
project = store.create("people")
with temporary_folder(Path(sys.argv[2])) as folder:
    (folder / "people.csv").write_text("half of the data")
    for number in range(10**6):
        store.update(project.id, lambda found: found, new_revision=True)
        if number == 3:
            print(project.id, flush=True)
"""


def test_a_start_of_the_page_is_killed(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "fault",
        "the page is killed while it writes a project",
        "The next start finds the project whole, and removes what was left aside.",
    )
    for number in tries(2, 30):
        with account.trial():
            projects, private = tmp_path / f"store-{number}", tmp_path / f"scratch-{number}"
            running = subprocess.Popen(
                [sys.executable, "-c", KILLED, str(projects), str(private)], stdout=subprocess.PIPE, text=True
            )
            assert running.stdout is not None
            name = running.stdout.readline().strip()
            running.kill()
            running.communicate()
            store = ProjectStore(projects)
            assert store.read(name).revision >= 4
            assert sorted(os.listdir(projects / name)) == ["hierarchies", "project.json"]
            with temporary_folder(private) as folder:
                assert [left for left in os.listdir(private) if left.startswith("start-")] == [folder.name]
            account.whole += 1
