//! The tape while its document is still being read: open nodes, cutting back, leaving things out.

#![allow(clippy::expect_used)]

use std::cell::Cell;

use penstock_engine::evaluator::{Compiled, Context, NodeRef, Value};
use penstock_engine::events::{StartTag, TextKind};
use penstock_engine::ir::{Axis, Expr, Step, Test};
use penstock_engine::names::{Names, NsId};
use penstock_engine::tape::{Kind, TapeBuilder, OPEN};

struct Stream {
    names: Names,
    builder: TapeBuilder,
}

impl Stream {
    fn new() -> Stream {
        Stream { names: Names::new(), builder: TapeBuilder::new() }
    }

    fn start(&mut self, local: &str) -> u32 {
        let name = self.names.intern("", local, "");
        let tag = StartTag { name, start: 0, end: 0, attributes: &[], namespaces: NsId(0) };
        self.builder.start(&tag).expect("within the limits")
    }

    fn text(&mut self, text: &str) {
        self.builder.text(text.as_bytes(), TextKind::Plain, 0, 0).expect("within the limits");
    }

    /// The number of nodes on an axis from a node.
    fn count(&self, node: u32, axis: Axis) -> usize {
        let steps = vec![Step { axis, test: Test::Node, predicates: Vec::new() }];
        let expr = Expr::Path { start: Box::new(Expr::Context), steps };
        let budget = Cell::new(1_000);
        let context = Context::at(self.builder.tape(), &self.names, NodeRef::new(node), &budget);
        match Compiled::new(&expr).expect("compiles").evaluate(&context).expect("has a value") {
            Value::Nodes(nodes) => nodes.len(),
            other => unreachable!("a path gives nodes, not {other:?}"),
        }
    }
}

#[test]
fn an_open_element_reaches_to_the_end_of_the_tape() {
    let mut stream = Stream::new();
    let outer = stream.start("a");
    let inner = stream.start("b");
    stream.text("x");
    assert_eq!(stream.builder.tape().record(outer).after, OPEN);
    assert_eq!(stream.builder.tape().string_value(outer), "x");
    assert_eq!(stream.count(outer, Axis::Descendant), 2);
    assert_eq!(stream.count(0, Axis::Descendant), 3);
    assert_eq!(stream.count(inner, Axis::Following), 0);
    stream.text("y");
    stream.builder.text_end();
    assert_eq!(stream.builder.end(10), inner);
    let next = stream.start("c");
    assert_eq!(stream.builder.tape().string_value(outer), "xy");
    assert_eq!(stream.count(inner, Axis::Following), 1);
    assert_eq!(stream.count(next, Axis::PrecedingSibling), 1);
    assert_eq!(stream.count(next, Axis::Preceding), 2);
    assert_eq!(stream.builder.current(), next);
}

#[test]
fn cutting_back_forgets_an_element_and_its_text() {
    let mut stream = Stream::new();
    let root = stream.start("r");
    stream.text("1");
    let (records, bytes) = (stream.builder.tape().len(), stream.builder.bytes());
    stream.builder.text_end();
    let gone = stream.start("a");
    stream.text("gone");
    stream.builder.comment(b"gone", 0, 0).expect("within the limits");
    stream.builder.instruction(b"target", b"gone", 0, 0).expect("within the limits");
    stream.builder.end(0);
    stream.builder.truncate_to(gone);
    assert_eq!((stream.builder.tape().len(), stream.builder.bytes()), (records, bytes));
    assert_eq!(stream.builder.current(), root);
    stream.text("2");
    stream.builder.end(0);
    stream.builder.end(0);
    assert_eq!(stream.builder.tape().string_value(0), "12");
    assert_eq!(stream.count(root, Axis::Child), 2);
}

#[test]
fn what_no_one_needs_is_not_written() {
    let mut stream = Stream::new();
    stream.builder.keep_text = false;
    stream.builder.keep_markup = false;
    let root = stream.start("r");
    stream.text("x");
    stream.builder.text_end();
    stream.builder.comment(b"c", 0, 0).expect("within the limits");
    stream.builder.instruction(b"t", b"d", 0, 0).expect("within the limits");
    assert_eq!(stream.count(root, Axis::Child), 0);
    stream.builder.keep_markup = true;
    stream.builder.instruction(b"t", b"d", 0, 0).expect("within the limits");
    let tape = stream.builder.tape();
    assert_eq!(tape.record(root + 1).kind, Kind::Instruction);
    assert_eq!((tape.target(root + 1), tape.string_value(root + 1)), ("t", "d"));
}

#[test]
fn a_reset_tape_is_as_good_as_new() {
    let mut stream = Stream::new();
    stream.start("a");
    stream.text("x");
    stream.builder.reset();
    assert_eq!(stream.builder.tape().len(), 1);
    assert_eq!(stream.builder.current(), 0);
    let root = stream.start("b");
    assert_eq!(stream.builder.tape().string_value(root), "");
}

#[test]
fn records_stay_small() {
    assert!(std::mem::size_of::<penstock_engine::tape::Record>() <= 48);
}
