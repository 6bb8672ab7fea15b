"""The whole way of a query, and what the engine makes of programs."""

from __future__ import annotations

import json

import pytest

from penstock import Limits, QueryError, UnsupportedError
from penstock.kernel._native import Program
from penstock.kernel.compile import compile_cached, compile_query
from penstock.kernel.engine import Engine, Subscriptions, link, make_engine
from penstock.kernel.program import VERSION, encode_program
from penstock.plan import machine


def test_every_stage_is_kept() -> None:
    compiled = compile_query("//a[b]/c")
    assert compiled.text == "//a[b]/c"
    assert isinstance(compiled.program, machine.Program)
    assert isinstance(compiled.native, Program)


def test_without_the_machine_the_evaluator_does_it_all() -> None:
    program = compile_query("//a[b]/c", machine=False).program
    assert isinstance(program.sink, machine.Final) or program.sink != compile_query("//a[b]/c").program.sink
    engine = make_engine()
    for machine_too in (True, False):
        linked = link([compile_query("//a[b]/c", machine=machine_too)])
        assert engine.values(linked, "<r><a><c/><b/></a><a><c/></a></r>") == (["<c/>"], [])


def test_programs_are_versioned_data() -> None:
    data = json.loads(encode_program(compile_query("//a").program))
    assert data["version"] == VERSION
    data["version"] = VERSION + 1
    with pytest.raises(ValueError, match="version"):
        Program(json.dumps(data).encode())


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b"{}", b'{"version": 1}', b"\xff"])
def test_garbage_is_no_program(garbage: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        Program(garbage)


def test_languages() -> None:
    assert compile_query("//a", language="xpath").text == "//a"
    with pytest.raises(UnsupportedError) as caught:
        compile_query("//a", language="sql")
    assert (caught.value.code, caught.value.construct) == ("PNST0006", "language sql")


def test_running_needs_an_aggregate_of_nodes() -> None:
    compile_query("count(//a)", running=True)
    with pytest.raises(QueryError) as caught:
        compile_query("concat('a', 'b')", running=True)
    assert caught.value.code == "PNST0007"


def test_the_cache_gives_the_same_object() -> None:
    first = compile_cached("//p:a", (("p", "urn:p"),), None, machine=True)
    assert compile_cached("//p:a", (("p", "urn:p"),), None, machine=True) is first
    assert compile_cached("//p:a", (("p", "urn:q"),), None, machine=True) is not first


@pytest.mark.parametrize("steps", [100, 150, 1_000])
def test_a_path_that_turns_back_very_often(steps: int) -> None:
    query = "//a" + "/b/parent::a" * steps
    linked = link([compile_query(query)])
    assert make_engine().values(linked, "<r><a k='1'><b/></a><a/></r>") == (["<a k='1'><b/></a>"], [])


def test_a_running_value_of_such_a_path_is_refused() -> None:
    with pytest.raises(QueryError) as caught:
        compile_query("count(//a" + "/b/parent::a" * 1_000 + ")", running=True)
    assert caught.value.code == "PNST0002"


def test_results_name_queries_by_their_place() -> None:
    linked = link([compile_query("//b"), compile_query("//a")])
    assert len(linked) == 2
    fragments, pairs, failed = make_engine().references(linked, "<a><b/></a>")
    named = {(place, fragments[index][1]) for place, index in pairs}
    assert named == {(0, "<b/>"), (1, "<a><b/></a>")}
    assert failed == []


def test_equal_fragments_are_given_once() -> None:
    linked = link([compile_query("//b"), compile_query("/a/b"), compile_query("//b[c]")])
    fragments, pairs, _ = make_engine().references(linked, "<a><b><c/></b></a>")
    assert [fragment[1] for fragment in fragments] == ["<b><c/></b>"]
    assert sorted(place for place, _ in pairs) == [0, 1, 2]


def test_no_queries_at_all() -> None:
    assert make_engine().references(link([]), "<a/>") == ([], [], [])


def test_limits_of_the_engine_are_those_of_python() -> None:
    with pytest.raises(ValueError, match="deepness"):
        Engine(b'{"deepness": 1}')
    assert isinstance(make_engine(Limits(depth=3)), Engine)


def test_automata_are_learnt_and_kept() -> None:
    engine = make_engine()
    subscriptions = Subscriptions()
    subscriptions.change([], [(("one", "//a/b", None, None, 0, False), compile_query("//a/b").native)])
    assert engine.matching_ids(subscriptions, "<a><b/><c/></a>", "default") == ["one"]
    assert all(engine.learned()[:3])
