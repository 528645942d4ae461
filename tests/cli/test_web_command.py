"""`shoal web`: what is refused before anything starts. That it starts is tested in tests/web."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import web
from shoal.engines.memory_budget import MIN_MEMORY


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What would be served; nothing is."""
    offers: list[Any] = []
    monkeypatch.setattr("shoal.web.server.serve", lambda offer, **_: offers.append(offer))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n1\n")
    (tmp_path / "people.exe").write_text("age\n1\n")
    return offers


def test_what_is_asked_for_is_offered(shoal: Callable[..., Any], offered: list[Any], tmp_path: Path) -> None:
    assert shoal("web").code == 0
    assert shoal("web", "people.csv", "--port", 0, "--no-browser", "--max-upload", "1.5GB").code == 0
    assert shoal("web", "--memory", "2GB", "--host", "::1", "--projects", "mine").code == 0
    usual, second, third = offered
    assert (usual.host, usual.port, usual.browser, usual.file) == ("127.0.0.1", None, True, None)
    assert usual.max_upload == 4_000_000_000
    assert usual.memory >= MIN_MEMORY
    assert (second.port, second.browser, second.file, second.max_upload) == (
        0,
        False,
        Path("people.csv"),
        1_500_000_000,
    )
    assert (third.memory, third.host, third.folder) == (2_000_000_000, "::1", tmp_path / "mine")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.csv",), "The file 'none.csv' does not exist"),
        ((".",), "is a folder"),
        (("people.exe",), "is no format that Shoal knows"),
        (("--port", "many"), "Option --port has a value that it cannot take; give a whole number from 0"),
        (("--port", "70000"), "Option --port"),
        (("--port", "-1"), "Option --port"),
        (("--max-upload", "much"), "Option 'max-upload' has a value that it cannot take; give a size such as 2GB"),
        (("--memory", "much"), "Option --memory"),
        (("--memory", "1MB"), "too low"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    shoal: Callable[..., Any], offered: list[Any], arguments: tuple[str, ...], sentence: str
) -> None:
    run = shoal("web", *arguments)
    assert run.code == 2
    assert sentence in run.err
    assert len(run.err.splitlines()) == 1
    assert not offered


def test_without_the_extra_one_sentence_says_so(shoal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda name: None if name == "uvicorn" else object())
    run = shoal("web")
    assert run.code == 2
    assert run.err == (
        "shoal: The page in the browser needs packages that are not installed; run: pip install 'shoal[web]'.\n"
    )


def test_a_port_in_use_and_a_folder_that_cannot_be_are_told_in_one_sentence(
    shoal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        run = shoal("web", "--port", port, "--no-browser", "--projects", tmp_path / "projects")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"shoal: Port {port} is used by another program")
    run = shoal("web", "--no-browser", "--projects", "people.csv")
    assert run.code == 2
    assert "'" + str(tmp_path / "people.csv") + "' cannot be written" in run.err
