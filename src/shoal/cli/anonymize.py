"""`shoal anonymize`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import (
    hierarchy_arguments,
    hierarchy_paths,
    method_options,
    refuse_options,
    release_arguments,
    required,
    with_policy_option,
    with_release_options,
    with_renamed_options,
)
from shoal.cli.terminal import (
    as_json,
    colorize,
    is_terminal,
    open_table,
    parse_read_options,
    print_warnings,
    progress,
    show,
    show_json,
    with_read_options,
)
from shoal.errors import BundleError, EngineError, FileError, OptionError, OutputError, PolicyError
from shoal.system.atomic import os_error_reason
from shoal.system.threads import check_threads

if TYPE_CHECKING:
    from shoal.domain import Policy
    from shoal.release.base_release import BaseRelease
    from shoal.release.file_release import FileRelease
    from shoal.release.save import ExtraFiles


_output, _large = partial(option, group="Outputs"), partial(option, group="Large files")
_ROWS = 3
"""Number of records to print before and after, on a terminal."""


@click.command(name="anonymize", cls=GroupedCommand)
@click.argument("file")
@with_release_options()
@with_policy_option(
    "Policy file to take every decision from. No other option of the release can be given beside it, so that no"
    " decision has two values; only -k can, if the policy leaves k open."
)
@_output("-o", "--output", required=True, metavar="FILE", help="The release; its extension decides the format.")
@_output("--report", metavar="FILE", help="Also write a report for internal use, as HTML.")
@_output(
    "--external-report", metavar="FILE", help="Also write a report that may be published with the release, as HTML."
)
@_output("--compared", metavar="FILE", help="Output of shoal compare --json, to be shown in the report.")
@_output("--bundle", metavar="FILE", help="Also write a zip file with the release and all evidence, for internal use.")
@_output("--force", is_flag=True, help="Replace outputs that exist.")
@_output("--quiet", is_flag=True, help="Show no progress and no summary.")
@_large(
    "--memory",
    metavar="SIZE",
    help="Memory limit of the run, such as 2GB. A csv or Parquet file of any size is then released in parts, with a"
    " scratch folder beside the output.",
)
@_large("--scratch", metavar="FOLDER", help="Where to make the scratch folder.  [default: beside the output]")
@_large(
    "--engine",
    metavar="[local|spark]",
    help="Release the parts on this machine or on a Spark cluster, which reads and writes folders of Parquet at"
    " addresses such as hdfs:///data/register.  [default: local]",
)
@_large(
    "--master",
    metavar="URL",
    help="The cluster, such as spark://HOST:7077 or yarn.  [default: that of spark-submit, else this machine]",
)
@_large(
    "--threads",
    metavar="INTEGER",
    help="Number of threads. The release does not depend on it.  [default: SHOAL_THREADS, else one per core]",
)
@with_read_options
@as_json
@with_renamed_options
def command(
    file: str,
    output: str,
    policy: str | None,
    report: str | None,
    external_report: str | None,
    compared: str | None,
    bundle: str | None,
    memory: str | None,
    scratch: str | None,
    engine: str | None,
    master: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Anonymize FILE with verified k-anonymity.

    \b
    shoal anonymize people.csv -k 5 -q age,income --identifiers name -o released.csv
    shoal anonymize people.csv -k 5 -q job,country --hierarchy job=jobs.csv --hierarchy country=countries.csv \\
        --recode lcs -o released.csv

    shoal init proposes these decisions in a policy file, for you to edit:

    \b
    shoal init people.csv
    shoal anonymize people.csv --policy people.policy.toml -o released.csv

    The release is verified before it appears. Its own policy is beside it (OUTPUT.policy.toml) and makes the same
    release again. shoal verify and shoal evaluate use it, too.

    While local search improves the groups, a first interrupt (Ctrl-C) ends it, and the best groups so far are
    released; a second one ends the command.
    """
    if memory is not None:
        from shoal.system.memory import limit_allocator_cache

        limit_allocator_cache()
    options["threads"] = None if options["threads"] is None else check_threads(options["threads"])
    expected = None
    if memory is None and engine is None and policy is None and options["threads"] != 1:
        expected = _precompile(options)
    from shoal.domain import check_choice
    from shoal.engines.engine import ENGINES, LOCAL
    from shoal.release.anonymize import anonymize, replay
    from shoal.release.bundle.write_bundle import bundle_path, bundle_writer
    from shoal.release.save import check_output_paths, check_path, check_release_paths, policy_path

    is_local = check_choice("engine", engine or LOCAL, ENGINES) == LOCAL
    if is_local and master is not None:
        raise EngineError.spark_only_option("--master")
    target = check_path(output)
    named = [(name, external) for name, external in ((report, False), (external_report, True)) if name is not None]
    reports = {check_path(name): external for name, external in named}
    if len(reports) < len(named):
        raise OutputError.duplicate_path(str(report))
    bundles = [bundle_path(bundle)] if bundle is not None else []
    comparison = _comparison(Path(compared)) if compared is not None else None
    inputs = [Path(file), *(Path(name) for name in (policy, compared) if name), *hierarchy_paths(options)]
    if is_local:
        check_release_paths([target, policy_path(target), *reports, *bundles], sources=inputs, force=force)
    else:  # the cluster checks its own input and output
        check_output_paths([*reports], sources=inputs, force=force)
        _check_reports([*reports], file, output)
    written: dict[str, Any] = {"Released": target, "Policy": policy_path(target)}
    if not is_local:
        written = {"Released": output, "Policy": f"{output.rstrip('/')}.policy.toml"}
    written |= {"Report": report, "External": external_report, "Bundle": bundle}

    def evidence(release: BaseRelease, policy: Policy) -> ExtraFiles:
        pages = {
            place: release.report(external=external, policy=policy, comparison=comparison)
            for place, external in reports.items()
        }
        return {**pages, **{place: bundle_writer(release) for place in bundles}}

    arguments = _release_arguments(options) if policy is None else _replay_arguments(policy, options)
    decisions = arguments.get("policy")
    if is_local and memory is None and getattr(decisions, "pieces", None) is None:
        if scratch is not None:
            raise OptionError.invalid_value("scratch", "it together with memory (--memory)")
        with progress(quiet=quiet, kernels_expected=expected) as line:
            run = anonymize if decisions is None else replay
            release = run(open_table(file, options, decisions), progress=line, **arguments)
        saved = release.save(target, force=force, extra_files=partial(evidence, release))
        _print_result(release, saved, written, as_json=as_json, quiet=quiet)
        return
    if bundles and not is_local:
        raise BundleError.one_file()
    large = _release_out_of_core(
        file,
        target if is_local else output,
        quiet=quiet,
        scratch=scratch,
        options=parse_read_options(file, options, decisions if is_local else None),
        extra_files=lambda release: evidence(release, release.policy),
        engine=LOCAL if is_local else engine,
        master=master,
        memory=memory,
        force=force,
        **arguments,
    )
    _print_result(large, large.policy, written, as_json=as_json, quiet=quiet)


def _precompile(options: dict[str, Any]) -> int | None:
    """Compile kernels in a second process while the command runs; return how many this one compiles, if known."""
    from shoal.cli.precompile import DEFAULT_METHOD, precompiling

    method, local_search = options["method"] or DEFAULT_METHOD, options["refine"]
    if local_search is None:
        local_search = method == DEFAULT_METHOD or options["effort"] is not None or options["time_limit"] is not None
    return click.get_current_context().with_resource(precompiling(method, local_search=local_search))


def _check_reports(reports: Sequence[Path], file: str, output: str) -> None:
    """Refuse reports inside the input or output folder of the cluster, if these are local."""
    for place in (report.resolve() for report in reports):
        if place.is_relative_to(Path(file).resolve()):
            raise OutputError.is_input(place)
        if place.is_relative_to(Path(output).resolve()) or place == Path(f"{output.rstrip('/')}.policy.toml").resolve():
            raise OutputError.duplicate_path(place)


def _print_result(
    release: BaseRelease, policy: Policy, written: Mapping[str, Any], *, as_json: bool, quiet: bool
) -> None:
    """Print the result and its files. For a release in memory, also print sample rows on a terminal."""
    from shoal.release.result import Release
    from shoal.report import text
    from shoal.report.summary import summarize

    facts = summarize(release, policy=policy)
    if as_json or quiet:
        print_warnings(release.warnings)
    if as_json:
        show_json(facts)
    elif not quiet:
        show(text.release(facts, paint=colorize))
        if isinstance(release, Release) and is_terminal():
            show("\n" + text.compared_rows(release.row_comparison(rows=_ROWS)))
        print_warnings(release.warnings)
        show("\n" + "\n".join(f"{label.ljust(8)} {path}" for label, path in written.items() if path))


def _comparison(path: Path) -> dict[str, Any]:
    """Read the data of a comparison, and check that it can be rendered."""
    from shoal.report import frontier_chart

    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        frontier_chart.section(facts)
    except FileNotFoundError:
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, IndexError, RecursionError):
        raise FileError.damaged(path, "comparison") from None
    return facts


def _release_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of `shoal.anonymize`."""
    required(options, "k")
    return {
        "threads": options["threads"],
        **release_arguments(options),
        **method_options(options, [options["method"]] if options["method"] else []),
    }


def _replay_arguments(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `shoal.replay`; refuse release options, but not a k that the policy leaves open."""
    from shoal.domain import Policy, read_policy

    refuse_options(options, beside=["k"])
    policy, k = read_policy(path), options["k"]
    if k is not None:
        if isinstance(policy, Policy) or "k" in policy.arguments:
            raise PolicyError.option_in_policy("k")
        policy = replace(policy, arguments={**policy.arguments, "k": k})
    return {"policy": policy, **hierarchy_arguments(options), "threads": options["threads"]}


def _release_out_of_core(
    file: str, target: str | Path, *, quiet: bool, memory: str | None, scratch: str | None, **arguments: Any
) -> FileRelease:
    """Release a file that may be larger than memory."""
    from shoal.release.anonymize_file import anonymize_file, replay_file
    from shoal.release.file_release import DEFAULT_MEMORY
    from shoal.system.scratch import scratch_path

    run = replay_file if "policy" in arguments else anonymize_file
    try:
        with progress(quiet=quiet) as line:
            return run(file, target, progress=line, memory=memory or DEFAULT_MEMORY, scratch=scratch, **arguments)
    except (KeyboardInterrupt, SystemExit):
        folder = scratch_path(Path(target), None if scratch is None else Path(scratch))
        if folder.exists():
            print_warnings(
                [f"What is done is kept in {str(folder)!r}: the same command goes on from there, or delete the folder."]
            )
        raise
