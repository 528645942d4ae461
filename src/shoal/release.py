"""A release: the protected table with its proof, its figures and the policy that made it."""

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

from shoal import tables
from shoal.appearing import Appearing, tidy
from shoal.engines.scratch import drop_left, scratch_path
from shoal.errors import OutputError, PromiseError, in_python
from shoal.measure import Pair, evaluate
from shoal.report import dossier
from shoal.report.external import for_outsiders
from shoal.report.figures import brief, headlines, titled
from shoal.report.summary import detailed
from shoal.schema import Policy
from shoal.tables import ComparedRows, Table
from shoal.values import BoolVector, Design, Evaluation, IntVector, Partition, Verification
from shoal.values.shown import Shown
from shoal.verify import verify_release
from shoal.words import short

_STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no hang-up
)


@dataclass(frozen=True)
class Written:
    """A release as it stands in a file, read back and counted."""

    path: Path
    policy: Policy
    """With the facts of the file."""
    proof: Verification


Writer = Callable[[Written, Path], None]
"""Writes a file about a written release to this place."""
More = Mapping[Path, str | Writer]
"""Further files: texts, and what writes them where they hold the release itself."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """What is known about the rows of a release beyond what they show, by which the written file is verified too."""

    design: Design = field(default_factory=Design)
    """Their strata and households."""
    suppressed: BoolVector | None = None
    """Which of them are suppressed."""
    order: IntVector | None = None
    """For each of them its row in the original; None where they stand in one order."""

    def by(self, order: IntVector | None) -> Rows:
        """The same about these rows, in their order; about all of them as they are where there is none."""
        if order is None:
            return self
        return Rows(self.design.some(order), None if self.suppressed is None else self.suppressed[order], order)


@dataclass(frozen=True, eq=False)
class Release:
    """What `shoal.anonymize` returns: verified on its released values."""

    original: Table
    """The table that came in; it never leaves this object but in what is meant for internal use."""
    released: Table
    partition: Partition
    """The groups of the records, in the order of the original also where the rows of the release are shuffled."""
    evaluation: Evaluation
    verification: Verification
    policy: Policy
    pair: Pair
    """Both tables as the measures see them."""
    rows: Rows = field(default_factory=Rows)
    """What else is known about the rows of the release, in their order."""
    warnings: tuple[str, ...] = ()
    replayed: Policy | None = None
    """The policy that this release replays; a replay of the same input must give the same bytes."""

    def evaluate(self, measures: str | Iterable[str] = "all") -> Evaluation:
        """More measures than those of ``evaluation``: all of them, or those that are named."""
        return self._all if measures == "all" else self._evaluated(measures)

    @cached_property
    def _all(self) -> Evaluation:
        return self._evaluated("all")

    def _evaluated(self, measures: str | Iterable[str]) -> Evaluation:
        before = self.evaluation
        return evaluate(self.pair, which=measures, notes=before.notes, models=before.models)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        external: bool = False,
        comparison: Any = None,
        policy: Policy | None = None,
        force: bool = False,
    ) -> str:
        """The report as one HTML file, with every measure; written to the path if one is given.

        It is for internal use and names values of the original data, unless it is ``external``: then it holds only
        what may leave the house. A ``comparison`` is what `shoal.compare` gave. ``policy`` is the one that `save`
        returned, which knows the file of the release.
        """
        facts = detailed(
            self,
            policy=policy,
            evaluation=self.evaluate("all"),
            comparison=comparison.to_dict() if hasattr(comparison, "to_dict") else comparison,
        )
        text = dossier.page(for_outsiders(facts) if external else facts)
        if path is not None:
            target = named_path(path)
            check_places([target], sources=[self.released.path], force=force)
            with tables.aside(target, force=force) as part:
                part.write_text(text, encoding="utf-8", newline="\n")
        return text

    @property
    def table(self) -> Any:
        """The released table, of the kind that came in; a polars frame where a file came in."""
        return self.released.native()

    def compare_rows(self, rows: int = 5) -> Any:
        """A few records before and after, side by side, as a polars frame of text; for internal use.

        It shows original values. The records are of different groups, and the same each time.
        """
        return self.compared_rows(rows).frame()

    def compared_rows(self, rows: int = 5) -> ComparedRows:
        """The same as names and lists of text; for internal use."""
        return tables.compare_rows(
            self.original,
            self.released,
            quasi_identifiers=self.policy.schema.quasi_identifiers,
            groups=self.partition.labels,
            order=self.rows.order,
            rows=rows,
        )

    def save(
        self, path: str | os.PathLike[str], *, force: bool = False, more: Callable[[Policy], More] | None = None
    ) -> Policy:
        """Write the release and, beside it, its policy (``NAME.policy.toml``).

        All is written aside, the release is read back and verified as it stands in the file, and only then do the
        files appear under their names: whole or not at all. ``more`` gives further files, such as a report, from
        the final policy; they appear together with the release. Returns the policy with the facts of the output.
        """
        target = named_path(path)
        check_outputs([target, policy_path(target)], sources=[self.released.path], force=force)
        with Appearing(force=force) as files:
            # the policy goes in first, so that it appears last: a policy never speaks of a release that is not there
            policy_part = files.aside(policy_path(target))
            part = files.aside(target)
            tables.write(self.released, part, formulas=self.policy.formulas)
            written = self._verified(part, target)
            policy_part.write_text(written.policy.to_toml(), encoding="utf-8", newline="\n")
            for place, content in (more(written.policy) if more else {}).items():
                beside = files.aside(place)
                if isinstance(content, str):
                    beside.write_text(content, encoding="utf-8", newline="\n")
                else:
                    content(written, beside)
            with uninterrupted():
                files.appear()
        drop_left(scratch_path(target))
        return written.policy

    def _verified(self, part: Path, target: Path) -> Written:
        """The written file, after it was read back and counted."""
        table, known = read_back(part, self.policy)
        proof = verify_release(
            table,
            policy=known,
            records=self.released.height,
            design=self.rows.design,
            suppressed=self.rows.suppressed,
        )
        policy = self.policy.with_output(
            file=printable(target.name),
            records=proof.records,
            classes=proof.classes,
            min_class=proof.min_class,
            sha256=str(table.sha256),
        )
        self._check_replay(policy)
        return Written(part, policy, proof)

    def _check_replay(self, policy: Policy) -> None:
        """A replay on the same input with the same versions, in the same format, must give the same bytes."""
        old = self.replayed
        if old is None or not {"file", "sha256"} <= old.output.keys():
            return
        formats = {tables.full_ending(Path(str(facts["file"]))) for facts in (old.output, policy.output)}
        same_input = "sha256" in old.input and old.input["sha256"] == policy.input.get("sha256")
        same = len(formats) == 1 and same_input and old.versions == policy.versions
        if same and old.output["sha256"] != policy.output["sha256"]:
            raise PromiseError.replay_differs()

    def __repr__(self) -> str:
        proof, figures = self.verification, self.evaluation.loss
        losses = {name: figures[name] for name in ("information_loss", "semantic_loss")}
        said = "".join(f" {name}={value:.4g} %," for name, value in losses.items() if value is not None)
        search = self.partition.search
        refined = "" if search is None else f" refined={search.effort!r},"
        facts = (
            f"Release(k={proof.k}, method={self.policy.method!r},{refined} records={proof.records},"
            f" classes={proof.classes}, smallest={proof.min_class},{said} verified={proof.ok})"
        )
        return "\n".join([facts, *(f"  warning: {in_python(sentence)}" for sentence in self.warnings)])

    @property
    def _shown(self) -> Shown:
        proof, figures = self.verification, self.evaluation.to_dict()
        before, after = figures["risk"]["before"], figures["risk"]["after"]
        rows = [[titled(risk), brief(before[risk.name]), brief(after[risk.name])] for risk in headlines("risk", after)]
        rows += [[titled(loss), "", brief(figures["loss"][loss.name])] for loss in headlines("loss", figures["loss"])]
        rows += [[f"loss of {short(name)} (%)", "", brief(loss)] for name, loss in figures["columns"].items()]
        notes = [*self.partition.told, *(f"Warning: {in_python(sentence)}" for sentence in self.warnings)]
        return Shown(f"{proof.verdict} ({self.policy.method})", ("", "before", "after"), rows, ok=proof.ok, notes=notes)

    def _repr_html_(self) -> str:
        return self._shown.html()

    def __rich__(self) -> Any:
        return self._shown.rich()


def read_back(path: Path, policy: Policy) -> tuple[Table, Policy]:
    """A written release, read as its input was where the format is the same, and the policy by the file's names."""
    options, names = tables.release_options(
        path, policy.schema.released, settings=policy.input.get("settings", {}), formulas=policy.formulas
    )
    return tables.read(path, options=options), policy.renamed(names)


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
    """Refuse early what could not be written later, of whatever format: above all the place of an input.

    What killed runs had begun to let appear beside these places is finished first.
    """
    for folder in dict.fromkeys(path.parent for path in paths):
        tidy(folder)
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
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


_version = cache(version)
