"""What the keys of a pipeline's file demand of one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from penstock.broker.times import duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.spark.pipeline.config import Pipeline, Target

Found: TypeAlias = "tuple[tuple[str, ...], str] | None"

_NEEDED = {"files": "path", "table": "table", "database": "url", "console": None}
_ALLOWED = {
    "files": ("path", "format", "by", "options"),
    "table": ("table", "format"),
    "database": ("url", "table"),
    "console": (),
}


def _one_source(pipeline: Pipeline) -> Found:
    source = pipeline.source
    if (source.format is None) == (source.table is None):
        return ("source",), "expected one of format and table"
    if source.table is not None and source.path is not None:
        return ("source", "path"), "a table has no path"
    return None


def _row_tag(pipeline: Pipeline) -> Found:
    names = {name.lower() for name in pipeline.source.options}
    if pipeline.source.format == "xmlrecords" and "rowtag" not in names:
        return ("source", "options", "rowTag"), "the key is missing: the name of the elements that are records"
    return None


def _schema(pipeline: Pipeline) -> Found:
    source = pipeline.source
    is_stream = pipeline.query.batch is None
    if is_stream and source.format in ("json", "parquet", "orc", "csv", "avro") and source.schema is None:
        return ("source", "schema"), (
            f'the key is missing: a stream of {source.format} files needs one, such as "id string, xml string"'
        )
    return None


def _one_origin(pipeline: Pipeline) -> Found:
    given = pipeline.subscriptions
    if sum(one is not None for one in (given.store, given.file, given.table)) != 1:
        return ("subscriptions",), "expected one of store, file and table"
    if given.store is not None and "://" not in given.store:
        return ("subscriptions", "store"), f'expected a URL such as "sqlite:///subs.db", found "{given.store}"'
    return None


def _sink(pipeline: Pipeline) -> Found:
    return _target("sink", pipeline.sink)


def _letters(pipeline: Pipeline) -> Found:
    if pipeline.dead_letters is not None and pipeline.query.mode != "PERMISSIVE":
        return ("dead_letters",), f"there are none in mode {pipeline.query.mode}"
    return None if pipeline.dead_letters is None else _target("dead_letters", pipeline.dead_letters)


def _target(section: str, target: Target) -> Found:
    needed, allowed = _NEEDED[target.kind], _ALLOWED[target.kind]
    if needed is not None and getattr(target, needed) is None:
        return (section, needed), f"the key is missing: {section}.kind is {target.kind}"
    for key in ("path", "format", "by", "options", "table", "url"):
        if getattr(target, key) and key not in allowed:
            return (section, key), f"not a key of kind {target.kind} (known: {', '.join(('kind', *allowed))})"
    return None


def _running(pipeline: Pipeline) -> Found:
    query = pipeline.query
    triggers = [name for name in ("availableNow", "once", "processingTime") if getattr(query, name)]
    if query.batch is not None:
        given = [*triggers, *(["checkpointLocation"] if query.checkpointLocation is not None else [])]
        return (("query", given[0]), "a batch has none") if given else None
    if len(triggers) > 1:
        return ("query", triggers[1]), f"there is one trigger, and {triggers[0]} is given"
    if query.checkpointLocation is None:
        return ("query", "checkpointLocation"), "the key is missing: a folder in which the stream notes where it is"
    return None


def _durations(pipeline: Pipeline) -> Found:
    for key in ("processingTime", "watermark"):
        text = getattr(pipeline.query, key)
        try:
            if text is not None:
                duration(text)
        except ValueError as error:
            return ("query", key), f"{error}"
    return None


PROBLEMS: tuple[Callable[[Pipeline], Found], ...] = (
    *(_one_source, _row_tag, _schema, _one_origin),
    *(_sink, _letters, _running, _durations),
)
"""In order; each gives the first thing that is wrong, or None."""
