"""Targets: policies, bundles, comparisons, checkpoints and command lines."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import click
import polars as pl
from fuzz_target import MARKER, READ_ONLY, scratch, target

import shoal
from shoal import Policy
from shoal.cli.anonymize import _comparison
from shoal.cli.main import shoal as commands
from shoal.data.chunked import SpillFolder, TableStatistics
from shoal.domain.privacy_models import PrivacyModel, parse_models
from shoal.engines.memory_budget import parse_bytes
from shoal.errors import ShoalError
from shoal.release.compare.cache import ResultCache
from shoal.system.scratch import ScratchFolder

PEOPLE = pl.DataFrame(
    {
        "name": [f"{MARKER}-{row}" for row in range(12)],
        "age": [21, 22, 23, 34, 35, 36, 47, 48, 49, 60, 61, 62],
        "job": ["baker", "smith", "clerk"] * 4,
        "ill": ["flu", "gout", "flu", "cold"] * 3,
        "weight": [1.5, 2.0, 1.0] * 4,
    }
)
JOBS = {"work": {"craft": {"baker": {}, "smith": {}}, "office": {"clerk": {}}}}


@cache
def release() -> shoal.Release:
    return shoal.anonymize(
        PEOPLE,
        k=3,
        quasi_identifiers=["age", "job"],
        identifiers="name",
        sensitive="ill",
        models={"ill": "distinct-l(2)"},
        hierarchies={"job": JOBS},
        method="mdav",
        threads=1,
    )


@target("policy", "a damaged or contradictory policy file", "shoal.domain.policy", "shoal.domain.privacy_models")
def policy(raw: bytes, folder: Path) -> None:
    path = folder / "policy.toml"
    path.write_bytes(raw)
    read = Policy.read(path)
    again = Policy.from_toml(read.to_toml().encode(), path=path)
    assert again.to_toml() == read.to_toml(), "a policy that is written is another one when it is read"
    _replayed(path, read)


def _replayed(path: Path, read: Policy) -> None:
    """A policy that is read makes a release of its own table, or says why not."""
    refinement = read.refinement
    long = refinement is not None and (refinement.effort != "fast" or max(refinement.steps_planned, default=0) > 1_000)
    if READ_ONLY or long:
        return  # a search of this length was asked for
    trees = {"job": JOBS} if any(c.name == "job" and c.hierarchy_fingerprint for c in read.schema.columns) else None
    replayed = shoal.replay(PEOPLE, policy=path, hierarchies=trees, threads=1)
    keys = list(replayed.policy.schema.quasi_identifiers)
    assert replayed.table.height == PEOPLE.height
    assert not {column.name for column in read.schema.columns if column.role == "identifier"} & set(
        replayed.table.columns
    )
    if read.missing != "wildcard":
        assert min(Counter(replayed.table.select(keys).rows()).values()) >= read.k, "a class below k"


@cache
def _members() -> dict[str, bytes]:
    """The files of a sound bundle."""
    path = scratch() / "sound.zip"
    shoal.bundle(release(), path, name="out.csv", force=True)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_BUNDLE = ("shoal.release.bundle",)


@target("bundle", "a zip file that is no bundle, or a trap", *_BUNDLE)
def bundle(raw: bytes, folder: Path) -> None:
    path = folder / "some.zip"
    path.write_bytes(raw)
    found = shoal.verify_bundle(path)
    assert not found.ok or hashlib.sha256(raw).hexdigest() == found.sha256
    shoal.replay_bundle(path, PEOPLE)


@target("bundle-part", "a bundle with one file exchanged, all its hashes mended", *_BUNDLE)
def bundle_part(raw: bytes, folder: Path) -> None:
    """The first line names the file, the rest is its new content."""
    name, _, content = raw.partition(b"\n")
    files = dict(_members())
    member = name.decode("utf-8", "replace")
    files[member] = content
    path = folder / "part.zip"
    facts = json.loads(_members()["manifest.json"])
    facts["files"] = [
        {"name": one, "size": len(bytes_), "sha256": hashlib.sha256(bytes_).hexdigest()}
        for one, bytes_ in files.items()
        if one != "manifest.json"
    ]
    if member != "manifest.json":
        files["manifest.json"] = (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")  # of names that stand twice
        for one, bytes_ in files.items():
            archive.writestr(zipfile.ZipInfo(one), bytes_)
    found = shoal.verify_bundle(path)
    str(found)
    if member == "release/out.csv" and content != _members()[member]:
        assert not found.ok, "another release passes for that of the policy"
    if not found.ok:
        raise _failed(found)
    shoal.replay_bundle(path, PEOPLE)


def _failed(found: shoal.BundleCheck) -> ShoalError:
    return ShoalError(f"{len(found.failed)} checks failed", "see them")


@target("comparison", "a damaged file of a comparison", "shoal.report.frontier_chart", "shoal.report.comparison_page")
def comparison(raw: bytes, folder: Path) -> None:
    path = folder / "compared.json"
    path.write_bytes(raw)
    release().report(comparison=_comparison(path))


@target("kept", "damaged results that a comparison kept", "shoal.release.compare.cache", "shoal.release.compare.points")
def cached_results(raw: bytes, folder: Path) -> None:
    path = folder / "kept.jsonl"
    path.write_bytes(raw)
    found = ResultCache.open(path, source=None)
    assert all(point.is_measured or point.verified for point in found.points.values())


@target("checkpoint", "a damaged checkpoint of a run in pieces", "shoal.system.scratch", "shoal.data.chunked.spill")
def checkpoint(raw: bytes, folder: Path) -> None:
    """What is not whole is as if it was not there."""
    place = folder / ".shoal-scratch-x"
    place.mkdir(exist_ok=True)
    (place / "shoal.scratch").touch()
    (place / "leaves.json").write_bytes(raw)
    (place / "leaves").mkdir(exist_ok=True)
    for old in (place / "leaves").iterdir():
        old.unlink()
    with ScratchFolder(place) as held:
        (place / "leaves" / "0.spill").write_bytes(raw)
        held.read_note("leaves")
        spill = SpillFolder(place / "leaves")
        for name in spill.names():
            spill.slice(name, 0, spill.rows(name))


@target("survey", "a damaged survey of a run in pieces", "shoal.data.chunked.table_statistics")
def survey(raw: bytes, folder: Path) -> None:
    TableStatistics.from_bytes(raw)


@target("model", "a privacy model that is written wrongly", "shoal.domain.privacy_models")
def model(raw: bytes, folder: Path) -> None:
    (found,) = parse_models({"ill": raw.decode("utf-8", "replace")})
    assert PrivacyModel.parse("ill", found.notation) == found, "a model that is written is another one when it is read"
    shoal.verify(PEOPLE, k=2, quasi_identifiers="job", models={"ill": found.notation})


@target("size", "a size of memory that is written wrongly", "shoal.engines.memory_budget")
def size(raw: bytes, folder: Path) -> None:
    found = parse_bytes(raw.decode("utf-8", "replace"), option="memory")
    assert found >= 0


_COMMANDS = ("verify", "anonymize", "evaluate", "describe", "compare", "bound", "explain", "hierarchy")


@cache
def _people() -> Path:
    path = scratch() / "people.csv"
    PEOPLE.write_csv(path)
    return path


_COMMAND_LINE = ("shoal.cli.terminal", "shoal.cli.options", "shoal.release.options")


@target("command-line", "a command line of wrong words", *_COMMAND_LINE)
def command_line(raw: bytes, folder: Path) -> None:
    """A line a word; the first is the command. Arguments of a process hold no NUL."""
    words = raw.replace(b"\0", b"").decode("utf-8", "replace").split("\n")
    if words[0] not in _COMMANDS:
        words.insert(0, "verify")
    if words[0] in ("compare", "anonymize") and "mdav" not in words:
        words += ["--methods" if words[0] == "compare" else "--method", "mdav"]  # others may take their time
    words = [str(_people()) if word == "PEOPLE" else word for word in words]
    output = folder / "out"
    output.mkdir(exist_ok=True)
    for old in output.iterdir():
        old.unlink()
    words = [str(output / "released.csv") if word == "OUTPUT" else word for word in words]
    if any(word.startswith(("-o", "--report", "--external", "--bundle", "--scratch")) for word in words[1:]) and (
        "OUTPUT" not in raw.decode("utf-8", "replace")
    ):
        return  # files elsewhere are none of a test's business
    # a comparison keeps its results in the working folder
    with chdir(output), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            commands.main(words, standalone_mode=False, prog_name="shoal")
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise ShoalError("The command line is refused", "see --help") from None
        except SystemExit:
            return
