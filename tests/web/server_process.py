"""The page as a separate process, and a client that can send invalid requests."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from subprocess_environment import cache_environment

PATIENCE = 30
NO_WARMUP = Path(__file__).resolve().parent / "no_warmup"
"""A page with this folder on its path does not warm up."""


class HttpResponse(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


class Site:
    def __init__(self, process: subprocess.Popen[str], link: str, home: Path) -> None:
        self.process, self.link, self.home = process, link, home
        parts = urlsplit(link)
        self.port = int(parts.port or 0)
        self.token = parts.query.removeprefix("token=")
        self.path = parts.path
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.cookie = self.csrf = ""

    @property
    def projects(self) -> Path:
        return self.home / "projects"

    @property
    def scratch(self) -> Path:
        return self.home / "cache" / "shoal-web"

    def log_in(self) -> HttpResponse:
        """Start a session with the link."""
        response = self.request("GET", f"{self.path}?token={self.token}")
        self.cookie = response.headers["set-cookie"].partition(";")[0]
        self.csrf = re.findall(r'name="csrf" content="(\w+)"', self.get("/").body)[0]
        return response

    def request(self, method: str, path: str, body: bytes | str | None = None, **headers: str | None) -> HttpResponse:
        """Send a request; header names have underscores, and None omits a header."""
        given = {"host": self.host, "cookie": self.cookie or None}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = body.encode() if isinstance(body, str) else body
        if data is not None and "content_length" not in headers:
            given["content-length"] = str(len(data))
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):  # a refusal does not wait for the rest
            connection.endheaders(data)
        result = connection.getresponse()
        response = HttpResponse(result.status, {k.lower(): v for k, v in result.getheaders()}, result.read().decode())
        connection.close()
        return response

    def get(self, path: str, **headers: str | None) -> HttpResponse:
        return self.request("GET", path, **headers)

    def post(self, path: str, body: bytes | str = "", **headers: str | None) -> HttpResponse:
        """Submit a form of the page, unless the headers are changed."""
        own: dict[str, str | None] = {
            "origin": self.origin,
            "x_csrf_token": self.csrf,
            "content_type": "application/x-www-form-urlencoded",
        }
        return self.request("POST", path, body, **{**own, **headers})

    def upload(self, body: bytes, *, name: str, path: str = "/projects", **headers: str | None) -> HttpResponse:
        own = {"content_type": "application/octet-stream", "x_requested_with": "shoal", "x_file_name": quote(name)}
        return self.post(path, body, **{**own, **headers})

    def raw(self, sent: bytes, *, wait: float = PATIENCE) -> bytes:
        """Send bytes; return the response until the server closes the connection or a timeout."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            connection.sendall(sent)
            result = b""
            try:
                while chunk := connection.recv(65536):
                    result += chunk
            except (TimeoutError, ConnectionResetError):
                pass
            return result

    def project(self, response: HttpResponse, *, read: bool = True) -> dict[str, Any]:
        """Return the stored project of an upload, once its file is inspected."""
        number = json.loads(response.body)["location"].split("/")[2]
        return wait_for(lambda: self._notes(number, read=read))

    def _notes(self, id: str, *, read: bool) -> dict[str, Any] | None:
        notes: dict[str, Any] = json.loads((self.projects / id / "project.json").read_text(encoding="utf-8"))
        return notes if notes["source"] or not read else None

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        if self.process.stdout:
            self.process.stdout.close()
        return code


def wait_for(condition: Any) -> Any:
    """Call a function until its result is true, and return the result."""
    end = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result or time.monotonic() > end:
            return result
        time.sleep(0.02)


def start(home: Path, *arguments: str, command: tuple[str, ...] = ("-m", "shoal"), **options: Any) -> Site:
    """Start the page with separate folders below ``home``."""
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(NO_WARMUP)])
    own = {**cache_environment(home / "cache"), "PYTHONUNBUFFERED": "1", "PYTHONPATH": path}
    environment: Mapping[str, str] = {**os.environ, **own}
    errors = (home / "errors.txt").open("w")
    usual = ("--no-browser", "--port", "0", "--projects", str(home / "projects"))
    process = subprocess.Popen(
        [sys.executable, *command, "web", *usual, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        cwd=home,
        **{"stdin": subprocess.DEVNULL, **options},
    )
    errors.close()
    for line in process.stdout or ():
        result = re.search(r"http://\S+", line)
        if result:
            return Site(process, result[0], home)
    raise AssertionError((home / "errors.txt").read_text())


@contextmanager
def running_server(home: Path, *arguments: str, **options: Any) -> Iterator[Site]:
    site = start(home, *arguments, **options)
    try:
        yield site
    finally:
        site.stop()
