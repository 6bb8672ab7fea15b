//! The evaluator on whole documents: what the language promises, each with a small document.

#![allow(clippy::expect_used)]

mod evaluator_support;

use std::cell::Cell;

use evaluator_support::Document;
use penstock_engine::evaluator::{Compiled, Context, EvalError, NodeRef, Value};
use penstock_engine::ir::{Axis, Comparison, Expr, Step, Test};

fn read(text: &str) -> Document {
    Document::read(text.as_bytes()).expect("the document is well-formed")
}

fn texts(document: &Document, expr: &Expr) -> Vec<String> {
    let value = document.evaluate(expr).expect("the expression has a value");
    document.items(&value).into_iter().map(|(_, text)| text).collect()
}

fn name(local: &str) -> Test {
    Test::Name { uri: Some(String::new()), local: Some(local.to_owned()) }
}

fn any() -> Test {
    Test::Name { uri: None, local: None }
}

fn step(axis: Axis, test: Test) -> Step {
    Step { axis, test, predicates: Vec::new() }
}

fn filtered(axis: Axis, test: Test, predicate: Expr) -> Step {
    Step { axis, test, predicates: vec![predicate] }
}

fn from(start: Expr, steps: Vec<Step>) -> Expr {
    Expr::Path { start: Box::new(start), steps }
}

fn path(steps: Vec<Step>) -> Expr {
    from(Expr::Root, steps)
}

fn here(steps: Vec<Step>) -> Expr {
    from(Expr::Context, steps)
}

/// `//name`.
fn all(local: &str) -> Expr {
    path(vec![step(Axis::DescendantOrSelf, Test::Node), step(Axis::Child, name(local))])
}

fn attribute(local: &str) -> Expr {
    here(vec![step(Axis::Attribute, name(local))])
}

fn number(value: f64) -> Expr {
    Expr::Number { value }
}

fn string(value: &str) -> Expr {
    Expr::String { value: value.to_owned() }
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call { name: name.to_owned(), args }
}

fn compare(left: Expr, comparison: Comparison, right: Expr) -> Expr {
    Expr::Compare { comparison, left: Box::new(left), right: Box::new(right) }
}

/// The `n` attributes of the elements on an axis from the element `me`, cut by a predicate if there is one.
fn on_axis(axis: Axis, predicate: Option<Expr>) -> Vec<String> {
    let document = read(
        "<r n='r'><a n='1'><b n='2'/></a><c n='3'><d n='4'><e n='5'/></d><me n='me'><f n='6'><g n='7'/></f></me>\
         <h n='8'/><i n='9'/></c><j n='10'><k n='11'/></j></r>",
    );
    let mut step = step(axis, any());
    step.predicates.extend(predicate);
    let found = path(vec![self::step(Axis::Descendant, name("me")), step, self::step(Axis::Attribute, name("n"))]);
    texts(&document, &found)
}

#[test]
fn every_axis_gives_its_nodes_in_document_order() {
    assert_eq!(on_axis(Axis::Child, None), ["6"]);
    assert_eq!(on_axis(Axis::Descendant, None), ["6", "7"]);
    assert_eq!(on_axis(Axis::DescendantOrSelf, None), ["me", "6", "7"]);
    assert_eq!(on_axis(Axis::SelfAxis, None), ["me"]);
    assert_eq!(on_axis(Axis::Parent, None), ["3"]);
    assert_eq!(on_axis(Axis::Ancestor, None), ["r", "3"]);
    assert_eq!(on_axis(Axis::AncestorOrSelf, None), ["r", "3", "me"]);
    assert_eq!(on_axis(Axis::FollowingSibling, None), ["8", "9"]);
    assert_eq!(on_axis(Axis::PrecedingSibling, None), ["4"]);
    assert_eq!(on_axis(Axis::Following, None), ["8", "9", "10", "11"]);
    assert_eq!(on_axis(Axis::Preceding, None), ["1", "2", "4", "5"]);
}

#[test]
fn positions_count_along_the_axis() {
    assert_eq!(on_axis(Axis::Ancestor, Some(number(1.0))), ["3"]);
    assert_eq!(on_axis(Axis::Preceding, Some(number(1.0))), ["5"]);
    assert_eq!(on_axis(Axis::Preceding, Some(call("last", vec![]))), ["1"]);
    assert_eq!(on_axis(Axis::Following, Some(number(2.0))), ["9"]);
    assert_eq!(on_axis(Axis::Following, Some(number(1.5))), Vec::<String>::new());
    let upto_two = compare(call("position", vec![]), Comparison::Le, number(2.0));
    assert_eq!(on_axis(Axis::Preceding, Some(upto_two)), ["4", "5"]);
    let odd = Expr::Arithmetic {
        operator: penstock_engine::ir::Arithmetic::Modulo,
        left: Box::new(call("position", vec![])),
        right: Box::new(number(2.0)),
    };
    assert_eq!(on_axis(Axis::Following, Some(compare(odd, Comparison::Eq, number(1.0)))), ["8", "10"]);
}

#[test]
fn a_position_after_a_double_slash_counts_within_each_parent() {
    let document = read("<r><a>1<a>2</a><a>3</a></a><b><a>4</a><a>5</a></b></r>");
    let nth = |predicate| {
        let steps = vec![step(Axis::DescendantOrSelf, Test::Node), filtered(Axis::Child, name("a"), predicate)];
        let found = path([steps, vec![step(Axis::Child, Test::Text)]].concat());
        texts(&document, &found)
    };
    assert_eq!(nth(number(1.0)), ["1", "2", "4"]);
    assert_eq!(nth(call("last", vec![])), ["1", "3", "5"]);
    let whole = Expr::Filter { base: Box::new(all("a")), predicates: vec![number(3.0)] };
    assert_eq!(texts(&document, &whole), ["<a>3</a>"]);
}

#[test]
fn nested_contexts_give_each_node_once() {
    let document = read("<a><a><b><a><b>x</b></a></b></a><b/></a>");
    let nested = path(vec![step(Axis::Descendant, name("a")), step(Axis::Descendant, name("b"))]);
    assert_eq!(texts(&document, &call("count", vec![nested])), ["3"]);
    let up = path(vec![step(Axis::Descendant, name("b")), step(Axis::Ancestor, name("a"))]);
    assert_eq!(texts(&document, &call("count", vec![up])), ["3"]);
    let children = path(vec![step(Axis::Descendant, name("a")), step(Axis::Child, name("b"))]);
    assert_eq!(texts(&document, &children), ["<b><a><b>x</b></a></b>", "<b>x</b>", "<b/>"]);
}

#[test]
fn sets_are_compared_by_any_pair() {
    let document = read("<r><a>1</a><a>2</a><a>x</a><b>2</b><b>3</b><c>x</c><d>x</d><e/><f>5</f><f>6</f></r>");
    let holds = |left: &str, comparison, right: &str| {
        let value = document.evaluate(&compare(all(left), comparison, all(right))).expect("a value");
        value == Value::Boolean(true)
    };
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    assert!(holds("a", Eq, "b") && !holds("b", Eq, "c") && !holds("a", Eq, "none"));
    assert!(holds("a", Ne, "b") && !holds("c", Ne, "d") && !holds("c", Ne, "none") && holds("c", Ne, "e"));
    assert!(holds("a", Lt, "b") && !holds("b", Lt, "a") && holds("b", Le, "a") && holds("b", Gt, "a"));
    assert!(holds("a", Ge, "b") && !holds("a", Ge, "f") && !holds("c", Le, "d") && holds("f", Gt, "a"));
}

#[test]
fn what_does_not_depend_on_the_context_is_the_same_in_every_predicate() {
    let document = read("<r><p id='1'/><p id='2'/><p id='3'/><q ref='3'/><q ref='1'/></r>");
    let refs = path(vec![step(Axis::Descendant, name("q")), step(Axis::Attribute, name("ref"))]);
    let joined = |comparison| {
        let condition = compare(attribute("id"), comparison, refs.clone());
        let found = path(vec![filtered(Axis::Descendant, name("p"), condition), step(Axis::Attribute, name("id"))]);
        texts(&document, &found)
    };
    assert_eq!(joined(Comparison::Eq), ["1", "3"]);
    assert_eq!(joined(Comparison::Gt), ["2", "3"]);
    assert_eq!(joined(Comparison::Lt), ["1", "2"]);
    assert_eq!(joined(Comparison::Ne), ["1", "2", "3"]);
}

#[test]
fn aggregates_of_nothing_are_nothing_and_of_text_not_a_number() {
    let document = read("<r><a>1</a><a>2.5</a><b>1</b><b>x</b></r>");
    let of = |function: &str, local: &str| texts(&document, &call(function, vec![all(local)]));
    assert_eq!(of("sum", "a"), ["3.5"]);
    assert_eq!(of("avg", "a"), ["1.75"]);
    assert_eq!(of("min", "a"), ["1"]);
    assert_eq!(of("max", "a"), ["2.5"]);
    assert_eq!(of("max", "b"), ["NaN"]);
    assert_eq!(of("sum", "none"), ["0"]);
    assert_eq!(of("avg", "none"), Vec::<String>::new());
    assert_eq!(of("min", "none"), Vec::<String>::new());
}

#[test]
fn ids_come_from_the_dtd() {
    let document = read(
        "<!DOCTYPE r [<!ATTLIST a key ID #IMPLIED>]><r><a key='x'/><a key=' y '/><b key='z'/><c>y x z none</c></r>",
    );
    assert_eq!(texts(&document, &call("id", vec![string("y")])), ["<a key='y'/>"]);
    assert_eq!(texts(&document, &call("id", vec![all("c")])), ["<a key='x'/>", "<a key='y'/>"]);
}

#[test]
fn languages_are_inherited_and_have_varieties() {
    let document = read("<r xml:lang='en-GB'><a/><b xml:lang='de'><c/></b></r>");
    let speaking = |language: &str| {
        let condition = call("lang", vec![string(language)]);
        texts(&document, &call("count", vec![path(vec![filtered(Axis::Descendant, any(), condition)])]))
    };
    assert_eq!(speaking("en"), ["2"]);
    assert_eq!(speaking("EN-gb"), ["2"]);
    assert_eq!(speaking("e"), ["0"]);
    assert_eq!(speaking("de"), ["2"]);
}

#[test]
fn namespace_nodes_have_prefix_and_uri_and_a_parent() {
    let document = read("<r xmlns:p='urn:p'><a xmlns='urn:d' xmlns:p='urn:q'/><b/></r>");
    let of = |local: Test, more: Vec<Step>| {
        let steps = vec![step(Axis::Descendant, local), step(Axis::Namespace, any())];
        texts(&document, &path([steps, more].concat()))
    };
    let mut namespaces = of(name("b"), vec![]);
    namespaces.sort();
    assert_eq!(namespaces, ["http://www.w3.org/XML/1998/namespace", "urn:p"]);
    let in_default = Test::Name { uri: Some("urn:d".to_owned()), local: Some("a".to_owned()) };
    let mut namespaces = of(in_default.clone(), vec![]);
    namespaces.sort();
    assert_eq!(namespaces, ["http://www.w3.org/XML/1998/namespace", "urn:d", "urn:q"]);
    assert_eq!(of(name("b"), vec![step(Axis::Parent, Test::Node)]), ["<b/>"]);
    let named = path(vec![step(Axis::Descendant, in_default), step(Axis::Namespace, name("p"))]);
    assert_eq!(texts(&document, &call("name", vec![named.clone()])), ["p"]);
    assert_eq!(texts(&document, &named), ["urn:q"]);
}

#[test]
fn names_are_tested_by_namespace_and_local_part() {
    let document = read("<r xmlns:p='u' xmlns:q='u'><p:a/><q:a/><a/><p:b/></r>");
    let count = |uri: Option<&str>, local: Option<&str>| {
        let test = Test::Name { uri: uri.map(str::to_owned), local: local.map(str::to_owned) };
        texts(&document, &call("count", vec![path(vec![step(Axis::Descendant, test)])]))
    };
    assert_eq!(count(Some("u"), Some("a")), ["2"]);
    assert_eq!(count(None, Some("a")), ["3"]);
    assert_eq!(count(Some("u"), None), ["3"]);
    assert_eq!(count(Some(""), None), ["2"]);
}

#[test]
fn quantifiers_bind_their_variable() {
    let document = read("<r><a>1</a><a>2</a><b>2</b></r>");
    let quantified = |every, local: &str| {
        let variable = Expr::Variable { name: "x".to_owned() };
        let satisfies = Box::new(compare(variable, Comparison::Eq, all("b")));
        let expr = Expr::Quantified { every, variable: "x".to_owned(), domain: Box::new(all(local)), satisfies };
        texts(&document, &expr)
    };
    assert_eq!(quantified(false, "a"), ["true"]);
    assert_eq!(quantified(true, "a"), ["false"]);
    assert_eq!(quantified(true, "none"), ["true"]);
    assert_eq!(quantified(false, "none"), ["false"]);
}

#[test]
fn fragments_declare_what_they_use() {
    let document = read(
        "<r xmlns='d' xmlns:p='urn:p' xmlns:q='urn:\"q' xmlns:x='urn:x'><p:a t='q:x'/><b xmlns:p='other'><p:c/></b></r>",
    );
    let children = path(vec![step(Axis::Child, any()), step(Axis::Child, any())]);
    let fragments = texts(&document, &children);
    assert_eq!(fragments[1], "<b xmlns=\"d\" xmlns:p='other'><p:c/></b>");
    assert!(fragments[0].contains(" xmlns:p=\"urn:p\"") && fragments[0].contains(" xmlns:q=\"urn:&quot;q\""));
    assert!(!fragments[0].contains("xmlns:x") && !fragments[0].contains("xmlns="));
    assert!(fragments[0].starts_with("<p:a ") && fragments[0].ends_with(" t='q:x'/>"));
}

#[test]
fn the_deepest_document_allowed_does_not_exhaust_the_stack() {
    let depth = 1_990;
    let document = read(&format!("{}x{}", "<a>".repeat(depth), "</a>".repeat(depth)));
    let childless = call("not", vec![here(vec![step(Axis::Child, name("a"))])]);
    let found = path(vec![filtered(Axis::Descendant, name("a"), childless), step(Axis::Ancestor, any())]);
    assert_eq!(texts(&document, &call("count", vec![found])), [(depth - 1).to_string()]);
}

#[test]
fn the_budget_ends_an_evaluation() {
    let document = read(&format!("<r>{}</r>", "<a/>".repeat(1_000)));
    let quadratic = here(vec![step(Axis::Following, any()), step(Axis::Preceding, name("none"))]);
    let compiled = Compiled::new(&path(vec![filtered(Axis::Descendant, name("a"), quadratic)])).expect("compiles");
    let budget = Cell::new(10_000);
    let context = Context::at(document.tape(), document.names(), NodeRef::new(0), &budget);
    assert_eq!(compiled.evaluate(&context), Err(EvalError::OutOfSteps));
    assert_eq!(budget.get(), 0);
}

#[test]
fn variables_come_from_the_caller() {
    let document = read("<r><a>1</a><a>2</a></r>");
    let variables = [("n".to_owned(), Value::Number(2.0))];
    let budget = Cell::new(1_000);
    let context =
        Context { variables: &variables, ..Context::at(document.tape(), document.names(), NodeRef::new(0), &budget) };
    let variable = |name: &str| Expr::Variable { name: name.to_owned() };
    let nth = Expr::Filter { base: Box::new(all("a")), predicates: vec![variable("n")] };
    let value = Compiled::new(&nth).expect("compiles").evaluate(&context).expect("has a value");
    assert_eq!(document.items(&value)[0].1, "<a>2</a>");
    assert!(matches!(Compiled::new(&variable("m")).expect("compiles").evaluate(&context), Err(EvalError::Invalid(_))));
}

#[test]
fn wrong_expressions_are_refused_before_any_document() {
    for (wrong, why) in [
        (call("no-such", vec![]), "no-such"),
        (call("contains", vec![string("a")]), "arguments"),
        (call("count", vec![string("a")]), "nodes"),
        (from(number(1.0), vec![step(Axis::Child, any())]), "nodes"),
        (call("matches", vec![string("a"), string(r"(a)\1")]), "back-reference"),
        (call("matches", vec![string("a"), string("a"), string("z")]), "flag"),
    ] {
        let message = Compiled::new(&wrong).expect_err("is refused");
        assert!(message.contains(why), "{message}");
    }
}
