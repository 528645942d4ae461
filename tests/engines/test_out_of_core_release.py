"""Out-of-core releases of one file: k-anonymity, bytes, figures, and resuming after a fault."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from out_of_core_options import OPTION_SETS, OPTIONS, QUASI_IDENTIFIERS, with_gaps

import shoal
from shoal.cli.main import main
from shoal.engines import memory_budget
from shoal.engines import parts_plan as plans
from shoal.errors import ColumnError, DataError, FileError, OptionError, OutputError, PolicyError
from shoal.release.anonymize_file import anonymize_file, replay_file
from shoal.release.file_release import FileRelease
from shoal.system import threads

ROWS, SMALL_CHUNKS = 1200, 7600
COLUMNS = (*OPTIONS["identifiers"], *QUASI_IDENTIFIERS, "household_size", "income", "visits", "diagnosis")
"""Some columns of the register, to save time."""


def example(rows: int) -> pl.DataFrame:
    return shoal.example_register(rows).select(COLUMNS)


def with_homes(frame: pl.DataFrame) -> pl.DataFrame:
    """Add households of two or three whose members are far from each other."""
    number = pl.int_range(frame.height) * 7919 % (2 * frame.height // 5)
    return frame.with_columns(home=number.cast(pl.Float64), half=number % 2)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_parts(monkeypatch)


def use_small_parts(patch: pytest.MonkeyPatch) -> None:
    """Use small chunks and parts, so that a small table has many of them."""
    patch.setattr(memory_budget, "_CHUNK_EXPANSION", SMALL_CHUNKS)
    patch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)


@pytest.fixture(params=["csv", "parquet"])
def register(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"register.{request.param}"
    write(example(ROWS), path)
    return path


class ReferenceRelease(NamedTuple):
    """A register, and its release by a run without faults."""

    source: Path
    target: Path
    release: FileRelease
    before: bytes

    @property
    def policy(self) -> Path:
        return self.target.with_name(f"{self.target.name}.policy.toml")


@pytest.fixture(scope="module", params=["csv", "parquet"])
def reference(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ReferenceRelease:
    folder = tmp_path_factory.mktemp("reference")
    source, target = folder / f"register.{request.param}", folder / f"out.{request.param}"
    write(example(ROWS), source)
    before = source.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        use_small_parts(patch)
        return ReferenceRelease(source, target, anonymize_file(source, target, **OPTIONS), before)


def write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False) if path.suffix == ".csv" else pl.read_parquet(path)


def test_keeps_the_promise_the_records_and_their_order(reference: ReferenceRelease) -> None:
    made = reference.release
    assert made.verification.ok
    assert made.parts.n_parts > 3
    assert (
        shoal.verify(reference.target, k=4, quasi_identifiers=QUASI_IDENTIFIERS).min_class
        == made.verification.min_class
    )
    old, new = read(reference.source), read(reference.target)
    kept = [name for name in old.columns if name not in ("person_id", "name")]
    assert new.columns == kept
    for name in kept:
        if name not in QUASI_IDENTIFIERS:
            assert new[name].equals(old[name]), name
    assert reference.source.read_bytes() == reference.before
    assert {path.name for path in reference.source.parent.iterdir()} == {
        path.name for path in (reference.source, reference.target, reference.policy)
    }


def test_figures_are_those_of_an_evaluation(reference: ReferenceRelease) -> None:
    made = reference.release
    other = shoal.evaluate(reference.source, reference.target, quasi_identifiers=QUASI_IDENTIFIERS, k=4)
    for mine, theirs in (
        (made.evaluation.loss, other.loss),
        (made.evaluation.before, other.before),
        (made.evaluation.after, other.after),
    ):
        for name, figure in mine.items():
            assert (figure is None) == (theirs[name] is None), name
            # the quartiles by which queries are options are those of a sample
            near = 0.2 if name.startswith("query") or "quer" in name else 1e-6
            assert figure is None or math.isclose(figure, theirs[name], rel_tol=near, abs_tol=1e-9), name
    assert made.evaluation.columns.keys() == set(QUASI_IDENTIFIERS)


@pytest.mark.parametrize(("number", "grown"), [(1, 3600), (3, 300)])
def test_bytes_do_not_depend_on_threads_or_chunks(
    reference: ReferenceRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, grown: int
) -> None:
    monkeypatch.setattr(memory_budget, "_CHUNK_EXPANSION", grown)
    target = tmp_path / reference.target.name
    with threads.use_threads(number):
        anonymize_file(reference.source, target, **OPTIONS)
    assert target.read_bytes() == reference.target.read_bytes()


def test_another_format_comes_out(reference: ReferenceRelease, tmp_path: Path) -> None:
    target = tmp_path / ("out.csv" if reference.target.suffix == ".parquet" else "out.parquet")
    anonymize_file(reference.source, target, **OPTIONS)
    assert read(target).height == ROWS


@pytest.mark.parametrize(
    "more",
    [*OPTION_SETS, {"method": "mdav"}, {"method": None, "effort": "fast"}],
    ids=lambda more: "-".join(more),
)
def test_decisions_hold_in_pieces(tmp_path: Path, more: dict[str, Any]) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    with_gaps().select(COLUMNS).write_csv(source)
    made = anonymize_file(source, target, **{**OPTIONS, **more})
    models = {check.column: check.model for check in made.verification.models}
    proof = shoal.verify(target, k=4, quasi_identifiers=QUASI_IDENTIFIERS, models=models or None)
    assert proof.ok
    assert proof.classes == made.verification.classes
    assert ("l" in more or "t" in more) == bool(made.verification.models)


def test_replays_to_the_same_bytes(
    reference: ReferenceRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = tmp_path / f"again{reference.target.suffix}"
    assert reference.release.policy.pieces == 300
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 900)
    replay_file(reference.source, again, policy=reference.policy)
    assert again.read_bytes() == reference.target.read_bytes()
    with pytest.raises(PolicyError):
        replay_file(reference.source, tmp_path / "third.csv", policy=tmp_path / "none.toml")


class _CountedCalls:
    """Processes some parts, then calls a function before each part."""

    def __init__(self, passes: int, then: Callable[[], None]) -> None:
        self.passes, self.then, self.calls, self.work = passes, then, 0, plans.PartsPlan.process_part

    def __call__(self, *given: Any) -> Any:
        self.calls += 1
        if self.calls > self.passes:
            self.then()
        return self.work(*given)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _fail() -> None:
    raise RuntimeError("a fault")


def test_goes_on_after_an_interrupt(
    reference: ReferenceRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / reference.target.name
    stopped = _CountedCalls(2, _interrupt)
    with threads.use_threads(1), monkeypatch.context() as patch:
        patch.setattr(plans.PartsPlan, "process_part", lambda *given: stopped(*given))
        with pytest.raises(KeyboardInterrupt):
            anonymize_file(reference.source, target, **OPTIONS)
    assert not target.exists()
    left = tmp_path / f".shoal-scratch-{target.name}"
    assert left.stat().st_mode & 0o077 == 0
    counted = _CountedCalls(10**6, _fail)
    monkeypatch.setattr(plans.PartsPlan, "process_part", lambda *given: counted(*given))
    anonymize_file(reference.source, target, **OPTIONS)
    assert counted.calls == reference.release.parts.n_parts - 2
    assert target.read_bytes() == reference.target.read_bytes()
    assert not left.exists()


def test_torn_scratch_files_are_made_again(
    reference: ReferenceRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both the records of the leaves and the recoded parts."""
    target, stopped = tmp_path / reference.target.name, _CountedCalls(3, _interrupt)
    with threads.use_threads(1), monkeypatch.context() as patch:
        patch.setattr(plans.PartsPlan, "process_part", lambda *given: stopped(*given))
        with pytest.raises(KeyboardInterrupt):
            anonymize_file(reference.source, target, **OPTIONS)
    torn = "leaves" if target.suffix == ".csv" else "parts"
    file = next((tmp_path / f".shoal-scratch-{target.name}" / torn).glob("*.spill"))
    file.write_bytes(file.read_bytes()[:-7])
    anonymize_file(reference.source, target, **OPTIONS)
    assert target.read_bytes() == reference.target.read_bytes()


def test_other_decisions_do_not_take_up_what_is_left(
    reference: ReferenceRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, stopped = tmp_path / reference.target.name, _CountedCalls(2, _interrupt)
    with monkeypatch.context() as patch:
        patch.setattr(plans.PartsPlan, "process_part", lambda *given: stopped(*given))
        with pytest.raises(KeyboardInterrupt):
            anonymize_file(reference.source, target, **{**OPTIONS, "k": 7})
    anonymize_file(reference.source, target, **OPTIONS)
    assert target.read_bytes() == reference.target.read_bytes()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_households_do_not_depend_on_threads_or_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    source = tmp_path / f"in.{ending}"
    write(with_homes(example(ROWS)), source)
    options, targets = {**OPTIONS, "households": "home"}, [tmp_path / f"{number}.{ending}" for number in range(3)]
    for target, expansion, number in zip(targets, (SMALL_CHUNKS, 900, 1), (2, 1, 3), strict=True):
        monkeypatch.setattr(memory_budget, "_CHUNK_EXPANSION", expansion)
        with threads.use_threads(number):
            made = anonymize_file(source, target, **options)
        assert made.parts.n_parts > 3
        assert target.read_bytes() == targets[0].read_bytes()
    assert shoal.verify(targets[0], k=4, quasi_identifiers=QUASI_IDENTIFIERS, households="home").ok


def test_too_many_households_for_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.csv"
    with_homes(example(ROWS)).write_csv(source)
    monkeypatch.setattr(memory_budget, "_HOUSEHOLD_FRACTION", 48 * 479.5 / 1.5e9)
    with pytest.raises(DataError, match="more than 479 households, too many for the memory limit"):
        anonymize_file(source, tmp_path / "out.csv", **OPTIONS, households="home")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_fault_leaves_nothing(register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = _CountedCalls(2, _fail)
    monkeypatch.setattr(plans.PartsPlan, "process_part", lambda *given: stopped(*given))
    with pytest.raises(RuntimeError, match="a fault"):
        anonymize_file(register, tmp_path / "out.csv", **OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == [register.name]


KILLED = """
    import json, os, signal, sys
    from shoal.engines import memory_budget, parts_plan
    memory_budget._CHUNK_EXPANSION = 7600
    memory_budget.MemoryBudget.part_rows = lambda *_, **__: 300
    from shoal.release.anonymize_file import anonymize_file
    source, target, options, *steps = sys.argv[1:]
    for step, left in (given.split(":") for given in steps):
        left, child = int(left), os.fork()
        if not child:
            break
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(step, -ended, *(os.path.exists(target + more) for more in ("", ".policy.toml")))
    else:
        raise SystemExit
    def dying(function):
        def call(*given, **named):
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*given, **named)
        return call
    setattr(parts_plan.PartsPlan, step, dying(getattr(parts_plan.PartsPlan, step)))
    anonymize_file(source, target, **json.loads(options))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("design", [{}, {"households": "home", "strata": "half"}], ids=["persons", "households"])
def test_killed_at_any_stage_it_finishes_with_the_same_bytes(tmp_path: Path, design: dict[str, str]) -> None:
    source, target, reference = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "reference.csv"
    with_homes(example(ROWS)).write_csv(source)
    options = {**OPTIONS, "quasi_identifiers": ["age", "sex", "height_cm"], **design}
    anonymize_file(source, reference, **options)
    # a process that has all imported, with one of its own for each step
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        textwrap.dedent(KILLED),
        str(source),
        str(target),
        json.dumps(options),
    ]
    steps = ["assign_leaves:2", "process_part:2", "release_chunk:1"]
    done = subprocess.run([*command, *steps], capture_output=True, text=True, check=True)
    # which step, the signal, and whether the release or its policy is there
    killed = int(signal.SIGKILL)
    assert done.stdout.splitlines() == [f"{step[:-2]} {killed} False False" for step in steps]
    anonymize_file(source, target, **options)
    assert target.read_bytes() == reference.read_bytes()
    assert not list(tmp_path.glob(".shoal*"))


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"missing_values": "wildcard"}, OptionError, "wildcards"),
        ({"households": "name"}, ColumnError, "'name' names the households and is not released"),
        ({"k": 5000}, OptionError, "5,000"),
        ({"quasi_identifiers": ["agee"]}, ColumnError, "agee"),
        ({"memory": "5MB"}, OptionError, "too low"),
    ],
)
def test_bad_decisions_get_one_sentence_and_leave_nothing(
    tmp_path: Path, more: dict[str, Any], error: type[Exception], message: str
) -> None:
    source = tmp_path / "in.csv"
    example(500).write_csv(source)
    with pytest.raises(error, match=message):
        anonymize_file(source, tmp_path / "out.csv", **{**OPTIONS, **more})
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_text_far_down_in_a_column_of_numbers_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    frame = example(1500).cast({"age": pl.String})
    frame = frame.with_columns(age=pl.when(pl.int_range(1500) == 1490).then(pl.lit("ninety")).otherwise(pl.col("age")))
    frame.write_csv(source)
    with pytest.raises(DataError, match=r"1491|1,491") as caught:
        anonymize_file(source, tmp_path / "out.csv", **OPTIONS)
    assert "ninety" not in str(caught.value)


def test_outputs_are_not_replaced_and_inputs_never(register: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        anonymize_file(register, target, **OPTIONS)
    assert target.read_text() == "mine"
    with pytest.raises(OutputError):
        anonymize_file(register, register, **OPTIONS, force=True)
    with pytest.raises(FileError):
        anonymize_file(tmp_path / "none.csv", target, **OPTIONS, force=True)


def test_what_classes_disclose_is_measured_as_in_memory(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    example(500).write_csv(source)
    made = anonymize_file(source, target, **OPTIONS, sensitive=["diagnosis", "visits"])
    whole = shoal.evaluate(
        source, target, quasi_identifiers=OPTIONS["quasi_identifiers"], sensitive=["diagnosis", "visits"]
    )
    assert made.evaluation.disclosures == whole.disclosures
    assert "not measured in pieces" in made.evaluation.notes[0]


def test_a_value_that_nine_of_ten_records_share(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    rows = 2400
    frame = pl.DataFrame({"a": [1.0] * (rows - 240) + [float(i % 37) for i in range(240)], "b": ["x"] * rows})
    frame.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(source)
    made = anonymize_file(source, target, k=5, quasi_identifiers=["a", "b"], method="mdav")
    assert made.verification.ok
    assert made.parts.largest_part <= 1200


class CommandResult(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., CommandResult]:
    """Run the command line in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*given: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["shoal", *given])
        with pytest.raises(SystemExit) as stopped:
            main()
        return CommandResult(int(stopped.value.code or 0), *capsys.readouterr())

    return run


def test_the_command_line_and_its_report(register: Path, tmp_path: Path, shell: Any) -> None:
    options = ["-k", "4", "-q", ",".join(QUASI_IDENTIFIERS), "--identifiers", "person_id,name", "--method", "mondrian"]
    done = shell(
        "anonymize",
        str(register),
        *options,
        "--memory",
        "1GB",
        "-o",
        "out.csv",
        "--json",
        "--report",
        "report.html",
        "--external-report",
        "outside.html",
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["verification"]["ok"]
    assert "piece" in facts["account"][0]
    assert "<html" in (tmp_path / "report.html").read_text()
    assert "<html" in (tmp_path / "outside.html").read_text()
    again = shell("anonymize", str(register), "--policy", "out.csv.policy.toml", "-o", "again.csv")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    refused = shell("anonymize", str(register), *options, "--memory", "much", "-o", "other.csv")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    bundle = shell("anonymize", str(register), *options, "--memory", "1GB", "--bundle", "b.zip", "-o", "other.csv")
    assert bundle.returncode == 0, bundle.stderr
    assert (tmp_path / "other.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
