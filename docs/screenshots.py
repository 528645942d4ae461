"""Take the pictures of the page that the README shows: the example register, walked through in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FIGURES = Path(__file__).parent / "figures"
SIZE = {"width": 1280, "height": 800}
KNOWN = ("age", "sex", "postcode", "marital_status", "education", "occupation", "height_cm", "weight_kg", "income")
"""What others could know of a person and users need; the other columns that are proposed as such are left out."""
RECORDS = 2_000
"""So that comparing takes a minute."""
METHODS = ("auto", "mdav", "mondrian-extent")
LONG = 600_000
"""Milliseconds for a run: kernels may have to be compiled."""


@contextmanager
def started() -> Iterator[str]:
    """The link of a page over an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "shoal", "web", "--no-browser", "--port", "0", "--projects", folder]
        process = subprocess.Popen(
            command, env={**os.environ, "PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, text=True
        )
        try:
            yield next(found[0] for line in process.stdout or () if (found := re.search(r"http://\S+token=\S+", line)))
        finally:
            process.terminate()
            process.communicate()


def take(page: Page, name: str, *, top: str = "body") -> None:
    """A picture of what fills the window from this element on."""
    page.locator(top).first.evaluate("node => window.scrollTo(0, node.getBoundingClientRect().top + scrollY - 24)")
    page.mouse.move(0, 0)
    page.wait_for_timeout(3_000)  # until the word that all is saved has gone
    page.screenshot(path=FIGURES / f"page-{name}.png")


def walk(page: Page) -> None:
    """From the example register to its release."""
    page.locator("[name=rows]").evaluate(f"field => field.value = {RECORDS}")
    page.get_by_role("button", name="Try it with the example register").click()
    page.get_by_role("link", name="Continue to columns").click(timeout=LONG)
    page.wait_for_url("**/columns")
    rows = page.locator("#rows > tr")
    for number, name in enumerate(rows.evaluate_all("rows => rows.map(row => row.dataset.name)")):
        role = page.locator(f"[name=role-{number}]:checked").input_value()
        if role == "quasi-identifier" and name not in KNOWN:
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                page.locator(f"[name=role-{number}][value=identifier]").check(force=True)
    page.get_by_role("button", name="Continue to protection").click()
    page.wait_for_url("**/protection")  # before, nobody hears of a choice
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("[name=k][value='5']").check(force=True)
    page.get_by_text("must become like others").wait_for(timeout=LONG)
    take(page, "protection")
    page.get_by_role("button", name="Continue to run").click()
    page.wait_for_url("**/run")
    page.get_by_text("Methods", exact=True).click()
    page.get_by_text("Those that I choose").click()
    for method in METHODS:
        page.locator(f"[name=method][value={method}]").check()
    page.locator("#seconds").fill("")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("heading", name="What other ways would cost").wait_for(timeout=LONG)
    take(page, "compare", top="#compared")
    page.locator("[data-release]").click()
    page.get_by_role("heading", name=re.compile("^Verified")).wait_for(timeout=LONG)
    take(page, "release")


if __name__ == "__main__":
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with started() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", device_scale_factor=1)
        page.goto(link)
        walk(page)
        browser.close()
