"""Names of files, arguments of processes, logs and the page: all that others on a machine can see of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leak_search import leaked
from ledger import Ledger, tries
from planted_secrets import planted

LOOK = 0.02


class Watch:
    """Looks again and again at the names in some folders, and at the arguments and surroundings of processes."""

    def __init__(self, *folders: Path) -> None:
        self.folders, self.seen, self.modes = folders, set[str](), set[tuple[str, int]]()
        self.processes: set[bytes] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        looks = 0
        while not self._over.wait(LOOK):
            looks += 1
            for folder in self.folders:
                for place, folders, files in os.walk(folder):
                    for name in (*folders, *files):
                        self.seen.add(name)
                        self._mode(Path(place) / name)
            if looks % 8 == 0:
                self._processes()

    def _mode(self, path: Path) -> None:
        try:
            self.modes.add((path.name, path.stat().st_mode & 0o077))
        except OSError:
            return

    def _processes(self) -> None:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                for part in ("cmdline", "environ", "comm"):
                    try:
                        self.processes.add((entry / part).read_bytes())
                    except OSError:
                        continue

    @contextmanager
    def watching(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()


def test_scratch_files_processes_and_progress_of_a_run_in_pieces(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "names of scratch files, arguments of processes and the progress line are watched during a run in pieces",
        "They tell numbers and names of stages only; what is put down is readable for its owner alone.",
    )
    for number in tries(few=1, full=10):
        with account.trial():
            source, folder = planted(number), tmp_path / str(number)
            folder.mkdir()
            people, scratch = source.write(folder), folder / "scratch"
            scratch.mkdir()
            arguments = [
                *("-k", "6", "-q", "pay,born,job", "--identifiers", "name", "--sensitive", "note", "--shuffle")
            ]
            arguments += ["--hierarchy", f"job={folder / 'jobs.csv'}", "--memory", "800MB", "--method", "mondrian"]
            arguments += ["--scratch", str(scratch), "-o", str(folder / "out.csv")]
            watch = Watch(folder)
            with watch.watching():
                done = subprocess.run(
                    [sys.executable, "-m", "shoal", "anonymize", str(people), *arguments],
                    capture_output=True,
                    check=False,
                    env={**os.environ, "TMPDIR": str(scratch), "SHOAL_PROGRESS": "always"},
                )
            assert done.returncode == 0, done.stderr
            assert len(watch.seen) > 6
            assert leaked("\n".join(watch.seen), source.all) == []
            assert leaked(b"\n".join(watch.processes), source.all) == []
            assert leaked(done.stdout + done.stderr, source.all) == []
            inside = {
                name for name, others in watch.modes if others and name not in ("people.csv", "jobs.csv", "scratch")
            }
            assert inside <= {"out.csv", "out.csv.policy.toml"} | {name for name in inside if name.startswith(".")}
            account.whole += 1


def _settled(page: str) -> str:
    """The page, once it says what is wrong with its file."""
    return page if "notice bad" in page else ""


def test_the_page_shows_no_secret_where_it_does_not_belong(tmp_path: Path, ledger: Ledger) -> None:
    from server_process import running_server, wait_for

    account = ledger.account(
        "leak",
        "a file with secrets is given to the page, whole and broken in several ways",
        "Its projects, its log, its names of files and its errors hold no cell.",
    )
    source = planted(1)
    good = source.frame.write_csv().encode()
    lines = good.decode().splitlines()
    ragged = "\n".join([*lines[:20], lines[20] + f",{source.notes[0]}", *lines[21:]]).encode()
    broken = {
        "ragged.csv": ragged,
        "text.parquet": good,
        "torn.csv": good.replace(b",", b',"', 1),
        "bytes.csv": b"\0\xff" + good,
        "text.xlsx": good,
        "text.sav": good,
        "packed.csv.gz": good,
        "nothing.csv": b"",
    }
    watch = Watch(tmp_path)
    with watch.watching(), running_server(tmp_path) as site:
        site.log_in()
        for name, content in list(broken.items())[: len(tries(few=3, full=len(broken)))]:
            with account.trial():
                answer = site.upload(content, name=name)
                pages = [answer.body]
                if answer.status == 200:
                    place = json.loads(answer.body)["location"]
                    pages.append(wait_for(lambda place=place: _settled(site.get(place).body)))
                assert all(pages), name
                for page in pages:
                    assert leaked(page, source.all) == [], name
                account.refused += 1
        with account.trial():
            project = site.project(site.upload(good, name="people.csv"))
            for page in (
                "/",
                f"/p/{project['id']}/protection",
                f"/p/{project['id']}/run",
                f"/p/{project['id']}/nowhere",
            ):
                assert leaked(site.get(page).body, source.all) == [], page
            kept = b"".join(path.read_bytes() for path in site.projects.rglob("*") if path.is_file())
            assert leaked(kept, source.all) == []
            account.whole += 1
        assert leaked((site.home / "errors.txt").read_bytes(), source.all) == []
    assert leaked("\n".join(watch.seen), source.all) == []
    assert leaked(b"\n".join(watch.processes), source.all) == []
