"""A fake worker process, and the data that a real one would return or write."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shoal.web.projects.model import ColumnFacts, SourceFile
from shoal.web.workers import pool

ODD = "<script>alert('x')</script>"
RECORDS = 24
COLUMNS = {
    "who": ("identifier", "nominal"),
    "age": ("quasi-identifier", "numeric"),
    ODD: ("quasi-identifier", "nominal"),
    "ill": ("sensitive", "nominal"),
    "note": ("insensitive", "nominal"),
}


class FakeWorker:
    """Worker whose result of each task is a value, an error or a function; without one, the task never ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.results: dict[str, Any] = {}
        self.requests: list[tuple[str, Mapping[str, Any]]] = []
        self.closed = 0
        monkeypatch.setattr(pool, "Worker", lambda _: self)

    async def run(self, task: str, params: Mapping[str, Any], *, on_progress: object = None) -> Any:  # noqa: ARG002
        self.requests.append((task, params))
        result = self.results.get(task)
        if result is None:
            await asyncio.Event().wait()
        if isinstance(result, Exception):
            raise result
        return result(params) if callable(result) else result

    def kill(self) -> None:
        pass

    async def wait_closed(self) -> None:
        self.closed += 1


def source(name: str = "people.csv") -> SourceFile:
    columns = (ColumnFacts(name, role, "", kind, "text", 9, 0) for name, (role, kind) in COLUMNS.items())
    return SourceFile(name, "csv", {}, RECORDS, 1000, "f" * 64, tuple(columns))


def write_table(path: Path) -> None:
    rows = [f"p{i},{20 + i},{'uv'[i % 2]},{('flu', 'cold', 'none')[i % 3]},n{i % 8}" for i in range(RECORDS)]
    path.write_text(",".join(COLUMNS) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")


def point(method: str, k: int, loss: float | None, **more: Any) -> dict[str, Any]:
    """Return a point of a comparison as plain data."""
    figures = {"method": method, "k": k, "loss": loss, "risk": 100 / k, "highest_risk": 1 / k, "gap": None}
    counts = {"classes": RECORDS // k, "c_avg": 1.0, "min_class": k, "suppressed": 0, "seconds": 0.5}
    marks = {"compiled": False, "verified": True, "error": None, "frontier": False, "recommended": False}
    return {**figures, **counts, **marks, **more}


def comparison() -> dict[str, Any]:
    points = [
        point("auto", 3, 10.0, frontier=True),
        point("mdav", 3, 12.0),
        point("auto", 5, 20.0, frontier=True, recommended=True),
        point("mdav", 5, None, risk=None, error=f"too <b>{ODD}", verified=False),
    ]
    return {
        "shoal": "0",
        "records": RECORDS,
        "quasi_identifiers": ["age", ODD],
        "loss": {"name": "mixed_loss", "label": "mixed loss", "unit": "%"},
        "usual": "auto",
        "points": points,
        "best": {"3": "auto", "5": "auto"},
        "recommendation": {"method": "auto", "k": 5, "reason": "auto at k = 5: it is <best>."},
        "kept": 0,
    }


def write_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """Write the options of a release and their fingerprint, as the task does, and no other file."""
    folder = Path(params["folder"])
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "decisions.json").write_text(json.dumps(params["decisions"]), encoding="utf-8")
    (folder / "mark").write_text(params["mark"], encoding="utf-8")
    return {"files": []}


def write_release(release: Any, folder: Path, hierarchies: Mapping[str, str]) -> None:
    """Write a release with all its files, as the task does."""
    from shoal.release.bundle.write_bundle import bundle_writer
    from shoal.web.workers.tasks.release_tasks import release_facts

    folder.mkdir(mode=0o700)
    policy = release.save(
        folder / "released.csv",
        extra_files=lambda policy: {
            folder / "report.internal.html": release.report(policy=policy),
            folder / "report.external.html": release.report(policy=policy, external=True),
            folder / "released.bundle.zip": bundle_writer(release),
        },
    )
    (folder / "hierarchies").mkdir()
    for name, text in hierarchies.items():
        (folder / "hierarchies" / name).write_text(text, encoding="utf-8")
    files = [
        {
            "name": path.relative_to(folder).as_posix(),
            "size": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    facts = {**release_facts(release, policy), "files": files, "seconds": 1.0}
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
