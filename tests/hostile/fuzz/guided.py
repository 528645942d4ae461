"""Fuzzing that looks where it goes: bytes that reach new lines of Shoal's parsers are kept and changed further.

::

    python tests/hostile/fuzz/guided.py                          # every target, 30 seconds each
    python tests/hostile/fuzz/guided.py policy csv --seconds 300
    python tests/hostile/fuzz/guided.py --findings /tmp/findings --grown /tmp/grown

It needs atheris (``pip install atheris``; there are wheels for Linux and Python up to 3.13). Every target is run in a
process of its own, from its corpus; the exit code is 1 where anything was found.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
_LONGEST = 8192
_MEMORY = 3_000
"""Megabytes beyond which an input is a bomb."""
_TIMEOUT = 60
_MODULES = ("shoal.data", "shoal.hierarchy", "shoal.domain", "shoal.release", "shoal.web", "shoal.cli")
_MODULES = (*_MODULES, "shoal.release.column_options", "shoal.release.options", "shoal.engines", "shoal.report")
"""What is looked at: everything that reads."""
_COUNTED = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+)")
_DONE = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main(arguments: list[str] | None = None) -> int:
    options = _parse(arguments)
    if options.inside:
        _fuzz(options)
        return 0
    if find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed: pip install atheris\n")
        return 2
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from targets import TARGETS

    unknown = sorted(set(options.targets) - set(TARGETS))
    if unknown:
        sys.stderr.write(f"There is no target {', '.join(unknown)}; there are {', '.join(sorted(TARGETS))}\n")
        return 2
    options.findings.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"{'target':20} {'executions':>10} {'edges':>6} {'findings':>8}\n")
    found = sum(_run(name, options) for name in options.targets or TARGETS)
    if found:
        sys.stdout.write(f"The findings are in {options.findings}\n")
    return 1 if found else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Coverage-guided fuzzing of Shoal's readers.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="folders of the corpus; all where none is named")
    parser.add_argument("--seconds", type=int, default=30, help="for each target")
    parser.add_argument("--findings", type=Path, default=Path("findings"), help="where inputs that broke Shoal are put")
    parser.add_argument("--grown", type=Path, help="where inputs that reach new lines are put, a folder a target")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _run(name: str, options: argparse.Namespace) -> int:
    """Fuzz one target in a process of its own, tell of it, and return how many findings there are."""
    with tempfile.TemporaryDirectory() as folder:
        findings = Path(folder) / "findings"
        findings.mkdir()
        command = [sys.executable, __file__, name, "--inside", "--seconds", str(options.seconds)]
        command += ["--findings", str(findings), *(["--grown", str(options.grown)] if options.grown else [])]
        completed = subprocess.run(command, capture_output=True, check=False)
        stderr = completed.stderr.decode("utf-8", "replace")
        names = [path.rename(options.findings / f"{name}-{path.name}").name for path in sorted(findings.iterdir())]
    executions = [int(count) for count in _DONE.findall(stderr)] or [
        int(count) for count, _ in _COUNTED.findall(stderr)
    ]
    edges = [int(count) for _, count in _COUNTED.findall(stderr)]
    sys.stdout.write(f"{name:20} {max(executions, default=0):>10,} {max(edges, default=0):>6,} {len(names):>8}\n")
    sys.stdout.flush()
    if completed.returncode and not names:
        sys.stdout.write(f"  {name} ended with exit code {completed.returncode}: {stderr[-2000:]}\n")
        return 1
    return len(names)


def _fuzz(options: argparse.Namespace) -> None:
    """Run one target until the time is over or something is found; this never returns."""
    import atheris

    sys.path[:0] = [str(HERE), str(HERE.parent)]
    (name,) = options.targets
    with atheris.instrument_imports(include=list(_MODULES)):
        import fuzz_target
        from targets import TARGETS, attempt

        fuzz_target.READ_ONLY.append(name)
        one = TARGETS[name]
        for module in one.modules:
            import_module(module)  # some are loaded late otherwise, and not looked at
    grown = (options.grown or Path(tempfile.mkdtemp())) / name
    grown.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={options.seconds}", f"-max_len={_LONGEST}", f"-rss_limit_mb={_MEMORY}"]
    limits += [
        f"-timeout={_TIMEOUT}",
        f"-report_slow_units={_TIMEOUT}",
        "-print_final_stats=1",
        f"-artifact_prefix={options.findings}/",
    ]
    atheris.Setup(
        [sys.argv[0], *limits, str(grown), str(HERE / "corpus" / name)], lambda raw: attempt(one, raw) and None
    )
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
