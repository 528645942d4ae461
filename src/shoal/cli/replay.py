"""`shoal replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.terminal import (
    as_json,
    given_trees,
    is_bundle,
    open_table,
    progress,
    reading,
    show,
    show_json,
    tree_files,
    trees,
    warn,
)
from shoal.errors import BundleError


@click.command(name="replay")
@click.argument("source", metavar="BUNDLE|POLICY")
@click.option("--input", "file", required=True, metavar="FILE", help="The original table, or its next delivery.")
@click.option("-o", "--output", required=True, help="The release; its ending decides the format.")
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@click.option("--quiet", is_flag=True, help="No progress, no summary.")
@trees
@reading
@as_json
def command(source: str, file: str, output: str, force: bool, quiet: bool, as_json: bool, **options: Any) -> None:
    """Make a release again by the decisions of a bundle or a policy.

    \b
    shoal replay released.bundle.zip --input people.csv -o again.csv

    The same input gives the same bytes with the same versions of Shoal and what it is built on, and this command says
    so; with other bytes nothing is written. Another input is the next delivery. A bundle has all that is needed; a
    policy may need --hierarchy and --levels, unless their files lie beside it or the input.
    """
    from shoal.anonymize import replay
    from shoal.bundle.replay import Decisions, likeness, read_bundle
    from shoal.release import check_outputs, named_path, policy_path
    from shoal.report import text
    from shoal.report.summary import summarize
    from shoal.schema import Policy

    target, whole = named_path(output), is_bundle(source)
    inputs = [Path(file), Path(source), *tree_files(options)]
    check_outputs([target, policy_path(target)], sources=inputs, force=force)
    given = given_trees(options)
    for name in ("hierarchy", "levels"):
        if whole and options[name]:
            raise BundleError.decides(name)
    decided = read_bundle(source) if whole else Decisions(Policy.read(source), {})
    table = open_table(file, options, decided.policy.input.get("settings"))
    with progress(quiet=quiet) as line:
        if whole:
            made = replay(table, policy=decided.policy, hierarchies=decided.hierarchies, progress=line)
        else:
            made = replay(table, policy=source, **given, progress=line)
    saved = made.save(target, force=force)
    found = likeness(decided.policy, saved, source="the bundle" if whole else "the policy")
    warn(made.warnings)
    if as_json:
        show_json({"replay": found.word, "said": found.said, **summarize(made, policy=saved)})
    elif not quiet:
        show(text.release(summarize(made, policy=saved)))
        show(f"\n{found.said}\nReleased {target}\nPolicy   {policy_path(target)}")
