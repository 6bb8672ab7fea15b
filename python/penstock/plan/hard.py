"""What the machine cannot decide by itself."""

from __future__ import annotations


class Hard(Exception):
    """This part needs the evaluator; says why."""
