"""The frame that is handed out: a DataFrame of Spark, and all that is known of the release in it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame


class ReleasedFrame(ClassicFrame):
    """A release as a DataFrame of Spark. It stands in files that were verified; what is asked of it reads these."""

    def __init__(self, frame: DataFrame, release: Any) -> None:
        super().__init__(frame._jdf, frame.sparkSession)
        self.release = release
        """All that is known of it: a `shoal.LargeRelease`."""

    @property
    def table(self) -> DataFrame:
        """The frame itself, as any release of Shoal has it."""
        return self

    @property
    def verification(self) -> Any:
        """What Spark counted on the released values."""
        return self.release.verification

    @property
    def evaluation(self) -> Any:
        """Loss and risk."""
        return self.release.evaluation

    @property
    def policy(self) -> Any:
        """All decisions; ``policy.to_toml()`` is the file that makes the same release again."""
        return self.release.policy

    @property
    def warnings(self) -> tuple[str, ...]:
        """What deserves a look."""
        found: tuple[str, ...] = self.release.warnings
        return found
