"""Releases in pieces, as commands make them: on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.cli.terminal import progress, warn


def released_in_pieces(
    file: str,
    target: str | Path,
    asked: Mapping[str, Any],
    *,
    reports: Mapping[Path, bool],
    quiet: bool,
    memory: str | None,
    scratch: str | None,
    **common: Any,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Release a file that may be larger than memory; the facts of the release, and what deserves a look."""
    from shoal.engines.scratch import scratch_path
    from shoal.large import anonymize_file, replay_file
    from shoal.pieced import MEMORY, LargeRelease
    from shoal.report import dossier
    from shoal.report.external import for_outsiders
    from shoal.report.large import detailed_large, summarize_large

    def pages(made: LargeRelease) -> dict[Path, str]:
        facts = detailed_large(made) if reports else {}
        return {place: dossier.page(for_outsiders(facts) if external else facts) for place, external in reports.items()}

    common |= {"memory": memory or MEMORY, "scratch": scratch, "more": pages}
    release = replay_file if "policy" in asked else anonymize_file
    try:
        with progress(quiet=quiet) as line:
            made = release(file, target, progress=line, **common, **asked)
    except (KeyboardInterrupt, SystemExit):
        left = scratch_path(Path(target), None if scratch is None else Path(scratch))
        if left.exists():
            warn([f"What is done is kept in {str(left)!r}: the same command goes on from there, or delete the folder."])
        raise
    return summarize_large(made), made.warnings
