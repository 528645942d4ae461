"""The Spark DataFrame that is returned, with the release attached."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame


class ReleasedFrame(ClassicFrame):
    """A release as a Spark DataFrame. It reads the verified files."""

    def __init__(self, frame: DataFrame, release: Any) -> None:
        super().__init__(frame._jdf, frame.sparkSession)
        self.release = release
        """The release as a `shoal.FileRelease`."""

    @property
    def table(self) -> DataFrame:
        """The frame itself, for the same interface as `shoal.Release`."""
        return self

    @property
    def verification(self) -> Any:
        """Verification by Spark on the released values."""
        return self.release.verification

    @property
    def evaluation(self) -> Any:
        """Information loss and disclosure risk."""
        return self.release.evaluation

    @property
    def policy(self) -> Any:
        """The policy; ``policy.to_toml()`` is the file that reproduces the release."""
        return self.release.policy

    def report(self, path: str | os.PathLike[str] | None = None, *, external: bool = False, force: bool = False) -> str:
        """Return the HTML report, for internal use or for publication (``external``); write it to a local file if
        ``path`` is given.
        """
        text: str = self.release.report(path, external=external, force=force)
        return text

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the release."""
        found: tuple[str, ...] = self.release.warnings
        return found
