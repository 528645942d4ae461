"""Properties of the code base: imports, start-up, and measurements that must exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numba", "polars", "pandas", "pyarrow", "narwhals", "numpy", "rich", "pyreadstat", "scipy", "sklearn"} | {
    "pyspark",
    "py4j",
}


def loaded(code: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after this code."""
    script = (
        f"import sys\n{code}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}), file=sys.__stdout__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_shoal_is_light() -> None:
    assert not loaded("import shoal") & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["anonymize", "--help"],
        ["compare", "--help"],
        ["describe", "--help"],
        ["hierarchy", "--help"],
        ["hierarchy", "build", "wordnet", "--help"],
    ],
)
def test_help_is_light(arguments: list[str]) -> None:
    code = f"sys.argv = ['shoal', *{arguments}]\nimport shoal.cli.main as m\ntry: m.main()\nexcept SystemExit: pass"
    assert not loaded(code) & HEAVY


def test_listing_methods_compiles_nothing() -> None:
    assert "numba" not in loaded("import shoal\nshoal.methods()")


def test_no_package_has_the_name_of_a_public_function() -> None:
    packages = {path.stem for path in (ROOT / "src" / "shoal").iterdir()}
    assert not packages & set(shoal.__all__)
    assert all(hasattr(shoal, name) for name in shoal.__all__)


def test_no_folder_for_the_kernel_cache_is_no_obstacle(tmp_path: Path) -> None:
    script = (
        "import numpy as np\n"
        "from shoal.kernels import jit\n"
        "def doubled(values): return values + values\n"
        "print(*jit.kernel(doubled)(np.arange(3)), jit.kernel(doubled).stats.cache_path)"
    )
    (tmp_path / "file").write_text("no folder")
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["0", "2", "4", "None"]


def test_no_validation_by_assert_in_the_package() -> None:
    found = [
        path.name
        for path in (ROOT / "src" / "shoal").rglob("*.py")
        if "testing" not in path.parts and re.search(r"^\s*assert ", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert not found


def test_the_growth_of_every_method_was_measured() -> None:
    from shoal.microaggregation.registry import measured_growth

    assert set(measured_growth()) == set(shoal.methods()), "run: python benchmarks/growth.py --missing --write"
    for method in shoal.methods().values():
        assert method.growth is not None
        assert -0.5 < method.growth.exponent < 4
        assert (
            0
            < method.growth.min_records
            < method.growth.max_records
            <= (method.max_records or method.growth.max_records)
        )
