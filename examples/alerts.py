"""Weather alerts: subscribers by county and severity, a dead letter, and a subscription that comes later."""

import penstock
from penstock.samples import documents

CAP = {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}

broker = penstock.Broker(namespaces=CAP)
for county in ("006037", "006111"):
    broker.subscribe(
        f"county-{county}", f"/cap:alert/cap:info[cap:area/cap:geocode/cap:value='{county}']/cap:headline/text()"
    )

alerts = [sample for sample in documents() if sample.stream == "alerts"]
for number, sample in enumerate(alerts):
    if number == 2:
        broker.subscribe("updates", "/cap:alert[cap:msgType='Update']/cap:references/text()")
    for delivery in broker.publish(sample.xml, id=sample.id):
        print(f"{delivery.subscription:15} {delivery.fragment}")

broker.publish("<alert>cut off", id="cut")
print("dead letters:", [letter.document for letter in broker.dead_letters])
