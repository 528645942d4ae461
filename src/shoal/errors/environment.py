"""Errors of engines, of the estimator, and about packages that are not installed."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError, fixed, with_path, with_text
from shoal.errors.messages import pluralize, quote_name

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
    not_parquet = with_path(
        "{} does not hold a table that Spark can read as Parquet",
        "give a Parquet file or a folder of them; other sources can be given as a Spark frame",
    )
    spark_only_option = with_text("{} is an option of Spark, which is not used", "leave it out, or add --engine spark")

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

    @classmethod
    def mixed_partitions(cls, path: object, count: int) -> Self:
        return cls(
            f"{pluralize(count, 'file')} below {str(path)!r} would be left out: Spark reads the files of a folder or"
            " those of its partitions (name=value), and not both",
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
    no_features = with_text(
        "X has 0 feature(s) (shape=({}, 0)) while a minimum of 1 is required",
        "give a table with the columns that an outsider could know",
    )

    @classmethod
    def from_error(cls, error: ShoalError) -> Self:
        """Convert an error about a table."""
        return cls(error.fact, error.hint)

    @classmethod
    def not_two_dimensional(cls, dimensions: int) -> Self:
        return cls(
            f"An array of {pluralize(dimensions, 'dimension')} is not a table of records. Reshape your data",
            "X.reshape(-1, 1) makes one column of it, X.reshape(1, -1) one record",
        )

    @classmethod
    def column_not_numeric(cls, name: str, kind: str) -> Self:
        return cls(f"Column {quote_name(name)} is {kind}, and the estimator takes numbers only", _TAKES_ALL_KINDS)

    @classmethod
    def not_finite(cls, fact: str) -> Self:
        """``fact`` names the column and the number of cells."""
        return cls(fact, "replace NaN and infinite cells before; shoal.anonymize takes missing values too")

    @classmethod
    def different_features(cls, fact: str) -> Self:
        """``fact`` is the message of scikit-learn about names and number of columns."""
        return cls(fact.rstrip(" ."), "give the columns of the fit, in the same order")

    @classmethod
    def too_few_samples(cls, n: int, k: int) -> Self:
        fact = f"n_samples = {n:,} is less than k = {k:,}, so that the records cannot hide among each other"
        return cls(fact, "wait until there are more records")

    @classmethod
    def too_distant(cls, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"{rows:,} of {pluralize(of, 'record')} are so far from those of the fit that their distances to groups are"
            f" beyond the range of numbers (the first is record {first:,})",
            "check the units of these records, or fit again",
        )

    @classmethod
    def groups_too_small(cls, groups: int, *, records: int, of: int, k: int) -> Self:
        return cls(
            f"{records:,} of {pluralize(of, 'record')} would be in {pluralize(groups, 'group')} of fewer than k ="
            f" {k:,}",
            "let small groups join others with undersized='merge', or fit again on these records",
        )


class PackageError(ShoalError, ImportError):
    """A part of Shoal needs a package that is not installed."""

    needs_solver = fixed(
        "A bound by linear programs, and the effort 'best' for a small table, need the package highspy, which is"
        " not installed",
        "run: pip install 'shoal[bounds]', or choose the effort 'balanced'",
    )

    @classmethod
    def needs_extra(cls, part: str, extra: str) -> Self:
        return cls(f"{part} needs packages that are not installed", f"run: pip install 'shoal[{extra}]'")
