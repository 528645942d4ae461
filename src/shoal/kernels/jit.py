"""Configuration of Numba.

* ``fastmath`` is off: sums keep their order, so the same input gives the same release on every machine.
* Compiled kernels are cached on disk (`jit_cache`), so only the first run compiles.
* A kernel that another kernel calls is linked into it and optimized there, once. Numba by default optimizes and emits
  machine code for every kernel separately, and again in each of its callers: twice the time of a first run.
* A kernel has one version for integers, whether they are constants or not.
* ``nogil`` lets other threads run during a kernel, such as the one that draws the progress bar. An interrupt waits
  until the kernel returns, so long loops are split into slices.
* No kernel is ``parallel``: Numba does not cache those, and every process would compile again. Instead, several threads
  call kernels (``shoal.system.threads``).
* Division follows numpy (no exception inside a loop).

With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python.
"""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from shoal.kernels.jit_cache import KernelCache, LinkedCache
from shoal.kernels.states import state_of

counts: Counter[str] = Counter()
"""How many kernels this process has ``taken`` (loaded or compiled), and how many of them it ``compiled``."""

F = TypeVar("F", bound=Callable[..., Any])

SLICE = 200_000_000
"""Cells that one kernel call may process: a fraction of a second, then progress and interrupts are handled."""

_config: Any = numba.config
_OPTIONS = {"nopython": True, "nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
_LINKED = {**_OPTIONS, "no_cpython_wrapper": True}


def kernel(function: F) -> F:
    """Compile a loop over arrays on its first call."""
    return function if _config.DISABLE_JIT else cast("F", Kernel(function))


def inline(function: F) -> F:
    """Compile like `kernel`, and always inline into calling kernels: for small functions in inner loops.

    Measured: local search 3-20 %, tours 9-18 %, HAC 5-10 %, MDAV 0-7 % faster than without.
    """
    return function if _config.DISABLE_JIT else cast("F", Kernel(function, forceinline=True))


class Kernel(CPUDispatcher):
    """A compiled function: for calls from Python, and in another form for calls from other kernels."""

    def __init__(self, function: Any, **linked: Any) -> None:
        super().__init__(function, targetoptions=dict(_OPTIONS))
        self.options = {**_LINKED, **linked}
        self._cache = KernelCache(function, self.options)

    @cached_property
    def _linked(self) -> Any:
        """The form for other kernels; created when one of them is compiled, since most runs compile none."""
        return _Linked(self.py_func, self.options)

    def compile(self, sig: Any) -> Any:
        """Load or compile the kernel for these types; the time counts as compile time."""
        misses: Any = self._cache_misses  # type: ignore[attr-defined]
        before = misses.total()
        with _compiling:
            try:
                overload = super().compile(sig)
            finally:
                self._cache.unlock()
            counts.update(taken=1, compiled=misses.total() - before)
            return overload

    def typeof_pyval(self, val: Any) -> Any:
        """The type of an argument."""
        numba_type = state_of(val)
        active: Any = self._types_active_call  # type: ignore[attr-defined]
        active.add(numba_type)
        return numba_type

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The call from another kernel: a constant has the type of any integer."""
        types_by_name = {name: types.unliteral(value) for name, value in kws.items()}
        return self._linked.get_call_template(tuple(map(types.unliteral, args)), types_by_name)

    def get_overload(self, sig: Any) -> Any:
        """The overload that another kernel calls."""
        return self._linked.get_overload(sig)


class _Linked(CPUDispatcher):
    """A kernel in the form for other kernels."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=dict(options), pipeline_class=_LinkedCompiler)
        self._cache = LinkedCache(function, options, _LinkedLibrary)

    def compile(self, sig: Any) -> Any:
        try:
            return super().compile(sig)
        finally:
            self._cache.unlock()


class _LinkedLibrary(JITCodeLibrary):
    """The code of a kernel for its callers: never optimized or run by itself."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments(self._codegen)

    def finalize(self) -> None:
        """Link the called kernels, and leave optimization to the callers."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """No pointer: there is no machine code."""
        self._ensure_finalized()
        return 0


class _NoEnvironments:
    """A code generator for a library without machine code, in which no environment can be set."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class _LinkedCompiler(Compiler):
    def define_pipelines(self) -> Any:
        if self.state.library is None:
            self.state.library = _LinkedLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        return super().define_pipelines()


class _Compiling:
    """Counts the seconds in which any thread loads or compiles a kernel, and disables garbage collection meanwhile.

    The compiler creates many objects that live until it ends; garbage collection takes an eighth of its time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running, self._since, self._total, self._collects = 0, 0.0, 0.0, False

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._since, self._collects = time.monotonic(), gc.isenabled()
                gc.disable()
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                self._total += time.monotonic() - self._since
                if self._collects:
                    gc.enable()

    def seconds(self) -> float:
        with self._lock:
            return self._total + (time.monotonic() - self._since if self._running else 0.0)


_compiling = _Compiling()


@contextmanager
def recording() -> Iterator[dict[tuple[Kernel, tuple[Any, ...]], None]]:
    """Run kernels as plain Python, and record each one that Python calls with its argument types, in order.

    A run on a few records takes a moment and tells what a large run will compile.
    """
    calls: dict[tuple[Kernel, tuple[Any, ...]], None] = {}
    inside = threading.local()  # kernels called by a kernel are compiled with it

    def call(kernel: Kernel, *arguments: Any) -> Any:
        if getattr(inside, "kernel", False):
            return kernel.py_func(*arguments)
        calls[kernel, tuple(map(kernel.typeof_pyval, arguments))] = None
        inside.kernel = True
        try:
            return kernel.py_func(*arguments)
        finally:
            inside.kernel = False

    Kernel.__call__ = call  # type: ignore[method-assign, assignment]
    try:
        yield calls
    finally:
        del Kernel.__call__


def compile_seconds() -> float:
    """The seconds that this process has spent loading and compiling kernels; time limits exclude them."""
    return _compiling.seconds()


class _CompileListener(event.Listener):
    """Reports each kernel that is compiled for a call from Python."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def on_start(self, event: Any) -> None:
        compiled = event.data["dispatcher"]
        if isinstance(compiled, Kernel):
            self._report(compiled.py_func.__name__)

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def compiling(report: Callable[[str], None]) -> Iterator[None]:
    """Call ``report`` with the name of every kernel that is compiled instead of loaded from the cache."""
    with event.install_listener("numba:compile", _CompileListener(report)):
        yield
