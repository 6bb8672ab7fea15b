"""What subscribers get."""

from penstock.kernel.engine import Delivery, FragmentMatch, Matches

__all__ = ["Delivery", "FragmentMatch", "Matches"]
