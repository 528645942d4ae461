"""The commands as users run them."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal as package
from fork_server import ForkServer
from shoal.cli.main import main

QUASI = ["age", "height_cm", "household_size", "income"]
ROLES = ["-q", ",".join(QUASI), "--identifiers", "person_id,name", "--sensitive", "diagnosis"]
QUICK = [*ROLES, "--method", "mdav"]
"""Where the groups do not matter."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_anonymize_writes_release_policy_and_report(shoal, register_csv: Path, tmp_path: Path) -> None:
    target, report = tmp_path / "out.csv", tmp_path / "report.html"
    run = shoal("anonymize", register_csv, "-k", 5, *ROLES, "-o", target, "--report", report)
    assert run.code == 0
    assert "VERIFIED" in run.out
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "out.csv.policy.toml", "report.html"]
    original, released = rows(register_csv), rows(target)
    assert min(Counter(tuple(row[name] for name in QUASI) for row in released).values()) >= 5
    names = [name for name in original[0] if name not in ("person_id", "name")]
    assert list(released[0]) == names
    for name in set(names) - set(QUASI):
        assert [row[name] for row in original] == [row[name] for row in released]


def nearly(one: Any, other: Any) -> bool:
    """Whether two answers are the same but for the last digits of figures."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(nearly(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-12, abs=1e-12)
    return bool(one == other)


def test_json_has_stable_keys(shoal, register_csv: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    facts = json.loads(
        shoal("anonymize", register_csv, "-k", 5, *ROLES, "--effort", "fast", "-o", target, "--json").out
    )
    assert list(facts) == [
        "shoal", "policy", "method", "account", "search", "verification", "evaluation", "sentences", "group_sizes",
        "measures", "warnings", "data", "class_bands",
    ]  # fmt: skip
    evaluation_keys = [
        *("records", "k", "quasi_identifiers", "base", "distance", "loss", "risk", "attacks", "columns", "changes"),
        *("disclosures", "models", "notes"),
    ]
    assert list(facts["evaluation"]) == evaluation_keys
    arguments = ["-q", ",".join(QUASI), "-k", 5, "--sensitive", "diagnosis", "--json"]
    evaluated = json.loads(shoal("evaluate", register_csv, target, *arguments).out)
    assert list(evaluated) == evaluation_keys
    assert nearly(evaluated, facts["evaluation"])
    verified = json.loads(shoal("verify", target, "-q", ",".join(QUASI), "-k", 5, "--json").out)
    assert verified == facts["verification"]
    assert list(verified) == [
        "ok", "k", "records", "classes", "min_class", "k_violations", "unique_records", "quasi_identifiers", "missing",
        "unit", "models",
    ]  # fmt: skip
    described = json.loads(shoal("describe", register_csv, "--json").out)
    assert list(described) == [
        "kind",
        "settings",
        "records",
        "columns",
        "quasi_identifiers",
        "unique_records",
        "warnings",
    ]
    methods = json.loads(shoal("methods", "--json").out)
    assert {method["name"] for method in methods} == set(package.methods())
    assert all(list(method["growth"]) == ["exponent", "from", "to", "seconds", "data"] for method in methods)


def test_methods_tell_how_their_time_was_measured_to_grow(shoal) -> None:
    growth = package.methods()["mdav"].growth
    records = f"{growth.min_records:,} to {growth.max_records:,} records"
    text = f"time measured: n^{growth.exponent:.1f} from {records}, {growth.seconds:g} s"
    assert text in shoal("methods", "mdav").out
    assert text in shoal("methods").out


def test_verify_fails_with_exit_code_3(shoal, register_csv: Path) -> None:
    run = shoal("verify", register_csv, "-k", 5, "-q", ",".join(QUASI))
    assert run.code == 3
    assert "NOT k-ANONYMOUS" in run.out


def test_a_policy_replays_to_the_same_bytes(shoal, register_csv: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "first.csv", tmp_path / "again.csv"
    options = [
        "--method",
        "v-mdav",
        "--option",
        "gamma=0.5",
        "--weight",
        "age=2",
        "--recode",
        "median",
        "--round-integers",
    ]
    assert shoal("anonymize", register_csv, "-k", 4, *ROLES, *options, "-o", first).code == 0
    policy = Path(f"{first}.policy.toml")
    assert shoal("anonymize", register_csv, "--policy", policy, "-o", again).code == 0
    assert first.read_bytes() == again.read_bytes()
    renamed = Path(f"{again}.policy.toml").read_text().replace("again.csv", "first.csv")
    assert renamed == policy.read_text()


def test_a_replay_that_gives_other_bytes_is_refused(shoal, register_csv: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.csv"
    assert shoal("anonymize", register_csv, "-k", 4, *QUICK, "-o", first).code == 0
    policy = Path(f"{first}.policy.toml")
    head, mark, tail = policy.read_text().partition("[output]")
    digest = tail.partition('sha256 = "')[2][:64]
    policy.write_text(head + mark + tail.replace(digest, "0" * 64))
    run = shoal("anonymize", register_csv, "--policy", policy, "-o", tmp_path / "again.csv")
    assert run.code == 3
    assert not (tmp_path / "again.csv").exists()


def test_a_policy_serves_the_next_delivery(shoal, register_csv: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    shoal("anonymize", register_csv, "-k", 4, *QUICK, "-o", first)
    delivery = tmp_path / "delivery.csv"
    package.example_register(rows=300, seed=9).write_csv(delivery)
    run = shoal("anonymize", delivery, "--policy", f"{first}.policy.toml", "-o", second)
    assert run.code == 0
    assert len(rows(second)) == 300
    package.example_register(rows=300, seed=9).write_parquet(tmp_path / "delivery.parquet")
    run = shoal(
        "anonymize", tmp_path / "delivery.parquet", "--policy", f"{first}.policy.toml", "-o", tmp_path / "p.parquet"
    )
    assert run.code == 0, run.err
    extra = tmp_path / "extra.csv"
    extra.write_text("".join(line + ",x\n" for line in delivery.read_text().splitlines()).replace(",x\n", ",note\n", 1))
    run = shoal("anonymize", extra, "--policy", f"{first}.policy.toml", "-o", tmp_path / "third.csv")
    assert run.code == 2
    assert "does not mention column 'note'" in run.err


def test_semicolons_and_decimal_commas(shoal, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes("café;größe\r\n".encode("latin-1") + b"".join(b"%d,5;0%d\r\n" % (i, i) for i in range(9)))
    run = shoal("anonymize", source, "-k", 3, "-q", "café", "--keep", "größe", "--decimal", ",", "-o", target)
    assert run.code == 0, run.err
    lines = target.read_bytes().split(b"\r\n")
    assert lines[0] == "café;größe".encode("latin-1")
    assert [line.split(b";")[1] for line in lines[1:10]] == [b"0%d" % i for i in range(9)]
    assert shoal("verify", target, "-k", 3, "-q", "café").code == 0


def test_columns_with_commas_in_their_names(shoal, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text('"age, in years",b\n' + "".join(f"{i},{i}\n" for i in range(6)))
    run = shoal("anonymize", source, "-k", 3, "-q", '"age, in years",b', "-o", tmp_path / "out.csv")
    assert run.code == 0, run.err


def test_names_with_outer_blanks_and_line_breaks(shoal, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text('" age ","in\ncome"\n' + "".join(f"{i},{i}\n" for i in range(6)))
    run = shoal("anonymize", source, "-k", 3, "-q", '" age ","in\ncome"', "-o", tmp_path / "out.csv")
    assert run.code == 0, run.err


def test_a_file_without_a_header_can_drop_any_column(shoal, tmp_path: Path) -> None:
    source, target, again = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "again.csv"
    source.write_text("".join(f"id{i},{i},x{i % 2},{i * i}\n" for i in range(7)))
    roles = ["-q", "column_2,column_4", "--identifiers", "column_1"]
    run = shoal("anonymize", source, "--no-header", "-k", 3, *roles, "-o", target)
    assert run.code == 0, run.err
    lines = [line.split(",") for line in target.read_text().splitlines()]
    assert [line[1] for line in lines] == [f"x{i % 2}" for i in range(7)]
    assert min(Counter((line[0], line[2]) for line in lines).values()) >= 3
    assert shoal("anonymize", source, "--policy", f"{target}.policy.toml", "-o", again).code == 0
    assert again.read_bytes() == target.read_bytes()


def test_a_header_that_looks_like_data_can_be_vouched_for(shoal, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("2019,2020\n" + "".join(f"{i},{i}\n" for i in range(6)))
    arguments = ["anonymize", source, "-k", 3, "-q", "2019,2020"]
    assert shoal(*arguments, "-o", tmp_path / "out.csv").code == 2
    assert shoal(*arguments, "--header", "-o", tmp_path / "out.csv").code == 0
    policy = tmp_path / "out.csv.policy.toml"
    assert shoal("anonymize", source, "--policy", policy, "-o", tmp_path / "again.csv").code == 0
    assert package.read(source, header=True).names == ("2019", "2020")
    assert package.read(source, header=False).names == ("column_1", "column_2")


def test_file_names_that_are_not_utf_8(shoal, tmp_path: Path) -> None:
    source, target = tmp_path / os.fsdecode(b"caf\xe9.csv"), tmp_path / os.fsdecode(b"out\xe9.csv")
    source.write_text("age\n" + "".join(f"{i}\n" for i in range(6)))
    run = shoal("anonymize", source, "-k", 3, "-q", "age", "-o", target, "--report", tmp_path / "report.html")
    assert run.code == 0, run.err
    assert "caf\\\\udce9.csv" in Path(f"{target}.policy.toml").read_text()


def test_columns_that_look_like_identifiers_need_a_word(shoal, register_csv: Path, tmp_path: Path) -> None:
    arguments = ["anonymize", register_csv, "-k", 5, "-q", "age", "--method", "mdav", "-o", tmp_path / "out.csv"]
    run = shoal(*arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("shoal: 2 columns without a role look like identifiers: 'person_id' (")
    assert run.err.endswith(
        "; drop them with --identifiers person_id,name, or release them unchanged with --keep person_id,name.\n"
    )
    assert os.listdir(tmp_path) == []
    run = shoal(*arguments, "--keep", "person_id", "--identifiers", "name")
    assert run.code == 0
    assert list(rows(tmp_path / "out.csv")[0])[:2] == ["person_id", "age"]
    line = next(line for line in run.err.splitlines() if "no role" in line)
    assert line.startswith("shoal: warning: 17 columns have no role and are released unchanged: 'sex', 'birth_date',")
    assert " and 9 more. Drop them with --drop-others. Outsiders could know 'sex', 'birth_date'," in line
    assert "drop_others=" not in run.err
    run = shoal(*arguments, "--drop-others", "--force", "--json")
    assert (run.code, "no role" in run.err) == (0, False)
    assert list(rows(tmp_path / "out.csv")[0]) == ["age"]
    again = shoal("anonymize", register_csv, "--policy", f"{arguments[-1]}.policy.toml", "-o", tmp_path / "again.csv")
    assert again.code == 0, again.err
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize("options", [["--keep", "name"], ["--drop-others"]])
def test_a_policy_has_decided_about_columns(shoal, register_csv: Path, tmp_path: Path, options: list[str]) -> None:
    run = shoal("anonymize", register_csv, "--policy", "none.toml", *options, "-o", tmp_path / "out.csv")
    assert run.code == 2
    assert f"The policy decides {options[0][2:]!r} already" in run.err


def test_quiet_says_nothing(shoal, register_csv: Path, tmp_path: Path) -> None:
    every = [name for name in rows(register_csv)[0] if name not in QUASI]
    run = shoal(
        "anonymize", register_csv, "-k", 5, "-q", ",".join(QUASI), "--identifiers", ",".join(every), "--quiet",
        "--effort", "fast", "-o", tmp_path / "out.csv",
    )  # fmt: skip
    assert (run.code, run.out, run.err) == (0, "", "")


def test_demo_does_the_whole_job(shoal, tmp_path: Path) -> None:
    run = shoal("demo", "--folder", tmp_path / "demo", "--rows", 400, "-k", 3)
    assert run.code == 0
    for word in ("register.csv", "VERIFIED", "information loss", "global risk", "report.html"):
        assert word in run.out
    report = (tmp_path / "demo" / "report.html").read_text()
    assert "Verified" in report
    first = (tmp_path / "demo" / "released.csv").read_bytes()
    assert shoal("demo", "--folder", tmp_path / "demo", "--rows", 400, "-k", 3).code == 0
    assert (tmp_path / "demo" / "released.csv").read_bytes() == first
    assert "External version" in (tmp_path / "demo" / "report.external.html").read_text()


def test_both_reports_are_written_with_the_release(shoal, register_csv: Path, tmp_path: Path) -> None:
    target, inside, outside = tmp_path / "out.csv", tmp_path / "in.html", tmp_path / "ex.html"
    arguments = ["anonymize", register_csv, "-k", 5, *QUICK, "-o", target]
    run = shoal(*arguments, "--report", inside, "--external-report", inside)
    assert run.code == 2
    assert "Two outputs have the same name" in run.err
    assert os.listdir(tmp_path) == []
    run = shoal(*arguments, "--report", inside, "--external-report", outside)
    assert run.code == 0, run.err
    assert f"Report   {inside}\nExternal {outside}" in run.out
    policy = Path(f"{target}.policy.toml").read_text()
    digest = policy.partition("[output]")[2].partition('sha256 = "')[2][:64]
    assert "Internal: contains figures and values" in inside.read_text()
    assert "register.csv" in inside.read_text()
    assert "External version" in outside.read_text()
    assert "register.csv" not in outside.read_text()
    assert all(digest in page.read_text() for page in (inside, outside))


def shown_on_a_terminal(fork_server: ForkServer, stream: str, *arguments: object, **more: Any) -> bytes:
    """What a run that ends well writes to a terminal."""
    main, side = pty.openpty()
    pid = fork_server.start([*map(str, arguments)], **{stream: os.ttyname(side)}, **more)
    output = os.read(main, 65536)  # from now on the process has it open
    os.close(side)
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other end of the terminal was closed
            break
        output += part
    os.close(main)
    assert fork_server.wait(pid).code == 0
    return output


@pytest.mark.parametrize(("settings", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colors_on_a_terminal_only(
    fork_server: ForkServer, register_csv: Path, tmp_path: Path, settings: dict[str, str], colored: bool
) -> None:
    arguments = ["anonymize", register_csv, "-k", 5, "-q", "age,income", "--drop-others", "--method", "mondrian"]
    arguments += ["-o", tmp_path / "out.csv"]
    unset = [] if settings else ["NO_COLOR"]
    printed = shown_on_a_terminal(fork_server, "stdout", *arguments, cwd=tmp_path, env=settings, unset=unset)
    assert b"VERIFIED" in printed
    assert (b"\x1b[" in printed) is colored


SLOW = """
import sys, time
import numpy as np
from shoal.cli.main import main
from shoal.microaggregation import registry

@registry.method(name="slow", paper="none", year=2024, cost="seconds", largest_group=lambda k: 10**9)
def slow(records, k, *, progress, steps=20):
    print("started", flush=True)
    for step in range(steps):
        time.sleep(0.1)
        progress(step, steps)
    return np.zeros(records.count, dtype=np.int64)

main()
"""


@pytest.fixture
def slow(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, Any]]:
    """A run that takes a known number of tenths of seconds, so that it can be interrupted and show its progress."""
    program = tmp_path_factory.mktemp("slow") / "slow.py"
    program.write_text(SLOW)
    source = tmp_path / "in.csv"
    source.write_text("age\n" + "".join(f"{i}\n" for i in range(50)))

    def run(steps: int) -> dict[str, Any]:
        arguments = ["anonymize", str(source), "-k", "2", "-q", "age", "--method", "slow", "--option", f"steps={steps}"]
        return {
            "arguments": [*arguments, "-o", str(tmp_path / "out.csv")],
            "cwd": tmp_path,
            "program": str(program),
        }

    return run


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_no_file(
    fork_server: ForkServer, pipe: str, slow, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    pid = fork_server.start(**slow(600), stdout=pipe)
    with Path(pipe).open("rb", buffering=0) as printed:
        assert printed.readline() == b"started\n"
        os.kill(pid, sent)
        assert fork_server.wait(pid).code == code
    assert os.listdir(tmp_path) == ["in.csv"]


def test_progress_with_time_left_is_not_for_a_pipe(fork_server: ForkServer, pipe: str, slow) -> None:
    pid = fork_server.start(**slow(12), stderr=pipe)
    output = Path(pipe).read_bytes()
    assert fork_server.wait(pid).code == 0
    assert all(line.startswith(b"shoal: warning: ") for line in output.splitlines())
    assert b"\x1b" not in (fork_server.folder / "stdout").read_bytes()


def test_progress_with_time_left_on_a_terminal(fork_server: ForkServer, slow) -> None:
    run = slow(20)
    output = shown_on_a_terminal(fork_server, "stderr", *run.pop("arguments"), **run)
    assert b"grouping" in output
    assert b"left" in output


BETWEEN = """
import os, signal
import numpy as np, shoal
release = shoal.anonymize(np.arange(9.0), k=3, quasi_identifiers=[0], method="mondrian")
real = os.link
def link(*paths):
    real(*paths)
    os.kill(os.getpid(), signal.SIGINT)
os.link = link
try:
    release.save("out.csv")
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_signal_between_two_files_waits_until_both_are_there(
    fork_server: ForkServer, pipe: str, tmp_path: Path
) -> None:
    program = tmp_path / "between.py"
    program.write_text(BETWEEN)
    pid = fork_server.start([], tmp_path, program=str(program), stdout=pipe)
    assert Path(pipe).read_text() == "stopped\n"
    assert fork_server.wait(pid).code == 0
    assert sorted(os.listdir(tmp_path)) == ["between.py", "out.csv", "out.csv.policy.toml"]


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_an_output_that_is_closed(register_csv: Path, closed: str) -> None:
    """In a process from the beginning, where Python finds it closed."""
    command = f"{sys.executable} -m shoal describe {register_csv} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("full", [True, False])
def test_an_output_that_takes_nothing(
    fork_server: ForkServer, pipe: str, register_csv: Path, tmp_path: Path, full: bool
) -> None:
    pid = fork_server.start(["describe", str(register_csv)], tmp_path, stdout="/dev/full" if full else pipe)
    if not full:
        os.close(os.open(pipe, os.O_RDONLY))  # nobody reads it any more
    done = fork_server.wait(pid)
    assert done.code == (2 if full else 141)
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_with_a_small_alphabet(register_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "methods", "--json"], env=env, capture_output=True, check=True
    )
    assert json.loads(done.stdout.decode("latin-1"))
    small = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", small)
    monkeypatch.setattr(sys, "argv", ["shoal", "evaluate", str(register_csv), str(register_csv), "-q", "age"])
    with pytest.raises(SystemExit) as stopped:
        main()
    small.flush()
    assert not stopped.value.code
    assert b"information loss" in small.buffer.getvalue()


def test_a_table_that_loses_nothing_says_so(shoal, tmp_path: Path) -> None:
    (tmp_path / "alike.csv").write_text("a,b\n" + "1,x\n" * 3 + "2,y\n" * 3)
    run = shoal("anonymize", tmp_path / "alike.csv", "-k", 3, "-q", "a,b", "-o", tmp_path / "out.csv")
    assert (run.code, "no column lost anything" in run.out, "what columns lost" in run.out) == (0, True, False)


def test_reproduce_exists_in_a_checkout_only(shoal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "  reproduce  " in shoal("--help").out
    assert shoal("reproduce", "--help").code == 0
    monkeypatch.setattr("shoal.cli.main.find_spec", lambda _: None)
    assert "reproduce" not in shoal("--help").out
    run = shoal("reproduce")
    assert (run.code, run.out) == (2, "")
    assert "No such command 'reproduce'" in run.err
