"""Rules for every template, style sheet and script of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import shoal.web
from shoal.report.html import CHART_STYLE, PALETTE

ROOM = Path(shoal.web.__file__).parent
TEMPLATES = sorted((ROOM / "templates").glob("*.html"))
SCRIPTS = sorted((ROOM / "static").glob("*.js"))
SHEETS = sorted((ROOM / "static").glob("*.css"))


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


@pytest.mark.parametrize("template", TEMPLATES, ids=names(TEMPLATES))
def test_templates_hold_nothing_that_the_policy_of_the_page_forbids(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=", text)
    assert not re.search(r"<style", text)
    assert not re.search(r"\son[a-z]+=", text)
    assert not re.search(r"<script(?![^>]*\ssrc=\"/static/)", text)
    assert not re.search(r"(?:src|href|action)=\"(?:https?:|//|javascript:)", text)


@pytest.mark.parametrize("template", TEMPLATES, ids=names(TEMPLATES))
def test_templates_escape_everything(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"\|\s*safe|autoescape", text)


@pytest.mark.parametrize("template", TEMPLATES, ids=names(TEMPLATES))
def test_forms_that_change_something_bring_their_token(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    for form in re.findall(r"<form method=\"post\".*?</form>", text, re.DOTALL):
        assert "{{ hidden(" in form


@pytest.mark.parametrize("script", SCRIPTS, ids=names(SCRIPTS))
def test_scripts_are_strict_and_make_no_code(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert '"use strict";' in text
    assert not re.search(r"\beval\(|new Function|document\.write|insertAdjacentHTML|outerHTML|https?://", text)


@pytest.mark.parametrize("sheet", SHEETS, ids=names(SHEETS))
def test_colors_come_from_the_palette(sheet: Path) -> None:
    text = sheet.read_text(encoding="utf-8")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)", text)
    assert not re.search(r"@import|url\((?!\"?data:)", text)


def test_the_charts_bring_their_style() -> None:
    assert "svg rect.was" in CHART_STYLE
    assert "body {" not in CHART_STYLE


def colors(theme: int) -> dict[str, str]:
    """The palette of the light theme (0) or the dark one (1)."""
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", PALETTE.split("@media")[theme]))


def light(color: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *((ink, ground) for ink in ("ink", "soft", "sea", "bad") for ground in ("paper", "card")),
        *(("ink", ground) for ground in ("goodbg", "warnbg", "badbg")),
        *(("good", "goodbg"), ("warn", "warnbg"), ("bad", "badbg"), ("paper", "sea"), ("paper", "ink")),
    ],
)
def test_text_stands_out_from_its_ground(theme: int, ink: str, ground: str) -> None:
    result = colors(theme)
    assert contrast(result[ink], result[ground]) >= 4.5
