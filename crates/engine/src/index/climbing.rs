//! Where few nodes have the name of a step, they are found first, and then whether the steps before lead to them from the anchor:
//! to most they do not, which the first step back tells.

use super::answers;
use super::block::Block;
use super::check::Checker;
use super::nodes::Nodes;
use super::pattern::Axis;
use super::suffixes::Branch;
use super::walk::Walk;
use crate::error::Stop;
use crate::tape::Node;

/// So many are worth looking at one by one.
const FEW: usize = 16;

/// The steps of a branch from an anchor.
#[derive(Clone, Copy)]
struct Steps<'a> {
    block: &'a Block,
    first: u32,
    anchor: Node,
}

/// The last step of a branch from an anchor that leads to few nodes, and these; among them may be others of the same name.
pub fn few_on<'a>(nodes: Nodes<'a>, branch: &Branch, walk: &Walk<'_>) -> Option<(u32, &'a [Node])> {
    let mut steps = (branch.first_step..branch.first_step + branch.steps).rev();
    let (number, few) = steps.find_map(|number| {
        let few = nodes.passing_below(walk.anchor, walk.groups.block.step(number).test)?;
        (few.len() <= FEW).then_some((number, few))
    })?;
    let mut deep = 0;
    for step in (branch.first_step..=number).map(|number| walk.groups.block.step(number)) {
        deep += usize::from(step.axis == Axis::Descendant);
        // With several steps to descendants there would be many ways back to try.
        if step.axis == Axis::DescendantOrSelf || deep > 2 {
            return None;
        }
    }
    Some((number, few))
}

impl Checker<'_> {
    /// Those of the nodes to which a step, and those before it from the first one, lead from the anchor: a range of `Answers::nodes`.
    pub fn led_to(&mut self, first: u32, last: u32, few: &[Node], walk: &Walk<'_>) -> Result<answers::Range, Stop> {
        let steps = Steps { block: &walk.groups.block, first, anchor: walk.anchor };
        let is_attribute = steps.block.step(last).axis == Axis::Attribute;
        let start = self.answers.nodes.len() as u32;
        for &node in few {
            if self.nodes.is_attribute(node) == is_attribute && self.is_led_to(steps, last, node)? {
                self.answers.nodes.push(node);
            }
        }
        Ok((start, self.answers.nodes.len() as u32))
    }

    /// Whether the steps up to one lead to a node that passes the test of that.
    fn is_led_to(&mut self, steps: Steps<'_>, number: u32, node: Node) -> Result<bool, Stop> {
        self.spend()?;
        let step = steps.block.step(number);
        let mut context = self.nodes.parent(node);
        let is_led_to = if step.axis != Axis::Descendant {
            self.is_context(steps, number, context)?
        } else if number == steps.first {
            true
        } else {
            while context > steps.anchor && !self.is_context(steps, number, context)? {
                context = self.nodes.parent(context);
            }
            context > steps.anchor
        };
        Ok(is_led_to && self.holds(step.condition, node)?)
    }

    /// Whether a step is taken from a node.
    fn is_context(&mut self, steps: Steps<'_>, number: u32, node: Node) -> Result<bool, Stop> {
        if number == steps.first {
            return Ok(node == steps.anchor);
        }
        let before = steps.block.step(number - 1);
        Ok(node > steps.anchor && self.nodes.passes(node, before.test) && self.is_led_to(steps, number - 1, node)?)
    }
}
