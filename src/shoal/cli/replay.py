"""`shoal replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import flag_of, hierarchy_arguments, hierarchy_paths, release_options
from shoal.cli.terminal import (
    as_json,
    is_bundle,
    open_table,
    parse_read_options,
    print_warnings,
    progress,
    show,
    show_json,
    with_read_options,
)
from shoal.errors import BundleError

if TYPE_CHECKING:
    from shoal.release.base_release import BaseRelease


@click.command(name="replay")
@click.argument("source", metavar="BUNDLE|POLICY")
@click.option("--input", "file", required=True, metavar="FILE", help="The original table, or its next delivery.")
@click.option("-o", "--output", required=True, help="The release; its ending decides the format.")
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@click.option("--quiet", is_flag=True, help="No progress, no summary.")
@release_options("hierarchies", "levels")
@with_read_options
@as_json
def command(source: str, file: str, output: str, force: bool, quiet: bool, as_json: bool, **options: Any) -> None:
    """Make a release again by the decisions of a bundle or a policy.

    \b
    shoal replay released.bundle.zip --input people.csv -o again.csv

    The same input gives the same bytes with the same versions of Shoal and what it is built on, and this command says
    so; with other bytes nothing is written. Another input is the next delivery. A bundle has all that is needed; a
    policy may need --hierarchy and --levels, unless their files lie beside it or the input.
    """
    from shoal.domain import Policy
    from shoal.release.anonymize import replay
    from shoal.release.anonymize_file import replay_file
    from shoal.release.bundle.replay_bundle import read_bundle
    from shoal.release.save import check_path, check_release_paths, compare_outputs, policy_path
    from shoal.report import text
    from shoal.report.summary import summarize

    target, from_bundle = check_path(output), is_bundle(source)
    inputs = [Path(file), Path(source), *hierarchy_paths(options)]
    check_release_paths([target, policy_path(target)], sources=inputs, force=force)
    given = hierarchy_arguments(options)
    if from_bundle:
        if given:
            raise BundleError.option_in_bundle(flag_of(next(iter(given))))
        policy, trees = read_bundle(source)
        given = {"policy": policy, "hierarchies": trees}
    else:
        policy = Policy.read(source)
        given["policy"] = source
    release: BaseRelease
    with progress(quiet=quiet) as line:
        if policy.pieces is not None:
            reading = parse_read_options(file, options, policy)
            release = replay_file(file, target, options=reading, force=force, progress=line, **given)
            saved = release.policy
        else:
            in_memory = replay(open_table(file, options, policy), progress=line, **given)
            release, saved = in_memory, in_memory.save(target, force=force)
    comparison = compare_outputs(policy, saved, source="the bundle" if from_bundle else "the policy")
    print_warnings(release.warnings)
    if as_json:
        show_json({"replay": comparison.result, "said": comparison.sentence, **summarize(release, policy=saved)})
    elif not quiet:
        show(text.release(summarize(release, policy=saved)))
        show(f"\n{comparison.sentence}\nReleased {target}\nPolicy   {policy_path(target)}")
