"""The pipeline under Spark Connect. In a process of its own: a process has one kind of session."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spark.connect_server import connect_server

pytest.importorskip("grpc")

SCRIPT = """
import json, sqlite3, sys, tempfile
from penstock import Broker
from penstock.spark import (
    DatabaseSink, FileSink, SplitSink, TableSink, batch_metrics, dead_letters, publish, rejected,
    write_batch, write_stream,
)
from penstock.broker.prepare import stored_row
from penstock.spark.session import session
from penstock.store import open_store, subscribing

folder = tempfile.mkdtemp()
spark = session(sys.argv[1])
broker = Broker()
broker.subscribe("names", "//name/text()", subscriber="ann")
documents = spark.createDataFrame([("d1", "<name>pen</name>"), ("d2", "<name>")], "id string, xml string")
found = publish(documents, broker, errors="rows")
batch = sorted((row.documents[0], row.kind, row.subscriber) for row in found.collect())
letters = [row.document for row in dead_letters(found).collect()]
standing = spark.createDataFrame([("a", "//name"), ("b", "//[")], "id string, query string")
framed = [row.subscription for row in publish(documents, standing).collect()]
refused = [row.id for row in rejected(standing).collect()]

documents.write.mode("overwrite").parquet(folder + "/in")
stream = publish(spark.readStream.schema(documents.schema).parquet(folder + "/in"), broker)
writer = stream.writeStream.format("parquet").option("checkpointLocation", folder + "/checkpoint")
writer.trigger(availableNow=True).start(folder + "/out").awaitTermination(100)
streamed = [row.fragment for row in spark.read.parquet(folder + "/out").collect()]

source = spark.readStream.schema(documents.schema).parquet(folder + "/in")
sink = SplitSink(DatabaseSink("sqlite:///" + folder + "/sink.db"), FileSink(folder + "/letters"))
counted = publish(source, broker, errors="rows", metrics="feeds")
query = write_stream(counted, sink, folder + "/state").trigger(availableNow=True).start()
query.awaitTermination(100)
(counts,) = batch_metrics(query.lastProgress)
measured = [counts.documents, counts.deliveries, counts.errors, counts.version]
write_batch(found.where("kind <> 'error'"), TableSink("of_{subscriber}"), "monday")
with sqlite3.connect(folder + "/sink.db") as connection:
    sunk = [fragment for (fragment,) in connection.execute("SELECT fragment FROM deliveries")]
sunk += [row.document for row in spark.read.json(folder + "/letters").collect()]
sunk += [row.batch for row in spark.table("of_ann").collect()]
with open_store(broker.store.url) as store:
    # Who claims it first after this change gets a newer version.
    changed = store.apply([subscribing(stored_row(broker.get("names")), replace=True)])
    sunk.append(store.claim(str(query.id), 0) < changed == store.claim(str(query.id), 1))
print(json.dumps([type(spark).__module__, batch, letters, framed, refused, streamed, sunk, measured]))
spark.stop()
"""


@pytest.mark.slow
def test_batch_and_stream_under_connect(tmp_path: Path) -> None:
    with connect_server(tmp_path, cores=2) as url:
        command = [sys.executable, "-c", SCRIPT, url]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stderr
    module, *found = json.loads(done.stdout.splitlines()[-1])
    assert "connect" in module
    batch = [["d1", "text", "ann"], ["d2", "error", None]]
    assert found == [batch, ["d2"], ["a"], ["b"], ["pen"], ["pen", "d2", "monday", True], [2, 1, 1, 1]]
