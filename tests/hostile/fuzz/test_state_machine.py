"""Actions of a user in any order, on any table, from a description to a replay; driven by hypothesis."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import release_checks
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from ledger import FULL, LEDGER, Ledger
from odd_tables import DrawnTable, odd_tables, release_options

import shoal
from shoal.errors import ShoalError

_NAME = "an odd table in any form, protected, verified, measured, saved, replayed and bundled in any order"
_OUTCOME = "What is refused is refused in one sentence; every release keeps its promise, and comes again byte for byte."
_MEMORY = Path("/dev/shm")  # noqa: S108 - a disk that is waited for is no part of this
_ENDINGS = (".csv", ".parquet", ".tsv", ".feather", ".csv.gz")


class UserActions(RuleBasedStateMachine):
    """One user with one table; each rule is a possible next action."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-actions-", dir=_MEMORY if _MEMORY.is_dir() else None))
        self.account = LEDGER.account("abuse", _NAME, _OUTCOME)
        self.options: dict[str, Any] = {}
        self.release: shoal.Release | None = None
        self.files = 0

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def attempt(self, what: Any) -> Any:
        """What comes of it, or true; None where it is refused."""
        with self.account.trial():
            message, found = "", None
            try:
                found = what() or True
            except ShoalError as error:
                message = str(error)
            assert message.isprintable(), "a message that is no sentence"
            assert self.drawn.unchanged(), "the input changed"
            self.account.refused += bool(message)
            self.account.whole += not message
            return found

    def place(self, ending: str) -> Path:
        self.files += 1
        return self.folder / f"file{self.files}{ending}"

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.drawn: DrawnTable = data.draw(odd_tables(folder=self.folder))

    @rule()
    def describe(self) -> None:
        self.attempt(lambda: str(shoal.describe(self.drawn.data)))

    @rule(data=st.data())
    def anonymize(self, data: st.DataObject) -> None:
        options = data.draw(release_options(self.drawn))

        def protect() -> tuple[dict[str, Any], shoal.Release]:
            anonymized = shoal.anonymize(self.drawn.data, **options)
            release_checks.check(self.drawn, options, anonymized)
            release_checks.check_figures(anonymized.evaluation)
            return options, anonymized

        found = self.attempt(protect)
        if found is not None:
            self.options, self.release = found

    @precondition(lambda self: self.release is not None)
    @rule()
    def on_other_threads(self) -> None:
        def again() -> None:
            other = {**self.options, "threads": 3 - self.options["threads"]}
            assert _same(shoal.anonymize(self.drawn.data, **other), self.release), "another release on other threads"

        assert self.attempt(again)

    @precondition(lambda self: self.release is not None)
    @rule()
    def replay(self) -> None:
        def again() -> None:
            anonymized = shoal.replay(self.drawn.data, policy=self.release.policy)
            assert _same(anonymized, self.release), "another release from the same policy"

        assert self.attempt(again)

    @precondition(lambda self: self.release is not None)
    @rule()
    def verify(self) -> None:
        """Counting the release alone gives the verified classes, unless other options decide what a class is."""
        apart = ("strata", "households", "max_suppression", "models", "missing_values", "hierarchies", "sensitive")
        if any(self.options.get(name) for name in apart):
            return

        def count() -> None:
            found = shoal.verify(
                self.release.table, k=self.options["k"], quasi_identifiers=self.options["quasi_identifiers"]
            )
            assert found.ok, "a release that does not verify"
            assert found.classes == self.release.verification.classes

        assert self.attempt(count)

    @precondition(lambda self: self.release is not None)
    @rule()
    def evaluate(self) -> None:
        def measure() -> None:
            release_checks.check_figures(self.release.evaluate("all"))
            found = shoal.evaluate(
                self.drawn.data, self.release.table, quasi_identifiers=self.options["quasi_identifiers"]
            )
            release_checks.check_figures(found)

        self.attempt(measure)

    @precondition(lambda self: self.release is not None)
    @rule(ending=st.sampled_from(_ENDINGS))
    def save(self, ending: str) -> None:
        """The file has all records and its classes, and a replay from its policy has the same bytes."""
        first, second = self.place(ending), self.place(ending)

        def write() -> None:
            self.release.save(first)
            table = shoal.read(first, header=True)
            assert table.height == self.drawn.plain.height
            trees = self.options.get("hierarchies")
            shoal.replay(self.drawn.data, policy=f"{first}.policy.toml", hierarchies=trees).save(second)
            assert first.read_bytes() == second.read_bytes(), "a replay with other bytes"

        if self.attempt(write) is None and not first.exists():
            assert not any(path.name.startswith(first.stem) for path in self.folder.iterdir()), "half a release is left"

    @precondition(lambda self: self.release is not None)
    @rule()
    def bundle(self) -> None:
        path = self.place(".zip")

        def pack() -> None:
            shoal.bundle(self.release, path, name="out.csv")
            assert shoal.verify_bundle(path).ok, "a bundle that does not verify"

        if self.attempt(pack) is None:
            assert not path.exists() or shoal.verify_bundle(path).ok

    @precondition(lambda self: self.release is not None)
    @rule(row=st.integers(0, 30))
    def explain(self, row: int) -> None:
        self.attempt(lambda: str(shoal.explain(self.drawn.data, row=row, policy=self.release.policy)))

    @precondition(lambda self: self.release is not None and FULL)
    @rule()
    def compare(self) -> None:
        keys = self.options["quasi_identifiers"]
        self.attempt(
            lambda: shoal.compare(self.drawn.data, k=[2, 3], quasi_identifiers=keys, methods=["mdav", "mondrian"])
        )

    @precondition(lambda self: self.drawn.form in ("csv", "parquet"))
    @rule(k=st.integers(2, 3))
    def in_pieces(self, k: int) -> None:
        """A file to a file, in pieces: every record once, each among k alike."""
        target = self.place(f".{self.drawn.form}")
        keys = list(self.drawn.kinds)

        def protect() -> None:
            shoal.anonymize_file(
                self.drawn.data, target, k=k, quasi_identifiers=keys, memory="1GB", method="mdav", threads=1
            )
            found = _read_plainly(target)
            assert len(found) == self.drawn.plain.height, "a record is lost or doubled"
            counts = Counter(tuple(row[name] for name in keys) for row in found)
            assert min(counts.values()) >= k, "a class below k"

        if self.attempt(protect) is None:
            assert not target.exists(), "a refused release is there"


def _read_plainly(path: Path) -> list[dict[str, str]]:
    """The records of a file, read without Shoal, each cell as it shows itself."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    return [{name: repr(cell) for name, cell in row.items()} for row in pl.read_parquet(path).to_dicts()]


def _same(one: shoal.Release, other: shoal.Release | None) -> bool:
    assert other is not None
    keys = release_checks.names(one.table)
    return release_checks.rows(one.table, keys) == release_checks.rows(other.table, keys)


def test_any_order_with_any_table(ledger: Ledger) -> None:
    run_state_machine_as_test(
        UserActions,
        settings=settings(
            max_examples=200 if FULL else 15,
            stateful_step_count=12 if FULL else 8,
            derandomize=not FULL,
            database=None,
            deadline=None,
            phases=(Phase.generate, *((Phase.shrink,) if FULL else ())),
            suppress_health_check=list(HealthCheck),
        ),
    )
