"""`shoal demo`."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.terminal import colorize, print_warnings, progress, show
from shoal.errors import OutputError

QUASI_IDENTIFIERS = (
    *("age", "sex", "birth_date", "postcode", "region", "marital_status", "education", "occupation"),
    *("household_size", "height_cm", "weight_kg", "income", "admission_date"),
)
SENSITIVE = ("length_of_stay", "visits", "systolic_bp", "diagnosis", "treatment_cost")
IDENTIFIERS = ("person_id", "name")
MODEL = "distinct-l(2)"
PREFIX_LENGTHS = (1, 2, 3)
"""Prefix lengths of the postcode hierarchy."""
RECODE = {"age": "interval", "postcode": "lcs", "occupation": "lcs"}

EFFORT = "fast"
"""Keeps the demo within seconds."""


@click.command(name="demo")
@click.option("--folder", default="demo", show_default=True, help="Where the files go; made if needed.")
@click.option("--rows", default=5000, show_default=True, type=click.IntRange(min=100), help="How many persons.")
@click.option("-k", default=5, show_default=True, type=click.IntRange(min=2, max=50), help="The privacy level.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The seed of the register.")
def command(folder: str, rows: int, k: int, seed: int) -> None:
    """Protect a made-up register, with a report.

    Makes up a register of hospital patients from a seed, describes it, builds hierarchies, protects numbers, dates and
    categories together, with their missing values and a sensitive diagnosis, and writes release, policy and report.
    """
    from shoal.cli.precompile import precompiling

    expected = click.get_current_context().with_resource(precompiling())
    from shoal import data
    from shoal.data.example import EDUCATION, OCCUPATIONS
    from shoal.hierarchy import Hierarchy
    from shoal.release.anonymize import anonymize
    from shoal.release.inspect import describe
    from shoal.release.save import policy_path
    from shoal.report import hierarchy_drawing as drawing
    from shoal.report import text
    from shoal.report.summary import summarize
    from shoal.system.transaction import atomic_write, write_file

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError.unwritable(place, (getattr(error, "strerror", None) or "no such name").lower()) from None
    register, codes, jobs = place / "register.csv", place / "postcode.csv", place / "occupation.json"
    schools, target, report = place / "education.txt", place / "released.csv", place / "report.html"
    external = place / "report.external.html"
    with atomic_write(register, force=True) as part:
        data.write_table(data.read_table(data.example_register(rows, seed)), part)
    show(f"1. A made-up register of {rows:,} persons: {register}\n")
    show(text.description(describe(register).to_dict()))

    lengths = ",".join(map(str, PREFIX_LENGTHS))
    show(f"\n2. shoal hierarchy build prefixes {register} postcode --lengths {lengths} -o {codes}\n")
    hierarchy = Hierarchy.from_prefixes(
        data.value_counts(data.read_table(register), "postcode"), lengths=PREFIX_LENGTHS
    )
    hierarchy.save(codes, force=True)
    Hierarchy.from_dict(OCCUPATIONS).save(jobs, force=True)
    write_file(schools, "\n".join(EDUCATION) + "\n", force=True)
    show(f"   {drawing.size_text(hierarchy)}; beside it a hierarchy of occupations and the levels of education")

    arguments = [
        f"-k {k} -q {','.join(QUASI_IDENTIFIERS)}",
        f"--identifiers {','.join(IDENTIFIERS)} --sensitive {','.join(SENSITIVE)}",
        f"--model 'diagnosis={MODEL}'",
        f"--hierarchy postcode={codes} --hierarchy occupation={jobs} --levels education={schools}",
        " ".join([*(f"--recode {name}={way}" for name, way in RECODE.items()), f"--effort {EFFORT}"]),
        f"-o {target} --report {report} --external-report {external}",
    ]
    show(" \\\n     ".join([f"\n3. shoal anonymize {register}", *arguments]) + "\n")
    with progress(quiet=False, kernels_expected=expected) as line:
        release = anonymize(
            register,
            k=k,
            quasi_identifiers=QUASI_IDENTIFIERS,
            identifiers=IDENTIFIERS,
            sensitive=SENSITIVE,
            models={"diagnosis": MODEL},
            hierarchies={"postcode": codes, "occupation": jobs},
            levels={"education": schools},
            recode=RECODE,
            effort=EFFORT,
            progress=line,
        )
    saved = release.save(
        target,
        force=True,
        extra_files=lambda policy: {
            report: release.report(policy=policy),
            external: release.report(external=True, policy=policy),
        },
    )
    show(text.release(summarize(release, policy=saved), paint=colorize))
    print_warnings(release.warnings)
    show(f"\n4. Released {target}\n   Policy   {policy_path(target)}\n   Report   {report}\n   External {external}")
