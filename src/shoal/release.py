"""A release: the protected table with its proof, its figures and the policy that made it."""

from __future__ import annotations

import os
import platform
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal import tables
from shoal.errors import OutputError, PromiseError
from shoal.schema import Policy
from shoal.tables import ReadOptions, Table
from shoal.values import Evaluation, Partition, Verification
from shoal.verify import verify_release


@dataclass(frozen=True, eq=False)
class Release:
    """What `shoal.anonymize` returns: verified on its released values."""

    released: Table
    partition: Partition
    evaluation: Evaluation
    verification: Verification
    policy: Policy
    warnings: tuple[str, ...] = ()
    replayed: Policy | None = None
    """The policy that this release replays; a replay of the same input must give the same bytes."""

    @property
    def table(self) -> Any:
        """The released table, of the kind that came in; a polars frame where a file came in."""
        return self.released.native()

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Policy:
        """Write the release and, beside it, its policy (``NAME.policy.toml``).

        Both are written aside, the release is read back and verified as it stands in the file, and only then
        do they appear under their names: whole or not at all. Returns the policy with the facts of the output.
        """
        target = Path(path)
        beside = policy_path(target)
        check_outputs([target, beside], source=self.released.path, force=force)
        with ExitStack() as stack:
            # the policy goes in first, so that it appears last: a policy never speaks of a release that is not there
            policy_part = stack.enter_context(tables.aside(beside, force=force))
            part = stack.enter_context(tables.aside(target, force=force))
            tables.write(self.released, part)
            written = tables.read(part, options=self._reading(part))
            proof = verify_release(written, k=self.policy.k, schema=self.policy.schema, records=self.released.height)
            policy = self.policy.with_output(
                file=target.name,
                records=proof.records,
                classes=proof.classes,
                min_class=proof.min_class,
                sha256=tables.fingerprint(part),
            )
            self._check_replay(policy)
            policy_part.write_text(policy.to_toml(), encoding="utf-8")
        return policy

    def _reading(self, part: Path) -> ReadOptions:
        """How to read the file back: as the input was read where the format is the same."""
        if tables.format_of(part) == self.released.kind:
            return ReadOptions.from_settings(self.released.settings)
        return ReadOptions(header_known=True)

    def _check_replay(self, policy: Policy) -> None:
        """A replay on the same input with the same versions, in the same format, must give the same bytes."""
        old = self.replayed
        if old is None or not old.output:
            return
        same_format = tables.format_of(Path(old.output["file"])) == tables.format_of(Path(policy.output["file"]))
        same_input = "sha256" in old.input and old.input["sha256"] == policy.input.get("sha256")
        same = same_format and same_input and old.versions == policy.versions
        if same and old.output["sha256"] != policy.output["sha256"]:
            raise PromiseError.replay_differs()

    def __repr__(self) -> str:
        proof, loss = self.verification, self.evaluation.loss["information_loss"]
        facts = (
            f"Release(k={proof.k}, method={self.policy.method!r}, records={proof.records}, classes={proof.classes},"
            f" smallest={proof.min_class}, information_loss={loss:.4g} %, verified={proof.ok})"
        )
        return "\n".join([facts, *(f"  warning: {sentence}" for sentence in self.warnings)])


def policy_path(release: Path) -> Path:
    """Where the policy of a release stands."""
    return release.with_name(release.name + ".policy.toml")


def check_outputs(paths: list[Path], *, source: Path | None, force: bool) -> None:
    """Refuse early what could not be written later."""
    for number, path in enumerate(paths):
        if path.absolute() in [other.absolute() for other in paths[:number]]:
            raise OutputError.named_twice(path)
        if source is not None and path.exists() and source.exists() and path.samefile(source):
            raise OutputError.is_input(path)
        if path.exists() and not path.is_file():
            raise OutputError.unwritable(path, "it is a folder or a device")
        if not path.parent.is_dir():
            raise OutputError.no_folder(path.parent)
        if path.exists() and not force:
            raise OutputError.exists(path)
        if not os.access(path.parent, os.W_OK):
            raise OutputError.unwritable(path.parent, "permission denied")


def versions() -> dict[str, str]:
    """The versions that decide the bytes of a release."""
    packages = ("shoal", "numpy", "numba", "polars", "narwhals")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
