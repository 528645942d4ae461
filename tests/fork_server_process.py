"""A process that has imported Shoal and forks one run of the command line for each request.

A run from scratch takes more than a second, mostly for imports. The forked process behaves like `python -m shoal` or
runs another program. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pkgutil
import resource
import runpy
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import shoal

UNUSED = ("shoal.__main__", "shoal.web", "shoal.testing", "shoal.sklearn", "shoal.engines.spark", "shoal_reproduction")
"""Modules that no run needs here."""


def warm() -> None:
    """Import all modules and initialize Numba; use no data frame, since threads of polars must not be forked."""
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.startswith(UNUSED):
            import_module(module.name)
    from numba.core.registry import cpu_target

    cpu_target.target_context.refresh()
    gc.collect()
    gc.freeze()  # garbage collection in the runs skips all modules


def fork(request: dict[str, Any]) -> int:
    """Fork; return the process id in the parent, and 0 in the child, prepared for the run."""
    child = os.fork()
    if child:
        return child
    os.environ.update(request["env"])
    for name in request["unset"]:
        os.environ.pop(name, None)
    with suppress(AttributeError):  # no library with faults is preloaded
        ctypes.CDLL(None).fault_reset()
    for number, path in ((0, request["stdin"]), (1, request["stdout"]), (2, request["stderr"])):
        handle = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    for name, limit in request["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    os.chdir(request["cwd"])
    sys.argv = ["shoal", *request["arguments"]]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    return 0


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    requests = os.fdopen(os.dup(0), "r")
    warm()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    while line := requests.readline():
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), file=answers, flush=True)
            continue
        child = fork(request)
        if not child:
            from shoal.cli.main import main as command

            if "program" not in request:
                command()
            runpy.run_path(request["program"], run_name="__main__")
            sys.exit()
        print(json.dumps({"pid": child}), file=answers, flush=True)


if __name__ == "__main__":
    main()
