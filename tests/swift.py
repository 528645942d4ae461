"""Settings of Spark and Java by which tests, which are short, are soon over."""

from __future__ import annotations

from pathlib import Path

JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Java that does not compile or check more than it must."""
SPARK = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # a query is one job; `test_spark_frames.py` has a session that plans anew on the way
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""Spark that does not plan for more than a few records."""


def settings(folder: Path, **more: str) -> str:
    """A folder of settings for programs that start Spark by themselves: what SPARK_CONF_DIR is to name."""
    folder.mkdir()
    given = {**SPARK, "spark.driver.extraJavaOptions": JAVA, "spark.executor.extraJavaOptions": JAVA, **more}
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in given.items()))
    return str(folder)
