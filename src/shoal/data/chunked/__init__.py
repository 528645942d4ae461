"""Out-of-core tables: read, profile, encode, count and write a table in chunks.

`open_chunked` opens a file; `ChunkedFile.chunks` yields its records in order, each chunk a small table. `profile_file`
computes the `TableStatistics` in one pass; `with_column_types` then gives a chunk the column types of the whole table.
Results do not depend on the size of the chunks.
"""

from shoal.data.chunked.class_counter import ClassCounter, ClassCounts, WeightedClasses
from shoal.data.chunked.column_sketch import Occurrence
from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.chunked.sample import ReleasedSample
from shoal.data.chunked.source import ChunkedFile, open_chunked, paired_chunks
from shoal.data.chunked.spill import SpillFolder
from shoal.data.chunked.table_statistics import TableStatistics, merge_statistics, profile_chunk, profile_file
from shoal.data.chunked.typed_chunks import with_column_types
from shoal.data.chunked.writer import CHUNKED_FORMATS, ChunkWriter, external_shuffle
from shoal.data.new_columns import keeps_dtype

__all__ = [
    "CHUNKED_FORMATS",
    "ChunkWriter",
    "ChunkedFile",
    "ClassCounter",
    "ClassCounts",
    "ExactMoments",
    "Occurrence",
    "ReleasedSample",
    "SpillFolder",
    "TableStatistics",
    "WeightedClasses",
    "external_shuffle",
    "keeps_dtype",
    "merge_statistics",
    "open_chunked",
    "paired_chunks",
    "profile_chunk",
    "profile_file",
    "with_column_types",
]
