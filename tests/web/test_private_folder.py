"""Private scratch folder of a server process: removed however the process ends."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.system.scratch import temporary_folder
from shoal.web.projects.store import projects_folder, scratch_folder

OWNER = """
import sys
import tempfile
from pathlib import Path
from shoal.system.scratch import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "data.csv").write_text("1")
    print(folder, flush=True)
    sys.stdin.read()
"""


def owner(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """Another process that owns a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.iterdir() if path.name.startswith("start-"))


def test_a_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    parent = tmp_path / "a" / "b"
    with temporary_folder(parent) as folder:
        assert folder.parent == parent
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(parent.stat().st_mode) == 0o700
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
        (folder / "x").mkdir()
        (folder / "x" / "data.csv").write_text("1")
    assert not folders(parent)
    with pytest.raises(ZeroDivisionError), temporary_folder(parent):
        raise ZeroDivisionError
    assert not folders(parent)


def test_what_the_dead_left_is_removed_and_what_the_living_own_is_not(tmp_path: Path) -> None:
    process, other = owner(tmp_path)
    with temporary_folder(tmp_path) as mine:
        assert folders(tmp_path) == sorted([mine, other])
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert (other / "data.csv").exists(), "nobody was there to remove it"
        with temporary_folder(tmp_path) as third:
            assert folders(tmp_path) == sorted([mine, third])
        assert mine.exists()
    assert not folders(tmp_path)


def test_a_process_with_the_same_number_saves_nothing(tmp_path: Path) -> None:
    # a lock and not a number tells who is alive
    left = tmp_path / "start-0123456789abcdef"
    left.mkdir()
    (left / "owner.lock").write_text(str(os.getpid()))
    with temporary_folder(tmp_path):
        assert not left.exists()


def test_only_folders_of_ours_are_removed(tmp_path: Path) -> None:
    parent, elsewhere = tmp_path / "parent", tmp_path / "elsewhere"
    for folder in (parent, elsewhere, parent / "start-other", parent / "photos"):
        folder.mkdir()
    (elsewhere / "data.csv").write_text("1")
    (parent / "start-0123456789abcdef").symlink_to(elsewhere)
    inside = parent / "start-fedcba9876543210"
    inside.mkdir()
    (inside / "link").symlink_to(elsewhere)
    with temporary_folder(parent):
        assert not inside.exists()
    assert (elsewhere / "data.csv").exists()
    assert (parent / "photos").exists()
    assert (parent / "start-other").exists()


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "parent").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(OutputError, match="is a link or belongs to somebody else"),
        temporary_folder(tmp_path / "parent"),
    ):
        pass
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"), temporary_folder(tmp_path / "file"):
        pass
    left = tmp_path / "own" / "start-0123456789abcdef"
    left.mkdir(parents=True)
    (left / "owner.lock").symlink_to(tmp_path / "elsewhere" / "x")
    with temporary_folder(tmp_path / "own"):
        assert left.exists()
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    os.chown(parent, 12345, 12345)
    with pytest.raises(OutputError, match="belongs to somebody else"), temporary_folder(parent):
        pass


def test_a_folder_that_others_could_look_into_is_closed(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    parent.chmod(0o777)
    with temporary_folder(parent):
        assert stat.S_IMODE(parent.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other customs")
def test_folders_follow_the_customs_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert projects_folder() == tmp_path / "data" / "shoal" / "projects"
    assert scratch_folder() == tmp_path / "cache" / "shoal-web"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert projects_folder() == tmp_path / ".local" / "share" / "shoal" / "projects"
    assert scratch_folder() == tmp_path / ".cache" / "shoal-web"
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    assert scratch_folder().name == f"shoal-web-{os.getuid()}"


def test_files_go_to_the_temporary_folder_where_the_user_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr("shoal.web.projects.store.user_cache_folder", no_home)
    assert scratch_folder().parent == Path(tempfile.gettempdir())
