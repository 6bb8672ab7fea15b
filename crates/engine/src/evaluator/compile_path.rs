//! Compiles the steps of a path: fuses what can be one scan, finds out in which order nodes will come.

use crate::ir::{self, Axis as XpathAxis};

use super::compile::Compiler;
use super::operation::{Axis, NameTest, Operation, Order, Predicate, Step, Steps, Test};

pub(super) fn compile(compiler: &mut Compiler, start: Operation, steps: &[ir::Step]) -> Result<Operation, String> {
    let mut compiled: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        if is_self(step) {
            continue;
        }
        let step = compile_step(compiler, step)?;
        match compiled.last().and_then(|previous| fused_axis(previous, &step)) {
            Some(axis) => {
                compiled.pop();
                // Positions among the children of one parent are the same from whatever context.
                compiled.push(Step { axis, positional: false, ..step });
            }
            None => compiled.push(step),
        }
    }
    if compiled.is_empty() {
        return Ok(start);
    }
    let order = compiled.iter().fold(Order::of_single(), Order::then);
    Ok(Operation::Path(Box::new(start), Steps { steps: compiled, order }))
}

fn compile_step(compiler: &mut Compiler, step: &ir::Step) -> Result<Step, String> {
    let (mut positional, mut counts) = (false, false);
    let mut predicates = Vec::with_capacity(step.predicates.len());
    for expr in &step.predicates {
        let predicate = compiler.predicate(expr)?;
        let dependence = compiler.dependence(expr);
        positional |= dependence.position || dependence.size || !matches!(predicate, Predicate::True(_));
        counts |= dependence.size;
        predicates.push(predicate);
    }
    let test = compile_test(&step.test, &mut |name| compiler.name_test(name));
    Ok(Step { axis: Axis::Xpath(step.axis), test, predicates, positional, counts })
}

/// `number` gives each name test its number.
pub(crate) fn compile_test(test: &ir::Test, number: &mut dyn FnMut(NameTest) -> usize) -> Test {
    match test {
        ir::Test::Name { uri: None, local: None } => Test::Principal,
        ir::Test::Name { uri, local } => Test::Name(number(NameTest { uri: uri.clone(), local: local.clone() })),
        ir::Test::Node => Test::Node,
        ir::Test::Text => Test::Text,
        ir::Test::Comment => Test::Comment,
        ir::Test::Instruction { target } => Test::Instruction(target.clone()),
    }
}

/// `self::node()`, which changes nothing.
fn is_self(step: &ir::Step) -> bool {
    step.axis == XpathAxis::SelfAxis && step.test == ir::Test::Node && step.predicates.is_empty()
}

/// The axis of the one step that does what `descendant-or-self::node()` and then `step` do, if there is one.
fn fused_axis(previous: &Step, step: &Step) -> Option<Axis> {
    let everything = previous.axis == Axis::Xpath(XpathAxis::DescendantOrSelf)
        && matches!(previous.test, Test::Node)
        && previous.predicates.is_empty();
    if !everything {
        return None;
    }
    match step.axis {
        Axis::Xpath(XpathAxis::Child) if step.positional => Some(Axis::DescendantByParent),
        _ if step.positional => None,
        Axis::Xpath(XpathAxis::Child | XpathAxis::Descendant) => Some(Axis::Xpath(XpathAxis::Descendant)),
        Axis::Xpath(XpathAxis::SelfAxis | XpathAxis::DescendantOrSelf) => {
            Some(Axis::Xpath(XpathAxis::DescendantOrSelf))
        }
        Axis::Xpath(XpathAxis::Attribute) => Some(Axis::DescendantAttribute),
        _ => None,
    }
}

impl Order {
    fn of_single() -> Order {
        Order { single: true, peers: true, sorted: true, distinct: true }
    }

    /// The order after one more step.
    fn then(self, step: &Step) -> Order {
        let Order { single, peers, sorted, distinct } = self;
        let by_parent = step.axis == Axis::DescendantByParent;
        if single && !by_parent && step.predicates.iter().any(|p| matches!(p, Predicate::At(_) | Predicate::Last)) {
            return Order::of_single();
        }
        match step.axis {
            Axis::Xpath(axis) => match axis {
                XpathAxis::SelfAxis => self,
                XpathAxis::Parent if single => self,
                XpathAxis::Child => Order { single: false, sorted: sorted && peers, ..self },
                // Attributes come directly after their element, before the next one, and have no content.
                XpathAxis::Attribute | XpathAxis::Namespace => Order { single: false, peers: true, sorted, distinct },
                XpathAxis::Descendant | XpathAxis::DescendantOrSelf => {
                    Order { single: false, peers: false, sorted: sorted && peers, distinct: distinct && peers }
                }
                XpathAxis::FollowingSibling => Order { single: false, peers: single, sorted: single, distinct: single },
                XpathAxis::Following => Order { single: false, peers: false, sorted: single, distinct: single },
                XpathAxis::PrecedingSibling => Order { single: false, peers: single, sorted: false, distinct: single },
                XpathAxis::Preceding | XpathAxis::Ancestor | XpathAxis::AncestorOrSelf | XpathAxis::Parent => {
                    Order { single: false, peers: false, sorted: false, distinct: single }
                }
            },
            Axis::DescendantAttribute | Axis::DescendantByParent => {
                Order { single: false, peers: !by_parent, sorted: sorted && peers, distinct: distinct && peers }
            }
        }
    }
}
