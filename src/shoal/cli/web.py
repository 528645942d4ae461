"""`shoal web`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from shoal.cli.terminal import parse_int, show
from shoal.errors import FileError, OptionError, PackageError

_PACKAGES = ("jinja2", "starlette", "uvicorn")
_MEMORY_FRACTION = 0.75
"""Default limit of each worker, as a fraction of the machine's memory."""
_PORTS = range(65536)


@click.command(name="web")
@click.argument("file", required=False)
@click.option("--port", help="The port of the page.  [default: 8088, or a free one]")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address of the page. Another one than this lets other machines ask for it, unencrypted.",
)
@click.option("--no-browser", is_flag=True, help="Print the link, and open no browser.")
@click.option("--projects", metavar="FOLDER", help="Where projects are kept.  [default: the user's folder for data]")
@click.option("--max-upload", default="4GB", show_default=True, metavar="SIZE", help="The largest file that is taken.")
@click.option(
    "--memory",
    metavar="SIZE",
    help="The most memory that each process at work may take.  [default: three quarters of the machine]",
)
def command(
    file: str | None,
    port: str | None,
    host: str,
    no_browser: bool,
    projects: str | None,
    max_upload: str,
    memory: str | None,
) -> None:
    """Protect a table on a page in the browser, without writing code.

    \b
    shoal web
    shoal web people.csv

    The page runs on this machine, and nothing leaves it. The printed link lets one browser in, once. FILE is read where
    it is; files that are dropped on the page are kept for as long as the page runs. Projects keep settings and results.
    """
    if not all(map(find_spec, _PACKAGES)):
        raise PackageError.needs_extra("The page in the browser", "web")
    from shoal.engines.memory_budget import MIN_MEMORY, check_memory, parse_bytes
    from shoal.system.memory import total_memory

    path = None if file is None else _table_path(file)
    number = None if port is None else parse_int(port, OptionError.invalid_value("port", _A_PORT))
    if number is not None and number not in _PORTS:
        raise OptionError.invalid_value("port", _A_PORT)
    upload_limit = parse_bytes(max_upload, option="max-upload")
    default = max(MIN_MEMORY, int(total_memory(default=8 << 30) * _MEMORY_FRACTION))
    memory_limit = default if memory is None else check_memory(memory)

    from shoal.web.projects.store import projects_folder
    from shoal.web.server import ServerConfig, serve

    folder = projects_folder() if projects is None else Path(projects).absolute()
    offer = ServerConfig(folder, upload_limit, memory_limit, host=host, port=number, browser=not no_browser, file=path)
    serve(offer, notify=show)


_A_PORT = f"a whole number from 0 (any free one) to {_PORTS[-1]}"


def _table_path(file: str) -> Path:
    """Check that the file exists and has a table format."""
    from shoal.data.file_formats import EXTENSIONS, format_of
    from shoal.data.read import check_file_exists

    path = Path(file)
    check_file_exists(path)
    if format_of(path) is None:
        raise FileError.unknown_format(path, EXTENSIONS)
    return path
