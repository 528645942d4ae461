"""Messy files on the page, in a real browser: from the upload to a verified release without leaving it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browser_user import LONG_TIMEOUT, BrowserUser, wait_visible
from click.testing import CliRunner
from hospital_file import NAMES, ROWS, SURNAMES, phones, write_hospital

from shoal.cli.anonymize import command

pytestmark = pytest.mark.usefixtures("no_complaints")


@pytest.fixture(scope="module")
def user(browser: Any, start: Callable[..., Any]) -> Iterator[BrowserUser]:
    browser_user = BrowserUser(browser, start())
    yield browser_user
    browser_user.context.close()


def upload(user: BrowserUser, file: Path) -> None:
    """Give the page a file, and wait until it asks about it or has read it."""
    user.home()
    user.page.wait_for_load_state()
    with user.page.expect_navigation(url="**/data"):
        user.page.set_input_files("input[type=file]", file)


def dialog(user: BrowserUser) -> Any:
    """The import dialog with its preview."""
    import_dialog = user.page.locator("#import[open]")
    wait_visible(import_dialog.locator("[data-shown] :is(table, [data-error])"), LONG_TIMEOUT)
    return import_dialog


def apply(user: BrowserUser) -> None:
    with user.page.expect_navigation():
        user.page.locator("[data-apply]").click()
    wait_visible(user.page.get_by_role("link", name="Continue to columns"), LONG_TIMEOUT)
    user.page.wait_for_load_state()


def release(user: BrowserUser, folder: Path, *, k: int = 3) -> Path:
    user.protection()
    user.k(k)
    user.method("mdav")
    user.run()
    user.make()
    return user.download("release", folder)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_a_german_hospital_file_needs_no_settings(user: BrowserUser, tmp_path: Path, encoding: str) -> None:
    page = user.page
    user.open_file(write_hospital(tmp_path / "Fälle 2023.csv", encoding=encoding))
    assert not page.locator("#import[open]").count(), "nothing is asked"
    user.columns()
    roles = page.locator("#rows > tr").evaluate_all(
        "rows => rows.map(row => [row.querySelector('bdi').textContent, row.querySelector('.roles :checked').value])"
    )
    proposed = dict(roles)
    assert {name for name, role in proposed.items() if role == "identifier"} >= {
        *("Fall-Nr", "Vorname", "Nachname", "Telefon"),
    }
    assert proposed["Geburtsdatum"] == proposed["PLZ"] == "quasi-identifier"
    assert proposed["Diagnose"] == "sensitive"
    raw = release(user, tmp_path).read_bytes()
    text = raw.decode(encoding)
    assert not [word for word in (*NAMES, *SURNAMES, *phones()) if word in text]
    header, *lines = text.split("\r\n")[:-1]
    assert "Größe" in header.split(";")
    assert len(lines) == ROWS
    records = [dict(zip(header.split(";"), line.split(";"), strict=True)) for line in lines]
    for record in records:
        for name in ("Geburtsdatum", "Aufnahme", "Entlassung"):
            assert datetime.strptime(record[name], "%d.%m.%Y").year > 1900
        assert re.fullmatch(r"(?:[0-9]\.)?[0-9]{3},[0-9]{2} €", record["Kosten"])
        assert re.fullmatch(r"[0-9]{3},[0-9]", record["Größe"])
        assert re.fullmatch(r"[0-9]{5}", record["PLZ"])
    assert "Universitätsklinikum" not in text


def test_ambiguous_days_are_asked_once_and_answered_in_the_preview(user: BrowserUser, tmp_path: Path) -> None:
    page = user.page
    upload(user, write_hospital(tmp_path / "slashes.csv", ambiguous=True))
    import_dialog = dialog(user)
    assert "Which comes first in “Geburtsdatum”" in import_dialog.inner_text()
    import_dialog.get_by_role("button", name="Read as DD/MM/YYYY").first.click()
    wait_visible(import_dialog.get_by_text("date (DD/MM/YYYY)").first)
    assert page.locator("#one-format").input_value() == "DD/MM/YYYY"
    apply(user)
    assert not page.locator("#import[open]").count()
    user.columns()
    text = release(user, tmp_path).read_bytes().decode("cp1252")
    born = [line.split(";")[0] for line in text.split("\r\n")[1:-1]]
    assert all(re.fullmatch(r"[0-9]{2}/[0-9]{2}/[0-9]{4}", day) for day in born)
    assert max(int(day[3:5]) for day in born) <= 12, "the day comes first, as was answered"
    policy = user.download("policy", tmp_path)
    assert (
        tomllib.loads(policy.read_text(encoding="utf-8"))["input"]["settings"]["column_formats"]["Geburtsdatum"]
        == "DD/MM/YYYY"
    )
    again = [str(tmp_path / "slashes.csv"), "--policy", str(policy), "-o", str(tmp_path / "again.csv"), "--quiet"]
    assert CliRunner().invoke(command, again).exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == text.encode("cp1252"), "the policy replays the settings"
    page.get_by_text("With all decisions written out").click()
    assert "--column-format Geburtsdatum=DD/MM/YYYY" in page.inner_text("#recipe-command")


def test_every_change_is_previewed_and_nothing_is_applied_before(user: BrowserUser, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    page = user.page
    user.open_file(write_hospital(tmp_path / "settings.csv"))
    page.get_by_role("button", name="Change import settings").click()
    import_dialog = dialog(user)
    columns = import_dialog.locator("th[data-name]")
    before = columns.count()
    page.select_option("#set-delimiter", ",")
    page.fill("#set-skip", "3")
    expect(columns).not_to_have_count(before)
    page.get_by_role("button", name="Reset to detected").click()
    expect(columns).to_have_count(before)
    page.select_option("#one-column", "PLZ")
    page.select_option("#one-format", "own")
    page.fill("#one-format-own", "JJJJ")
    wait_visible(import_dialog.locator("[data-error]"))
    assert page.locator("[data-apply]").is_disabled()
    page.fill("#one-format-own", "1234.5")
    wait_visible(import_dialog.locator("th[data-name]").first)
    page.fill("#set-missing", "m")
    wait_visible(import_dialog.get_by_text("missing", exact=True).first)
    import_dialog.get_by_role("button", name="Cancel").click()
    page.reload()
    assert "missing" not in page.inner_text("main").lower().split("missing cells")[0]
    page.get_by_role("button", name="Change import settings").click()
    assert "missing" not in dialog(user).locator("[data-shown]").inner_text()


def test_a_workbook_of_several_sheets_asks_which_one(user: BrowserUser, tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    page, path = user.page, tmp_path / "book.xlsx"
    book = xlsxwriter.Workbook(path)
    pl.DataFrame({"note": ["see the other sheet"]}).write_excel(book, worksheet="Read me")
    pl.DataFrame({"age": [20 + n % 40 for n in range(60)], "sex": ["m", "w"] * 30}).write_excel(book, worksheet="Data")
    book.close()
    upload(user, path)
    import_dialog = dialog(user)
    assert "Which sheet holds the data?" in import_dialog.inner_text()
    assert page.evaluate("document.activeElement.id") == "set-sheet"
    page.select_option("#set-sheet", "Data")
    wait_visible(import_dialog.locator("th[data-name=age]"))
    apply(user)
    assert "60" in page.inner_text(".figures")


def test_a_last_line_that_is_a_total_is_left_out_by_a_click(user: BrowserUser, tmp_path: Path) -> None:
    page, path = user.page, tmp_path / "total.csv"
    rows = [f"{20 + n % 40},{1000 + n}" for n in range(60)]
    path.write_text("\n".join(["age,income", *rows, "Total,61770"]) + "\n")
    upload(user, path)
    import_dialog = dialog(user)
    assert "Are the last lines of the file records?" in import_dialog.inner_text()
    import_dialog.get_by_role("button", name="Leave out the last line").click()
    wait_visible(import_dialog.locator("th[data-name=age]"))
    apply(user)
    assert "60" in page.inner_text(".figures")


def test_what_looks_like_an_identifier_is_released_only_where_somebody_confirms_it(
    user: BrowserUser, tmp_path: Path
) -> None:
    page = user.page
    user.open_file(write_hospital(tmp_path / "kept.csv"))
    user.columns()
    row = page.get_by_role("row").filter(has=page.get_by_text("Telefon", exact=True))
    keep = row.get_by_role("checkbox", name="Keep: I checked that it names nobody")
    assert not keep.is_visible()
    user.role("Telefon", "insensitive")
    wait_visible(page.get_by_text("“Telefon” looks like an identifier and would be released unchanged."))
    user.protection()
    user.k(3)
    user.method("mdav")
    user.run()
    assert page.get_by_role("button", name=re.compile("^Make the release")).is_disabled()
    wait_visible(page.get_by_text("Not confirmed:"))
    page.get_by_role("link", name="Drop or confirm under Columns").click()
    page.wait_for_url("**/columns")  # with its script, which saves the answer
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        keep.check()
    page.reload()
    assert keep.is_checked()
    user.role("Telefon", "identifier")
    user.role("Telefon", "insensitive")
    assert not keep.is_checked(), "another role takes the word back"
    page.reload()
    assert not keep.is_checked()
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        keep.check()
    user.protection()
    user.run()
    assert "1 column without a role (Telefon)" in page.inner_text("main")
    user.make()
    text = user.download("release", tmp_path).read_bytes().decode("cp1252")
    assert any(phone in text for phone in phones())
    assert not [name for name in (*NAMES, *SURNAMES) if name in text]
    assert "before and after" in page.inner_text("main")
    page.goto(page.url.replace("/release", "/columns"))
    with page.expect_navigation():
        page.get_by_role("button", name="Drop all columns without a role").click()
    assert not page.locator("#rows .roles .insensitive input:checked").count()


def test_the_dialog_on_every_screen(user: BrowserUser, tmp_path: Path, contrast: str) -> None:
    page = user.page
    upload(user, write_hospital(tmp_path / "screens.csv", ambiguous=True))
    dialog(user)
    for width in (1280, 400):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("#import").evaluate("e => e.scrollWidth <= e.clientWidth"), width
            assert page.evaluate(contrast) == [], (width, scheme)
    page.set_viewport_size({"width": 1280, "height": 900})
    unnamed = page.eval_on_selector_all(
        "#import :is(input:not([type=hidden]), select, textarea, button)",
        "all => all.filter(e => e.checkVisibility() && !(e.labels && e.labels.length) && !e.ariaLabel"
        " && !e.textContent.trim()).map(e => e.outerHTML)",
    )
    assert not unnamed
