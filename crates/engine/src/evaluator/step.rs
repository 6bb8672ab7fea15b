//! One step from one node.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::tape::Node;

use super::axes::{Flow, Sink};
use super::operation::{Axis, Step};
use super::path::{normalise, offer_all};
use super::predicates::Verdict;
use super::run::{Locals, Run};
use super::value::NodeRef;

/// So many predicates of one step are counted without a list of the candidates.
const COUNTED_PREDICATES: usize = 4;

impl<'a> Run<'a> {
    /// What is on the axis, passes the test and the predicates; in axis order.
    pub(super) fn step(&self, step: &'a Step, node: NodeRef, locals: Locals<'_>, sink: Sink<'_>) -> Flow {
        if step.predicates.is_empty() {
            return self.walk(step.axis, &step.test, node, sink);
        }
        if step.axis == Axis::DescendantByParent {
            return self.step_by_parent(step, node, locals, sink);
        }
        if step.counts || step.predicates.len() > COUNTED_PREDICATES {
            let mut candidates = Vec::new();
            let _all = self.walk(step.axis, &step.test, node, &mut |candidate| {
                candidates.push(candidate);
                Ok(ControlFlow::Continue(()))
            })?;
            return offer_all(&self.filter(candidates, &step.predicates, locals)?, sink);
        }
        let mut positions = [0; COUNTED_PREDICATES];
        let mut enough = ControlFlow::Continue(());
        let _flow = self.walk(step.axis, &step.test, node, &mut |candidate| {
            let mut later = ControlFlow::Continue(());
            for (predicate, position) in step.predicates.iter().zip(&mut positions) {
                *position += 1;
                match self.judge(predicate, candidate, *position, 0, locals)? {
                    Verdict::Yes => {}
                    Verdict::YesLast => later = ControlFlow::Break(()),
                    Verdict::No => return Ok(later),
                    Verdict::NoneLeft => return Ok(ControlFlow::Break(())),
                }
            }
            enough = sink(candidate)?;
            Ok(if enough.is_break() { enough } else { later })
        })?;
        Ok(enough)
    }

    /// The same for `descendant-or-self::node()/child::`: predicates count the children of each parent apart.
    fn step_by_parent(&self, step: &'a Step, node: NodeRef, locals: Locals<'_>, sink: Sink<'_>) -> Flow {
        if step.counts || step.predicates.len() > COUNTED_PREDICATES {
            let mut families: FxHashMap<Node, Vec<NodeRef>> = FxHashMap::default();
            let _all = self.walk(step.axis, &step.test, node, &mut |candidate| {
                families.entry(self.tape.record(candidate.node).parent).or_default().push(candidate);
                Ok(ControlFlow::Continue(()))
            })?;
            let mut nodes = Vec::new();
            for family in families.into_values() {
                nodes.extend(self.filter(family, &step.predicates, locals)?);
            }
            normalise(&mut nodes);
            return offer_all(&nodes, sink);
        }
        let mut families: FxHashMap<Node, [usize; COUNTED_PREDICATES]> = FxHashMap::default();
        self.walk(step.axis, &step.test, node, &mut |candidate| {
            let positions = families.entry(self.tape.record(candidate.node).parent).or_default();
            for (predicate, position) in step.predicates.iter().zip(positions) {
                *position += 1;
                match self.judge(predicate, candidate, *position, 0, locals)? {
                    Verdict::Yes | Verdict::YesLast => {}
                    Verdict::No | Verdict::NoneLeft => return Ok(ControlFlow::Continue(())),
                }
            }
            sink(candidate)
        })
    }
}
