"""Write the example register to a file and inspect it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.web.workers.tasks import look

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Generate the register, the same every time, and inspect it as `look.run`. Takes also the number of ``rows``."""
    from shoal import data

    context.stage("making up a register")
    with data.atomic_write(Path(params["file"]["path"]), force=True) as part:
        data.write_table(data.read_table(data.example_register(params["rows"])), part)
    return look.run(params, context)
