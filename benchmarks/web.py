"""How long a request to the page takes at most while workers are busy with 1,000,000 records of 8 columns.

A page is started and a file uploaded. While it is looked at, counted, compared and released, other pages are asked for
without a pause. None may take a second.
"""

from __future__ import annotations

import http.cookiejar
import io
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

import numpy as np
import polars as pl
from measuring.output import Output, parser

LONGEST = 1.0
"""Seconds that a request may take."""


def people(records: int) -> pl.DataFrame:
    draw = np.random.default_rng(0)
    days = pl.Series(draw.integers(-20_000, 12_000, records)).cast(pl.Int32).cast(pl.Date)
    return pl.DataFrame(
        {
            "age": draw.integers(0, 100, records),
            "sex": draw.choice(["f", "m"], records),
            "region": draw.choice([f"region {number}" for number in range(20)], records),
            "weight": np.round(draw.normal(75, 12, records), 1),
            "income": np.round(draw.lognormal(10, 1, records), 2),
            "height": np.round(draw.normal(170, 10, records), 1),
            "birth_date": days,
            "children": draw.integers(0, 6, records),
        }
    )


class Browser:
    """One who has the link of the page."""

    def __init__(self, link: str) -> None:
        self._opener = build_opener(HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self._base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        self._opener.open(link).read()
        _, home = self.ask("/")
        self._csrf = re.findall(r'name="csrf"[^>]*(?:content|value)="([^"]+)"', home)[0]

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """The status and the text of an answer."""
        request = Request(self._base + path, data=body, headers=headers)  # noqa: S310 - the page that was named
        try:
            with self._opener.open(request) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def send(self, path: str, body: bytes, **headers: str) -> tuple[int, str]:
        """Change something, as the script of the page does."""
        own = {"X-CSRF-Token": self._csrf, "X-Requested-With": "shoal", "Origin": self._base}
        return self.ask(path, body, **own, **headers)

    def form(self, path: str, page: str, **fields: str) -> None:
        """Send a form, with the revision that another page shows."""
        revision = re.findall(r'name="revision" value="(\d+)"', self.ask(page)[1])
        body = urlencode({**fields, "revision": revision[0] if revision else ""}).encode()
        status, text = self.send(path, body, **{"Content-Type": "application/x-www-form-urlencoded"})
        if status >= 400:
            raise SystemExit(f"{path}: {status} {text[:300]}")


class Watch:
    """Asks for pages all the time, and keeps the slowest answer of each."""

    def __init__(self, browser: Browser, paths: list[str]) -> None:
        self.slowest: dict[str, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, args=(browser, paths))

    def _look(self, browser: Browser, paths: list[str]) -> None:
        while not self._over.is_set():
            for path in paths:
                begun = time.perf_counter()
                browser.ask(path)
                self.slowest[path] = max(self.slowest.get(path, 0.0), time.perf_counter() - begun)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def job_is_over(browser: Browser, project: str) -> bool:
    facts = json.loads(browser.ask(f"{project}/job")[1] or "null") or {}
    if facts.get("state") in ("failed", "cancelled"):
        raise SystemExit(facts["sentence"])
    return facts.get("state") != "running"


def until(holds) -> None:
    while not holds():
        time.sleep(0.3)


def main() -> None:
    given = parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder, page(Path(folder)) as link:
        measure(Browser(link), Output(as_json=given.json), 20_000 if given.quick else 1_000_000)


@contextmanager
def page(folder: Path) -> Iterator[str]:
    """The link of a page that runs for a while."""
    command = [sys.executable, "-m", "shoal", "web", "--no-browser", "--port", "0", "--projects", str(folder)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        lines = iter(running.stdout or ())
        yield next(found[0] for line in lines if (found := re.findall(r"http://\S+", line)))
    finally:
        running.terminate()
        running.wait()


def uploaded(browser: Browser, records: int) -> str:
    """The address of a new project."""
    content = io.BytesIO()
    people(records).write_csv(content)
    headers = {"X-File-Name": "people.csv", "Content-Type": "application/octet-stream"}
    status, text = browser.send("/projects", content.getvalue(), **headers)
    if status >= 400:
        raise SystemExit(text)
    return str(json.loads(text)["location"]).rsplit("/", 1)[0]


def measure(browser: Browser, output: Output, records: int) -> None:
    project = uploaded(browser, records)
    paths = ["/", *(f"{project}/{step}" for step in ("data", "columns", "protection", "run", "job"))]
    everyone = {f"role-{number}": "quasi-identifier" for number in range(8)}

    def looked() -> None:
        until(lambda: job_is_over(browser, project))
        until(lambda: browser.ask(f"{project}/preview")[0] == 200)

    def counted() -> None:
        browser.form(f"{project}/columns", f"{project}/columns", **everyone)
        browser.form(f"{project}/protection", f"{project}/protection", k="5", effort="fast")
        until(lambda: browser.ask(f"{project}/exposure")[0] == 200)

    def compared() -> None:
        browser.form(f"{project}/compare", f"{project}/run", k="5", which="some", method="mondrian", seconds="60")
        until(lambda: job_is_over(browser, project))

    def released() -> None:
        browser.form(f"{project}/release", f"{project}/run")
        until(lambda: job_is_over(browser, project))

    worst = 0.0
    for name, work in {"look": looked, "exposure": counted, "compare": compared, "release": released}.items():
        begun = time.perf_counter()
        with Watch(browser, paths) as watch:
            work()
        seconds, (path, slowest) = time.perf_counter() - begun, max(watch.slowest.items(), key=lambda one: one[1])
        worst = max(worst, slowest)
        facts = {"what": name, "seconds": round(seconds, 1), "slowest": round(slowest, 3), "path": path}
        output.record(facts, f"{name:10s} {seconds:7.1f} s, slowest request {slowest:6.3f} s ({path})")
    if worst > LONGEST:
        raise SystemExit(f"a request took {worst:.2f} s")


if __name__ == "__main__":
    main()
