"""Client of the page without a network: requests are passed to the application in this process."""

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
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits

Fields = Mapping[str, object] | Iterable[tuple[str, object]]

PORT = 8131
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class PageResponse:
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
        """Return the value of the first field of this name."""
        result = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', self.text)
        assert result is not None, f"no field {name}"
        return result[1]


class PageClient:
    """A browser with one tab and a session."""

    def __init__(self, folder: Path, keys: SessionKeys | None = None) -> None:
        self.keys = keys or SessionKeys(PORT)
        scratch = folder / "scratch"
        scratch.mkdir(parents=True)
        workers = WorkerPool(WorkerLimits(4 << 30, scratch))
        self.context = AppContext(ProjectStore(folder / "projects"), workers, scratch, 1 << 26)
        self._app = create_app(self.context, self.keys)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self.context.workers.close())
        self._runner.close()

    def project(self, source: SourceFile, *, name: str = "project", file: Path | None = None) -> Project:
        """Create a project with an inspected file."""
        project = self.context.store.create(name, source=source, choices=ReleaseChoices.proposed(source))
        if file is not None:
            self.context.files[project.id] = file
        return project

    def inspect_file(self, file: Path) -> Project:
        """Create a project with a file that a worker inspects."""
        requests = {"file": {"path": str(file), "reading": {}}, "name": file.name}

        async def look() -> dict[str, Any]:
            while True:
                response = await self.context.workers.query("looking", "look", requests)
                if response is not None:
                    return response

        return self.project(SourceFile.from_dict(self._runner.run(look())), name=file.name, file=file)

    def get(self, path: str, **headers: str) -> PageResponse:
        return self._runner.run(self._request("GET", path, b"", headers))

    def get_complete(self, path: str) -> PageResponse:
        """Return the page once it is complete; fragments that are pending are requested again."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            response = self.get(path)
            if response.status == 202:
                continue
            pending = re.search(r'data-load="([^"]*/ready)"', response.text)
            if pending is None:
                return response
            self.get(pending[1])
        raise TimeoutError(path)

    def post(self, path: str, fields: Fields = (), **headers: str) -> PageResponse:
        """Submit a form, with its CSRF token."""
        pairs = list(fields.items()) if isinstance(fields, Mapping) else list(fields)
        body = urlencode([("csrf", self.keys.csrf), *pairs]).encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._runner.run(self._request("POST", path, body, {**kind, **headers}))

    def send(self, path: str, body: bytes, **headers: str) -> PageResponse:
        """Send raw bytes, as the script of the page does."""
        all_headers = {"content-type": "application/octet-stream", "x-csrf-token": self.keys.csrf}
        return self._runner.run(
            self._request("POST", path, body, {**all_headers, "x-requested-with": "shoal", **headers})
        )

    async def _request(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> PageResponse:
        all_headers = {
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
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in all_headers.items()],
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
        result = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        text = b"".join(message.get("body", b"") for message in sent[1:]).decode(errors="replace")
        return PageResponse(sent[0]["status"], result, text)


def fake_query(page: PageClient, monkeypatch: pytest.MonkeyPatch, result: dict[str, Any] | None) -> list[Any]:
    """Let every query of workers have this result; return the list of the queries, which grows."""
    requests: list[Any] = []

    async def query(project: str, task: str, question: Any) -> dict[str, Any] | None:
        requests.append((task, question))
        return result

    monkeypatch.setattr(page.context.workers, "query", query)
    return requests
