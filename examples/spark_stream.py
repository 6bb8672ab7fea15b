"""A stream of documents on Spark, with subscriptions that change between two micro-batches."""

import json
import tempfile
from pathlib import Path

from penstock import Broker
from penstock.spark import dead_letters, publish
from penstock.spark.session import local_session

spark = local_session()
folder = Path(tempfile.mkdtemp())
incoming = folder / "incoming"
incoming.mkdir()

broker = Broker(store=f"sqlite:///{folder / 'subscriptions.db'}")
broker.subscribe("dear", "//item[price > 10]/name/text()", subscriber="ann")

documents = spark.readStream.schema("id string, xml string").json(str(incoming))
deliveries = publish(documents, broker, errors="rows")
writer = deliveries.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
query = writer.start(str(folder / "deliveries"))


def arrive(id: str, xml: str) -> None:
    """Puts a document where the stream finds it, and waits until it has gone through."""
    (incoming / f"{id}.json").write_text(json.dumps({"id": id, "xml": xml}))
    query.processAllAvailable()


arrive(
    "monday", "<shop><item><name>pen</name><price>12</price></item><item><name>ink</name><price>5</price></item></shop>"
)
broker.subscribe("cheap", "//item[price < 10]/name/text()", subscriber="bob")
arrive("tuesday", "<shop><item><name>nib</name><price>2</price></item></shop>")
arrive("wednesday", "<shop><item>")
query.stop()

found = spark.read.parquet(str(folder / "deliveries"))
for row in found.where("kind <> 'error'").orderBy("time").collect():
    print(f"{row.documents[0]}: {row.fragment} for {row.subscriber}")
for row in dead_letters(found).collect():
    print(f"{row.document}: {row.message} (line {row.line}, column {row.column})")
spark.stop()
