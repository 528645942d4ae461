"""Planted secrets are looked for in all that a run prints, writes and shows."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from leak_search import Command, bytes_of, leaked
from ledger import Ledger, tries
from planted_secrets import N, Planted, planted

import shoal
from shoal import data as tables
from shoal.engines.memory import MemoryPlan

COLUMNS = ["-q", "pay,born,job", "--identifiers", "name", "--sensitive", "note", "--hierarchy"]
OUTSIDE = ("policy.toml", "report.external.html", "measures.json", "manifest.json", "README.txt")
FILES = [
    "out.csv",
    "out.tsv",
    "out.csv.gz",
    "out.parquet",
    "out.arrow",
    "out.feather",
    "out.xlsx",
    "out.dta",
    "out.sav",
]


def release_options(source: Planted, folder: Path, **more: Any) -> dict[str, Any]:
    (folder / "jobs.csv").write_text(source.tree, encoding="utf-8")
    return {
        "k": 6,
        "quasi_identifiers": ["pay", "born", "job"],
        "identifiers": ["name"],
        "sensitive": ["note"],
        "hierarchies": {"job": folder / "jobs.csv"},
        "recode": {"job": "mode"},
        "method": "mondrian",
        **more,
    }


def test_a_release_holds_no_identifier_and_no_cell_that_was_replaced(tmp_path: Path, ledger: Ledger) -> None:
    """Not even behind its cells: files of columns may hold more text than they show."""
    account = ledger.account(
        "leak",
        "identifiers, rare categories, extremes and unused nodes of a hierarchy are looked for in releases",
        "No release of any format holds one of them.",
    )
    for number in tries(few=1, full=30):
        source = planted(number)
        place = source.write(tmp_path, f"people.{['csv', 'parquet'][number % 2]}")
        for data in (source.frame, pd.DataFrame(source.frame.to_dict(as_series=False)), place):
            with account.trial():
                release = shoal.anonymize(data, **release_options(source, tmp_path, shuffle=bool(number % 2)))
                for name in FILES:
                    release.save(tmp_path / name, force=True)
                    assert leaked(bytes_of(tmp_path / name), source.dropped) == []
                    assert leaked((tmp_path / f"{name}.policy.toml").read_bytes(), source.all) == []
                assert leaked(pickle.dumps(release.table), source.dropped) == []
                assert leaked(bytes_of(tmp_path / "out.csv"), source.notes) == list(source.notes)
                account.whole += 1


@pytest.mark.parametrize("kind", ["text", "category", "lists"])
def test_a_file_of_arrow_holds_the_text_of_its_cells_and_no_other(kind: str, tmp_path: Path) -> None:
    """Cells that are copied from a column point into its text, and a slice of a frame into that of all of it."""
    source = planted(4)
    types = {"text": pl.col("job"), "category": pl.col("job").cast(pl.Categorical), "lists": pl.col("job")}
    frame = source.frame.with_columns(types[kind])
    if kind == "lists":
        frame = frame.with_columns(pl.concat_list("job", "note").alias("both")).drop("note")
        kept = frame.filter(~pl.col("job").is_in([*source.rare]))
        release = shoal.anonymize(kept, k=6, quasi_identifiers=["pay"], identifiers=["name"], method="mondrian")
    else:
        release = shoal.anonymize(frame, **release_options(source, tmp_path, hierarchies=None))
    for ending in ("arrow", "feather"):
        release.save(tmp_path / f"out.{ending}")
        assert leaked((tmp_path / f"out.{ending}").read_bytes(), (*source.names, *source.rare[:2])) == []


def test_in_pieces(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "the same secrets are looked for in releases of files larger than memory",
        "Neither the release nor its policy holds one of them.",
    )
    for number in tries(few=1, full=10):
        source = planted(number)
        for place, target in (("people.csv", "out.csv"), ("people.parquet", "out.arrow")):
            with account.trial():
                given = release_options(source, tmp_path, memory="800MB", force=True, shuffle=True)
                file_release = shoal.anonymize_file(source.write(tmp_path, place), tmp_path / target, **given)
                assert leaked((tmp_path / target).read_bytes(), source.dropped) == []
                for printed in (file_release.policy.to_toml(), repr(file_release), " ".join(file_release.warnings)):
                    assert leaked(printed, source.all) == []
                account.whole += 1


def _commands(source: Planted, folder: Path) -> Iterator[tuple[str, list[object]]]:
    """Every command that looks at data, with all that it can print."""
    people, tree, out = source.write(folder), f"job={folder / 'jobs.csv'}", folder / "released.csv"
    columns = [*COLUMNS, tree, "-k", 6]
    yield "describe", ["describe", people]
    reports = ["--external-report", folder / "public.html", "--report", folder / "own.html"]
    reports += ["--bundle", folder / "all.zip", "--force"]
    yield "anonymize", ["anonymize", people, *columns, "--method", "mondrian", "-l", 2, "-o", out, *reports]
    keys = [*COLUMNS[:2], "-k", 6]
    yield "verify", ["verify", out, *keys]
    yield "verify a bundle", ["verify", folder / "all.zip"]
    weighed = ["--measures", "all", "--sensitive", "note", "--hierarchy", tree]
    yield "evaluate", ["evaluate", people, out, *keys, *weighed]
    kept = [
        "--methods",
        "mdav,mondrian",
        "--cache",
        folder / "kept.jsonl",
        "--report",
        folder / "compared.html",
        "--force",
    ]
    yield "compare", ["compare", people, *columns, *kept]
    yield "bound", ["bound", people, "-q", "pay", "-k", 6]
    yield "explain", ["explain", people, "--row", 3, "--policy", f"{out}.policy.toml", "--no-values"]
    yield "check", ["hierarchy", "check", folder / "jobs.csv", people, "job"]
    yield "replay", ["replay", folder / "all.zip", "--input", people, "-o", folder / "again.csv", "--force"]


def test_no_command_prints_a_secret(tmp_path: Path, command: Command, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "secrets are looked for in what every command prints, as text and as JSON, and in what may leave the house",
        "No output, warning, policy, external report or kept result holds one.",
    )
    for number in tries(few=1, full=15):
        source = planted(number)
        for form in ([], ["--json"]):
            for name, arguments in _commands(source, tmp_path):
                with account.trial():
                    printed = command(*arguments, *form)
                    assert printed.code == 0, (name, printed.err)
                    assert leaked(printed.output, source.all) == [], name
                    if form:
                        json.loads(printed.out)
                    account.whole += 1
        with account.trial():
            for name in ("public.html", "compared.html", "kept.jsonl", "released.csv.policy.toml"):
                assert leaked(bytes_of(tmp_path / name), source.all) == [], name
            assert leaked(_outside(tmp_path / "all.zip"), source.all) == []
            assert leaked(bytes_of(tmp_path / "own.html"), source.names) == []
            account.whole += 1


def _outside(path: Path) -> bytes:
    """The parts of a bundle that name no value."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.rpartition("/")[2] in OUTSIDE]
        assert len(names) >= 4
        return b"".join(archive.read(name) for name in names) + "\n".join(archive.namelist()).encode()


def test_no_object_shows_a_secret(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "secrets are looked for in what objects of Python show of themselves, in notebooks too",
        "They show names of columns, counts and figures, and no cell.",
    )
    for number in tries(few=1, full=20):
        with account.trial():
            source = planted(number)
            place = source.write(tmp_path)
            release = shoal.anonymize(place, **release_options(source, tmp_path, l=2))
            known = MemoryPlan.build(release.original, release.policy)
            cells = release.original.cells
            shown: list[Any] = [
                *(
                    release,
                    release.original,
                    release.released,
                    release.partition,
                    release.policy,
                    release.policy.schema,
                ),
                *(
                    release.evaluation,
                    release.evaluate("all"),
                    release.verification,
                    release.metric_inputs,
                    release.row_metadata,
                ),
                *(
                    known.records,
                    known.design,
                    known.policy.schema,
                    shoal.describe(place),
                    cells,
                    cells.content("note"),
                ),
                *(tables.read_table(source.frame).cells, release.released.cells, known.records.categories),
                shoal.Hierarchy.read(tmp_path / "jobs.csv"),
            ]
            for one in shown:
                pages = [repr(one), str(one)]
                pages += [one._repr_html_()] if hasattr(one, "_repr_html_") else []
                for page in pages:
                    assert leaked(page, source.all) == [], type(one)
            account.whole += 1


def test_the_secrets_would_be_found(tmp_path: Path) -> None:
    """In the input, in the internal report and in the release of sensitive values they are."""
    source = planted(0)
    place = source.write(tmp_path)
    assert len(leaked(place.read_bytes(), source.all)) == len(source.all) - len(source.unused)
    assert len(source.names) == N
    release = shoal.anonymize(place, **release_options(source, tmp_path))
    assert leaked(release.report(), source.rare[:2])
