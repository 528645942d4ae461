"""What a bundle holds, and how it is put together from a release that was written and verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from shoal import tables
from shoal.bundle.archive import MANIFEST, pack, private_folder, safe_name
from shoal.bundle.check import verify_bundle
from shoal.bundle.manifest import (
    EXTERNAL,
    HIERARCHIES,
    INTERNAL,
    MEASURES,
    POLICY,
    README,
    RELEASE,
    Listed,
    Manifest,
    as_json,
)
from shoal.errors import BundleError, HierarchyError, OptionError, OutputError, PromiseError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.files import parsed, text
from shoal.release import Release, Writer, Written, check_places, named_path
from shoal.schema import Policy

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
"""Of hierarchies, with their endings: nested names, and where they are nested too deep, children with parents."""
_ENDINGS = (".zip", ".bundle")


def bundle(release: Release, path: str | os.PathLike[str], *, name: str | None = None, force: bool = False) -> Policy:
    """Write a release with its policy, reports, measures and hierarchies as one zip file.

    The file of the release inside has this ``name``; where none is given, that of the bundle with the ending of the
    input. The bundle is verified from its own bytes before it appears. The same release gives the same bytes. Returns
    the policy with the facts of the release.
    """
    if not isinstance(release, Release):
        raise OptionError.bad_option("release", "what shoal.anonymize returned")
    place = bundle_path(path)
    check_places([place], sources=[release.released.path], force=force)
    inside = _named(release, place) if name is None else named_path(name).name
    tables.writable(Path(inside))
    with private_folder() as folder:
        return release.save(folder / inside, force=force, more=lambda _: {place: bundling(release)})


def bundle_path(path: str | os.PathLike[str]) -> Path:
    """The path of a bundle, if it is one for a zip file: by its ending it is told from a table."""
    place = named_path(path)
    if place.suffix.lower() != ".zip":
        raise BundleError.no_ending(place)
    return place


def bundling(release: Release) -> Writer:
    """What writes the bundle of a release that is being saved, so that both appear together."""

    def write(written: Written, place: Path) -> None:
        contents = _contents(release, written)
        pack(place, {MANIFEST: _manifest(contents, written.policy).to_json(), **contents})
        checked = verify_bundle(place)
        if not checked.ok:
            raise PromiseError.bundle_broken("; ".join(check.said for check in checked.failed))

    return write


def _named(release: Release, place: Path) -> str:
    """The name of a release that has none of its own: ``people.bundle.zip`` holds ``people.csv``."""
    name = place.name
    for end in _ENDINGS:
        name = name[: -len(end)] if name.lower().endswith(end) else name
    if tables.format_of(Path(name)):
        return name
    source = release.released.path or Path()
    try:
        tables.writable(source)
    except OutputError:
        source = Path("release.csv")
    return (name or "release") + tables.full_ending(source)


def _contents(release: Release, written: Written) -> dict[str, bytes | Path]:
    """Every file but the manifest, in its order."""
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
                "suppressed": release.partition.hidden,
                "evaluation": release.evaluate("all").to_dict(),
            }
        ),
        **{
            f"{HIERARCHIES}{number:02}.{ending}": content
            for number, column in enumerate(policy.schema.columns, 1)
            if column.hierarchy is not None
            for ending, content in [_hierarchy(column.hierarchy, column.name)]
        },
    }


def _manifest(contents: Mapping[str, bytes | Path], policy: Policy) -> Manifest:
    files = {
        name: Listed(len(content), hashlib.sha256(content).hexdigest())
        if isinstance(content, bytes)
        else Listed(content.stat().st_size, policy.output["sha256"])
        for name, content in contents.items()
    }
    return Manifest(policy.versions["shoal"], files)


def _hierarchy(hierarchy: Hierarchy, column: str) -> tuple[str, bytes]:
    """A hierarchy as text that reads back as the same tree, and the ending of its format."""
    for kind, ending in _FORMATS.items():
        try:
            written = text(hierarchy, kind)
            if parsed(written, kind) == hierarchy:
                return ending, written.encode()
        except (HierarchyError, UnicodeError):
            continue
    raise BundleError.no_text(column)
