"""Write the example register to a file and inspect it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.web.tasks import look

if TYPE_CHECKING:
    from shoal.web.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Generate the register, the same every time, and inspect it as `look.run`. Takes also the number of ``rows``."""
    from shoal import tables

    context.stage("making up a register")
    with tables.atomic_write(Path(params["file"]["path"]), force=True) as part:
        tables.write_table(tables.read_table(tables.example_register(params["rows"])), part)
    return look.run(params, context)
