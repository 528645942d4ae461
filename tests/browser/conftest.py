"""A real browser, and the page started with its command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from subprocess_environment import cache_environment, find_chromium

CONTRAST = """() => {
  const parse = text => {
    const numbers = (text.match(/[\\d.]+/g) || []).map(Number);
    return text.startsWith("color(srgb") ? numbers.map((n, i) => i < 3 ? n * 255 : n) : numbers;
  };
  const light = rgb => rgb.slice(0, 3).map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = node => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
    if (!own || !node.getClientRects().length || node.closest(':disabled')) continue;
    const style = getComputedStyle(node);
    const ink = light(parse(node instanceof SVGElement ? style.fill : style.color)), paper = light(behind(node));
    const ratio = (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05);
    if (ratio < 4.5) found.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return found;
}"""


NO_WARMUP = Path(__file__).resolve().parents[1] / "web" / "no_warmup"
"""A page with this folder on its path does not warm up."""


@pytest.fixture(scope="session")
def contrast() -> str:
    """A function for the browser that lists texts which are hard to read."""
    return CONTRAST


@pytest.fixture(scope="module")  # no longer: its loop would be in the way of tests that run one of their own
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'shoal[dev]'")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@dataclass(frozen=True)
class PageServer:
    """The page, started with `shoal web`."""

    process: subprocess.Popen[str]
    link: str
    """Works once."""
    projects: Path

    @property
    def address(self) -> str:
        return self.link.partition("/?")[0] if "/?" in self.link else re.match(r"http://[^/]+", self.link)[0]

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., PageServer]]:
    """Starts the page; every start is stopped at the end."""
    started: list[PageServer] = []

    def start_it(*arguments: str, projects: Path | None = None, warm: bool = False) -> PageServer:
        folder = projects or tmp_path_factory.mktemp("projects")
        cache = tmp_path_factory.mktemp("cache")
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), "" if warm else str(NO_WARMUP)]))
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "shoal",
                "web",
                *arguments,
                "--no-browser",
                "--port",
                "0",
                "--projects",
                str(folder),
            ],
            env=os.environ | cache_environment(cache) | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = ""
        for line in process.stdout:
            output += line
            link = re.search(r"http://\S+token=\S+", line)
            if link:
                started.append(PageServer(process, link[0], folder))
                return started[-1]
        raise AssertionError(output)

    yield start_it
    for server in started:
        server.stop()


@pytest.fixture
def no_complaints(user: Any) -> Iterator[None]:
    """No error, no dialog of a script, no violated policy, no request to elsewhere: after every test."""
    yield
    complaints, user.complaints = user.complaints, []
    assert not complaints
