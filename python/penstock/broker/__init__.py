"""The embedded broker: subscriptions in, documents through, deliveries out."""

from penstock.broker.broker import Broker
from penstock.broker.delivery import Delivery, FragmentMatch, Matches
from penstock.broker.letters import DeadLetter, DeadLetters
from penstock.broker.subscription import Rejected, Subscription

__all__ = ["Broker", "DeadLetter", "DeadLetters", "Delivery", "FragmentMatch", "Matches", "Rejected", "Subscription"]
