"""`shoal web`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from shoal.cli.terminal import show, whole
from shoal.errors import FileError, OptionError, PackageError

_NEEDED = ("jinja2", "starlette", "uvicorn")
_SHARE = 0.75
"""Of the machine's memory."""
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
    if not all(map(find_spec, _NEEDED)):
        raise PackageError.needs_extra("The page in the browser", "web")
    from shoal.engines.sizing import bytes_in, whole_bytes

    path = None if file is None else _table(file)
    number = None if port is None else whole(port, OptionError.bad_option("port", _A_PORT))
    if number is not None and number not in _PORTS:
        raise OptionError.bad_option("port", _A_PORT)
    most = bytes_in(max_upload, option="max-upload")
    ceiling = _three_quarters() if memory is None else whole_bytes(memory)

    from shoal.web.folders import projects_folder
    from shoal.web.server import Offer, serve

    folder = projects_folder() if projects is None else Path(projects).absolute()
    offer = Offer(folder, most, ceiling, host=host, port=number, browser=not no_browser, file=path)
    serve(offer, tell=show)


_A_PORT = f"a whole number from 0 (any free one) to {_PORTS[-1]}"


def _table(file: str) -> Path:
    """The file, if it can be a table."""
    from shoal.tables.files import check_there
    from shoal.tables.formats import ENDINGS, format_of

    path = Path(file)
    check_there(path)
    if format_of(path) is None:
        raise FileError.unknown_format(path, ENDINGS)
    return path


def _three_quarters() -> int:
    from shoal.engines.sizing import LEAST
    from shoal.tables.glance import memory

    return max(LEAST, int(memory(untold=8 << 30) * _SHARE))
