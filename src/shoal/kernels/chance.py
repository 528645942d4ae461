"""Random numbers inside of kernels, the same on every machine.

P. L'Ecuyer, "Efficient and portable combined random number generators", CACM 31(6), 1988: the difference of two
multiplicative generators, in whole numbers that never overflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel
from shoal.values import FloatVector, IntVector

FIRST, SECOND = 2_147_483_563, 2_147_483_399


MIDDLES = 4096


class Chance(NamedTuple):
    """The state of the generators; and waiting times -ln(u) at the middles of equal parts of 0..1.

    These have so few digits that all machines agree.
    """

    state: IntVector
    waits: FloatVector


def begin(seed: int) -> Chance:
    """The generators for a seed, some numbers away from where similar seeds lie together."""
    state = np.array([1 + seed % (FIRST - 1), 1 + (seed // FIRST + 1) % (SECOND - 1)], dtype=np.int64)
    for _ in range(20):
        draw(state)
    middles = (np.arange(MIDDLES) + 0.5) / MIDDLES
    return Chance(state, np.rint(-np.log(middles) * 2**20) / 2**20)


@kernel
def draw(state):
    """The next whole number, from 1 up to FIRST - 1."""
    state[0] = state[0] * 40014 % FIRST
    state[1] = state[1] * 40692 % SECOND
    number = state[0] - state[1]
    return number if number > 0 else number + FIRST - 1


@kernel
def below(state, limit):
    """A whole number from 0 up to, not including, the limit."""
    return (draw(state) - 1) * limit // (FIRST - 1)
