"""Errors of engines, of the estimator, and about packages that are not installed."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError, fixed, message

_TAKES_ALL_KINDS = "convert these columns to numbers or drop them; shoal.anonymize takes dates and categories too"


class EngineError(ShoalError):
    """The engine cannot be started, or failed."""

    no_java = fixed(
        "Spark needs Java, which is not installed",
        "install Java 17 or newer (apt-get install openjdk-17-jre-headless), or set JAVA_HOME to it",
    )
    different_master = fixed(
        "A Spark session with another master is running", "leave out master (--master), or stop the session first"
    )
    spark_connect = fixed(
        "This is a session of Spark Connect, which gives no access to files and jobs of the cluster",
        "use a classic session (on Databricks: a cluster with dedicated access), or spark-submit",
    )
    session_stopped = fixed("The Spark session has stopped", "start a new one, and read the frame again")
    no_scratch_folder = fixed(
        "This cluster has no folder for intermediate files",
        "name one that all of its machines reach and only you can read with scratch= (--scratch), or set the"
        " checkpoint folder of the session",
    )
    import_options_not_supported = fixed(
        "Spark reads Parquet, which needs no import options", "leave out the options for reading"
    )
    not_parquet = message(
        "{path!r} does not hold a table that Spark can read as Parquet",
        "give a Parquet file or a folder of them; other sources can be given as a Spark frame",
    )
    spark_only_option = message(
        "{value} is an option of Spark, which is not used", "leave it out, or add --engine spark"
    )

    @classmethod
    def no_session(cls, log: str | None = None) -> Self:
        return cls(
            f"Spark could not be started{f'; its log is {log!r}' if log else ''}",
            "check the address of the master (--master) and that this version of Spark supports your Java",
        )

    @classmethod
    def job_failed(cls, what: str, log: str | None = None) -> Self:
        where = f"its log is {log!r}" if log else "see its log"
        return cls(
            f"Spark gave up ({what}); nothing was released",
            f"{where}; where workers were lost, give them more memory or make pieces smaller with memory= (--memory)",
        )

    mixed_partitions = message(
        "{count:file} below {path!r} would be left out: Spark reads the files of a folder or those of its partitions"
        " (name=value), and not both",
        "put all files of the table into one folder",
    )


class EstimatorError(ShoalError, ValueError, TypeError):
    """An array or a table does not fit the estimator; also a ValueError and a TypeError, as in scikit-learn.

    Terms that users of scikit-learn search for, such as ``n_samples``, are spelled as there.
    """

    sparse = fixed("X is sparse, and groups need every cell", "give X.toarray()")
    complex_numbers = fixed("Complex data not supported", "give the real and the imaginary part as two columns")
    not_numeric = fixed(
        "X has cells that are no numbers, where each argument must be a number, or a string that reads as a number",
        _TAKES_ALL_KINDS,
    )
    no_features = message(
        "X has 0 feature(s) (shape=({value}, 0)) while a minimum of 1 is required",
        "give a table with the columns that an outsider could know",
    )

    @classmethod
    def from_error(cls, error: ShoalError) -> Self:
        """Convert an error about a table."""
        return cls(error.fact, error.hint)

    not_two_dimensional = message(
        "An array of {dimensions:dimension} is not a table of records. Reshape your data",
        "X.reshape(-1, 1) makes one column of it, X.reshape(1, -1) one record",
    )
    column_not_numeric = message("Column {name!q} is {kind}, and the estimator takes numbers only", _TAKES_ALL_KINDS)

    not_finite = message("{fact}", "replace NaN and infinite cells before; shoal.anonymize takes missing values too")
    """``fact`` names the column and the number of cells."""

    @classmethod
    def different_features(cls, fact: str) -> Self:
        """``fact`` is the message of scikit-learn about names and number of columns."""
        return cls(fact.rstrip(" ."), "give the columns of the fit, in the same order")

    too_few_samples = message(
        "n_samples = {n:,} is less than k = {k:,}, so that the records cannot hide among each other",
        "wait until there are more records",
    )
    too_distant = message(
        "{rows:,} of {of:record} are so far from those of the fit that their distances to groups are beyond the"
        " range of numbers (the first is record {first:,})",
        "check the units of these records, or fit again",
    )
    groups_too_small = message(
        "{records:,} of {of:record} would be in {groups:group} of fewer than k = {k:,}",
        "let small groups join others with undersized='merge', or fit again on these records",
    )


class PackageError(ShoalError, ImportError):
    """A part of Shoal needs a package that is not installed."""

    needs_solver = fixed(
        "A bound by linear programs, and the effort 'best' for a small table, need the package highspy, which is"
        " not installed",
        "run: pip install 'shoal[bounds]', or choose the effort 'balanced'",
    )
    needs_extra = message("{part} needs packages that are not installed", "run: pip install 'shoal[{extra}]'")
