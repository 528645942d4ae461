"""A release: the protected table with its proof, its figures and the policy that made it."""

from __future__ import annotations

import os
import platform
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal import tables
from shoal.errors import OutputError, PromiseError
from shoal.schema import Policy
from shoal.tables import ReadOptions, Table
from shoal.values import Design, Evaluation, Partition, Verification
from shoal.verify import verify_release

Texts = Mapping[Path, str]
_STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no hang-up
)


@dataclass(frozen=True, eq=False)
class Release:
    """What `shoal.anonymize` returns: verified on its released values."""

    released: Table
    partition: Partition
    evaluation: Evaluation
    verification: Verification
    policy: Policy
    design: Design = field(default_factory=Design)
    """The strata and households of the records, which the written file is verified by too."""
    warnings: tuple[str, ...] = ()
    replayed: Policy | None = None
    """The policy that this release replays; a replay of the same input must give the same bytes."""

    @property
    def table(self) -> Any:
        """The released table, of the kind that came in; a polars frame where a file came in."""
        return self.released.native()

    def save(
        self, path: str | os.PathLike[str], *, force: bool = False, more: Callable[[Policy], Texts] | None = None
    ) -> Policy:
        """Write the release and, beside it, its policy (``NAME.policy.toml``).

        All is written aside, the release is read back and verified as it stands in the file, and only then do the
        files appear under their names: whole or not at all. ``more`` gives further texts, such as a report, from
        the final policy; they appear together with the release. Returns the policy with the facts of the output.
        """
        target = named_path(path)
        check_outputs([target, policy_path(target)], sources=[self.released.path], force=force)
        with ExitStack() as stack:
            # the policy goes in first, so that it appears last: a policy never speaks of a release that is not there
            policy_part = stack.enter_context(tables.aside(policy_path(target), force=force))
            part = stack.enter_context(tables.aside(target, force=force))
            tables.write(self.released, part)
            policy = self._verified(part, target)
            policy_part.write_text(policy.to_toml(), encoding="utf-8", newline="\n")
            for place, text in (more(policy) if more else {}).items():
                stack.enter_context(tables.aside(place, force=force)).write_text(text, encoding="utf-8", newline="\n")
            with uninterrupted():
                stack.close()
        return policy

    def _verified(self, part: Path, target: Path) -> Policy:
        """The policy with the facts of the written file, after that file was read back and counted."""
        written = tables.read(part, options=self._reading(part))
        policy, schema = self.policy, self.policy.schema
        if not self.released.settings.get("header", True) and len(written.names) == len(schema.released):
            # A file without a header counts its columns anew when some of them are dropped.
            policy = policy.renamed(dict(zip(schema.released, written.names, strict=True)))
        proof = verify_release(
            written,
            policy=policy,
            records=self.released.height,
            design=self.design,
            suppressed=self.partition.suppressed,
        )
        policy = self.policy.with_output(
            file=printable(target.name),
            records=proof.records,
            classes=proof.classes,
            min_class=proof.min_class,
            sha256=tables.fingerprint(part),
        )
        self._check_replay(policy)
        return policy

    def _reading(self, part: Path) -> ReadOptions:
        """How to read the file back: as the input was read where the format is the same."""
        if tables.format_of(part) == self.released.kind:
            return ReadOptions.from_settings(self.released.settings)
        return ReadOptions(header_known=True)

    def _check_replay(self, policy: Policy) -> None:
        """A replay on the same input with the same versions, in the same format, must give the same bytes."""
        old = self.replayed
        if old is None or not {"file", "sha256"} <= old.output.keys():
            return
        formats = {tables.format_of(Path(str(facts["file"]))) for facts in (old.output, policy.output)}
        same_input = "sha256" in old.input and old.input["sha256"] == policy.input.get("sha256")
        same = len(formats) == 1 and same_input and old.versions == policy.versions
        if same and old.output["sha256"] != policy.output["sha256"]:
            raise PromiseError.replay_differs()

    def __repr__(self) -> str:
        proof, figures = self.verification, self.evaluation.loss
        losses = {name: figures[name] for name in ("information_loss", "semantic_loss")}
        said = "".join(f" {name}={value:.4g} %," for name, value in losses.items() if value is not None)
        facts = (
            f"Release(k={proof.k}, method={self.policy.method!r}, records={proof.records}, classes={proof.classes},"
            f" smallest={proof.min_class},{said} verified={proof.ok})"
        )
        return "\n".join([facts, *(f"  warning: {sentence}" for sentence in self.warnings)])


def named_path(path: str | os.PathLike[str]) -> Path:
    """The path of an output, if a file can have that name."""
    try:
        target = Path(os.fsdecode(os.fsencode(path)))
    except (TypeError, UnicodeError):
        raise OutputError.no_name() from None
    if not target.name or "\0" in str(target):
        raise OutputError.no_name()
    return target


def policy_path(release: Path) -> Path:
    """Where the policy of a release stands."""
    return release.with_name(release.name + ".policy.toml")


def printable(name: str) -> str:
    """A file name as text; bytes that are not UTF-8 are written out."""
    return name.encode("utf-8", "backslashreplace").decode()


def check_outputs(paths: Sequence[Path], *, sources: Sequence[Path | None], force: bool) -> None:
    """Refuse early what could not be written later; the first path is that of the release itself."""
    tables.writable(paths[0])
    check_places(paths, sources=sources, force=force)


def check_places(paths: Sequence[Path], *, sources: Sequence[Path | None], force: bool) -> None:
    """Refuse early what could not be written later, of whatever format: above all the place of an input."""
    for number, path in enumerate(paths):
        if path.absolute() in [other.absolute() for other in paths[:number]]:
            raise OutputError.named_twice(path)
        try:
            _check_output(path, [source for source in sources if source is not None], force=force)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is not a name that a file can have"
            raise OutputError.unwritable(path, why.lower()) from None


def _check_output(path: Path, sources: Sequence[Path], *, force: bool) -> None:
    if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
        raise OutputError.is_input(path)
    if path.exists() and not path.is_file():
        raise OutputError.unwritable(path, "it is a folder or a device")
    if not path.parent.is_dir():
        raise OutputError.no_folder(path.parent)
    if os.path.lexists(path) and not force:
        raise OutputError.exists(path)
    if not os.access(path.parent, os.W_OK):
        raise OutputError.unwritable(path.parent, "permission denied")


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a signal that would stop the program wait until all files have appeared."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {number: signal.signal(number, lambda got, _: waiting.append(got)) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for number in waiting[:1]:
            signal.raise_signal(number)


def versions() -> dict[str, str]:
    """The versions that decide the bytes of a release."""
    packages = ("shoal", "numpy", "numba", "polars", "narwhals")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
