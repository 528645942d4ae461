"""Random numbers for kernels, the same on every machine.

P. L'Ecuyer, "Efficient and portable combined random number generators", CACM 31(6), 1988: the difference of two
multiplicative generators, in integers that never overflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector
from shoal.kernels.jit import kernel

MODULUS_1, MODULUS_2 = 2_147_483_563, 2_147_483_399
N_EXPONENTIALS = 4096


class Rng(NamedTuple):
    """The state of the generator; ``exponentials`` are quantiles -ln(u) at the midpoints of equal parts of 0..1.

    They have so few digits that all machines agree.
    """

    state: IntVector
    exponentials: FloatVector


def init_rng(seed: int) -> Rng:
    """The generator for a seed, advanced to separate similar seeds."""
    state = np.array([1 + seed % (MODULUS_1 - 1), 1 + (seed // MODULUS_1 + 1) % (MODULUS_2 - 1)], dtype=np.int64)
    for _ in range(20):
        next_int(state)
    quantiles = (np.arange(N_EXPONENTIALS) + 0.5) / N_EXPONENTIALS
    return Rng(state, np.rint(-np.log(quantiles) * 2**20) / 2**20)


@kernel
def next_int(state):
    """The next integer, from 1 to MODULUS_1 - 1."""
    state[0] = state[0] * 40014 % MODULUS_1
    state[1] = state[1] * 40692 % MODULUS_2
    number = state[0] - state[1]
    return number if number > 0 else number + MODULUS_1 - 1


@kernel
def random_below(state, limit):
    """A random integer from 0 up to, but excluding, the limit."""
    return (next_int(state) - 1) * limit // (MODULUS_1 - 1)
