"""`shoal demo`."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.terminal import progress, show, warn
from shoal.errors import OutputError

QUASI_IDENTIFIERS = ("age", "height_cm", "household_size", "income")
SENSITIVE = ("length_of_stay", "visits", "systolic_bp", "diagnosis", "treatment_cost")
# names and numbers of persons, and what an outsider could know that is not a number
DROPPED = (
    *("person_id", "name", "sex", "birth_date", "postcode", "region", "marital_status", "education"),
    *("occupation", "weight_kg", "admission_date"),
)


@click.command(name="demo")
@click.option("--folder", default="demo", show_default=True, help="Where the files go; made if needed.")
@click.option("--rows", default=5000, show_default=True, type=click.IntRange(min=100), help="How many persons.")
@click.option("-k", default=5, show_default=True, type=click.IntRange(min=2, max=50), help="The privacy level.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The seed of the register.")
def command(folder: str, rows: int, k: int, seed: int) -> None:
    """Protect a made-up register, with a report.

    Makes up a register of persons from a seed, describes it, protects it, and writes release, policy and report.
    """
    from shoal import tables
    from shoal.anonymize import anonymize
    from shoal.assess import describe
    from shoal.release import policy_path
    from shoal.report import html, text
    from shoal.report.summary import summarize

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError.unwritable(place, (getattr(error, "strerror", None) or "no such name").lower()) from None
    register, target, report = place / "register.csv", place / "released.csv", place / "report.html"
    with tables.aside(register, force=True) as part:
        tables.write(tables.read(tables.example_register(rows, seed)), part)
    show(f"1. A made-up register of {rows:,} persons: {register}\n")
    show(text.description(describe(register).to_dict()))

    chosen = f"-k {k} -q {','.join(QUASI_IDENTIFIERS)}"
    dropped = f"--identifiers {','.join(DROPPED)}"
    kept = f"--sensitive {','.join(SENSITIVE)}"
    show("\nThis version protects numbers, so the demo drops names, categories, dates and columns with gaps.")
    show(f"\n2. shoal anonymize {register} {chosen} \\\n     {dropped} \\\n     {kept} -o {target}\n")
    with progress(quiet=False) as line:
        made = anonymize(
            register,
            k=k,
            quasi_identifiers=QUASI_IDENTIFIERS,
            identifiers=DROPPED,
            sensitive=SENSITIVE,
            progress=line,
        )
    saved = made.save(target, force=True, more=lambda policy: {report: html.page(summarize(made, policy=policy))})
    facts = summarize(made, policy=saved)
    warn(made.warnings)
    show(text.release(facts))
    show(f"\n3. Released {target}\n   Policy   {policy_path(target)}\n   Report   {report}")
