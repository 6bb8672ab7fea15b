"""What paths start from: the document, the value of a variable, the nodes that a predicate is asked of."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TypeAlias

from penstock.plan import normal as xpath
from penstock.plan.text import query_text
from penstock.plan.xquery import normal
from penstock.plan.xquery.claims import Claims, is_downward, path_claims, return_claims
from penstock.plan.xquery.sorting import leads_to_one

Steps: TypeAlias = tuple[xpath.Step, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """Nodes, and how to write paths from there.

    `binding` are the steps from the document to a node that is dealt with on its own, as the bindings of a variable
    are, None if they are not known. `further` are those from there to the nodes; None if no path leads to them.
    """

    before: str
    after: str = ""
    binding: Steps | None = ()
    further: Steps | None = ()
    several: bool = False

    def text(self, steps: tuple[normal.Step, ...]) -> str:
        """A path from here, without predicates."""
        return f"{self.before}{query_text(xpath.Path(xpath.Context(), _plain(steps)))}{self.after}"

    def arises(self, steps: tuple[normal.Step, ...]) -> str:
        """What can come of a path from here, and by which claims that is known."""
        if self.further is None:
            return "may come twice and out of order (no path leads to its start)"
        rest = (*self.further, *_plain(steps))
        if not is_downward(rest):
            if not self.along(steps).several:
                return "one at most"
            return "may come twice and out of order (no claim is about steps that are not downward)"
        claims = self._claims(rest)
        unique = f"each once (claim {claims.unique})" if claims.unique else "may come twice (more than one //)"
        ordered = f"in order (claim {claims.ordered})" if claims.ordered else "may come out of order (a step after //)"
        return f"{unique}, {ordered}"

    def _claims(self, rest: Steps) -> Claims:
        return return_claims(self.binding, rest) if self.binding else path_claims(rest)

    def along(self, steps: tuple[normal.Step, ...]) -> Start:
        """All nodes that the steps lead to."""
        further = None if self.further is None else (*self.further, *_plain(steps))
        several = self.several or not all(map(leads_to_one, steps))
        return dataclasses.replace(self, further=further, several=several)

    def one_by_one(self) -> Start:
        """The same nodes, each dealt with on its own."""
        is_known = self.binding is not None and self.further is not None
        binding = (*(self.binding or ()), *(self.further or ())) if is_known else None
        return dataclasses.replace(self, binding=binding, further=(), several=False)

    def written(self, before: str, after: str = "") -> Start:
        """The same, with paths from there written between these."""
        return dataclasses.replace(self, before=before, after=after)


DOCUMENT = Start("/")
UNKNOWN = Start("(...)/", binding=None, further=None, several=True)


def _plain(steps: tuple[normal.Step, ...]) -> Steps:
    return tuple(xpath.Step(step.axis, step.test) for step in steps)
