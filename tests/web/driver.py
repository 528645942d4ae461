"""Drives the page in this process, without a network: requests go straight to the application."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import pytest

from shoal.web.app import create_app
from shoal.web.context import AppContext
from shoal.web.http.security import SessionKeys
from shoal.web.projects.model import Project, ReleaseChoices, SourceFile
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.jobs import Jobs
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits

Fields = Mapping[str, object] | Iterable[tuple[str, object]]

PORT = 8131
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def location(self) -> str:
        return self.headers.get("location", "")

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def field(self, name: str) -> str:
        """The value of the first field of this name."""
        found = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', self.text)
        assert found is not None, f"no field {name}"
        return found[1]


class Driver:
    """A browser with one tab: it has the keys, and sends what forms send."""

    def __init__(self, folder: Path, keys: SessionKeys | None = None) -> None:
        self.keys = keys or SessionKeys(PORT)
        scratch = folder / "scratch"
        scratch.mkdir(parents=True)
        limits = WorkerLimits(4 << 30, scratch)
        self.place = AppContext(ProjectStore(folder / "projects"), WorkerPool(limits), Jobs(limits), scratch, 1 << 26)
        self._app = create_app(self.place, self.keys)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self.place.jobs.close())
        self._runner.run(self.place.workers.close())
        self._runner.close()

    def project(self, source: SourceFile, *, name: str = "project", file: Path | None = None) -> Project:
        """A project about a file that was looked at."""
        project = self.place.store.create(name, source=source, choices=ReleaseChoices.proposed(source))
        if file is not None:
            self.place.files[project.id] = file
        return project

    def looked(self, file: Path) -> Project:
        """A project about a file that a worker looks at."""
        asked = {"file": {"path": str(file), "reading": {}}, "name": file.name}

        async def look() -> dict[str, Any]:
            while True:
                answer = await self.place.workers.query("looking", "look", asked)
                if answer is not None:
                    return answer

        return self.project(SourceFile.from_dict(self._runner.run(look())), name=file.name, file=file)

    def get(self, path: str, **headers: str) -> Answer:
        return self._runner.run(self._request("GET", path, b"", headers))

    def whole(self, path: str) -> Answer:
        """The page once it is ready: a fragment that is on its way is asked for again."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            answer = self.get(path)
            if answer.status == 202:
                continue
            waits = re.search(r'data-load="([^"]*/ready)"', answer.text)
            if waits is None:
                return answer
            self.get(waits[1])
        raise TimeoutError(path)

    def post(self, path: str, fields: Fields = (), **headers: str) -> Answer:
        """A form; the token stands in it."""
        pairs = list(fields.items()) if isinstance(fields, Mapping) else list(fields)
        body = urlencode([("csrf", self.keys.csrf), *pairs]).encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._runner.run(self._request("POST", path, body, {**kind, **headers}))

    def send(self, path: str, body: bytes, **headers: str) -> Answer:
        """Raw bytes, as our script sends them."""
        said = {"content-type": "application/octet-stream", "x-csrf-token": self.keys.csrf}
        return self._runner.run(self._request("POST", path, body, {**said, "x-requested-with": "shoal", **headers}))

    async def _request(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        said = {
            "host": HOST,
            "origin": f"http://{HOST}",
            "sec-fetch-site": "same-origin",
            "cookie": f"{self.keys.cookie}={self.keys.session}",
            "content-length": str(len(body)),
            **headers,
        }
        address = urlsplit(path)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": address.path,
            "raw_path": address.path.encode(),
            "query_string": address.query.encode(),
            "root_path": "",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in said.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", PORT),
            "state": {},
        }
        sent: list[Any] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        text = b"".join(message.get("body", b"") for message in sent[1:]).decode(errors="replace")
        return Answer(sent[0]["status"], found, text)


def answering(page: Driver, monkeypatch: pytest.MonkeyPatch, found: dict[str, Any] | None) -> list[Any]:
    """A desk that answers this; what it was asked."""
    asked: list[Any] = []

    async def answer(project: str, task: str, question: Any) -> dict[str, Any] | None:
        asked.append((task, question))
        return found

    monkeypatch.setattr(page.place.workers, "answer", answer)
    return asked
