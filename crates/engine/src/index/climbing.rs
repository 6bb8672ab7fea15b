//! Where few nodes have the name of a step, they are found first, and then whether the steps before lead to them from the anchor:
//! to most they do not, which the first step back tells.

use super::answers;
use super::block::Steps;
use super::check::Checker;
use super::nodes::Nodes;
use super::pattern::Axis;
use crate::error::Stop;
use crate::tape::Node;

/// So many are worth looking at one by one.
const FEW: usize = 16;

/// The steps of a branch from an anchor.
#[derive(Clone, Copy)]
struct Way<'a> {
    steps: Steps<'a>,
    anchor: Node,
}

/// The last step of a branch from an anchor that leads to few nodes, and these; among them may be others of the same name.
pub fn few_on<'a>(nodes: Nodes<'a>, steps: Steps<'_>, anchor: Node) -> Option<(usize, &'a [Node])> {
    let (number, few) = (0..steps.len()).rev().find_map(|number| {
        let few = nodes.passing_below(anchor, steps.get(number).test)?;
        (few.len() <= FEW).then_some((number, few))
    })?;
    let mut deep = 0;
    for step in steps.iter().take(number + 1) {
        deep += usize::from(step.axis == Axis::Descendant);
        // With several steps to descendants there would be many ways back to try.
        if step.axis == Axis::DescendantOrSelf || deep > 2 {
            return None;
        }
    }
    Some((number, few))
}

impl Checker<'_> {
    /// Those of the nodes to which a step, and those before it, lead from the anchor: a range of `Answers::nodes`.
    pub fn led_to(
        &mut self,
        steps: Steps<'_>,
        last: usize,
        few: &[Node],
        anchor: Node,
    ) -> Result<answers::Range, Stop> {
        let is_attribute = steps.get(last).axis == Axis::Attribute;
        let start = self.answers.nodes.len() as u32;
        for &node in few {
            let is_of_kind = self.nodes.is_attribute(node) == is_attribute;
            if is_of_kind && self.is_led_to(Way { steps, anchor }, last, node)? {
                self.answers.nodes.push(node);
            }
        }
        Ok((start, self.answers.nodes.len() as u32))
    }

    /// Whether the steps up to one lead to a node that passes the test of that.
    fn is_led_to(&mut self, way: Way<'_>, number: usize, node: Node) -> Result<bool, Stop> {
        self.spend()?;
        let step = way.steps.get(number);
        let mut context = self.nodes.parent(node);
        let is_led_to = if step.axis != Axis::Descendant {
            self.is_context(way, number, context)?
        } else if number == 0 {
            true
        } else {
            while context > way.anchor && !self.is_context(way, number, context)? {
                context = self.nodes.parent(context);
            }
            context > way.anchor
        };
        Ok(is_led_to && self.holds(step.condition, node)?)
    }

    /// Whether a step is taken from a node.
    fn is_context(&mut self, way: Way<'_>, number: usize, node: Node) -> Result<bool, Stop> {
        if number == 0 {
            return Ok(node == way.anchor);
        }
        let before = way.steps.get(number - 1);
        Ok(node > way.anchor && self.nodes.passes(node, before.test) && self.is_led_to(way, number - 1, node)?)
    }
}
