"""Write a bundle from a release that was saved and verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from shoal import data
from shoal.domain import Policy
from shoal.errors import BundleError, HierarchyError, OptionError, OutputError, PromiseError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import parse, to_text
from shoal.release.base_release import BaseRelease
from shoal.release.bundle.archive import (
    EXTERNAL,
    HIERARCHIES,
    INTERNAL,
    MANIFEST,
    MEASURES,
    POLICY,
    README,
    RELEASE,
    Manifest,
    ManifestEntry,
    as_json,
    safe_name,
    write_archive,
)
from shoal.release.bundle.verify_bundle import verify_bundle
from shoal.release.result import Release
from shoal.release.save import FileWriter, SavedRelease, check_output_paths, check_path
from shoal.system.scratch import temporary_folder

README_TEXT = """\
This is a Shoal bundle: a release of protected data with all the evidence for it.

  release/               the release
  policy.toml            every decision that made it
  measures.json          what it cost, what risk is left, and what was verified
  report.internal.html   the same to read, inside the house
  report.external.html   the same to read, without anything that should stay inside
  hierarchies/           how values belong together: those that the policy decided by
  manifest.json          the size and the SHA-256 of every file

For internal use: the internal report and the hierarchies name values of the data.

Check it:                       shoal verify BUNDLE
Make the release again from it: shoal replay BUNDLE --input ORIGINAL -o OUTPUT
"""
_FORMATS = {"json": "json", "edges": "csv"}
"""Formats of hierarchies and their endings, the preferred one first: nested names; edges if nested too deep."""
_ENDINGS = (".zip", ".bundle")


def bundle(release: Release, path: str | os.PathLike[str], *, name: str | None = None, force: bool = False) -> Policy:
    """Write a release with its policy, reports, measures and hierarchies as one zip file.

    The bundle is verified from its own bytes before it gets its name. The same release gives the same bytes.

    Parameters
    ----------
    release : Release
    path : path
        The zip file.
    name : str, optional
        Name of the released file inside. Default: that of the bundle with the ending of the input.
    force : bool
        Overwrite an existing file.

    Returns
    -------
    Policy
        The policy with the facts about the release.

    Raises
    ------
    ShoalError
        If the bundle cannot be written, or fails its verification.
    """
    if not isinstance(release, Release):
        raise OptionError.invalid_value("release", "what shoal.anonymize returned")
    target = bundle_path(path)
    check_output_paths([target], sources=[release.released.path], force=force)
    release_name = _default_name(release, target) if name is None else check_path(name).name
    data.writable_format(Path(release_name))
    with temporary_folder() as folder:
        return release.save(folder / release_name, force=force, extra_files=lambda _: {target: bundle_writer(release)})


def bundle_path(path: str | os.PathLike[str]) -> Path:
    """Convert to the path of a bundle; its ending must be that of a zip file, which tells it from a table."""
    place = check_path(path)
    if place.suffix.lower() != ".zip":
        raise BundleError.wrong_ending(place)
    return place


def bundle_writer(release: BaseRelease) -> FileWriter:
    """Writer of the bundle of a release that is being saved, as part of the same transaction."""

    def write(written: SavedRelease, place: Path) -> None:
        contents = _build_contents(release, written)
        write_archive(place, {MANIFEST: _build_manifest(contents, written.policy).to_json(), **contents})
        checked = verify_bundle(place)
        if not checked.ok:
            raise PromiseError.invalid_bundle("; ".join(check.detail for check in checked.failed))

    return write


def _default_name(release: Release, place: Path) -> str:
    """Default name of the released file: ``people.bundle.zip`` contains ``people.csv``."""
    name = place.name
    for end in _ENDINGS:
        name = name[: -len(end)] if name.lower().endswith(end) else name
    if data.format_of(Path(name)):
        return name
    source = release.released.path or Path()
    try:
        data.writable_format(source)
    except OutputError:
        source = Path("release.csv")
    return (name or "release") + data.full_extension(source)


def _build_contents(release: BaseRelease, written: SavedRelease) -> dict[str, bytes | Path]:
    """All files but the manifest, in order."""
    policy = written.policy
    return {
        README: README_TEXT.encode(),
        f"{RELEASE}{safe_name(str(policy.output['file']))}": written.path,
        POLICY: policy.to_toml().encode(),
        INTERNAL: release.report(policy=policy).encode(),
        EXTERNAL: release.report(policy=policy, external=True).encode(),
        MEASURES: as_json(
            {
                "verification": written.proof.to_dict(),
                "suppressed": release.n_suppressed,
                "evaluation": release.full_evaluation().to_dict(),
            }
        ),
        **{
            f"{HIERARCHIES}{number:02}.{ending}": content
            for number, column in enumerate(policy.schema.columns, 1)
            if column.hierarchy is not None
            for ending, content in [_serialize(column.hierarchy, column.name)]
        },
    }


def _build_manifest(contents: Mapping[str, bytes | Path], policy: Policy) -> Manifest:
    files = {
        name: ManifestEntry(len(content), hashlib.sha256(content).hexdigest())
        if isinstance(content, bytes)
        else ManifestEntry(content.stat().st_size, policy.output["sha256"])
        for name, content in contents.items()
    }
    return Manifest(policy.versions["shoal"], files)


def _serialize(hierarchy: Hierarchy, column: str) -> tuple[str, bytes]:
    """Serialize a hierarchy so that it reads back as the same tree. Returns the ending and the text."""
    for kind, ending in _FORMATS.items():
        try:
            written = to_text(hierarchy, kind)
            if parse(written, kind) == hierarchy:
                return ending, written.encode()
        except (HierarchyError, UnicodeError):
            continue
    raise BundleError.unwritable_hierarchy(column)
