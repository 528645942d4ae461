"""Tables larger than memory: read, surveyed, encoded, counted and written in chunks.

`open_source` opens a file; `Source.chunks` gives its records in order, each chunk an ordinary small table. `survey`
learns in one pass what only the whole table tells; `fixed` then understands a chunk as part of that table, `base` and
`encode_chunk` are `tables.encode`, `sensitive_base` and `demands_of` are `tables.demands`. How a file is cut changes
nothing but memory.
"""

from shoal.tables.large.base import Base, base, beyond, check_bounds, encode_chunk, outside
from shoal.tables.large.cells import fixed
from shoal.tables.large.sample import ReleasedSample
from shoal.tables.large.sensitive import SensitiveBase, demands_of, sensitive_base
from shoal.tables.large.shuffle import shuffle
from shoal.tables.large.sketch import Spot
from shoal.tables.large.source import Source, open_source
from shoal.tables.large.spill import Spill
from shoal.tables.large.survey import Survey, survey, surveyed, total
from shoal.tables.large.tally import Counted, Tally
from shoal.tables.large.writer import STREAMED, Writer
from shoal.tables.typed import keeps_type

__all__ = [
    "STREAMED",
    "Base",
    "Counted",
    "ReleasedSample",
    "SensitiveBase",
    "Source",
    "Spill",
    "Spot",
    "Survey",
    "Tally",
    "Writer",
    "base",
    "beyond",
    "check_bounds",
    "demands_of",
    "encode_chunk",
    "fixed",
    "keeps_type",
    "open_source",
    "outside",
    "sensitive_base",
    "shuffle",
    "survey",
    "surveyed",
    "total",
]
