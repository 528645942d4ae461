"""Uploads: complete or not at all, private, and never under a name from the request."""

from __future__ import annotations

import html
import io
import json
import socket
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_process import HttpResponse, Site, running_server, wait_for

from shoal.web.projects.incoming_files import display_name

TABLE = b"age,town\n31,Ulm\n32,Bonn\n33,Kiel\n"
LIMIT = 2_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_server(tmp_path_factory.mktemp("uploads"), "--max-upload", "2MB") as result:
        result.log_in()
        yield result
        assert (result.home / "errors.txt").read_text() == ""


def private(site: Site) -> Path:
    """The folder of this start."""
    return next(path for path in site.scratch.iterdir() if path.is_dir())


def parts(site: Site) -> list[Path]:
    return list(private(site).glob("arriving-*"))


def count(site: Site) -> int:
    return len(list(site.projects.iterdir()))


def sentence(response: HttpResponse) -> str:
    text: str = json.loads(response.body)["error"]
    return text


def test_a_file_becomes_a_project_and_all_that_is_written_is_private(site: Site) -> None:
    response = site.upload(TABLE, name="Zürich ☃.csv")
    assert response.status == 200
    project = site.project(response)
    assert response.body == json.dumps({"location": f"/p/{project['id']}/data"}, separators=(",", ":"))
    assert project["name"] == project["source"]["name"] == "Zürich ☃.csv"
    assert project["source"]["records"] == 3
    assert [column["role"] for column in project["choices"]["columns"]]
    assert project["choices"]["k"] is None
    file = private(site) / project["id"] / "data.csv"
    assert file.read_bytes() == TABLE
    assert not list((site.projects / project["id"]).glob("data*")), "no copy is kept"
    assert not parts(site)
    paths = [*site.projects.rglob("*"), site.projects, *site.scratch.rglob("*"), site.scratch]
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in paths if path.is_dir()} == {"0o700"}
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in paths if path.is_file()} == {"0o600"}


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("/etc/cron.d/x.csv", "x.csv"),
        ("C:\\Users\\x.csv", "x.csv"),
        ("x\0y\r\n.csv", "xy.csv"),
        ("\u202egpj.\u200fx\u2028.csv", "gpj.x.csv"),
        ("<script>alert(1)</script>.csv", "script>.csv"),
        ("a  b.csv ", "a b.csv"),
        ("\ud800.csv", ".csv"),
        ("../..", ".."),
    ],
)
def test_a_name_is_the_last_part_without_what_cannot_be_seen(name: str, displayed: str) -> None:
    assert display_name(name) == displayed


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("../../<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv"),
        ("x" * 10_000 + ".CSV", "x" * 119 + "…"),
    ],
)
def test_a_name_is_only_shown(site: Site, name: str, displayed: str) -> None:
    before = count(site)
    project = site.project(site.upload(TABLE, name=name))
    assert project["name"] == project["source"]["name"] == displayed
    assert count(site) == before + 1
    assert "<img src=x" not in site.get("/").body
    assert [path.name for path in (private(site) / project["id"]).iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    "name", ["", "/", "x", "x.exe", "x.csv.exe", "x.csv\0.exe", ".csv", "x.xlsx.gz", "x.csv/", "..", "x.xlsx.zip"]
)
def test_other_formats_are_refused(site: Site, name: str) -> None:
    before = count(site)
    response = site.upload(TABLE, name=name)
    assert response.status in (400, 415)
    if response.status == 415:
        assert ".csv, .txt, .tsv" in sentence(response)
    assert count(site) == before


def test_a_file_without_a_name_or_without_bytes_is_refused(site: Site) -> None:
    before = count(site)
    assert site.upload(TABLE, name="", x_file_name=None).status == 400
    response = site.upload(b"", name="a.csv")
    assert (response.status, sentence(response).startswith("The file is empty")) == (422, True)
    assert count(site) == before


def head(site: Site, *lines: str) -> bytes:
    known = [
        "POST /projects HTTP/1.1",
        f"Host: {site.host}",
        f"Cookie: {site.cookie}",
        f"Origin: {site.origin}",
        f"X-CSRF-Token: {site.csrf}",
        "X-Requested-With: shoal",
        "X-File-Name: a.csv",
    ]
    return "\r\n".join([*known, *lines, "", ""]).encode()


def test_a_file_that_says_it_is_too_large_is_refused_before_it_comes(site: Site) -> None:
    # not one byte of the body is sent, and yet the answer is there
    result = site.raw(head(site, "Content-Length: 10000000000"))
    assert result.split(b" ")[1] == b"413"
    assert b"larger than the 2 MB that the page takes" in result
    assert b"connection: close" in result
    asking = site.raw(head(site, "Content-Length: 10000000000", "Expect: 100-continue"))
    assert asking.split(b" ")[1] == b"413", "nobody is told to go on"
    assert site.raw(head(site, "Content-Length: " + "9" * 30)).split(b" ")[1] in (b"400", b"413")
    assert not parts(site)


def test_a_browser_that_sends_all_before_it_listens_is_told_too(site: Site) -> None:
    body = b"x" * 30_000_000  # more than the system would take for us
    with socket.create_connection(("127.0.0.1", site.port)) as connection:
        connection.sendall(head(site, f"Content-Length: {len(body)}") + body)
        result = b"".join(iter(lambda: connection.recv(65536), b""))
    assert result.split(b" ")[1] == b"413"
    assert result.endswith(b'on the command line."}')


def test_a_file_that_turns_out_too_large_leaves_nothing(site: Site) -> None:
    before = count(site)
    block = b"%x\r\n" % 100_000 + b"x" * 100_000 + b"\r\n"
    result = site.raw(head(site, "Transfer-Encoding: chunked") + block * 30 + b"0\r\n\r\n")
    assert result.split(b" ")[1] == b"413"
    assert not parts(site)
    assert count(site) == before


def test_a_file_without_a_length_is_taken_up_to_the_limit(site: Site) -> None:
    chunks = b"".join(b"%x\r\n" % len(line) + line + b"\r\n" for line in TABLE.splitlines(keepends=True))
    result = site.raw(head(site, "Transfer-Encoding: chunked", "Connection: close") + chunks + b"0\r\n\r\n")
    assert result.split(b" ")[1] == b"200"
    project = site.project(HttpResponse(200, {}, result.partition(b"\r\n\r\n")[2].decode()))
    assert project["source"]["size"] == len(TABLE)
    large = b"age,town\n" + (b"31," + b"U" * 60 + b"\n") * 25_000
    project = site.project(site.upload(large, name="large.csv"))
    assert (project["source"]["records"], project["source"]["size"]) == (25_000, len(large))


def test_what_comes_after_the_declared_bytes_is_not_part_of_the_file(site: Site) -> None:
    smuggled = f"POST /p/000000000000/delete HTTP/1.1\r\nHost: {site.host}\r\nConnection: close\r\n\r\n".encode()
    result = site.raw(head(site, f"Content-Length: {len(TABLE)}") + TABLE + smuggled, wait=3)
    first, second = result.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200")
    assert second.startswith(b"403"), "it is a separate request, which the middleware checks"
    project = site.project(HttpResponse(200, {}, first.partition(b"\r\n\r\n")[2].decode()))
    assert project["source"]["size"] == len(TABLE)


@pytest.mark.parametrize("sent", [b"", TABLE, b"x" * 1_500_000])
def test_an_upload_that_breaks_off_leaves_nothing(site: Site, sent: bytes) -> None:
    before = count(site)
    with socket.create_connection(("127.0.0.1", site.port)) as connection:
        connection.sendall(head(site, f"Content-Length: {LIMIT}") + sent)
        assert wait_for(lambda: parts(site)), "it is on its way"
        assert stat.S_IMODE(parts(site)[0].stat().st_mode) == 0o600
    assert wait_for(lambda: not parts(site))
    assert count(site) == before


def test_a_broken_chunk_leaves_nothing(site: Site) -> None:
    before = count(site)
    result = site.raw(head(site, "Transfer-Encoding: chunked") + b"5\r\nage,t\r\nZZ\r\n")
    assert result[:12] in (b"", b"HTTP/1.1 400")
    assert wait_for(lambda: not parts(site))
    assert count(site) == before


def test_the_page_answers_while_a_file_arrives_slowly(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as connection:
        connection.sendall(head(site, f"Content-Length: {len(TABLE)}") + TABLE[:5])
        assert wait_for(lambda: parts(site))
        assert site.get("/").status == 200
        connection.sendall(TABLE[5:])
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_file_for_a_project_that_is_there(site: Site) -> None:
    project = site.project(site.upload(TABLE, name="a.csv"))
    path = f"/p/{project['id']}/file"
    other = TABLE.replace(b"town", b"place") + b"34,Hof\n"
    assert wait_for(lambda: site.upload(other, name="b.txt", path=path).status == 200)
    assert [file.name for file in (private(site) / project["id"]).iterdir()] == ["data.txt"]
    busy = site.upload(TABLE, name="a.csv", path=path)
    assert (busy.status, "wait for it" in busy.body) == (409, True), "the file that is being looked at stays"
    notes = wait_for(lambda: _with_records(site, project["id"], 4))
    assert [column["name"] for column in notes["source"]["columns"]] == ["age", "place"]
    assert site.upload(TABLE, name="a.csv", path="/p/000000000000/file").status == 404
    assert site.upload(TABLE, name="a.csv", path="/p/..%2f/file").status == 404


def test_a_file_that_cannot_be_read_leaves_a_project_that_takes_another(site: Site) -> None:
    project = site.project(site.upload(b"no table", name="a.parquet"), read=False)
    assert (project["source"], project["choices"]) == (None, None)
    assert wait_for(lambda: site.upload(TABLE, name="a.csv", path=f"/p/{project['id']}/file").status == 200)
    assert wait_for(lambda: _with_records(site, project["id"], 3))


def test_hostile_files_end_in_a_sentence_and_the_page_goes_on(site: Site) -> None:
    """Each comes the way a browser sends it, and is looked at in a process of its own."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", b"\0" * 60_000_000)  # and says that it has a few bytes
    bomb = packed.getvalue().replace((60_000_000).to_bytes(4, "little"), (99).to_bytes(4, "little"))
    hostile = {
        "wide.csv": b",".join([b"c"] * 900_000),
        "bomb.xlsx": bomb,
        "rotten.parquet": b"PAR1" + bytes(range(256)) * 40 + b"PAR1",
        "picture.csv": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        "quote.csv": b'a,b\n"1,2\n' + b"3,4\n" * 1000,
    }
    for name, content in hostile.items():
        project = json.loads(site.upload(content, name=name).body)["location"].split("/")[2]
        job = wait_for(lambda project=project: _ended(site, project))
        assert job["state"] == "failed", name
        assert 20 < len(job["sentence"]) < 500, name
        assert "bug" not in job["sentence"], name
        assert str(site.scratch) not in job["sentence"], name
        assert job["sentence"].split(";")[0] in html.unescape(site.get(f"/p/{project}/data").body), name
        assert site._notes(project, read=False)["source"] is None, name
    assert site.project(site.upload(TABLE, name="a.csv"))["source"]["records"] == 3


def _ended(site: Site, project: str) -> dict[str, str] | None:
    job: dict[str, str] = json.loads(site.get(f"/p/{project}/job").body)
    return None if job["state"] == "running" else job


def _with_records(site: Site, id: str, records: int) -> dict[str, object] | None:
    notes = site._notes(id, read=True)
    return notes if notes and notes["source"]["records"] == records else None


def test_uploads_need_the_token_of_the_page(site: Site) -> None:
    before = count(site)
    assert site.upload(TABLE, name="a.csv", x_csrf_token=None).status == 403
    assert site.upload(TABLE, name="a.csv", origin=None).status == 403
    assert count(site) == before
