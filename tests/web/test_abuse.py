"""Abuse: whatever is asked, in whatever order, a release is what it says, and the page goes on."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clerk import COLUMNS, Clerk, source, write_table
from decided import decide, form, made, run, sha256
from driver import Driver
from running import running
from starlette.requests import ClientDisconnect, Request

from shoal.errors import HierarchyError, OptionError, OutputError
from shoal.hierarchy import Hierarchy
from shoal.system.locks import locked
from shoal.web.errors import PageError
from shoal.web.pages import data_page
from shoal.web.projects.hierarchy_files import bytes_fingerprint, write_levels
from shoal.web.projects.incoming_files import with_inspected_file
from shoal.web.projects.model import Project, ReleaseChoices
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.jobs import Jobs
from shoal.web.workers.process import WorkerLimits
from shoal.web.workers.tasks import look, release, trees, values
from shoal.web.workers.worker import WorkerContext

TREE = '{"any": ["u", "v"]}'


def policy(driver: Driver, project: Project) -> dict[str, Any]:
    return tomllib.loads((driver.place.store.release(project.id) / "released.csv.policy.toml").read_text())


def test_a_file_that_nobody_looked_at_is_not_released(driver: Driver, project: Project, clerk: Clerk) -> None:
    """Another file took the place of the one that the decisions are about, and the look at it did not end."""
    clerk.answers["release"] = made
    rows = [f"p{i},{20 + i},u,flu,n{i},secret{i}" for i in range(30)]
    new = "\n".join([",".join([*COLUMNS, "telephone"]), *rows, ""]).encode()
    assert driver.send(f"/p/{project.id}/file", new, x_file_name="next.csv").status == 200
    driver.post(f"/p/{project.id}/cancel")
    now = driver.place.store.read(project.id)
    for path, more in (("release", {}), ("compare", {"k": 3})):
        answer = driver.post(f"/p/{project.id}/{path}", form(now, **more))
        assert (answer.status, "was not read yet" in answer.text) == (409, True)
    assert not driver.place.store.release(project.id).exists()


@pytest.mark.parametrize("columns", [["who", "age"], ["age", "who", "ill"], ["who", "age", "ill", "new"]])
def test_a_file_that_is_read_in_another_way_is_not_the_same(tmp_path: Path, columns: list[str]) -> None:
    write_table(tmp_path / "people.csv")
    file = {"path": str(tmp_path / "people.csv"), "reading": {}, "name": "people.csv"}
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        room = WorkerContext(nowhere)
        same = {"sha256": sha256(tmp_path / "people.csv"), "columns": list(source().names)}
        assert room.inspected_table({"file": file, "looked": same}).height == source().records
        for other in ({**same, "columns": columns}, {**same, "sha256": "0" * 64}, {**same, "sha256": ""}):
            with pytest.raises(PageError, match="read it again in the step Data"):
                room.inspected_table({"file": file, "looked": other})


def test_a_hierarchy_that_is_changed_meanwhile_changes_no_release(
    driver: Driver, project: Project, clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = driver.place.store.hierarchies(project.id) / "hierarchy-3.json"
    tree.write_text(TREE)
    columns = project.choices.with_column(2, hierarchy=tree.name, fingerprint=bytes_fingerprint(TREE.encode())).columns
    project = decide(driver, project, columns=columns)
    before = release._made

    def changed_first(asked: Mapping[str, Any], room: WorkerContext) -> Any:
        tree.write_text('{"other": {"u": [], "w": ["v"]}}')  # by another tab
        return before(asked, room)

    monkeypatch.setattr(release, "_made", changed_first)
    clerk.answers["release"] = made
    assert run(driver, project)["state"] == "done"
    folder = driver.place.store.release(project.id)
    assert (folder / "hierarchies" / tree.name).read_text() == TREE
    decided = next(column for column in policy(driver, project)["columns"] if "hierarchy" in column)
    assert decided["hierarchy"] == {
        "file": tree.name,
        "sha256": Hierarchy.read(folder / "hierarchies" / tree.name).fingerprint,
    }
    found = run(driver, project)
    assert (found["state"], "is not the one that was decided on" in found["sentence"]) == ("failed", True)


def test_a_release_whose_end_nobody_saw_is_not_taken_for_the_one_before(
    driver: Driver, project: Project, clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """k = 4 is released, then k = 3; the disk is full or the page killed before the project notes that; then back."""
    clerk.answers["release"] = made
    assert run(driver, project)["state"] == "done"
    four = driver.place.store.read(project.id)
    assert four.released == four.mark
    decide(driver, project, k=3)

    def full(*_: object, **__: object) -> None:
        raise OutputError.unwritable("project.json", "no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectStore, "keep", full)
        run(driver, project)
    back = decide(driver, project, k=4)
    assert policy(driver, project)["release"]["k"] == 3
    assert back.released != back.mark
    text = driver.get(f"/p/{project.id}/release").text
    assert "These are the files of an earlier run" in text
    assert "In these files: k = 3: every record" in text
    assert "release verified" not in driver.get("/").text


def test_a_page_of_the_release_before_downloads_nothing_of_the_next(
    driver: Driver, project: Project, clerk: Clerk
) -> None:
    clerk.answers["release"] = made
    run(driver, project)
    facts = driver.place.store.read_results(project.id, "release/facts.json")
    offered = next(file["sha256"][:16] for file in facts["files"] if file["name"] == "released.csv")
    link = f"/p/{project.id}/files/release?sha256={offered}"
    assert driver.get(link).status == 200
    decide(driver, project, k=3)
    run(driver, project)
    answer = driver.get(link)
    assert answer.status == 409
    assert "made again since" in answer.text
    assert driver.get(f"/p/{project.id}/files/release").status == 200


def test_nothing_is_said_about_a_file_while_nobody_can_look_at_it(
    driver: Driver, project: Project, clerk: Clerk
) -> None:
    assert driver.post(f"/p/{project.id}/release", form(project)).status == 303  # and never ends
    now = driver.place.store.read(project.id)
    assert driver.post(f"/p/{project.id}/reading", form(now, delimiter=";")).status == 409
    assert driver.place.store.read(project.id).reading == {}


def test_a_point_of_another_comparison_is_not_chosen(driver: Driver, project: Project, clerk: Clerk) -> None:
    """Two comparisons of the same decisions in two tabs: the third point of one is not the third of the other."""
    clerk.answers["compare"] = {"points": [{"k": 10, "method": "mdav", "error": None}]}
    driver.post(f"/p/{project.id}/compare", form(project, k=10))
    driver.get(f"/p/{project.id}/job")
    seen = driver.place.store.read(project.id)
    clerk.answers["compare"] = {"points": [{"k": 2, "method": "mdav", "error": None}]}
    driver.post(f"/p/{project.id}/compare", form(seen, k=2))
    driver.get(f"/p/{project.id}/job")
    assert driver.post(f"/p/{project.id}/choose", form(seen, point=0)).status == 409
    assert driver.place.store.read(project.id).choices.k == 4


def test_no_copy_of_an_earlier_file_is_kept(driver: Driver, project: Project, clerk: Clerk) -> None:
    driver.send(f"/p/{project.id}/file", b"who,age\np,1\n", x_file_name="next.csv")
    assert driver.post(f"/p/{project.id}/keep", form(project, keep="yes")).status == 409
    assert not list(driver.place.store.folder(project.id).glob("data*"))


def test_a_copy_that_another_file_overtook_is_not_kept(
    driver: Driver, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = data_page._copy

    def slowly(path: Path, copy: Path) -> None:
        before(path, copy)
        driver.place.store.update(project.id, lambda now: now, new_revision=True)  # as an upload does

    monkeypatch.setattr(data_page, "_copy", slowly)
    assert driver.post(f"/p/{project.id}/keep", form(project, keep="yes")).status == 409
    assert not list(driver.place.store.folder(project.id).glob("data*"))


def test_a_project_is_gone_at_once_when_it_is_deleted(driver: Driver, project: Project, clerk: Clerk) -> None:
    """What is asked for while it is being deleted starts no work on it, and nothing of it comes back."""
    store, statuses = driver.place.store, []
    clear = store.purge

    def slowly(gone: Path) -> None:
        with pytest.raises(PageError, match="no such project"):
            store.update(project.id, lambda now: replace(now, name="back"))
        statuses.append(gone.name)
        clear(gone)

    store.purge = slowly  # type: ignore[method-assign]
    assert driver.post(f"/p/{project.id}/delete").status == 303
    assert statuses
    assert list(store.folder("").iterdir()) == []
    assert driver.post(f"/p/{project.id}/release", form(project)).status == 404


def test_what_a_killed_start_had_begun_to_delete_the_next_one_deletes(driver: Driver, project: Project) -> None:
    store = driver.place.store
    gone = store.detach(project.id)
    assert store.all() == []
    assert gone.is_dir()
    ProjectStore(store.folder(""))
    assert not gone.exists()


def test_what_a_killed_start_left_half_done_the_next_one_puts_right(driver: Driver, project: Project) -> None:
    store = driver.place.store
    place = store.folder(project.id)
    (place / ".before-0").mkdir()
    (place / ".before-0" / "mark").write_text(project.mark)
    (place / ".making-1").mkdir()
    copy, notes, living = (
        place / f".shoal-{number:016x}{ending}" for number, ending in enumerate([".csv", ".json", ".csv"])
    )
    for path, age in ((copy, 0), (notes, 1000), (living, 1000)):
        path.write_text("half a copy of the data")
        os.utime(path, (time.time() - age,) * 2)
    (place / "data.csv").write_text("a copy of the data that the project does not know of")
    with locked(living):  # by another start, whatever the clock says
        ProjectStore(store.folder(""))
        left = [living.name, "hierarchies", "project.json", "release"]
        assert sorted(path.name for path in place.iterdir()) == left
    ProjectStore(store.folder(""))
    assert not living.exists()
    assert store.read(project.id).released == project.mark


def test_a_preview_waits_for_the_look(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    new = driver.place.store.create("a.csv")
    driver.place.files[new.id] = tmp_path / "a.csv"
    answer = driver.get(f"/p/{new.id}/preview")
    assert (answer.status, "was not read yet" in answer.text) == (409, True)


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("columns", {f"role-{HUGE}": "identifier"}),
        ("columns", {"role-٣": "identifier"}),
        ("columns", {"bulk": "role", "bulk-role": "identifier", "pick": HUGE}),
        ("protection", {"k": HUGE}),
        ("compare", {"k": HUGE}),
        ("choose", {"point": HUGE}),
    ],
)
def test_a_number_that_is_none_changes_nothing(
    driver: Driver, project: Project, clerk: Clerk, path: str, fields: dict[str, str]
) -> None:
    assert driver.post(f"/p/{project.id}/{path}", form(project, **fields)).status in (303, 422)
    assert driver.place.store.read(project.id).choices == project.choices
    assert clerk.asked == []


@pytest.mark.parametrize("number", ["-1", "1e3", "1000000000", HUGE, "%D9%A3", "٣"])
def test_a_column_that_is_none_is_not_found(driver: Driver, project: Project, number: str) -> None:
    for path in (f"/p/{project.id}/columns/{number}", f"/p/{project.id}/columns/{number}/hierarchy"):
        assert driver.get(path).status in (400, 404)


def test_a_project_is_renamed_without_what_cannot_be_seen(driver: Driver, project: Project) -> None:
    name = "a\u202eb\u200b\r\nSet-Cookie: x\u2028"
    assert driver.post(f"/p/{project.id}/rename", form(project, name=name)).status == 303
    assert driver.place.store.read(project.id).name == "abSet-Cookie: x"


def test_values_that_are_too_long_are_not_shown_as_a_tree(tmp_path: Path) -> None:
    """A page of a hundred million letters would hang."""
    rows = "\n".join(f"{i},{'y' * 5000}{i}" for i in range(1000))
    (tmp_path / "long.csv").write_text(f"a,b\n{rows}\n")
    file = {"path": str(tmp_path / "long.csv"), "reading": {}, "name": "long.csv"}
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        room = WorkerContext(nowhere)
        found = values.run({"file": file, "column": "b", "kind": "nominal"}, room)
        assert (found["distinct"], found["counts"], found["offers"]) == (1000, None, [])
        with pytest.raises(HierarchyError, match="letters, and the page takes up to 2,000,000"):
            trees.run({"way": "flat", "options": {}, "file": file, "column": "b"}, room)


@pytest.mark.parametrize("own", ["5_0", "1" + "0" * 40, "٣", "+5", "0x5", "1e1"])
def test_a_level_of_k_is_a_plain_number(driver: Driver, project: Project, clerk: Clerk, own: str) -> None:
    assert driver.post(f"/p/{project.id}/compare", form(project, own=own)).status == 422
    assert clerk.asked == []


def test_what_was_decided_about_a_column_is_not_forgotten_when_a_file_is_read_wrongly_for_once() -> None:
    known = source()
    decided = replace(ReleaseChoices.proposed(known), k=4).with_column(4, role="identifier")  # proposed: insensitive
    project = Project("0" * 12, "a", "", "2026-11-17", source=known, choices=decided)
    wrong = replace(known, columns=tuple(replace(column, name=f"column_{column.name}") for column in known.columns))
    lost = with_inspected_file(project, wrong)
    assert [choice.role for choice in lost.choices.columns] == [column.role for column in wrong.columns]
    back = with_inspected_file(Project.from_dict(lost.to_dict()), known)
    assert back.choices == decided
    assert back.mark == project.mark


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="many connections at once")
def test_who_asks_nothing_keeps_nobody_out(tmp_path: Path) -> None:
    """Hundreds of connections with half a request, the first or a later one."""
    with running(tmp_path) as site, ExitStack() as opened:
        site.enter()
        first = f"GET / HTTP/1.1\r\nhost: {site.host}\r\n\r\n".encode()
        for sent in [b"GET / HTTP/1.1\r\nho"] * 150 + [first] * 150:
            silent = opened.enter_context(socket.create_connection(("127.0.0.1", site.port)))
            silent.sendall(sent)
            if sent is first:
                with suppress(OSError):
                    silent.sendall(b"G")
        assert [site.get("/").status for _ in range(5)] == [200] * 5
        children = Path(f"/proc/{site.process.pid}/fd")
        assert not children.is_dir() or len(list(children.iterdir())) < 150


def test_a_job_that_is_started_while_another_is_cancelled_is_not_taken_for_it(tmp_path: Path, clerk: Clerk) -> None:
    """It would go on, unseen, after the page said that it was stopped."""

    async def told() -> None:
        jobs = Jobs(WorkerLimits(1 << 30, tmp_path))

        async def nothing(_: object) -> None:
            pass

        first = jobs.start("a", "release", {}, on_result=nothing)
        await asyncio.sleep(0)
        cancelling = asyncio.create_task(jobs.cancel("a"))
        while first.state == "running":
            await asyncio.sleep(0)
        second = jobs.start("a", "release", {}, on_result=nothing)
        await cancelling
        assert (first.state, second.state) == ("cancelled", "running")
        await jobs.cancel("a")
        assert second.state == "cancelled"

    asyncio.run(told())


def test_a_column_with_an_endless_name_is_refused(tmp_path: Path) -> None:
    """As a file without a header has, and is said to have one."""
    (tmp_path / "long.csv").write_text(f"a,{'x' * 100_000}\n1,2\n3,4\n")
    file = {"path": str(tmp_path / "long.csv"), "reading": {"header": True}, "name": "long.csv"}
    with open(os.devnull, "wb") as nowhere, pytest.raises(PageError, match="more than 1,000 characters"):  # noqa: PTH123
        look.run({"file": file, "name": "long.csv"}, WorkerContext(nowhere))


@pytest.mark.parametrize("name", ["encoding", "missing", "sheet"])
def test_what_is_said_about_a_file_is_short(driver: Driver, project: Project, name: str) -> None:
    answer = driver.post(f"/p/{project.id}/reading", form(project, **{name: "x" * 100_000}))
    assert answer.status == 422
    assert driver.place.store.read(project.id) == project


@pytest.mark.parametrize("levels", [[str(i) for i in range(20_001)], ["x" * 1_000_001, "y" * 1_000_001]])
def test_an_order_has_no_more_than_a_page_can_show(tmp_path: Path, levels: list[str]) -> None:
    with pytest.raises(OptionError, match="at most 20,000 values of 2,000,000 letters"):
        write_levels(tmp_path / "levels-1.txt", levels)


def test_a_project_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProjectStore(tmp_path / "projects")

    def full(*_: object) -> None:
        raise OutputError.unwritable("project.json", "no space left on device")

    monkeypatch.setattr(ProjectStore, "keep", full)
    with pytest.raises(OutputError):
        store.create("a")
    assert list((tmp_path / "projects").iterdir()) == []


@pytest.mark.parametrize("sent", [b"{", b""])
def test_a_hierarchy_that_breaks_off_leaves_the_one_before(driver: Driver, project: Project, sent: bytes) -> None:
    async def broken(_: object) -> object:
        yield sent
        raise ClientDisconnect

    address = f"/p/{project.id}/columns/1/hierarchy/upload"
    assert driver.send(address, TREE.encode(), x_file_name="a.json").status == 200
    kept = driver.place.scratch / project.id / "trees" / "1-file.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Request, "stream", broken)
        answer = driver.send(address, b"{}", x_file_name="a.json")
    assert (answer.status, "did not arrive whole" in answer.text) == (400, True)
    assert kept.read_text() == TREE
    assert [path.name for path in driver.place.scratch.iterdir()] == [project.id]
