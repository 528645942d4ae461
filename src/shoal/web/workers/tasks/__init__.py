"""Tasks of workers: functions that take parameters and a `WorkerContext`, and return plain data."""

MODULES = {
    **dict.fromkeys(("look", "example", "preview", "head"), "file_tasks"),
    **dict.fromkeys(("values", "trees", "coverage", "matches", "lacking"), "hierarchy_tasks"),
    **dict.fromkeys(("release", "compare", "exposure", "warm"), "release_tasks"),
}
"""Module of each task, which is imported only in the worker."""
