"""Shoal run under faults, and what must stand afterwards.

A folder holds a table and an older release of it with its policy, report and bundle. A run is to replace that release
by another one. Since the same run gives the same bytes, what both states look like is known: whatever happens, all
files must be those of the old state or all those of the new one, and the new one is counted again by plain means.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ledger import FULL

from fork_server import CompletedRun, ForkServer

HERE = Path(__file__).resolve().parent
QUASI = ("age", "income")
IDENTIFIERS, KEPT = ("person",), "illness"
TABLE, RELEASE, POLICY, REPORT, BUNDLE = "people.csv", "out.csv", "out.csv.policy.toml", "out.html", "out.zip"
SENTENCE = re.compile(r"shoal: [^;\n]+; [^\n]+\.")
INTERRUPTED = "shoal: Interrupted; no partial file is left."
SECRET = re.compile(r"Zq\w{6}")
"""Cells of the table look so, and nothing else does."""
TIMEOUT = 300


def table(records: int = 120, seed: int = 1) -> bytes:
    """A made-up table whose cells can be told from all other words."""
    draw = Random(seed)  # noqa: S311 - a table, no secret
    lines = ["person,age,income,illness"]
    for number in range(records):
        age, income, illness = draw.randint(18, 90), draw.randint(10, 99) * 100, draw.randint(100, 999)
        lines += [f"Zqname{number % 90 + 10},{age},{income},Zqill{illness}"]
    return ("\n".join(lines) + "\n").encode()


def by_hand(arguments: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, **more: Any) -> CompletedRun:
    """A run from scratch, as a user starts it."""
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        check=False,
        timeout=TIMEOUT,
        **more,
    )
    return CompletedRun(done.returncode, done.stderr.decode(errors="replace"))


@dataclass
class Job:
    """What is asked of Shoal: a release in memory with a report and a bundle, or one in pieces with a report."""

    pieces: bool = False
    k: int = 4
    more: tuple[str, ...] = ()

    def arguments(self, *, force: bool = True, release: str = RELEASE) -> list[str]:
        words = ["anonymize", TABLE, "-k", str(self.k), "-q", ",".join(QUASI), "--identifiers", ",".join(IDENTIFIERS)]
        words += ["--keep", KEPT, "--method", "mondrian", "--quiet", "-o", release, *self.more]
        if "--report" not in words and release == RELEASE:
            words += ["--report", REPORT]
        words += ["--memory", "900MB"] if self.pieces else ["--bundle", BUNDLE] if release == RELEASE else []
        return words + ["--force"] * force

    @property
    def outputs(self) -> tuple[str, ...]:
        return (RELEASE, POLICY, REPORT) if self.pieces else (RELEASE, POLICY, REPORT, BUNDLE)


JOBS = {"memory": Job(), "pieces": Job(pieces=True)}


def pairs(things: Iterable[Any]) -> list[tuple[str, Any]]:
    """Each thing with each job; in the ordinary suite with one of both in turn."""
    named = [(how, number, thing) for number, thing in enumerate(things) for how in JOBS]
    return [(how, thing) for how, number, thing in named if FULL or (number % 2 == 0) == (how == "memory")]


@dataclass
class Place:
    """A folder with a table and an older release of it."""

    folder: Path
    job: Job
    old: dict[str, bytes]
    new: dict[str, bytes]
    table: bytes
    others: tuple[str, ...] = ()
    """What else stands there, and must go on standing there."""

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def left(self) -> list[str]:
        """What is neither input nor output."""
        return sorted({path.name for path in self.folder.iterdir()} - {TABLE, *self.job.outputs, *self.others})

    def state(self) -> str:
        """Which state stands here: old, new or none; anything else is an error."""
        found = self.files()
        assert found.get(TABLE) == self.table, "the input changed"
        there = {name: found[name] for name in self.job.outputs if name in found}
        if there == self.new:
            self.check_new()
            return "new"
        named = {name: "new" if there.get(name) == self.new[name] else "old or other" for name in there}
        assert there == self.old, f"neither the old state nor the new one: {named}"
        return "old"

    def check_new(self) -> None:
        """Count the release again, with nothing of Shoal."""
        check_release(self.folder, self.table, k=self.job.k)

    def check(
        self, ended: CompletedRun, *, codes: Sequence[int] = (2,), swept: bool = True, settled: bool = True
    ) -> str:
        """The state after a run that met a fault: one sentence and the old one, or the new one."""
        state = self.state() if settled else "open"
        assert not SECRET.search(ended.stderr), "a cell of the data was told"
        assert "Traceback" not in ended.stderr, ended.stderr
        if ended.code == 0:
            assert state in ("new", "open"), ended
            assert not ended.errors, ended
        elif ended.code > 0:
            assert ended.code in codes, ended
            assert len(ended.errors) == 1, ended
            assert SENTENCE.fullmatch(ended.errors[0]), ended
        if swept:
            assert self.left() == [], ended
        return state

    def next_start(self, fork_server: ForkServer) -> str:
        """What stands after the next start: one that is refused because there is a release, and then the same run."""
        if all((self.folder / name).exists() for name in self.old or self.new):
            ended = fork_server.run(self.job.arguments(force=False), self.folder)
            assert ended.code == 2, ended
            assert "exists" in ended.stderr, ended
            state = self.state()
            assert [name for name in self.left() if "scratch" not in name] == []
        else:
            state = "none"
        ended = fork_server.run(self.job.arguments(force=True), self.folder)
        assert ended.code == 0, ended
        assert self.state() == "new"
        assert self.left() == []
        return state


def check_release(folder: Path, original: bytes, *, k: int, release: str = RELEASE) -> None:
    """Every group has k records, no record is lost, nothing but quasi-identifiers changed, the policy fits."""
    raw = (folder / release).read_bytes()
    rows = list(csv.reader(io.StringIO(raw.decode())))
    before = list(csv.reader(io.StringIO(original.decode())))
    kept = [name for name in before[0] if name not in IDENTIFIERS]
    assert rows[0] == kept
    assert len(rows) == len(before), "records were lost or doubled"
    places = [rows[0].index(name) for name in QUASI]
    sizes = Counter(tuple(row[place] for place in places) for row in rows[1:])
    assert min(sizes.values()) >= k, "a group is below k"
    for name in set(kept) - set(QUASI):
        assert [row[kept.index(name)] for row in rows[1:]] == [row[before[0].index(name)] for row in before[1:]]
    policy = tomllib.loads((folder / f"{release}.policy.toml").read_text(encoding="utf-8"))
    assert policy["output"]["sha256"] == hashlib.sha256(raw).hexdigest()
    assert policy["input"]["sha256"] == hashlib.sha256(original).hexdigest()
    assert policy["output"]["records"] == len(before) - 1
    if (folder / BUNDLE).exists() and release == RELEASE:
        with zipfile.ZipFile(folder / BUNDLE) as bundle:
            assert bundle.testzip() is None
            assert any(bundle.read(name) == raw for name in bundle.namelist()), "the bundle holds another release"


@dataclass
class Ground:
    """Where places are made: the old and the new state of each job are made once."""

    folder: Path
    fork_server: ForkServer
    known: dict[str, tuple[dict[str, bytes], dict[str, bytes]]] = field(default_factory=dict)
    counts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    lengths: dict[str, float] = field(default_factory=dict)
    made: int = 0

    def states(self, job: Job) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """What the old release and the new one look like."""
        name = repr(job)
        if name not in self.known:
            found = []
            for k in (job.k + 3, job.k):
                folder = self._new_folder()
                wanted = Job(job.pieces, k, job.more)
                ended = self.fork_server.run(wanted.arguments(), folder)
                assert ended.code == 0, ended
                check_release(folder, table(), k=k)
                found.append({name: (folder / name).read_bytes() for name in job.outputs})
            self.known[name] = (found[0], found[1])
        return self.known[name]

    def _new_folder(self) -> Path:
        self.made += 1
        folder = self.folder / f"place-{self.made}"
        folder.mkdir()
        (folder / TABLE).write_bytes(table())
        return folder

    def place(self, job: Job, *, released: bool = True) -> Place:
        """A new folder, with the older release or without one."""
        old, new = self.states(job)
        folder = self._new_folder()
        for name, content in old.items() if released else ():
            (folder / name).write_bytes(content)
        return Place(folder, job, old if released else {}, new, table())

    def count(self, job: Job, calls: str, name: str = "") -> int:
        """How many such calls a run makes that meets no fault, on files of its folder or on one of them."""
        known = (repr(job), calls, name)
        if known not in self.counts:
            place, tally = self.place(job), self.folder / "tally"
            tally.write_bytes(bytes(8))
            env = faults(calls, 0, under=place.folder / name, count=tally)
            began = time.monotonic()
            ended = self.fork_server.run(job.arguments(), place.folder, env=env)
            self.lengths[repr(job)] = time.monotonic() - began
            assert place.check(ended) == "new"
            self.counts[known] = int.from_bytes(tally.read_bytes(), sys.byteorder)
            assert self.counts[known] > 0
            self.clear(place)
        return self.counts[known]

    def length(self, job: Job) -> float:
        """How many seconds a run takes here."""
        if repr(job) not in self.lengths:
            self.count(job, "write")
        return self.lengths[repr(job)]

    def clear(self, place: Place) -> None:
        shutil.rmtree(place.folder, ignore_errors=True)


def faults(calls: str, at: int, under: Path | str = "", **more: object) -> dict[str, str]:
    """The environment in which calls fail."""
    named = {f"FAULT_{name.upper()}": str(value) for name, value in more.items()}
    return {"FAULT_CALLS": calls, "FAULT_AT": str(at), "FAULT_UNDER": str(under), **named}
