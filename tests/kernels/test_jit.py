"""Compiled kernels: kept for what they are made of, compiled once by one process, and never part of a time limit."""

from __future__ import annotations

import importlib
import os
import pickle
import pkgutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from shoal import kernels
from shoal.domain import FloatVector, IntVector
from shoal.kernels import jit, jit_cache
from shoal.kernels.jit_cache import KernelCache, code_digest
from shoal.search import Budget

SCRIPT = """
import numpy as np
import shoal
from shoal import kernels
compiled = []
with kernels.jit.compiling(compiled.append):
    shoal.partition(np.arange(8.0), k=2, method="hm")
print(*compiled)
"""


def compilations(cache: Path) -> list[str]:
    """The kernels that a fresh process compiles with this cache."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_only_the_first_run_compiles_and_says_what(tmp_path: Path) -> None:
    first = compilations(tmp_path)
    assert "backtrack" in first
    assert compilations(tmp_path) == []
    files = [path.name for path in tmp_path.rglob("*.nbc")]
    assert sorted(name.split(".")[1] for name in files) == sorted(first)


CALLED = """
import numpy as np
import shoal
from numba.core import event
from shoal.kernels import jit
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        if isinstance(event.data["dispatcher"], jit._Linked):
            compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
with event.install_listener("numba:compile", Listener()):
    labels = shoal.partition(np.arange(8.0) ** 2, k=2, method="hm").labels
print(*labels, *compiled)
"""


def test_a_kernel_links_what_another_process_compiled_unless_it_is_damaged(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run() -> tuple[list[str], list[str]]:
        done = subprocess.run([sys.executable, "-c", CALLED], env=env, capture_output=True, text=True, check=True)
        for path in tmp_path.rglob("*.nbc"):
            path.unlink()  # so that the next process compiles these kernels again
        words = done.stdout.split()
        return words[:8], words[8:]

    labels, called = run()
    assert called
    assert run() == (labels, [])
    for path in tmp_path.rglob("*.nbl"):
        path.write_bytes(path.read_bytes()[:-7])
    assert run() == (labels, called)


def function(source: str, name: str = "f", **given: object) -> FunctionType:
    """A function of this source, as the module of a kernel would have it."""
    names: dict[str, object] = {"__name__": "kernels", **given}
    exec(source, names)  # noqa: S102
    found = names[name]
    assert isinstance(found, FunctionType)
    return found


def test_a_digest_follows_the_code_and_all_that_it_refers_to() -> None:
    source = "def f(x):\n    '''Add.'''\n    return x + LIMIT + g(x)"
    inner = jit.kernel(function("def g(x):\n    return 2 * x", "g"))
    digest = code_digest(function(source, LIMIT=3, g=inner))
    assert code_digest(function(source, LIMIT=3, g=inner)) == digest
    assert code_digest(function("\n# why\n" + source.replace("Add.", "Sum up."), LIMIT=3, g=inner)) == digest
    assert code_digest(function(source.replace("+ LIMIT", "- LIMIT"), LIMIT=3, g=inner)) != digest
    assert code_digest(function(source, LIMIT=4, g=inner)) != digest
    assert code_digest(function(source, LIMIT=3, g=jit.kernel(function("def g(x):\n    return 3 * x", "g")))) != digest
    assert code_digest(function(source, LIMIT=3, g=jit.inline(function("def g(x):\n    return 2 * x", "g")))) != digest


def test_a_digest_follows_kernels_and_constants_of_modules() -> None:
    source = "def f(x):\n    return module.g(x) + module.LIMIT"

    def module(limit: int, factor: int) -> object:
        made = type(os)("another")
        made.LIMIT, made.g = limit, jit.kernel(function(f"def g(x):\n    return {factor} * x", "g"))  # type: ignore[attr-defined]
        return made

    digests = {code_digest(function(source, module=module(*given))) for given in [(1, 2), (1, 2), (1, 3), (2, 2)]}
    assert len(digests) == 3


def test_what_cannot_be_told_apart_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot refer to a dict"):
        code_digest(function("def f(x):\n    return LIMITS", LIMITS={}))


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(kernels.__path__)])
def test_every_kernel_has_a_digest(name: str) -> None:
    module = importlib.import_module(f"shoal.kernels.{name}")
    found = [value for value in vars(module).values() if isinstance(value, jit.Kernel)]
    assert all(len(code_digest(kernel.py_func)) == 64 for kernel in found)


def test_a_change_leaves_the_kernels_that_do_not_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    searching, sorting = (
        kernels.local_search.annealing.local_search.py_func,
        kernels.orders.shortest_path.extend_path.py_func,
    )
    before = code_digest(searching), code_digest(sorting)
    monkeypatch.setitem(kernels.local_search.moves.dissolve_group.py_func.__globals__, "MAX_VISITS", 31)
    assert code_digest(searching) != before[0]
    assert code_digest(sorting) == before[1]


def test_fields_of_named_tuples_count() -> None:
    from collections import namedtuple

    import numba

    one, two = namedtuple("State", ["low", "high"]), namedtuple("State", ["high", "low"])  # noqa: PYI024
    types = [numba.typeof(made(np.zeros(1), np.zeros(1))) for made in (one, two)]
    assert str(types[0]) == str(types[1])
    assert jit_cache._describe_types((types[0],)) != jit_cache._describe_types((types[1],))


USE = """
import numpy as np
from {loops} import add_up
from {states} import State
from shoal.kernels import jit
compiled = []
with jit.compiling(compiled.append):
    total = add_up(State(np.arange(5.0), 2))
print(total, *compiled)
"""
STATES = """
from typing import NamedTuple
class State(NamedTuple):
    values: object
    times: int
"""
LOOPS = """
from shoal.kernels import jit
@jit.kernel
def add_up(state):
    total = 0.0
    for value in state.values:
        total += state.times * value
    return total
"""


@pytest.mark.parametrize("moved", ["states", "loops"])
def test_a_module_can_move(tmp_path: Path, moved: str) -> None:
    """A compiled kernel refers to modules by name, its own and that of a state: after a move it is compiled again."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    names = {"states": "states", "loops": "loops"}
    (tmp_path / "states.py").write_text(STATES)
    (tmp_path / "loops.py").write_text(LOOPS)

    def run() -> list[str]:
        command = [sys.executable, "-c", USE.format(**names)]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()

    assert run() == ["20.0", "add_up"]
    assert run() == ["20.0"]
    names[moved] = "another_place"
    (tmp_path / f"{moved}.py").rename(tmp_path / "another_place.py")
    assert run() == ["20.0", "add_up"]
    assert run() == ["20.0"]


@pytest.mark.parametrize("content", [b"cshoal.no_such_module\nState\n.", b"cshoal.domain\nNoSuchState\n."])
def test_a_file_that_refers_to_what_is_gone_counts_as_missing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "module.kernel.digest.nbc"
    jit_cache._write(path, content)
    assert jit_cache._read(path) == content
    assert jit_cache._load(path) is None
    jit_cache._write(path, pickle.dumps(("still", "here")))
    assert jit_cache._load(path) == ("still", "here")


def test_a_digest_follows_the_module() -> None:
    source = "def f(x):\n    return x"
    assert code_digest(function(source)) == code_digest(function(source))
    assert code_digest(function(source, __name__="elsewhere")) != code_digest(function(source))


COMPILING = """
import sys, time
import numpy as np
from shoal.kernels import jit

@jit.kernel
def added(values):
    total = 0.0
    for value in values:
        total += value
    return total

compiled = []
with jit.compiling(compiled.append):
    added(np.arange(5.0))
print(len(compiled))
"""


def test_two_processes_compile_a_kernel_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(COMPILING)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    both = [
        subprocess.Popen([sys.executable, str(script)], env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert sum(int(process.communicate(timeout=120)[0]) for process in both) == 1
    assert [path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [".nbc"]


def test_a_kernel_that_another_process_compiles_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: tmp_path)
    path = tmp_path / "module.kernel.digest.nbc"
    ours, theirs = (KernelCache(function("def f(x):\n    return x"), {}) for _ in range(2))
    assert theirs._lock(path)
    waited: list[bool] = []
    thread = threading.Thread(target=lambda: waited.append(ours._lock(path)))
    thread.start()
    thread.join(timeout=0.2)
    assert thread.is_alive()
    theirs.unlock()
    thread.join(timeout=10)
    assert waited == [True]
    ours.unlock()
    assert list(tmp_path.iterdir()) == []


def test_files_that_nothing_uses_any_more_go(tmp_path: Path) -> None:
    old, recent, other = (tmp_path / name for name in ("a.f.1.2.nbc", "a.f.3.4.nbc", "a.g.1.2.nbc"))
    for path in (old, recent, other):
        path.write_bytes(b"")
    long_ago = time.time() - 40 * 86_400
    for path in (old, other):
        os.utime(path, (long_ago, long_ago))
    jit_cache.remove_unused(recent)
    assert sorted(tmp_path.iterdir()) == [recent, other]


def test_the_cache_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert jit_cache.cache_folder.__wrapped__() == tmp_path / "user" / "shoal" / "kernels"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert jit_cache.cache_folder.__wrapped__() is None


def test_compiling_is_no_part_of_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: tmp_path)

    @jit.kernel
    def slow_to_compile(values):  # type: ignore[no-untyped-def]
        return np.sort(values)[0]

    budget, start, before = Budget(time_limit=60.0), time.monotonic(), jit.compile_seconds()
    slow_to_compile(np.arange(3.0))
    passed, compiled = time.monotonic() - start, jit.compile_seconds() - before
    assert compiled > 0.5 * passed
    assert budget.elapsed < 0.5 * passed
    assert budget.remaining is not None
    assert budget.remaining > 60.0 - 0.5 * passed


def test_constants_need_no_version_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: tmp_path)

    @jit.kernel
    def inner(value):  # type: ignore[no-untyped-def]
        return value + 1

    @jit.kernel
    def outer(value):  # type: ignore[no-untyped-def]
        return inner(value) + inner(3) + inner(4)

    assert outer(1) == 11
    assert len(inner._linked.signatures) == 1
    assert not inner.signatures, "nothing is compiled for calls that nobody makes"


def test_a_kernel_that_cannot_be_compiled_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: tmp_path)

    @jit.kernel
    def wrong(values):  # type: ignore[no-untyped-def]
        return values.no_such_attribute

    with pytest.raises(TypingError):
        wrong(np.arange(3.0))
    assert list(tmp_path.iterdir()) == []


class Inner(NamedTuple):
    counts: IntVector
    limit: int


class Outer(NamedTuple):
    inner: Inner
    sums: FloatVector


def test_states_reach_kernels_by_name_and_by_place() -> None:
    @jit.kernel
    def add(inner, place):  # type: ignore[no-untyped-def]
        counts, limit = inner
        counts[place] += limit
        return inner.counts[place]

    @jit.kernel
    def work(outer):  # type: ignore[no-untyped-def]
        for place in range(len(outer.sums)):
            outer.sums[place] = add(outer.inner, place) / 2.0
        return outer.inner.limit

    state = Outer(Inner(np.arange(3), 5), np.zeros(3))
    assert work(state) == 5
    assert state.inner.counts.tolist() == [5, 6, 7]
    assert state.sums.tolist() == [2.5, 3.0, 3.5]
    assert work(state._replace(inner=state.inner._replace(limit=1))) == 1
    assert state.sums.tolist() == [3.0, 3.5, 4.0]


def test_the_arrays_of_a_state_are_let_go_of() -> None:
    @jit.kernel
    def total(outer):  # type: ignore[no-untyped-def]
        return outer.sums[0] + outer.inner.counts[0]

    sums, counts = np.zeros(1), np.zeros(1, dtype=np.int64)
    before = sys.getrefcount(sums), sys.getrefcount(counts)
    for _ in range(10):
        total(Outer(Inner(counts, 1), sums))
    assert (sys.getrefcount(sums), sys.getrefcount(counts)) == before


def test_a_state_of_wrong_content_is_refused() -> None:
    @jit.kernel
    def total(outer):  # type: ignore[no-untyped-def]
        return outer.sums[0]

    with pytest.raises(ValueError, match="Cannot determine Numba type"):
        total(Outer(Inner(np.arange(3), 5), object()))  # type: ignore[arg-type]
