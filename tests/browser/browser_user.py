"""A user of the page in a real browser."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

LONG_TIMEOUT = 300_000
"""Milliseconds for a run: kernels may have to be compiled."""
TIMEOUT = 60_000
"""Milliseconds for all else, where every core is at work on something."""


def wait_visible(locator: Any, timeout: int = TIMEOUT) -> None:
    """Wait for an element. Playwright would look for it in every frame, and so keep half of a core at drawing them."""
    end = time.monotonic() + timeout / 1000
    while not locator.is_visible():
        assert time.monotonic() < end, f"{locator} does not appear"
        locator.page.wait_for_timeout(100)


class BrowserUser:
    """A browser with a session, which records every error and every request to elsewhere."""

    def __init__(self, browser: Any, started: Any) -> None:
        self.started = started
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=True, reduced_motion="reduce"
        )
        self.complaints: list[str] = []
        self.page = self.tab()
        self.page.goto(started.link)

    def tab(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("console", self._check_message)
        page.on("request", self._check_request)
        return page

    def _check_message(self, message: Any) -> None:
        # the browser reports error responses, which the page displays anyway
        if message.type in ("error", "warning") and "the server responded with a status" not in message.text:
            self.complaints.append(message.text)

    def _check_request(self, request: Any) -> None:
        if not request.url.startswith((self.started.address + "/", "data:")):
            self.complaints.append(f"requested {request.url}")

    def home(self) -> None:
        self.page.goto(self.started.address + "/")

    def open_file(self, file: Path) -> None:
        """Create a project with a file, and wait until it is inspected."""
        self.home()
        self.choose_file(file)

    def choose_file(self, file: Path) -> None:
        """Choose a file where the page asks for one, and wait until it is inspected."""
        self.page.wait_for_load_state()  # before, no script handles it
        with self.page.expect_navigation(url="**/data"):
            self.page.set_input_files("input[type=file]", file)
        wait_visible(self.page.get_by_role("link", name="Continue to columns"), LONG_TIMEOUT)
        self.page.wait_for_load_state()  # the page was loaded again, and before its scripts have run a click is lost

    def example(self) -> None:
        self.home()
        self.page.get_by_role("button", name="Try it with the example register").click()
        self.page.wait_for_url("**/data")
        wait_visible(self.page.get_by_role("link", name="Continue to columns"), LONG_TIMEOUT)

    def columns(self) -> None:
        self.page.get_by_role("link", name="Continue to columns").click()
        self.page.wait_for_url("**/columns")

    def role(self, column: str, role: str) -> None:
        row = self.page.get_by_role("row").filter(has=self.page.get_by_text(column, exact=True))
        with self.page.expect_response(lambda answer: answer.request.method == "POST"):
            row.get_by_role("radio", name=role, exact=True).check(force=True)

    def protection(self) -> None:
        self.page.get_by_role("button", name="Continue to protection").click()
        self.page.wait_for_url("**/protection")

    def k(self, level: int) -> None:
        self._choose(f"input[type=radio][name=k][value='{level}']")

    def effort(self, name: str) -> None:
        """Fast is the least effort, so that tests take seconds."""
        self._open_methods()
        self._choose(f"[name=effort][value={name}]")

    def _choose(self, selector: str) -> None:
        choice = self.page.locator(selector)
        if not choice.is_checked():
            with self.page.expect_response(lambda answer: answer.request.method == "POST"):
                choice.check(force=True)

    def _open_methods(self) -> None:
        heading = self.page.get_by_role("heading", name="How groups are found")
        if self.page.locator("details", has=heading).get_attribute("open") is None:
            heading.click()

    def method(self, name: str) -> None:
        """One method without any search."""
        self._open_methods()
        for chosen in ("[name=method][value=own]", "[name=effort][value='']"):
            self._choose(chosen)
        with self.page.expect_response(lambda answer: answer.request.method == "POST"):
            self.page.select_option("select[name=method_own]", name)

    def run(self) -> None:
        self.page.get_by_role("button", name="Continue to run").click()
        self.page.wait_for_url("**/run")

    def make(self) -> None:
        self.page.get_by_role("button", name=re.compile("^Make the release")).click()
        self.wait_released()

    def wait_released(self) -> None:
        wait_visible(self.page.get_by_role("heading", name=re.compile("^Verified: k = ")), LONG_TIMEOUT)
        assert self.page.url.endswith("/release")

    def download(self, key: str, folder: Path) -> Path:
        with self.page.expect_download() as waiting:
            self.page.locator(f"a[href*='/files/{key}?']").click()
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path
