"""Disk cache of compiled kernels: one file per kernel and signature, in the user's cache folder.

The file name is a digest of everything that determines the content: the bytecode of the kernel and of every kernel,
constant and function it refers to, the argument types, the processor, and the versions of Python, Numba and numpy. A
change in one kernel thus recompiles that kernel and its callers only; a second checkout or environment reuses the rest.

There are two forms: machine code for calls from Python (``.nbc``), and LLVM bitcode for calling kernels that are
compiled later (``.nbl``).

Every file has a checksum. A damaged file counts as missing and is compiled again. A process that compiles a kernel
locks its file, and other processes wait for the result instead of compiling it too. The operating system releases the
lock of a killed process. Without a writable folder, each process compiles for itself.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from shoal.system.cache_folder import cache_folder
from shoal.system.locks import open_locked

_CHECKSUM = hashlib.sha256().digest_size
_VERSIONS = (sys.implementation.cache_tag, numba.__version__, llvm.llvm_version_info, np.__version__)
_KNOWN_MODULES = ("math", "numpy")
"""Modules whose content is determined by the versions."""
_UNUSED_DAYS = 30
"""Files of older versions of a kernel are removed after this many days without use."""


class KernelCache:
    """The compiled versions of one kernel, with the interface of Numba's caches."""

    suffix = "nbc"

    def __init__(self, function: FunctionType, options: Mapping[str, Any]) -> None:
        self._function, self._options = function, options
        self._locks: dict[Path, int] = {}

    @property
    def cache_path(self) -> str | None:
        """The folder, or None."""
        folder = cache_folder()
        return None if folder is None else str(folder)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The kernel compiled for these types, if cached; else lock it, so that only one process compiles it."""
        path = self._path(signature, target_context.codegen())
        if path is None:
            return None
        cached = _load(path)
        if cached is None and self._lock(path):
            cached = _load(path)  # another process may have compiled it meanwhile
        if cached is None:
            return None
        with suppress(OSError):
            os.utime(path)
        return self._rebuild(target_context, *cached)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compiled kernel, if the disk permits."""
        # linked kernels do not set up their environments in the process themselves
        for environment in result._find_referenced_environments():
            result.library.codegen.set_env(environment.env_name, environment)
        path = self._path(signature, result.library.codegen)
        if path is not None:
            with suppress(OSError):
                _write(path, dumps(self._reduce(result)))
                remove_unused(path)

    def _reduce(self, result: Any) -> tuple[Any, ...]:
        result.library._shared_module = _outline(result.library._final_module)
        return result._replace(type_annotation="")._reduce()

    def _rebuild(self, target_context: Any, *reduced: Any) -> Any:
        # Numba would refresh the whole context: half a second to load what only a compilation needs
        rtsys.initialize(target_context)
        return CompileResult._rebuild(target_context, *reduced)

    def flush(self) -> None:
        """Do nothing: a kernel that is compiled again replaces its file."""

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        folder = cache_folder()
        if folder is None:
            return None
        return folder / f"{self._stem(codegen)}.{_digest(_describe_types(signature))}.{self.suffix}"

    def _stem(self, codegen: Any) -> str:
        """The name of the kernel, and a digest of everything but its types."""
        name = f"{self._function.__module__.rpartition('.')[2]}.{self._function.__name__}"
        parts = (code_digest(self._function), self._options, codegen.magic_tuple(), _VERSIONS)
        return f"{name}.{_digest(repr(parts))}"

    def _lock(self, path: Path) -> bool:
        """Lock a kernel, after waiting for a process that compiles it; False if files cannot be locked."""
        with suppress(OSError):
            handle = open_locked(_lock_path(path), os.O_CREAT | os.O_RDWR)
            if handle is not None:
                self._locks[path] = handle
        return path in self._locks

    def unlock(self) -> None:
        """Release the locks of this process, whether a kernel was compiled or not."""
        while self._locks:
            path, handle = self._locks.popitem()
            with suppress(OSError):
                _lock_path(path).unlink(missing_ok=True)
            os.close(handle)


class LinkedCache(KernelCache):
    """The versions of one kernel for calling kernels: LLVM bitcode, optimized where it is linked.

    Methods share most of the kernels that their own kernels call; a later method only links them.
    """

    suffix = "nbl"

    def __init__(self, function: FunctionType, options: Mapping[str, Any], library: type[Any]) -> None:
        super().__init__(function, options)
        self._library = library

    def _reduce(self, result: Any) -> tuple[Any, ...]:
        result.fndesc.typemap = result.fndesc.calltypes = None  # as Numba does: no longer needed
        environments = tuple(result._find_referenced_environments())
        code = zlib.compress(result.library._final_module.as_bitcode(), 1)
        return result.library.name, code, result.fndesc, result.environment, result.signature, environments

    def _rebuild(self, target_context: Any, *reduced: Any) -> Any:
        name, code, fndesc, environment, signature, environments = reduced
        library = self._library(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(zlib.decompress(code))
        library._finalized = True
        fields: dict[str, Any] = dict.fromkeys(CompileResult._fields)
        return CompileResult(
            **fields
            | {
                "typing_context": target_context.typing_context,
                "target_context": target_context,
                "entry_point": target_context.get_executable(library, fndesc, environment),
                "type_annotation": "",
                "signature": signature,
                "objectmode": False,
                "lifted": (),
                "fndesc": fndesc,
                "library": library,
                "environment": environment,
                "reload_init": [],
                "referenced_envs": environments,
            }
        )


def _outline(module: Any) -> Any:
    """A module with the names that a module defines.

    Numba stores the whole code a second time, to link it into other kernels. `LinkedCache` stores that separately, so
    the names suffice: a tenth of the size.
    """
    functions = [function.name for function in module.functions if not function.is_declaration]
    variables = [variable.name for variable in module.global_variables if not variable.is_declaration]
    lines = [f'define void @"{name}"() {{ unreachable }}' for name in functions]
    lines += [f'@"{name}" = global i8 0' for name in variables if name.startswith("_ZN08NumbaEnv")]
    return llvm.parse_assembly("\n".join(lines))


def code_digest(function: FunctionType) -> str:
    """A digest of the module and bytecode of a kernel and of all it refers to, without comments and docstrings."""
    digest, seen, queue = hashlib.sha256(), set(), [function]
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        names: list[str] = []
        for code in _codes(current.__code__):
            constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
            if current.__doc__ is not None and code is current.__code__:
                constants.remove(current.__doc__)
            names += code.co_names
            parts = (code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants, current.__defaults__)
            digest.update(repr((current.__module__, *parts)).encode())
        for name, value in _references(current, names):
            inner = getattr(value, "py_func", value)
            if inner is not value:
                queue.append(inner)
            options = getattr(value, "options", "")  # of a kernel: how it is linked
            digest.update(f"{name}={_describe_value(inner)}{options}".encode())
    return digest.hexdigest()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _references(function: FunctionType, names: list[str]) -> Iterator[tuple[str, Any]]:
    """The global values that a function names, and those that it names as attributes of modules."""
    for name in dict.fromkeys(names):
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, ModuleType) and value.__name__ not in _KNOWN_MODULES:
                for attribute in dict.fromkeys(names):
                    if attribute in vars(value):
                        yield f"{name}.{attribute}", vars(value)[attribute]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _describe_value(value: Any) -> str:
    """The value of a constant, or the name of anything else."""
    if value is None or isinstance(value, bool | int | float | str | tuple | np.generic | np.dtype):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, ModuleType):
        return value.__name__
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}"
    raise TypeError(f"a kernel cannot refer to a {type(value).__name__}: its compiled form could not be told apart")


def _describe_types(signature: Any) -> str:
    """The types of all arguments, with the names of fields, which Numba omits from the name of a type."""
    fields: list[tuple[str, ...]] = []
    queue = list(signature)
    while queue:
        current = queue.pop()
        fields.append(tuple(getattr(current, "fields", ())))
        queue += getattr(current, "types", ())
    return f"{signature!r}{fields}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(path: Path) -> bytes | None:
    """The content of a file; None if it is missing or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content = data[_CHECKSUM:]
    return content if data[:_CHECKSUM] == _checksum(path, content) else None


def _load(path: Path) -> Any:
    """The unpickled content of a file; None if it is missing, damaged, or refers to modules that no longer exist."""
    content = _read(path)
    if content is None:
        return None
    try:
        return pickle.loads(content)  # noqa: S301 - written by this user
    except (AttributeError, ImportError):
        return None


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(_checksum(path, content) + content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _checksum(path: Path, content: bytes) -> bytes:
    """A checksum that includes the name: a file in place of another one is damaged."""
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


def remove_unused(path: Path) -> None:
    """Remove files of the same kernel that have not been used for long, and leftovers of killed processes."""
    oldest = time.time() - _UNUSED_DAYS * 86_400
    kernel = ".".join(path.name.split(".")[:2])
    for other in path.parent.glob(f"{kernel}.*"):
        with suppress(OSError):
            if other.stat().st_mtime < oldest:
                other.unlink()
