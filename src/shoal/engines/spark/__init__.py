"""Spark engine: runs the plan of an out-of-core release on a cluster (``pip install 'shoal[spark]'``).

The engine only schedules. Spark reads Parquet, shuffles the records into parts, runs the plan on each part in Python
workers, sorts, writes, and counts the classes of the written release by a group-by.

Each finished stage is written to a scratch folder that all machines can access, so that a lost executor costs only its
running tasks. The driver holds summaries only: table statistics with a sample, leaf counts, part summaries.
"""


def is_frame(data: object) -> bool:
    """Return whether this is a Spark DataFrame, without importing pyspark."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.split(".")[:2] == ["pyspark", "sql"]
        for base in type(data).__mro__
    )
