"""Spark on W7's documents, on as many processors as cores: `python -m penstock.bench.spark_session CORES FOLDER`."""

from __future__ import annotations

import shutil
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.bench.spark_data import document_folder
from penstock.bench.spark_process import serve

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # noqa: TID251 - types only

# A file is a task.
_SETTINGS = {"spark.sql.files.openCostInBytes": "128MB"}
_DOCUMENTS = "id string, stream string, time timestamp, xml string"
_FILES_A_BATCH = 4


class _Session:
    """What the process does with its orders; each is a method."""

    def __init__(self, cores: int, folder: Path) -> None:
        from penstock.spark.session import local_session

        self._documents = str(document_folder(folder))
        # Sessions share the documents, not what they write.
        self._checkpoint = folder / f"checkpoint-{cores}"
        self._spark = local_session(cores, _SETTINGS)
        self._spark.range(1).count()

    def warm(self, url: str) -> dict[str, Any]:
        """A few documents of every task, so that all workers have their machines."""
        given = self._spark.read.schema(_DOCUMENTS).parquet(self._documents).where("id LIKE '%00'")
        self._deliveries(given, url).write.format("noop").mode("overwrite").save()
        return {}

    def batch(self, url: str, target: str | None = None) -> dict[str, Any]:
        """All documents at once, to a folder or nowhere."""
        found = self._deliveries(self._spark.read.schema(_DOCUMENTS).parquet(self._documents), url)
        if target is None:
            found.write.format("noop").mode("overwrite").save()
        else:
            found.write.parquet(target)
        return {}

    def stream(self, url: str, target: str | None = None) -> dict[str, Any]:
        """All documents as a stream of micro-batches of a few files, to a folder or nowhere."""
        shutil.rmtree(self._checkpoint, ignore_errors=True)
        reader = self._spark.readStream.schema(_DOCUMENTS).option("maxFilesPerTrigger", _FILES_A_BATCH)
        found = self._deliveries(reader.parquet(self._documents), url)
        writer = found.writeStream.option("checkpointLocation", str(self._checkpoint)).trigger(availableNow=True)
        query = writer.format("noop").start() if target is None else writer.format("parquet").start(target)
        query.awaitTermination()
        return {}

    def functions(self, queries: list[str], documents: int) -> dict[str, Any]:
        """Spark's own `xpath_boolean` with every query on the first documents: which are true of which."""
        asked = [f"xpath_boolean(xml, {_literal(query)}) AS q{number}" for number, query in enumerate(queries)]
        rows = self._first(documents).selectExpr("id", *asked).collect()
        return {"true": [[row[0], number] for row in rows for number in range(len(queries)) if row[number + 1]]}

    @cache  # noqa: B019 - lives as long as the process
    def _first(self, count: int) -> DataFrame:
        """The first documents, ready in memory: finding them is not what is measured."""
        given = self._spark.read.schema(_DOCUMENTS).parquet(self._documents)
        kept = given.orderBy("id").limit(count).cache()
        kept.count()
        return kept

    def _deliveries(self, documents: DataFrame, url: str) -> DataFrame:
        from penstock.spark import publish

        return publish(documents, url)


def _literal(text: str) -> str:
    r"""As a string of Spark's SQL.

    >>> _literal(r"//a[b = 'c\d']")
    "'//a[b = \\'c\\\\d\\']'"
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


if __name__ == "__main__":
    serve(cores := int(sys.argv[1]), lambda: _Session(cores, Path(sys.argv[2])))
