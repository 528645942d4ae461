"""A method of a third party, found by its entry point: it is run, refined and compared as our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

METHOD = '''
import numpy as np
from shoal.microaggregation.registry import method

@method(name="by-row", paper="none", year=2024, cost="O(n)", largest_group=lambda k: 2 * k - 1)
def by_row(records, k, *, progress):
    """Groups of neighbors in the table."""
    return np.minimum(np.arange(records.count) // k, records.count // k - 1)
'''
SCRIPT = """
import json, numpy, shoal
table = numpy.random.default_rng(0).normal(size=(40, 2))
alone, refined = (shoal.partition(table, k=3, method="by-row", refine=refine) for refine in (None, True))
compared = shoal.compare(table, k=3, methods=["by-row", "auto"], quasi_identifiers=[0, 1])
losses = [point.loss for point in compared.points]
growth = shoal.methods()["by-row"].to_dict()["growth"]
print(json.dumps([alone.labels.tolist(), alone.information_loss, refined.information_loss, losses, growth]))
"""


def test_a_method_found_by_its_entry_point_is_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "by_row.py").write_text(METHOD)
    installed = tmp_path / "by_row-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: by-row\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[shoal.methods]\nby-row = by_row\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], env=env, capture_output=True, text=True, check=True
    )
    labels, alone, refined, (compared, auto), growth = json.loads(done.stdout)
    assert labels == [min(row // 3, 12) for row in range(40)]
    assert alone == pytest.approx(compared, rel=1e-12)
    assert refined < alone
    assert auto < alone
    assert growth is None
