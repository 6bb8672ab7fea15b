"""A document without end, in chunks: results come at once and memory stays flat."""

import itertools

import penstock
from penstock.generate import rss

broker = penstock.Broker()
broker.subscribe("outages", "//item[category = 'outage']/link/text()")

feed = broker.open(id="news")
pieces = (piece.encode() for piece in rss(size=10**12))
links = (delivery.fragment for piece in pieces for delivery in feed.write(piece))
for link in itertools.islice(links, 5):
    print(link)
