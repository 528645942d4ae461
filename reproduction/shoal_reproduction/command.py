"""`shoal reproduce`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from shoal.cli.terminal import as_json, parse_names, progress, show, show_json
from shoal.errors import OutputError
from shoal_reproduction.errors import SelectionError

FILES = ("reproduction.json", "reproduction.csv", "reproduction.html")


@click.command(name="reproduce")
@click.option("--data", help="The folder with the data sets.  [default: $SHOAL_DATA, else ../shared/data]")
@click.option(
    "--only", multiple=True, help="Papers, tables, data sets or methods, as a,b,c: such as 'census,hac' or 'table 6'."
)
@click.option("-o", "--output", default="reproduction", show_default=True, help="The folder for the files.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--quiet", is_flag=True, help="No progress line.")
@as_json
def command(data: str | None, only: tuple[str, ...], output: str, force: bool, quiet: bool, as_json: bool) -> None:
    """Print the figures of papers beside ours.

    Runs every printed table that the data allows, and all methods on the same data sets. Writes JSON, csv and an HTML
    page with tables and plots. docs/data.md says where the data sets are published.
    """
    from shoal.system.transaction import FileTransaction
    from shoal_reproduction import report
    from shoal_reproduction.reproduction import make_plan, run_plan

    filters = parse_names(only)
    if only and not filters:
        raise SelectionError.empty([])
    selected = make_plan(data, only=filters)
    place = _folder(output, force=force)
    with progress(quiet=quiet, description="running", unit="runs") as line:
        facts = run_plan(selected, progress=line).to_dict()
    texts = (json.dumps(facts, indent=2, allow_nan=False) + "\n", report.table(facts), report.page(facts))
    with FileTransaction(force=force) as files:
        for name, text in zip(FILES, texts, strict=True):
            files.add(place / name).write_text(text)
        files.commit()
    if as_json:
        show_json(facts)
    else:
        show(report.text(facts, width=max(60, min(shutil.get_terminal_size((110, 40)).columns, 110))))
        show("\nWritten: " + ", ".join(str(place / name) for name in FILES))


def _folder(output: str, *, force: bool) -> Path:
    """Create the output folder if needed, and refuse existing files without ``force``."""
    if not output:
        raise OutputError.invalid_name()
    place = Path(output)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError.unwritable(place, (getattr(error, "strerror", None) or "no such name").lower()) from None
    for name in FILES:
        if (place / name).exists() and not force:
            raise OutputError.exists(place / name)
    return place
