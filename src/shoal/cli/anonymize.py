"""`shoal anonymize`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.aside import reason
from shoal.cli.decisions import DECISIONS, decided, decisions, own_options
from shoal.cli.in_pieces import released_in_pieces
from shoal.cli.protection import protection
from shoal.cli.terminal import (
    as_json,
    given_trees,
    meaning,
    on_terminal,
    open_table,
    paint,
    progress,
    reading,
    reading_options,
    show,
    show_json,
    tree_files,
    warn,
    whole,
)
from shoal.errors import EngineError, FileError, OptionError, OutputError, PolicyError
from shoal.threads import whole_threads

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.schema import Policy
    from shoal.values import Progress

_ROWS = 3
"""Records that a terminal shows before and after."""


@click.command(name="anonymize")
@click.argument("file")
@click.option("-k", help="The least number of alike records: your decision, no default.")
@click.option("-o", "--output", required=True, help="The release; its ending decides the format.")
@click.option("--method", help="See `shoal methods`.  [default: auto, which tries several]")
@decisions
@click.option(
    "--seconds",
    metavar="S",
    help="The most that method and search may take; the policy keeps the steps that these came to.",
)
@click.option(
    "--blocks",
    metavar="N",
    help="Run the method in blocks of at most N records.  [default: all at once; auto decides by itself]",
)
@click.option(
    "--threads",
    metavar="N",
    help="How many threads work; the release does not depend on it.  [default: SHOAL_THREADS, else one for each core]",
)
@click.option("--policy", help="Take every decision from this policy file instead.")
@click.option("--report", help="Also write a report for internal use: an HTML file.")
@click.option("--external-report", help="Also write a report that may be published with the release: an HTML file.")
@click.option("--compared", metavar="FILE", help="What `shoal compare --json` printed, to be shown in the report.")
@click.option("--bundle", help="Also write all evidence with the release in it: a zip file, for internal use.")
@click.option(
    "--memory",
    metavar="SIZE",
    help="The most memory that the run may take, such as 2GB: a csv or Parquet file of any size is then worked on in"
    " pieces, with a scratch folder beside the output.",
)
@click.option("--scratch", metavar="FOLDER", help="Where that scratch folder is made.  [default: beside the output]")
@click.option(
    "--engine",
    metavar="NAME",
    help="Who works on the pieces: local, this machine; or spark, a cluster, which reads and writes folders of Parquet"
    " at addresses such as hdfs:///data/register.  [default: local]",
)
@click.option(
    "--master",
    metavar="URL",
    help="The cluster, such as spark://HOST:7077 or yarn.  [default: that of spark-submit, else this machine]",
)
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@click.option("--quiet", is_flag=True, help="No progress, no summary.")
@protection
@meaning
@reading
@as_json
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
    """Release FILE so that every record hides among at least k alike.

    \b
    shoal anonymize people.csv -k 5 -q age,income --identifiers name -o released.csv
    shoal anonymize people.csv -k 5 -q job,country --hierarchy job=jobs.csv --hierarchy country=countries.csv \\
        --recode lcs -o released.csv

    The release is verified before it appears. Beside it stands its policy (OUTPUT.policy.toml), which makes
    the same release again:

    \b
    shoal anonymize people.csv --policy released.csv.policy.toml -o again.csv

    While local search improves the groups, a first interrupt (Ctrl-C) ends it, and the best groups so far are
    released; a second one ends the command.
    """
    if memory is not None:
        from shoal.engines.allocators import keep_little

        keep_little()
    expected = None
    if memory is None and engine is None and policy is None and _threads(options) != 1:
        from shoal.cli.precompile import DEFAULT, precompiling

        method = options["method"] or DEFAULT
        searches = options["refine"]
        if searches is None:
            searches = method == DEFAULT or options["effort"] is not None or options["seconds"] is not None
        expected = click.get_current_context().with_resource(precompiling(method, searches=searches))
    from shoal.bundle.contents import bundle_path, bundling
    from shoal.engines.interface import ENGINES, LOCAL
    from shoal.release import check_outputs, check_places, named_path, policy_path
    from shoal.report.summary import summarize
    from shoal.values import one_of

    here = one_of("engine", engine or LOCAL, ENGINES) == LOCAL
    if here and master is not None:
        raise EngineError.only_spark("--master")
    target = named_path(output)
    asked = [(name, external) for name, external in ((report, False), (external_report, True)) if name is not None]
    reports = {named_path(name): external for name, external in asked}
    if len(reports) < len(asked):
        raise OutputError.named_twice(str(report))
    bundles = [bundle_path(bundle)] if bundle is not None else []
    comparison = _comparison(Path(compared)) if compared is not None else None
    inputs = [Path(file), *(Path(name) for name in (policy, compared) if name), *tree_files(options)]
    if here:
        check_outputs([target, policy_path(target), *reports, *bundles], sources=inputs, force=force)
    else:  # where a cluster reads and writes, it looks itself
        check_places([*reports], sources=inputs, force=force)
        _check_reports([*reports], file, output)
    written: dict[str, Any] = {"Released": target, "Policy": policy_path(target)}
    if not here:
        written = {"Released": output, "Policy": f"{output.rstrip('/')}.policy.toml"}
    written |= {"Report": report, "External": external_report}
    if policy is not None:
        _check_undecided(options)
    if not here or memory is not None or (policy is not None and _noted(policy).pieces is not None):
        if bundles or comparison is not None:
            raise OptionError.needs_memory("a bundle" if bundles else "a comparison in its report")
        asking = _again(policy, options) if policy else _asked(options)
        facts, warnings = released_in_pieces(
            file,
            target if here else output,
            asking,
            options=reading_options(file, options, _noted(policy).input.get("settings") if policy and here else None),
            reports=reports,
            quiet=quiet,
            engine=LOCAL if here else engine,
            master=master,
            memory=memory,
            scratch=scratch,
            force=force,
        )
        _tell(facts, warnings, written, as_json=as_json, quiet=quiet)
        return
    if scratch is not None:
        raise OptionError.bad_option("scratch", "it together with memory (--memory)")
    with progress(quiet=quiet, kernels_expected=expected) as line:
        made = _replay(file, policy, options, line) if policy else _anonymize(file, options, line)
    saved = made.save(
        target,
        force=force,
        more=lambda policy: {
            **{
                place: made.report(external=external, policy=policy, comparison=comparison)
                for place, external in reports.items()
            },
            **{place: bundling(made) for place in bundles},
        },
    )
    written["Bundle"] = bundle
    _tell(summarize(made, policy=saved), made.warnings, written, as_json=as_json, quiet=quiet, made=made)


def _check_reports(reports: Sequence[Path], file: str, output: str) -> None:
    """Refuse reports in the folders that a cluster reads and writes, where these lie on this machine."""
    for place in (report.resolve() for report in reports):
        if place.is_relative_to(Path(file).resolve()):
            raise OutputError.is_input(place)
        if place.is_relative_to(Path(output).resolve()) or place == Path(f"{output.rstrip('/')}.policy.toml").resolve():
            raise OutputError.named_twice(place)


def _tell(
    facts: dict[str, Any],
    warnings: Sequence[str],
    written: Mapping[str, Any],
    *,
    as_json: bool,
    quiet: bool,
    made: Release | None = None,
) -> None:
    """Say what was released, and where it is; of what was ``made`` in memory, a terminal also shows a few rows."""
    from shoal.report import text

    if as_json or quiet:
        warn(warnings)
    if as_json:
        show_json(facts)
    elif not quiet:
        show(text.release(facts, paint=paint))
        if made is not None and on_terminal():
            show("\n" + text.compared(made.compared_rows(rows=_ROWS)))
        warn(warnings)
        show("\n" + "\n".join(f"{word.ljust(8)} {path}" for word, path in written.items() if path))


def _comparison(path: Path) -> dict[str, Any]:
    """The plain data of a comparison, if it can be shown."""
    from shoal.report import frontier

    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        frontier.section(facts)
    except FileNotFoundError:
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, IndexError, RecursionError):
        raise FileError.damaged(path, "comparison") from None
    return facts


def _asked(options: dict[str, Any]) -> dict[str, Any]:
    """All decisions, as `shoal.anonymize` takes them."""
    if options["k"] is None:
        raise OptionError.no_k()
    return {
        "k": whole(options["k"], OptionError.k_not_whole()),
        "method": options["method"],
        "seconds": options["seconds"],
        "blocks": None if options["blocks"] is None else whole(options["blocks"], OptionError.blocks_not_whole()),
        "threads": _threads(options),
        **decided(options),
        **own_options(options, [options["method"]] if options["method"] else []),
    }


def _anonymize(file: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import anonymize

    return anonymize(open_table(file, options), progress=line, **_asked(options))


def _check_undecided(options: dict[str, Any]) -> None:
    """Beside a policy nothing else may be decided."""
    for name in ("k", "method", "blocks", *DECISIONS):
        if options[name] not in (None, ()):
            raise PolicyError.decides(name.replace("_", "-"))


def _noted(path: str) -> Policy:
    from shoal.schema import Policy

    return Policy.read(path)


def _again(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """What a replay of a policy needs to know."""
    return {"policy": path, **given_trees(options), "threads": _threads(options)}


def _replay(file: str, path: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import replay

    table = open_table(file, options, _noted(path).input.get("settings"))
    return replay(table, progress=line, **_again(path, options))


def _threads(options: dict[str, Any]) -> int | None:
    return None if options["threads"] is None else whole_threads(options["threads"])
