"""Spark engine: runs the plan of an out-of-core release on a cluster (``pip install 'shoal[spark]'``).

The engine only schedules. Spark reads Parquet, shuffles the records into parts, runs the plan on each part in Python
workers, sorts, writes, and counts the classes of the written release by a group-by.

Each finished stage is written to a scratch folder that all machines can access, so that a lost executor costs only its
running tasks. The driver holds summaries only: table statistics with a sample, leaf counts, part summaries. The files:

* ``session``: Spark sessions; ``jobs``: running Spark actions with progress, and their errors
* ``storage``: files and folders of any Hadoop file system; ``source``: a table on them with row numbers
* ``worker``: how a task is sent to a Python worker; ``chores``, ``looks``: the tasks
* ``surveying``, ``places``, ``ranks``, ``engine``: the stages; ``recount``: the verification
* ``frame``: the Spark DataFrame that is returned
"""


def is_frame(data: object) -> bool:
    """Return whether this is a Spark DataFrame, without importing pyspark."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.split(".")[:2] == ["pyspark", "sql"]
        for base in type(data).__mro__
    )
