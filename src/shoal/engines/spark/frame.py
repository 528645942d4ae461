"""The frame that is handed out: a DataFrame of Spark, and all that is known of the release in it."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from shoal.aside import aside
from shoal.report import dossier
from shoal.report.external import for_outsiders
from shoal.report.large import detailed_large


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

    def report(self, path: str | os.PathLike[str] | None = None, *, external: bool = False, force: bool = False) -> str:
        """The report as a page of HTML, for internal use or as it may be published; also written to a file here."""
        facts = detailed_large(self.release)
        text = dossier.page(for_outsiders(facts) if external else facts)
        if path is not None:
            with aside(path, force=force) as part:
                part.write_text(text, encoding="utf-8", newline="\n")
        return text

    @property
    def warnings(self) -> tuple[str, ...]:
        """What deserves a look."""
        found: tuple[str, ...] = self.release.warnings
        return found
