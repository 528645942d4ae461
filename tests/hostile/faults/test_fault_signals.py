"""Signals at any moment: between two files, at any write, at the start, two in a row."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from random import Random

import pytest
from fault_harness import INTERRUPTED, JOBS, Ground, Job, faults, pairs
from ledger import Ledger, tries

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
ENDS = "The run ends; all files are the old ones or all the new ones, and the next start removes what is left aside."
WRITES = "write,open,rename,link,unlink,sync"


@pytest.mark.parametrize("how", JOBS)
def test_killed_at_a_call(ground: Ground, ledger: Ledger, how: str) -> None:
    """At one call after another, so that every moment between two moves is met."""
    account = ledger.account("fault", "killed (SIGKILL) at a write, a move or a removal of a file", ENDS)
    draw = Random(how)  # noqa: S311 - moments, no secret
    for calls, few, full in (("rename,link,unlink", 1, 40), (WRITES, 1, 40)):
        count = ground.count(JOBS[how], calls)
        for number in tries(few, full):
            with account.trial():
                place = ground.place(JOBS[how], released=number % 4 != 3)
                at = 1 + number * count // full if len(tries(few, full)) == full else draw.randint(1, count)
                env = faults(calls, at, under=place.folder, signal=int(signal.SIGKILL), after=number % 2)
                ended = ground.fork_server.run(place.job.arguments(force=bool(place.old)), place.folder, env=env)
                assert ended.code in (-signal.SIGKILL, 0)
                assert not ended.errors
                place.next_start(ground.fork_server)
                account.whole += 1
                ground.clear(place)


@pytest.mark.parametrize(("how", "sent"), pairs([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]))
def test_at_random_moments(ground: Ground, ledger: Ledger, how: str, sent: signal.Signals) -> None:
    account = ledger.account("fault", f"stopped ({sent.name}) at a random moment, some twice in a row", ENDS)
    draw = Random(f"{how} {sent}")  # noqa: S311 - moments, no secret
    length = ground.length(JOBS[how])
    for number in tries(1, 20):
        with account.trial():
            place = ground.place(JOBS[how])
            pid = ground.fork_server.start(place.job.arguments(), place.folder)
            time.sleep(draw.uniform(0, length))
            for _ in range(1 + number % 2):
                with suppress(ProcessLookupError):
                    os.kill(pid, sent)
            ended = ground.fork_server.wait(pid)
            assert "Traceback" not in ended.stderr, ended
            if sent in CODES:
                # before the command has begun, the system itself ends the process
                assert ended.code in (0, CODES[sent], -sent), ended
                assert all(line == INTERRUPTED for line in ended.errors), ended
                assert not [name for name in place.left() if "scratch" not in name] or number % 2
            place.next_start(ground.fork_server)
            account.whole += 1
            ground.clear(place)


def test_while_it_starts(ground: Ground, ledger: Ledger) -> None:
    """From scratch, as users start it: while it imports."""
    account = ledger.account("fault", "stopped while the program starts", ENDS)
    draw = Random(5)  # noqa: S311 - moments, no secret
    for number in tries(1, 24):
        with account.trial():
            place = ground.place(Job())
            running = subprocess.Popen(
                [sys.executable, "-m", "shoal", *place.job.arguments()],
                cwd=place.folder,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            time.sleep(draw.uniform(0, 1.2))
            sent = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP][number % 4]
            running.send_signal(sent)
            assert running.wait(timeout=120) in (0, 1, 2, CODES.get(sent), -sent)
            place.next_start(ground.fork_server)
            account.whole += 1
            ground.clear(place)
