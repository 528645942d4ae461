"""`shoal demo`."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.terminal import paint, progress, show, warn
from shoal.errors import OutputError

QUASI_IDENTIFIERS = (
    *("age", "sex", "birth_date", "postcode", "region", "marital_status", "education", "occupation"),
    *("household_size", "height_cm", "weight_kg", "income", "admission_date"),
)
SENSITIVE = ("length_of_stay", "visits", "systolic_bp", "diagnosis", "treatment_cost")
DROPPED = ("person_id", "name")
MODEL = "distinct-l(2)"
LENGTHS = (1, 2, 3)
"""How many digits the levels of the postcode's hierarchy keep."""
RECODE = {"age": "interval", "postcode": "lcs", "occupation": "lcs"}

EFFORT = "fast"
"""A demo takes seconds."""


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
    from shoal import tables
    from shoal.anonymize import anonymize
    from shoal.assess import describe
    from shoal.hierarchy import Hierarchy
    from shoal.release import policy_path
    from shoal.report import hierarchy as drawing
    from shoal.report import text
    from shoal.report.summary import summarize
    from shoal.tables.example import EDUCATION, OCCUPATIONS

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError.unwritable(place, (getattr(error, "strerror", None) or "no such name").lower()) from None
    register, codes, jobs = place / "register.csv", place / "postcode.csv", place / "occupation.json"
    schools, target, report = place / "education.txt", place / "released.csv", place / "report.html"
    external = place / "report.external.html"
    with tables.aside(register, force=True) as part:
        tables.write(tables.read(tables.example_register(rows, seed)), part)
    show(f"1. A made-up register of {rows:,} persons: {register}\n")
    show(text.description(describe(register).to_dict()))

    lengths = ",".join(map(str, LENGTHS))
    show(f"\n2. shoal hierarchy build prefixes {register} postcode --lengths {lengths} -o {codes}\n")
    hierarchy = Hierarchy.from_prefixes(tables.value_counts(tables.read(register), "postcode"), lengths=LENGTHS)
    hierarchy.save(codes, force=True)
    Hierarchy.from_dict(OCCUPATIONS).save(jobs, force=True)
    with tables.aside(schools, force=True) as part:
        part.write_text("\n".join(EDUCATION) + "\n", encoding="utf-8")
    show(f"   {drawing.size(hierarchy)}; beside it a hierarchy of occupations and the levels of education")

    chosen = [
        f"-k {k} -q {','.join(QUASI_IDENTIFIERS)}",
        f"--identifiers {','.join(DROPPED)} --sensitive {','.join(SENSITIVE)}",
        f"--model 'diagnosis={MODEL}'",
        f"--hierarchy postcode={codes} --hierarchy occupation={jobs} --levels education={schools}",
        " ".join([*(f"--recode {name}={way}" for name, way in RECODE.items()), f"--effort {EFFORT}"]),
        f"-o {target} --report {report} --external-report {external}",
    ]
    show(
        "\n".join(
            [
                f"\n3. shoal anonymize {register} \\",
                *(f"     {part} \\" for part in chosen[:-1]),
                f"     {chosen[-1]}\n",
            ]
        )
    )
    with progress(quiet=False, kernels_expected=expected) as line:
        made = anonymize(
            register,
            k=k,
            quasi_identifiers=QUASI_IDENTIFIERS,
            identifiers=DROPPED,
            sensitive=SENSITIVE,
            models={"diagnosis": MODEL},
            hierarchies={"postcode": codes, "occupation": jobs},
            levels={"education": schools},
            recode=RECODE,
            effort=EFFORT,
            progress=line,
        )
    saved = made.save(
        target,
        force=True,
        more=lambda policy: {
            report: made.report(policy=policy),
            external: made.report(external=True, policy=policy),
        },
    )
    show(text.release(summarize(made, policy=saved), paint=paint))
    warn(made.warnings)
    show(f"\n4. Released {target}\n   Policy   {policy_path(target)}\n   Report   {report}\n   External {external}")
