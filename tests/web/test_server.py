"""The server: addresses, messages and shutdown."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import socket
import sys
import termios
from pathlib import Path

import pytest
from server_process import Site, running_server, start, wait_for

from shoal.web import server
from shoal.web.errors import PageError
from shoal.web.server import ServerConfig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

EVERYWHERE = "0.0.0.0"  # noqa: S104 - that it is warned of is tested
WATCHED = """
import sys
seen = open(sys.argv[1], "w", buffering=1)
def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "http.client.connect"):
        print(event, arguments, file=seen)
sys.addaudithook(hook)
sys.argv[:] = ["shoal", *sys.argv[2:]]
from shoal.cli.main import main
main()
"""


def listening(port: int) -> list[str]:
    """The addresses where anything listens on a port, as the system tells it."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port]


def children(site: Site) -> list[int]:
    pid = site.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def left(site: Site) -> list[str]:
    return sorted(path.name for path in site.scratch.iterdir() if path.is_dir())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age,town\n31,Ulm\n32,Bonn\n33,Kiel\n")
    return path


def test_only_this_machine_can_ask_and_nobody_else_is_asked(tmp_path: Path, table: Path) -> None:
    log = tmp_path / "asked.txt"
    with running_server(tmp_path, str(table), command=("-c", WATCHED, str(log))) as site:
        assert listening(site.port) == ["0100007F"]
        assert re.fullmatch(r"/p/[0-9a-f]{12}/data", site.path), "the link leads to the file"
        assert site.log_in().headers["location"] == site.path
        project = wait_for(lambda: site._notes(site.path.split("/")[2], read=True))
        assert project["origin"]["path"] == str(table)
        assert site.project(site.upload(table.read_bytes(), name="other.csv"))["source"]["records"] == 3
    connected = [line for line in log.read_text().splitlines() if "127.0.0.1" not in line]
    assert not connected


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_it_and_leaves_nothing(tmp_path: Path, table: Path, name: str) -> None:
    site = start(tmp_path, *([str(table)] if name == "SIGTERM" else []))
    workers = wait_for(lambda: children(site)) if name == "SIGTERM" else []
    assert len(left(site)) == 1
    assert site.stop(getattr(signal, name)) == 0
    assert not left(site)
    assert wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert (tmp_path / "errors.txt").read_text() == ""
    assert table.exists()


def test_what_a_killed_start_left_the_next_one_removes(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    assert first.port != second.port
    folders = left(first)
    assert len(folders) == 2
    first.stop(signal.SIGKILL)
    assert left(first) == folders, "nobody was there to remove it"
    with running_server(tmp_path) as third:
        assert len(left(third)) == 2
        # both go on beside each other, each with a cookie of its own
        for site in (second, third):
            site.log_in()
        both = f"{second.cookie}; {third.cookie}"
        assert second.get("/", cookie=both).status == third.get("/", cookie=both).status == 200
        assert second.get("/", cookie=third.cookie).status == 403
        assert second.get("/", cookie=third.cookie.replace(str(third.port), str(second.port))).status == 403
    assert second.stop() == 0
    assert not left(second)


def test_enter_gives_a_fresh_link_and_makes_the_one_before_void(tmp_path: Path) -> None:
    terminal, inside = pty.openpty()
    site = start(
        tmp_path,
        stdin=inside,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inside)
    try:
        lines = iter(site.process.stdout or ())
        assert any("Press Enter" in line for line in lines)
        os.write(terminal, b"\n")
        fresh = next(result[0] for line in lines if (result := re.search(r"token=(\S+)", line)))
        assert site.get(f"/?token={site.token}").status == 403
        site.token = fresh.removeprefix("token=")
        assert site.log_in().status == 303
        os.write(terminal, b"\n")
        assert any("token=" in line for line in lines)
        assert site.get("/").status == 200, "who is in stays in until somebody uses the fresh link"
    finally:
        assert site.stop() == 0
        os.close(terminal)


def test_the_usual_port_may_be_taken_but_not_one_that_was_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with server._bound("127.0.0.1", port, free=True) as result:
            assert result.getsockname()[1] not in (0, port)
        with pytest.raises(PageError, match=f"Port {port} is used by another program"):
            server._bound("127.0.0.1", port, free=False)


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host", "x" * 300])
def test_a_host_must_be_one_of_this_machine(host: str) -> None:
    with pytest.raises(PageError, match="cannot be served at"):
        server._bound(host, 0, free=False)


def test_another_host_is_warned_of_and_known_by_its_name() -> None:
    usual = ServerConfig(Path("projects"), 1, 1)
    assert not any("Warning" in sentence for sentence in server._welcome(usual, "link"))
    for host in ("127.0.0.2", "::1", "localhost"):
        assert server._is_loopback(host)
    for host in (EVERYWHERE, "::", "192.0.2.1", "office.example"):
        (warning, *_) = server._welcome(ServerConfig(Path("projects"), 1, 1, host=host), "link")
        assert f"--host {host} lets every machine" in warning
        assert "unencrypted" in warning
    assert server._link_host("office.example") == "office.example"
    assert server._link_host(EVERYWHERE) == socket.gethostname()


def test_a_browser_that_cannot_be_opened_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def broken(link: str) -> bool:
        opened.append(link)
        raise OSError

    monkeypatch.setattr("webbrowser.open", broken)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    server._open("link")
    assert not opened, "without windows there is nothing to open"
    monkeypatch.setenv("DISPLAY", ":0")
    server._open("link")
    assert wait_for(lambda: opened) == ["link"]
