"""Errors of the engines that work out of core."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import pluralize


class EngineError(ShoalError):
    """The engine cannot be started, or failed."""

    @classmethod
    def no_java(cls) -> Self:
        return cls(
            "Spark needs Java, and there is none here",
            "install Java 17 or newer (apt-get install openjdk-17-jre-headless), or set JAVA_HOME to it",
        )

    @classmethod
    def no_session(cls, log: str | None = None) -> Self:
        where = f"; its log is {log!r}" if log else ""
        return cls(
            f"Spark could not be started{where}",
            "check the address of the master (--master) and that Java is one that this version of Spark takes",
        )

    @classmethod
    def different_master(cls) -> Self:
        return cls(
            "A session of Spark is there already, with another master", "leave out master (--master), or stop it first"
        )

    @classmethod
    def spark_connect(cls) -> Self:
        return cls(
            "This is a session of Spark Connect, which gives no access to files and jobs of the cluster",
            "use a classic session (on Databricks: a cluster with dedicated access), or spark-submit",
        )

    @classmethod
    def session_stopped(cls) -> Self:
        return cls("The session of Spark has stopped", "start a new one, and read the frame again")

    @classmethod
    def job_failed(cls, what: str, log: str | None = None) -> Self:
        where = f"its log is {log!r}" if log else "see its log"
        return cls(
            f"Spark gave up ({what}); nothing was released",
            f"{where}; where workers were lost, give them more memory or make pieces smaller with memory= (--memory)",
        )

    @classmethod
    def no_scratch_folder(cls) -> Self:
        return cls(
            "This cluster has no folder for what is done on the way",
            "name one that all of its machines reach and only you can read with scratch= (--scratch), or set the"
            " checkpoint folder of the session",
        )

    @classmethod
    def not_parquet(cls, path: object) -> Self:
        return cls(
            f"{str(path)!r} does not hold a table that Spark can read as Parquet",
            "give a Parquet file or a folder of them; other sources can be given as a frame of Spark",
        )

    @classmethod
    def mixed_partitions(cls, path: object, count: int) -> Self:
        return cls(
            f"{pluralize(count, 'file')} below {str(path)!r} would be left out: Spark reads the files of a folder or"
            " those of its partitions (name=value), and not both",
            "put all files of the table into one folder",
        )

    @classmethod
    def import_options_not_supported(cls) -> Self:
        return cls("Spark reads Parquet, which needs no options for reading", "leave out the options for reading")

    @classmethod
    def spark_only_option(cls, option: str) -> Self:
        return cls(
            f"{option} says something about Spark, which is not asked for", "leave it out, or add --engine spark"
        )
