"""Result of `shoal.anonymize`: the released table with its verification, measures and policy."""

from __future__ import annotations

import os
import platform
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal import data
from shoal.data import ComparedRows, Table
from shoal.domain import Evaluation, Partition, Policy, Search, Verification
from shoal.domain.display import Displayable, DisplayTable
from shoal.engines.memory import RowMetadata
from shoal.errors import OutputError, PromiseError, in_python
from shoal.errors.messages import shorten
from shoal.metrics import MetricInputs, evaluate
from shoal.metrics.partial_sums import KeyedCounts
from shoal.release.arguments import public_function
from shoal.release.base_release import BaseRelease
from shoal.report.format import format_brief, headline_measures, label_with_unit
from shoal.system.scratch import remove_abandoned, scratch_path
from shoal.system.transaction import FileTransaction, recover
from shoal.verification.verify import verify_release

_STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no hang-up
)


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


@dataclass(frozen=True, eq=False)
class Release(Displayable, BaseRelease):
    """The result of `shoal.anonymize`, verified on its released values."""

    original: Table
    """The input. Only outputs for internal use contain values of it."""
    released: Table
    partition: Partition
    """Groups of the records, in the order of the original even if the released rows are shuffled."""
    evaluation: Evaluation
    verification: Verification
    policy: Policy
    metric_inputs: MetricInputs
    """The original and the released table as inputs of the measures."""
    row_metadata: RowMetadata = field(default_factory=RowMetadata)
    """Strata, households, suppression and original row of the released rows."""
    warnings: tuple[str, ...] = ()
    replayed_policy: Policy | None = None
    """Policy that this release repeats; the same input must give the same bytes."""

    def evaluate(self, measures: str | Iterable[str] = "all") -> Evaluation:
        """Compute further measures: all, or those that are named."""
        return self._all if measures == "all" else self._evaluated(measures)

    @cached_property
    def _all(self) -> Evaluation:
        return self._evaluated("all")

    def _evaluated(self, measures: str | Iterable[str]) -> Evaluation:
        before = self.evaluation
        return evaluate(self.metric_inputs, which=measures, notes=before.notes, models=before.models)

    def full_evaluation(self) -> Evaluation:
        """Return the evaluation with every measure."""
        return self._all

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the groups were made, beyond the name of the method."""
        return self.partition.account

    @property
    def search(self) -> Search | None:
        """Local search; None if the groups of the method are final."""
        return self.partition.search

    @property
    def group_sizes(self) -> KeyedCounts:
        """Number of groups of each size."""
        return KeyedCounts.of(self.partition.sizes)

    @property
    def n_suppressed(self) -> int:
        """Number of suppressed records."""
        return self.partition.n_suppressed

    @property
    def missing_counts(self) -> dict[str, int]:
        """Number of missing values of each quasi-identifier."""
        names = self.policy.schema.quasi_identifiers
        return dict(zip(names, data.missing_mask(self.original, names).sum(axis=0).tolist(), strict=True))

    @property
    def records_by_class_size(self) -> tuple[KeyedCounts, KeyedCounts]:
        """Number of records in classes of each size, before and after."""
        inputs = self.metric_inputs
        return KeyedCounts.of(inputs.original_classes.sizes), KeyedCounts.of(inputs.released_classes.sizes)

    @property
    def _files(self) -> tuple[Path | None, ...]:
        return (self.released.path,)

    @property
    def table(self) -> Any:
        """The released table, of the type of the input; a polars frame for a file."""
        return self.released.native()

    def compare_rows(self, rows: int = 5) -> Any:
        """A few records before and after, side by side, as a polars frame of text. For internal use.

        It shows original values. The records are from different groups, and the same each time.
        """
        return self.row_comparison(rows).to_frame()

    def row_comparison(self, rows: int = 5) -> ComparedRows:
        """The rows of `compare_rows` as names and lists of text. For internal use."""
        return data.compare_rows(
            self.original,
            self.released,
            quasi_identifiers=self.policy.schema.quasi_identifiers,
            groups=self.partition.labels,
            released_order=self.row_metadata.order,
            rows=rows,
        )

    @public_function()
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        extra_files: Callable[[Policy], ExtraFiles] | None = None,
    ) -> Policy:
        """Write the release and, beside it, its policy (``NAME.policy.toml``).

        The files are written to temporary names first. The release is then read back and verified, and only after that
        all files get their names, in one transaction.

        Parameters
        ----------
        path : path
            The file of the release; its ending determines the format.
        force : bool
            Overwrite existing files.
        extra_files : callable, optional
            Returns further files, such as a report, from the final policy. They are part of the transaction.

        Returns
        -------
        Policy
            The policy with the facts about the file.
        """
        target = check_path(path)
        check_release_paths([target, policy_path(target)], sources=[self.released.path], force=force)
        with FileTransaction(force=force) as files:
            # the first file gets its name last: a policy without its release must never be visible
            policy_part = files.add(policy_path(target))
            part = files.add(target)
            data.write_table(self.released, part, formulas=self.policy.formulas)
            written = self._verified(part, target)
            policy_part.write_text(written.policy.to_toml(), encoding="utf-8", newline="\n")
            for place, content in (extra_files(written.policy) if extra_files else {}).items():
                beside = files.add(place)
                if isinstance(content, str):
                    beside.write_text(content, encoding="utf-8", newline="\n")
                else:
                    content(written, beside)
            with defer_signals():
                files.commit()
        remove_abandoned(scratch_path(target))
        return written.policy

    def _verified(self, part: Path, target: Path) -> SavedRelease:
        """Read back and verify the written file."""
        table, known = read_back(part, self.policy)
        proof = verify_release(
            table,
            policy=known,
            records=self.released.height,
            design=self.row_metadata.design,
            suppressed=self.row_metadata.suppressed,
        )
        policy = self.policy.with_output(
            file=printable_name(target.name),
            records=proof.records,
            classes=proof.classes,
            min_class=proof.min_class,
            sha256=str(table.sha256),
        )
        if self.replayed_policy is not None:
            check_same_bytes(self.replayed_policy, policy)
        return SavedRelease(part, policy, proof)

    def __repr__(self) -> str:
        proof, evaluation = self.verification, self.evaluation.loss
        losses = {name: evaluation[name] for name in ("information_loss", "semantic_loss")}
        loss_text = "".join(f" {name}={value:.4g} %," for name, value in losses.items() if value is not None)
        search = self.partition.search
        refined = "" if search is None else f" refined={search.effort!r},"
        facts = (
            f"Release(k={proof.k}, method={self.policy.method!r},{refined} records={proof.records},"
            f" classes={proof.classes}, smallest={proof.min_class},{loss_text} verified={proof.ok})"
        )
        return "\n".join([facts, *(f"  warning: {in_python(sentence)}" for sentence in self.warnings)])

    @property
    def _display(self) -> DisplayTable:
        proof, evaluation = self.verification, self.evaluation.to_dict()
        before, after = evaluation["risk"]["before"], evaluation["risk"]["after"]
        rows = [
            [label_with_unit(risk), format_brief(before[risk.name]), format_brief(after[risk.name])]
            for risk in headline_measures("risk", after)
        ]
        rows += [
            [label_with_unit(loss), "", format_brief(evaluation["loss"][loss.name])]
            for loss in headline_measures("loss", evaluation["loss"])
        ]
        rows += [
            [f"loss of {shorten(name)} (%)", "", format_brief(loss)] for name, loss in evaluation["columns"].items()
        ]
        notes = [*self.partition.notes, *(f"Warning: {in_python(sentence)}" for sentence in self.warnings)]
        return DisplayTable(
            f"{proof.verdict} ({self.policy.method})", ("", "before", "after"), rows, ok=proof.ok, notes=notes
        )


def check_same_bytes(first: Policy, policy: Policy) -> None:
    """Raise if a replay on the same input, with the same versions and format, has other bytes."""
    if not {"file", "sha256"} <= first.output.keys():
        return
    formats = {data.full_extension(Path(str(facts["file"]))) for facts in (first.output, policy.output)}
    same_input = "sha256" in first.input and first.input["sha256"] == policy.input.get("sha256")
    comparable = len(formats) == 1 and same_input and first.versions == policy.versions
    if comparable and first.output["sha256"] != policy.output["sha256"]:
        raise PromiseError.replay_differs()


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
def defer_signals() -> Iterator[None]:
    """Defer signals that would stop the program until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda signal_number, _: received.append(signal_number)) for number in _STOPPING
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for number in received[:1]:
            signal.raise_signal(number)


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that determine the bytes of a release."""
    packages = ("shoal", "numpy", "numba", "polars", "narwhals")
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


_version = cache(version)
