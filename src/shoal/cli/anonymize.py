"""`shoal anonymize`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.aside import reason
from shoal.cli.decisions import DECISIONS, decided, decisions, own_options
from shoal.cli.protection import protection
from shoal.cli.terminal import (
    as_json,
    meaning,
    open_table,
    paint,
    pairs,
    progress,
    reading,
    show,
    show_json,
    tree_files,
    warn,
    whole,
)
from shoal.errors import FileError, OptionError, OutputError, PolicyError

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.values import Progress


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
@click.option("--policy", help="Take every decision from this policy file instead.")
@click.option("--report", help="Also write a report for internal use: an HTML file.")
@click.option("--external-report", help="Also write a report that may be published with the release: an HTML file.")
@click.option("--compared", metavar="FILE", help="What `shoal compare --json` printed, to be shown in the report.")
@click.option("--bundle", help="Also write all evidence with the release in it: a zip file, for internal use.")
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
    from shoal.bundle.contents import bundle_path, bundling
    from shoal.release import check_outputs, named_path, policy_path
    from shoal.report import text
    from shoal.report.summary import summarize

    target = named_path(output)
    asked = [(name, external) for name, external in ((report, False), (external_report, True)) if name is not None]
    reports = {named_path(name): external for name, external in asked}
    if len(reports) < len(asked):
        raise OutputError.named_twice(str(report))
    bundles = [bundle_path(bundle)] if bundle is not None else []
    comparison = _comparison(Path(compared)) if compared is not None else None
    inputs = [Path(file), *(Path(name) for name in (policy, compared) if name), *tree_files(options)]
    check_outputs([target, policy_path(target), *reports, *bundles], sources=inputs, force=force)
    with progress(quiet=quiet) as line:
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
    facts = summarize(made, policy=saved)
    if as_json or quiet:
        warn(made.warnings)
    if as_json:
        show_json(facts)
    elif not quiet:
        show(text.release(facts, paint=paint))
        warn(made.warnings)
        written = {"Released": target, "Policy": policy_path(target), "Report": report, "External": external_report}
        written["Bundle"] = bundle
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
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise FileError.damaged(path, "comparison") from None
    return facts


def _anonymize(file: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import anonymize

    if options["k"] is None:
        raise OptionError.no_k()
    asked = decided(options)
    return anonymize(
        open_table(file, options),
        k=whole(options["k"], OptionError.k_not_whole()),
        method=options["method"],
        seconds=options["seconds"],
        progress=line,
        **asked,
        **own_options(options, [options["method"]] if options["method"] else []),
    )


def _replay(file: str, path: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import replay
    from shoal.schema import Policy

    for name in ("k", "method", *DECISIONS):
        if options[name] not in (None, ()):
            raise PolicyError.decides(name.replace("_", "-"))
    table = open_table(file, options, Policy.read(path).input.get("settings"))
    hierarchies = pairs(options["hierarchy"], "hierarchy", last=False)
    levels = pairs(options["levels"], "levels", last=False)
    return replay(table, policy=path, hierarchies=hierarchies, levels=levels, progress=line)
