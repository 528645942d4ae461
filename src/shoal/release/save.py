"""Save a release: its file, its policy and further files about it appear together, after the file was verified."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from shoal import data
from shoal.data import Table
from shoal.domain import Policy, Verification
from shoal.errors import OutputError, PromiseError
from shoal.errors.messages import quote_names
from shoal.system.atomic import check_place
from shoal.system.transaction import FileTransaction, Output, recover


@dataclass(frozen=True)
class SavedRelease:
    """A release in a file, after it was read back and verified."""

    path: Path
    policy: Policy
    """With the facts about the file."""
    proof: Verification


FileWriter = Callable[[SavedRelease, Path], None]
"""Writes a file about a saved release to a path."""
ExtraFiles = Mapping[Path, str | FileWriter]
"""Further files: texts, or writers of files that contain the release."""


class ReleaseTransaction(FileTransaction):
    """The transaction of a release, its policy and further files about it.

    ``target`` is the local file of the release, or the release and its policy in another storage.
    """

    def __init__(self, target: Path | tuple[Output, Output], *, force: bool) -> None:
        super().__init__(force=force)
        self._target = target
        self._release: Output
        self._policy: Output

    def create_release(self) -> Any:
        """Create the hidden release; return where to write it."""
        # in this order: a policy without its release must never be visible
        if isinstance(self._target, Path):
            self._release, self._policy = self.add(self._target), self.add(policy_path(self._target))
        else:
            self._release, self._policy = (self.add_remote(output) for output in self._target)
        return self._release.hidden

    def final_policy(
        self, policy: Policy, proof: Verification, *, sha256: str | None = None, replayed: Policy | None = None
    ) -> Policy:
        """Return the policy with the facts about the file; raise if a replay has other bytes than ``replayed``."""
        if sha256 is None and isinstance(self._target, Path):
            sha256 = data.file_sha256(self._release.hidden)
        final = policy.with_output(proof, file=printable_name(Path(str(self._release.place)).name), sha256=sha256)
        if replayed is not None and compare_outputs(replayed, final).result == "other bytes":
            raise PromiseError.replay_differs()
        return final

    def commit_release(self, policy: Policy, proof: Verification, extra_files: ExtraFiles) -> None:
        """Write policy and extra files, and move everything into place."""
        self._policy.write_text(policy.to_toml())
        for path, content in extra_files.items():
            extra = self.add(path)
            if isinstance(content, str):
                extra.write_text(content)
            else:
                content(SavedRelease(Path(self._release.hidden), policy, proof), extra.hidden)
        self.commit()


class OutputComparison(NamedTuple):
    """How a repeated release compares to the first one: a keyword and a sentence."""

    result: str
    sentence: str


def compare_outputs(old: Policy, new: Policy, *, source: str = "the bundle") -> OutputComparison:
    """Compare the facts of two written releases; ``source`` names where the first one is recorded."""
    digests = [facts.get("sha256") for facts in (old.output, new.output, old.input, new.input)]
    if digests[0] and digests[0] == digests[1]:
        return OutputComparison("identical", f"Identical to the release in {source}, byte for byte.")
    if None in digests:
        return OutputComparison(
            "unknown", f"Whether input and release are those of {source} is not known: not all were files."
        )
    if digests[2] != digests[3]:
        return OutputComparison("next delivery", f"The next delivery: another input than that of {source}.")
    endings = {data.full_extension(Path(str(facts.get("file")))) for facts in (old.output, new.output)}
    if len(endings) > 1:
        return OutputComparison("other format", f"The same input, in another format than the release in {source}.")
    changed_packages = [
        name for name in {**old.versions, **new.versions} if old.versions.get(name) != new.versions.get(name)
    ]
    if not changed_packages:
        return OutputComparison("other bytes", f"The same input, and other bytes than in {source}.")
    return OutputComparison(
        "other versions",
        f"The same input, and other bytes than in {source}: other versions of {quote_names(changed_packages)}.",
    )


def read_back(path: Path, policy: Policy) -> tuple[Table, Policy]:
    """Read a written release, like its input if the format is the same.

    Returns the table and the policy by the names of columns in the file.
    """
    options, names = data.release_read_options(
        path, policy.schema.released, settings=policy.input.get("settings", {}), formulas=policy.formulas
    )
    return data.read_table(path, options=options), policy.rename(names)


def check_path(path: str | os.PathLike[str]) -> Path:
    """Convert to a path that is a valid name of an output file."""
    try:
        target = Path(os.fsdecode(os.fsencode(path)))
    except (TypeError, UnicodeError):
        raise OutputError.invalid_name() from None
    if not target.name or "\0" in str(target):
        raise OutputError.invalid_name()
    return target


def policy_path(release: Path) -> Path:
    return release.with_name(release.name + ".policy.toml")


def printable_name(name: str) -> str:
    """File name as text; bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def check_release_paths(paths: Sequence[Path], *, sources: Sequence[Path | None], force: bool) -> None:
    """Refuse output paths that could not be written later; the first one is that of the release."""
    data.writable_format(paths[0])
    check_output_paths(paths, sources=sources, force=force)


def check_output_paths(paths: Sequence[Path], *, sources: Sequence[Path | None], force: bool) -> None:
    """Refuse paths that could not be written later, in any format; above all the path of an input.

    Interrupted transactions in the same folders are completed first.
    """
    for folder in dict.fromkeys(path.parent for path in paths):
        recover(folder)
    for number, path in enumerate(paths):
        if path.absolute() in [other.absolute() for other in paths[:number]]:
            raise OutputError.duplicate_path(path)
        if any(_is_same_file(path, source) for source in sources if source is not None):
            raise OutputError.is_input(path)
        check_place(path, force=force)
        if not os.access(path.parent, os.W_OK):
            raise OutputError.unwritable(path.parent, "permission denied")


def _is_same_file(path: Path, source: Path) -> bool:
    try:
        return path.samefile(source)
    except (OSError, ValueError):  # there is no such file
        return False


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that determine the bytes of a release."""
    packages = ("shoal", "numpy", "numba", "polars", "narwhals")
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


_version = cache(version)
