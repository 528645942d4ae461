"""Both reports in a real browser: offline, on wide and narrow screens, light and dark."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report import comparison_page

SECRETS = ("Secretname", "Vatican sailor", "987654321", "987,654,321", "rareillness", "hush_hush", "424242")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    rng, n = np.random.default_rng(5), 200
    wage = rng.lognormal(10, 0.5, n).round()
    wage[17] = 987654321
    folder = tmp_path_factory.mktemp("browser")
    pl.DataFrame(
        {
            "person": [f"Secretname{i}" for i in range(n)],
            "a_column_with_a_rather_long_name_that_does_not_end": rng.integers(18, 90, n),
            "wage": wage,
            "job": [*rng.choice(["nurse", "cook", "clerk", "driver"], n - 2), "Vatican sailor", "Vatican sailor"],
            "ill": [*rng.choice(["flu", "cold", "none"], n - 1), "rareillness"],
        }
    ).write_csv(folder / "hush_hush.csv")
    release = shoal.anonymize(
        folder / "hush_hush.csv",
        k=5,
        quasi_identifiers=["a_column_with_a_rather_long_name_that_does_not_end", "wage", "job"],
        identifiers=["person"],
        sensitive=["ill"],
        models={"ill": "distinct-l(2)"},
        hierarchies={"job": {"any": {"health": ["nurse"], "other": ["cook", "clerk", "driver", "Vatican sailor"]}}},
        recode={"job": "lcs"},
        seed=424242,
        effort="fast",
    )
    paths = {"internal": folder / "internal.html", "external": folder / "external.html"}
    for name, path in paths.items():
        release.report(path, external=name == "external")
    return paths


@pytest.mark.parametrize("version", ["internal", "external"])
def test_a_report_in_a_browser(reports, browser, contrast: str, version: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(reports[version].as_uri())
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ends = page.eval_on_selector_all("caption", "all => all.map(e => e.getBoundingClientRect().right)")
        assert max(ends) <= width
        drawings = page.eval_on_selector_all(
            "svg", "all => all.map(e => [e.getAttribute('role'), e.ariaLabel, e.scrollWidth])"
        )
        assert drawings
        assert all(role == "img" and name and wide <= width for role, name, wide in drawings)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(contrast) == []
    assert requests == [reports[version].as_uri()]
    assert complaints == []
    levels = page.eval_on_selector_all("h1, h2, h3, h4, h5, h6", "all => all.map(e => Number(e.tagName[1]))")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("main").count() == page.locator("nav").count() == 1
    assert page.eval_on_selector_all("table", "all => all.every(e => e.caption && e.querySelector('th[scope=row]'))")
    links = page.eval_on_selector_all(
        "a", "all => all.map(e => document.querySelector(e.getAttribute('href')) !== null)"
    )
    assert links
    assert all(links)
    page.close()


def test_secrets_are_only_in_the_internal_report(reports, browser) -> None:
    page = browser.new_page()
    page.goto(reports["external"].as_uri())
    text = page.content() + page.inner_text("body")
    assert "External version" in page.inner_text("body")
    assert not [secret for secret in SECRETS if secret in text]
    page.goto(reports["internal"].as_uri())
    assert "do not publish" in page.inner_text("body")
    assert "Vatican sailor" in page.inner_text("body")
    assert "Secretname" not in page.content()
    page.close()


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({f"{j}_{'a_long_name_' * 4}": rng.normal(size=60) for j in range(4)})
    comparison = shoal.compare(frame, k=[3, 5], methods=["mdav", "v-mdav"], quasi_identifiers=frame.columns)
    path = tmp_path_factory.mktemp("compared") / "compared.html"
    path.write_text(comparison_page.page(comparison.to_dict()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "media"), [(1280, "screen"), (400, "screen"), (690, "print")])
def test_a_comparison_in_a_browser(compared: Path, browser, width: int, media: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(compared.as_uri())
    page.emulate_media(media=media)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('tbody th').getBoundingClientRect().width") < width / 10
    page.close()


def test_a_report_prints_on_paper(reports, browser) -> None:
    page = browser.new_page(viewport={"width": 690, "height": 900})
    page.goto(reports["internal"].as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()
