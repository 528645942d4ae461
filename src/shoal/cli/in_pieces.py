"""Out-of-core releases, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.cli.terminal import print_warnings, progress


def release_out_of_core(
    file: str,
    target: str | Path,
    arguments: Mapping[str, Any],
    *,
    reports: Mapping[Path, bool],
    quiet: bool,
    memory: str | None,
    scratch: str | None,
    **common: Any,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Release a file that may be larger than memory; return the summary and the warnings."""
    from shoal.engines.scratch import scratch_path
    from shoal.large import anonymize_file, replay_file
    from shoal.pieced import DEFAULT_MEMORY, LargeRelease
    from shoal.report import dossier
    from shoal.report.external import external_facts
    from shoal.report.large import file_report_facts, summarize_file_release

    def pages(release: LargeRelease) -> dict[Path, str]:
        facts = file_report_facts(release) if reports else {}
        return {
            place: dossier.page(external_facts(facts) if external else facts) for place, external in reports.items()
        }

    common |= {"memory": memory or DEFAULT_MEMORY, "scratch": scratch, "more": pages}
    run = replay_file if "policy" in arguments else anonymize_file
    try:
        with progress(quiet=quiet) as line:
            release = run(file, target, progress=line, **common, **arguments)
    except (KeyboardInterrupt, SystemExit):
        folder = scratch_path(Path(target), None if scratch is None else Path(scratch))
        if folder.exists():
            print_warnings(
                [f"What is done is kept in {str(folder)!r}: the same command goes on from there, or delete the folder."]
            )
        raise
    return summarize_file_release(release), release.warnings
