"""The page in a real browser, step by step."""

from __future__ import annotations

import os
import re
import signal
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browser_user import LONG_TIMEOUT, TIMEOUT, BrowserUser, wait_visible
from click.testing import CliRunner

import shoal
from shoal import data
from shoal.cli.anonymize import command
from shoal.hierarchy import Hierarchy

PAYLOAD = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>"


pytestmark = pytest.mark.usefixtures("no_complaints")


@pytest.fixture(scope="module")
def user(browser: Any, start: Callable[..., Any]) -> Iterator[BrowserUser]:
    browser_user = BrowserUser(browser, start(warm=True))
    yield browser_user
    browser_user.context.close()


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small register: a walk through it takes seconds."""
    path = tmp_path_factory.mktemp("few") / "few persons.csv"
    names = ["person_id", "name", "age", "sex", "postcode", "occupation", "income", "diagnosis"]
    example = pl.read_csv(_register(path.with_name("register.csv"), rows=160), schema_overrides={"postcode": pl.String})
    example.select(names).write_csv(path)
    return path


def _register(path: Path, *, rows: int) -> Path:
    data.write_table(data.read_table(data.example_register(rows, 0)), path)
    return path


@pytest.fixture(scope="module")
def project_url(user: BrowserUser, few: Path) -> str:
    """The address of a project about it that was decided by keyboard alone.

    It takes seconds to begin one, so tests share it: each says all that it needs to be decided.
    """
    page = user.page
    user.open_file(few)

    def go(role: str, name: str) -> None:
        wanted = page.get_by_role(role, name=name)
        wait_visible(wanted)
        for _ in range(120):
            page.keyboard.press("Tab")
            if wanted.evaluate("e => e === document.activeElement"):
                page.keyboard.press("Enter")
                return
        raise AssertionError(f"{name} is not reached by keyboard")

    go("link", "Continue to columns")
    page.wait_for_url("**/columns")
    go("button", "Continue to protection")
    page.wait_for_url("**/protection")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "k":
            break
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.keyboard.press("Space")
    go("button", "Continue to run")
    page.wait_for_url("**/run")
    return str(page.url.removesuffix("/run"))


@pytest.fixture(scope="module")
def failure_text(user: BrowserUser, project_url: str) -> str:
    """What the page says when the process of a job of the project was killed."""
    page = user.page
    page.goto(f"{project_url}/protection")
    user.k(3)
    user.effort("best")  # so that it is still at work when it is killed
    user.run()
    before = _workers(user.started.process.pid)
    page.get_by_role("button", name=re.compile("^Make the release")).click()
    wait_visible(page.get_by_role("heading", name="Making the release"))
    for worker in _workers(user.started.process.pid) - before:
        os.kill(worker, signal.SIGKILL)
    wait_visible(page.get_by_role("heading", name="The release was not made"))
    return str(page.inner_text("main"))


@pytest.fixture(scope="module")
def released_url(user: BrowserUser, project_url: str, failure_text: str) -> str:
    """The address of the project once it was released, on the way that the page offers after a failure."""
    page = user.page
    page.goto(f"{project_url}/run")
    page.get_by_role("link", name="Change the protection").click()
    page.wait_for_url("**/protection")
    user.effort("fast")
    user.run()
    user.make()
    return project_url


def again(original: Path, policy: Path, target: Path) -> bytes:
    """What the command line makes of the original by a downloaded policy."""
    result = CliRunner().invoke(command, [str(original), "--policy", str(policy), "-o", str(target), "--quiet"])
    assert result.exit_code == 0, result.output
    return target.read_bytes()


def test_five_steps_on_the_example(user: BrowserUser, tmp_path: Path) -> None:
    page = user.page
    user.example()
    wait_visible(page.get_by_role("columnheader", name=re.compile("birth_date")))  # the preview came
    user.columns()
    user.protection()
    assert not page.locator("input[name=k]:checked").count(), "k is nobody's decision but the user's"
    page.get_by_role("button", name="Continue to run").click()
    assert page.url.endswith("/protection"), "without k there is no way on"
    wait_visible(page.get_by_text("5,000 of 5,000 records are unique"))
    user.k(5)
    user.method("mondrian")
    user.run()
    user.make()
    policy, released = user.download("policy", tmp_path), user.download("release", tmp_path)
    original = _register(tmp_path / "register.csv", rows=5000)
    assert released.read_bytes() == again(original, policy, tmp_path / "again.csv")
    names = tomllib.loads(policy.read_text(encoding="utf-8"))["columns"]
    quasi = [column["name"] for column in names if column["role"] == "quasi-identifier"]
    counts = pl.read_csv(released).group_by(quasi).len()["len"]
    assert (counts.min(), counts.sum()) == (5, 5000)
    assert "name" not in pl.read_csv(released).columns
    for key in ("report", "external", "bundle"):
        assert user.download(key, tmp_path).stat().st_size > 1000
    assert shoal.verify_bundle(next(tmp_path.glob("*.zip"))).ok


def test_adult_with_a_hierarchy_that_is_built_in_the_page(user: BrowserUser, data_folder: Path, tmp_path: Path) -> None:
    page, adult = user.page, tmp_path / "adult.csv"
    table = pl.read_csv(data_folder / "adult.csv")
    names = table.columns
    country = next(name for name in names if name.lower().replace("-", "_") == "native_country")
    chosen = pl.col(country).str.strip_chars().is_in(["France", "Germany", "Italy"])
    row = pl.int_range(pl.len())
    table.filter((chosen & (row.over(country) < 20)) | (row < 200)).write_csv(adult)
    user.open_file(adult)
    user.columns()
    assert len(names) == page.locator("tbody tr").count()
    number = [name.lower().replace("-", "_") for name in names].index("native_country")
    base = page.url.removesuffix("/columns")
    page.goto(f"{base}/columns/{number}/hierarchy")
    page.get_by_text("By hand", exact=True).click()
    page.get_by_role("button", name="Begin").click()
    wait_visible(page.get_by_text("Every value of the column is in the tree."))
    for country in ("France", "Germany", "Italy"):
        page.get_by_role("checkbox", name=country, exact=True).check()
    page.get_by_label("New name").fill("Europe")
    page.get_by_role("button", name="Group them under it").click()
    wait_visible(page.get_by_role("checkbox", name="Europe", exact=True))
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("checkbox", name="Europe", exact=True).wait_for(state="detached")
    for country in ("France", "Italy"):
        page.get_by_role("checkbox", name=country, exact=True).check()
    page.get_by_label("New name").fill("Old world")
    page.get_by_role("button", name="Group them under it").click()
    page.get_by_role("checkbox", name="Old world", exact=True).check()
    page.get_by_label("New name").fill("Europe")
    page.get_by_role("button", name="Rename the node").click()
    page.get_by_role("checkbox", name="Germany", exact=True).check()
    page.get_by_label("Parent").fill("Europe")
    page.get_by_role("button", name="Move them under it").click()
    page.get_by_role("button", name="Use this hierarchy").first.click()
    wait_visible(page.get_by_text("in use", exact=True))
    page.goto(f"{base}/columns")
    user.protection()
    user.k(10)
    user.method("mondrian")
    user.run()
    user.make()
    tree = user.download(f"hierarchy-{number + 1}", tmp_path)
    europe = Hierarchy.read(tree)
    assert {"France", "Germany", "Italy"} == set(europe.children("Europe"))
    policy, released = user.download("policy", tmp_path), user.download("release", tmp_path)
    assert released.read_bytes() == again(adult, policy, tmp_path / "again.csv")


def test_the_whole_way_by_keyboard(user: BrowserUser, project_url: str) -> None:
    user.page.goto(f"{project_url}/run")
    assert user.page.get_by_role("button", name=re.compile("^Make the release with k = 3")).is_enabled()


def test_a_comparison_whose_point_is_chosen_by_a_click(user: BrowserUser, project_url: str, tmp_path: Path) -> None:
    page = user.page
    page.goto(f"{project_url}/protection")
    user.k(3)
    user.run()
    for level in (5, 20):
        page.get_by_role("checkbox", name=str(level), exact=True).uncheck()
    page.get_by_text("Methods", exact=True).first.click()
    page.get_by_text("Choose methods").click()
    for method in ("mdav", "mondrian"):
        page.locator(f"input[name=method][value={method}]").check(force=True)
    page.select_option("select[name=effort]", "")  # as they are, points lie far apart, and none covers another
    page.get_by_role("button", name="Compare", exact=True).click()
    wait_visible(page.get_by_role("heading", name="What other ways would cost"), LONG_TIMEOUT)
    page.wait_for_load_state()
    points = page.locator("form[data-points] svg a")
    assert points.count() == 4
    wanted = page.locator("form[data-points] svg a[aria-label^='mondrian, k = 10:']").locator(".hit")
    wanted.click()
    chosen = page.locator("form[data-points] input[name=point]:checked")
    assert chosen.get_attribute("data-name") == "k = 10, mondrian"
    covering = page.locator("form[data-points] svg a[aria-label^='mdav, k = 3:']").locator(".hit")
    for name in ("cx", "cy"):  # as if it cost the same
        wanted.evaluate("(one, [name, value]) => one.setAttribute(name, value)", [name, covering.get_attribute(name)])
    names = []
    for _ in range(3):
        covering.click(force=True)
        names.append(chosen.get_attribute("data-name"))
    assert sorted(names[:2]) == ["k = 10, mondrian", "k = 3, mdav"], "each click finds the next one below"
    assert names[0] == names[2]
    if names[-1] != "k = 10, mondrian":
        covering.click(force=True)
    page.get_by_role("button", name="Release with k = 10, mondrian").click()
    user.wait_released()
    assert "Verified: k = 10 holds" in page.inner_text("main")
    release = tomllib.loads(user.download("policy", tmp_path).read_text(encoding="utf-8"))["release"]
    assert (release["k"], release["method"]) == (10, "mondrian")


def test_cancel_reload_and_the_way_back(user: BrowserUser, project_url: str) -> None:
    page = user.page
    files = _files(user, project_url)
    page.goto(f"{project_url}/columns")
    user.role("income", "quasi-identifier")
    page.reload()
    assert (
        page.get_by_role("row")
        .filter(has=page.get_by_text("income", exact=True))
        .get_by_role("radio", name="quasi-identifier", exact=True)
        .is_checked()
    )
    page.get_by_role("button", name="Take all proposed roles again").click()
    wait_visible(page.get_by_text("You gave 1 column another role than proposed. Give it up?"))
    page.locator("dialog[open]").get_by_role("button", name="Cancel").click()
    user.protection()
    user.k(20)
    user.effort("best")
    page.go_back()
    assert page.url.endswith("/columns")
    page.get_by_role("button", name="Take all proposed roles again").click()
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("dialog[open]").get_by_role("button", name="Take the proposed roles").click()
    page.go_forward()
    page.wait_for_url("**/protection")
    page.reload()
    assert page.locator("input[name=k][value='20']").is_checked()
    user.run()
    page.get_by_role("button", name=re.compile("^Make the release")).click()
    wait_visible(page.get_by_role("heading", name="Making the release"))
    page.reload()
    wait_visible(page.get_by_role("heading", name="Making the release"))
    other = user.tab()
    other.goto(page.url)
    wait_visible(other.get_by_role("heading", name="Making the release"))
    other.get_by_role("button", name="Cancel").click()
    wait_visible(other.get_by_role("heading", name="Cancelled"))
    wait_visible(page.get_by_role("heading", name="Cancelled"))
    other.close()
    assert _files(user, project_url) == files


def _files(user: BrowserUser, project: str) -> dict[str, bytes]:
    """The files of the release of a project, if there is one."""
    paths = (user.started.projects / project.split("/")[4]).glob("release/*")
    return {path.name: path.read_bytes() for path in paths}


def test_a_job_that_is_killed(user: BrowserUser, failure_text: str, released_url: str) -> None:
    assert "Nothing was released" in failure_text
    user.page.goto(f"{released_url}/release")
    assert "Verified: k = 3 holds" in user.page.inner_text("main")


def _workers(parent: int) -> set[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        pytest.skip("needs /proc, to find the process of a job")
    return {int(number) for number in children.read_text().split()}


def test_a_script_in_names_and_values_is_only_text(user: BrowserUser, tmp_path: Path) -> None:
    page = user.page
    words = [f"{PAYLOAD}{number}" for number in range(4)] * 15
    frame = pl.DataFrame({PAYLOAD: words, "age": [20 + number % 9 for number in range(60)], "ill": words})
    file = tmp_path / f"{PAYLOAD.replace('/', ' ')}.csv"
    frame.write_csv(file)
    user.open_file(file)
    wait_visible(page.get_by_text("onerror").first)
    user.columns()
    base = page.url.removesuffix("/columns")
    for number in range(3):
        page.locator(f"input[name='role-{number}'][value=quasi-identifier]").check(force=True)
    page.goto(f"{base}/columns/0/hierarchy")
    page.get_by_text("By hand", exact=True).click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Use this hierarchy").first.click()
    page.goto(f"{base}/columns")
    user.protection()
    user.k(3)
    user.effort("fast")
    wait_visible(page.get_by_text("records are unique").first)
    user.run()
    user.make()
    assert "onerror" in page.inner_text("main")
    report = user.tab()
    report.goto(f"{base}/report")
    assert "onerror" in report.inner_text("body")
    assert report.title() != "broken"
    report.close()
    user.home()
    assert page.title() != "broken"
    assert not page.locator("img[src=x]").count()


SCREENS = [(width, scheme) for width in (1280, 400) for scheme in ("light", "dark")]


def test_every_step_on_every_screen(user: BrowserUser, released_url: str, contrast: str) -> None:
    from playwright.sync_api import expect

    look = user.tab()
    addresses = [f"{released_url}/{name}" for name in ("data", "columns", "protection", "run", "release")]
    for address in (f"{user.started.address}/", *addresses, f"{released_url}/columns/5/hierarchy"):
        look.goto(address)
        expect(look.locator("[aria-busy=true]")).to_have_count(0, timeout=TIMEOUT)
        for width, scheme in SCREENS:
            look.set_viewport_size({"width": width, "height": 900})
            look.emulate_media(color_scheme=scheme)
            assert look.evaluate("document.documentElement.scrollWidth") <= width, (address, width)
            assert look.evaluate(contrast) == [], (address, width, scheme)
        assert look.locator("h1").count() == 1
        assert look.locator("[style]").count() == 0, address
        unnamed = look.eval_on_selector_all(
            "input:not([type=hidden]), select, textarea, button",
            "all => all.filter(e => e.checkVisibility() && !(e.labels && e.labels.length) && !e.ariaLabel"
            " && !e.getAttribute('aria-labelledby') && !e.textContent.trim()).map(e => e.outerHTML)",
        )
        assert not unnamed, address
    look.close()


def test_a_project_is_found_again_without_its_data(browser: Any, start: Callable[..., Any], few: Path) -> None:
    first = start()
    user = BrowserUser(browser, first)
    user.open_file(few)
    user.columns()
    user.role("income", "quasi-identifier")
    secret = few.read_text(encoding="utf-8").splitlines()[1].split(",")[1]
    assert first.stop() == 0
    files = [path for path in first.projects.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    user.context.close()
    second = BrowserUser(browser, start(projects=first.projects))
    second.page.get_by_role("link", name="few persons").first.click()
    wait_visible(second.page.get_by_text("Choose the file again").first)
    second.choose_file(few)
    second.columns()
    row = second.page.get_by_role("row").filter(has=second.page.get_by_text("income", exact=True))
    assert row.get_by_role("radio", name="quasi-identifier", exact=True).is_checked()
    second.home()
    second.page.get_by_role("button", name=re.compile("Delete")).first.click()
    second.page.locator("dialog[open]").get_by_role("button", name=re.compile("Delete")).click()
    wait_visible(second.page.get_by_text("No projects yet."))
    assert not list(first.projects.iterdir())
    assert not second.complaints
    second.context.close()


def test_the_next_delivery(user: BrowserUser, released_url: str, few: Path, tmp_path: Path) -> None:
    page = user.page
    page.goto(f"{released_url}/release")
    page.get_by_role("button", name="Use these decisions on the next delivery").click()
    wait_visible(page.get_by_text("were taken over"))
    later = tmp_path / "later.csv"
    pl.read_csv(few, schema_overrides={"postcode": pl.String}).tail(80).write_csv(later)
    user.choose_file(later)
    page.goto(page.url.replace("/data", "/run"))
    user.make()
    assert "80 records" in page.inner_text("main")


def test_two_tabs_do_not_overwrite_each_other(user: BrowserUser, released_url: str) -> None:
    page = user.page
    page.goto(f"{released_url}/columns")
    other = user.tab()
    other.goto(page.url)
    user.role("age", "insensitive")
    row = other.get_by_role("row").filter(has=other.get_by_text("sex", exact=True))
    row.get_by_role("radio", name="insensitive", exact=True).check(force=True)
    wait_visible(other.get_by_text("This project was changed in another tab").first)
    other.reload()
    for name, role in (("age", "insensitive"), ("sex", "quasi-identifier")):
        row = other.get_by_role("row").filter(has=other.get_by_text(name, exact=True))
        assert row.get_by_role("radio", name=role, exact=True).is_checked()
    other.close()
