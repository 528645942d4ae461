"""Release a Spark DataFrame, as a notebook or a job does.

python examples/spark/release.py REGISTER RELEASED [SCRATCH]
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import shoal

QUASI_IDENTIFIERS = ["age", "sex", "region", "marital_status", "education", "household_size"]
QUESTION = """
    SELECT diagnosis, count(*) AS persons, round(avg(r.age), 2) AS mean_age FROM {table} AS r
    GROUP BY diagnosis ORDER BY persons DESC
"""


def main(register: str, target: str, scratch: str | None) -> None:
    spark = SparkSession.builder.appName("release").getOrCreate()

    # any DataFrame works; leave out columns that you do not release
    frame = spark.read.parquet(register).select("person_id", "name", *QUASI_IDENTIFIERS, "diagnosis")

    released = shoal.anonymize(
        frame,
        k=10,
        quasi_identifiers=QUASI_IDENTIFIERS,
        identifiers=["person_id", "name"],
        sensitive=["diagnosis"],
        l=2,
        method="mondrian",
        memory="1GB",
        scratch=scratch,
    )

    print(released.verification.verdict)
    for check in released.verification.models:
        print(f"{check.model} on {check.column}: {check.reached:g} in the worst class")
    print(*released.release.notes)
    before, after, loss = released.evaluation.before, released.evaluation.after, released.evaluation.loss
    print(f"mixed loss      {loss['mixed_loss']:.2f} %")
    print(f"unique records  {before['unique_records']:,} before, {after['unique_records']:,} after")
    print(f"global risk     {before['global_risk']:.2f} % before, {after['global_risk']:.2f} % after")

    released.write.parquet(target)

    print("\nThe register:")
    spark.sql(QUESTION, table=frame).show()
    print("The release:")
    spark.sql(QUESTION, table=spark.read.parquet(target)).show()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
