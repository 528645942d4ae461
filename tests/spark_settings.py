"""Spark and Java settings that make short jobs fast."""

from __future__ import annotations

from pathlib import Path

JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Java with as little compilation and verification as possible."""
FEW_RECORDS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # one job per query; `test_spark_frames.py` has a session with adaptive plans
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""Spark settings for tables of a few records."""


def write_settings(folder: Path, **settings: str) -> str:
    """Create a folder with the settings of programs that start Spark; SPARK_CONF_DIR names it."""
    folder.mkdir()
    java = {f"spark.{process}.extraJavaOptions": JAVA_OPTIONS for process in ("driver", "executor")}
    lines = (f"{name} {value}\n" for name, value in {**FEW_RECORDS, **java, **settings}.items())
    (folder / "spark-defaults.conf").write_text("".join(lines))
    return str(folder)
