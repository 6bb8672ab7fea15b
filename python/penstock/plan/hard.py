"""What the machine cannot decide by itself."""

from __future__ import annotations


class Hard(Exception):  # noqa: N818 - a turn in the planning, not a failure
    """This part needs the evaluator; says why."""
