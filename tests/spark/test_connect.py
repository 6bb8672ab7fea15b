"""The pipeline under Spark Connect. In a process of its own: a process has one kind of session."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("grpc")

SCRIPT = """
import json, sys, tempfile
from penstock import Broker
from penstock.spark import dead_letters, publish, rejected
from penstock.spark.session import local_session

spark = local_session(connect=True)
broker = Broker()
broker.subscribe("names", "//name/text()", subscriber="ann")
documents = spark.createDataFrame([("d1", "<name>pen</name>"), ("d2", "<name>")], "id string, xml string")
found = publish(documents, broker, errors="rows")
batch = sorted((row.documents[0], row.kind, row.subscriber) for row in found.collect())
letters = [row.document for row in dead_letters(found).collect()]
standing = spark.createDataFrame([("a", "//name"), ("b", "//[")], "id string, query string")
framed = [row.subscription for row in publish(documents, standing).collect()]
refused = [row.id for row in rejected(standing).collect()]

folder = tempfile.mkdtemp()
documents.write.mode("overwrite").parquet(folder + "/in")
stream = publish(spark.readStream.schema(documents.schema).parquet(folder + "/in"), broker)
writer = stream.writeStream.format("parquet").option("checkpointLocation", folder + "/checkpoint")
writer.trigger(availableNow=True).start(folder + "/out").awaitTermination()
streamed = [row.fragment for row in spark.read.parquet(folder + "/out").collect()]
print(json.dumps([type(spark).__module__, batch, letters, framed, refused, streamed]))
spark.stop()
"""


@pytest.mark.slow
def test_batch_and_stream_under_connect() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    module, *found = json.loads(done.stdout.splitlines()[-1])
    assert "connect" in module
    assert found == [[["d1", "text", "ann"], ["d2", "error", None]], ["d2"], ["a"], ["b"], ["pen"]]
