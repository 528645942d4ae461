"""The Spark engine: the plan of a release in pieces, scheduled on a cluster (``pip install 'shoal[spark]'``).

Nothing of the plan is computed here. Spark reads Parquet, shuffles records into pieces, calls the plan on each of them
in its Python workers, sorts, writes, and counts the written release by a group-by of its own.

A stage that is done stands in a scratch folder that all machines reach, so that a lost executor costs the tasks it was
at. What the driver holds are summaries: a survey with its sample, counts of leaves, facts of pieces. The files:

* ``session``: the session of Spark, or the sentence why there is none; ``jobs``: running work with progress, and errors
* ``storage``: files and folders wherever Spark keeps them; ``source``: a table on them whose records are numbered
* ``worker``: what a Python worker does first; ``chores``: the functions that it runs on record batches
* ``surveying``, ``places``, ``engine``: the stages; ``recount``: the verification
* ``frame``: the Spark DataFrame that is handed out
"""


def is_frame(data: object) -> bool:
    """Whether this is a Spark DataFrame. Does not import pyspark."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.split(".")[:2] == ["pyspark", "sql"]
        for base in type(data).__mro__
    )
