//! The reader's events.

use super::super::automaton::{has_text, EdgeId, Only, Transition, NO_STEPS};
use super::super::program::StepAxis;
use super::super::set::{NodeTest, Set};
use super::super::symbols::Symbol;
use super::frame::Frame;
use super::{At, Leaf, NodeAt, Run, Runner};
use crate::error::Stop;
use crate::events::{Handler, Source, StartTag, TextKind};
use crate::names::Names;
use crate::reader::decode_text;

/// Most elements concern no one: what is done for those is inlined into the reader, the rest is not.
impl Handler for Runner<'_> {
    fn announce(&mut self, bytes: usize) {
        self.run.known += bytes as u64;
    }

    #[inline(always)]
    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        let set = self.set;
        let run = &mut *self.run;
        let node = if set.uses_tape { run.tape.start(tag)? } else { 0 };
        run.values.copy_piece(source);
        let symbol = run.automaton.symbols.of(tag.name, names, &set.tests);
        let known = run.automaton.known(run.frames[run.level].state, symbol);
        let Transition { next, edge } = known.unwrap_or_else(|| run.learn(set, symbol));
        let first_instance = run.instances.len();
        run.level += 1;
        if run.frames.len() == run.level {
            run.frames.push(Frame::default());
        }
        let frame = &mut run.frames[run.level];
        frame.state = next;
        frame.is_concerned = edge != NO_STEPS || set.uses_tape;
        frame.start = tag.start;
        frame.first_instance = first_instance;
        if run.level > 1 {
            if edge == NO_STEPS {
                return Ok(());
            }
            match run.automaton.only(edge) {
                Some(Only::Selects { from, any_depth, output }) => {
                    run.select_only(from, any_depth, output, tag);
                    return Ok(());
                }
                Some(Only::Asks(step)) if run.is_refused(set, step, tag, source) => {
                    run.frames[run.level].is_concerned = set.uses_tape;
                    return Ok(());
                }
                _ => {}
            }
        }
        let at = At { names, source, kind: NodeAt::Element(tag), level: run.level, start: tag.start, node };
        self.open_steps(edge, &at)
    }

    #[inline(always)]
    fn end(&mut self, source: Source<'_>, names: &Names, _start: u64, end: u64) -> Result<(), Stop> {
        if !self.run.frames[self.run.level].is_concerned {
            self.run.values.copy_piece(source);
        } else if self.run.decides_nothing() && !self.set.uses_tape {
            self.run.values.copy_piece(source);
            if self.run.is_selected() {
                self.deliver_ended(source, names, end)?;
            }
        } else {
            self.close_frame(source, names, end)?;
        }
        self.run.level -= 1;
        Ok(())
    }

    #[inline]
    fn wants_text(&self) -> bool {
        let run = &*self.run;
        run.values.is_wanted() || run.kept_from.is_some() || run.is_text_matched()
    }

    #[inline]
    fn text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        if !self.wants_text() {
            return Ok(());
        }
        self.run.take_text(source, start, end, raw, kind)
    }

    #[inline]
    fn text_end(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        if self.run.kept_from.is_some() {
            self.run.tape.text_end();
        }
        match self.run.text_node.take() {
            None => Ok(()),
            Some(start) => {
                let mut value = std::mem::take(&mut self.run.text_value);
                self.text_leaf(source, names, &value, start)?;
                value.clear();
                self.run.text_value = value;
                Ok(())
            }
        }
    }

    #[inline]
    fn whole_text(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        let run = &mut *self.run;
        if run.kept_from.is_some() {
            run.tape.text(raw, TextKind::Plain, start, end)?;
            run.tape.text_end();
        }
        if run.values.is_wanted() {
            run.values.take_plain(source, start, end);
        }
        if run.is_text_matched() {
            self.text_leaf(source, names, raw, start)?;
        }
        Ok(())
    }

    fn comment(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        if self.run.kept_from.is_some() {
            self.run.tape.comment(raw, start, end)?;
        }
        if self.run.automaton.comment(self.run.frames[self.run.level].state).is_empty() {
            return Ok(());
        }
        self.leaf(source, names, Leaf::Comment, &decode_text(raw, TextKind::Cdata), start)
    }

    fn instruction(
        &mut self,
        source: Source<'_>,
        names: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        if self.run.kept_from.is_some() {
            self.run.tape.instruction(target, data, start, end)?;
        }
        if self.run.automaton.instruction(self.run.frames[self.run.level].state).is_empty() {
            return Ok(());
        }
        let target = decode_text(target, TextKind::Plain);
        self.leaf(source, names, Leaf::Instruction(&target), &decode_text(data, TextKind::Cdata), start)
    }

    fn pause(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        if self.run.checks.is_empty() {
            return Ok(());
        }
        self.make_early_checks(source);
        self.settle(names)
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.run.capture_selected(source);
        self.run.captures.take(source, upto);
        self.run.values.look_again(source);
        self.check_limits()
    }
}

impl Run {
    /// A transition that was not taken before.
    #[cold]
    fn learn(&mut self, set: &Set, symbol: Symbol) -> Transition {
        if self.automaton.learned().is_too_much(&self.limits) {
            let open = &mut self.frames[..=self.level].iter_mut().map(|frame| &mut frame.state);
            self.automaton.flush(set, open);
        }
        self.automaton.learn(set, self.frames[self.level].state, symbol)
    }

    /// No condition waits for the end of the innermost element.
    #[inline]
    fn decides_nothing(&self) -> bool {
        let frame = &self.frames[self.level];
        frame.waiting.is_none()
            && frame.first_instance == self.instances.len()
            && self.checks.last().is_none_or(|check| check.level != self.level)
    }

    /// Whether a step asks for text nodes in the innermost element.
    #[inline]
    fn is_text_matched(&self) -> bool {
        has_text(self.frames[self.level].state)
    }

    /// A piece of text that the tape, an element's value or a step asks for.
    fn take_text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        if self.kept_from.is_some() {
            self.tape.text(raw, kind, start, end)?;
        }
        let decoded;
        let text = if kind == TextKind::Plain {
            if self.values.is_wanted() {
                self.values.take_plain(source, start, end);
            }
            raw
        } else {
            decoded = decode_text(raw, kind);
            if self.values.is_wanted() {
                self.values.take(source, decoded.as_bytes());
            }
            decoded.as_bytes()
        };
        if self.is_text_matched() {
            self.text_node.get_or_insert(start);
            self.text_value.extend_from_slice(text);
        }
        Ok(())
    }
}

impl NodeTest {
    /// Whether it is a test for another target: the automaton looks at kinds only.
    fn excludes(&self, leaf: Leaf<'_>) -> bool {
        matches!((self, leaf), (NodeTest::Instruction(Some(target)), Leaf::Instruction(found)) if target != found)
    }
}

impl Runner<'_> {
    /// Matches steps on an element.
    #[inline(never)]
    fn open_steps(&mut self, edge: EdgeId, at: &At<'_>) -> Result<(), Stop> {
        let mut index = 0;
        while let Some(&step) = self.run.automaton.matched(edge).get(index) {
            self.open(step, at)?;
            index += 1;
        }
        if at.level == 1 {
            self.close_document_children();
        }
        self.take_fresh(at)?;
        self.settle(at.names)
    }

    /// A text node that began at `start` is complete.
    fn text_leaf(&mut self, source: Source<'_>, names: &Names, value: &[u8], start: u64) -> Result<(), Stop> {
        match simdutf8::basic::from_utf8(value) {
            Ok(text) => self.leaf(source, names, Leaf::Text, text, start),
            Err(_) => self.leaf(source, names, Leaf::Text, &String::from_utf8_lossy(value), start),
        }
    }

    fn leaf(&mut self, source: Source<'_>, names: &Names, leaf: Leaf<'_>, value: &str, start: u64) -> Result<(), Stop> {
        let state = self.run.frames[self.run.level].state;
        let node = self.run.tape.tape().len().saturating_sub(1);
        let at = At { names, source, kind: NodeAt::Leaf(leaf, value), level: self.run.level + 1, start, node };
        let first_instance = self.run.instances.len();
        let mut index = 0;
        loop {
            let automaton = &self.run.automaton;
            let steps = match leaf {
                Leaf::Text => automaton.text(state),
                Leaf::Comment => automaton.comment(state),
                Leaf::Instruction(_) => automaton.instruction(state),
            };
            let Some(&step) = steps.get(index) else { break };
            index += 1;
            if self.set.step(step).test.excludes(leaf) {
                continue;
            }
            self.open(step, &at)?;
        }
        self.close_instances(first_instance);
        self.take_fresh(&at)?;
        self.settle(names)
    }

    /// The document has one element: when it has come, no other child of that kind will.
    fn close_document_children(&mut self) {
        let run = &mut *self.run;
        let first_of_element = run.instances.get(run.frames[1].first_instance);
        let end = first_of_element.map_or(run.accumulators.len(), |instance| instance.accumulators);
        for one in &mut run.accumulators[..end] {
            let step = self.set.step(one.step);
            if one.open && step.axis == StepAxis::Child && matches!(step.test, NodeTest::Name(_)) {
                one.open = false;
                run.gates.report(one.gate, false);
            }
        }
    }

    /// The document has ended well.
    pub fn finish(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        for later in std::mem::take(&mut self.run.later) {
            self.run.gates.close(later.gate);
        }
        self.run.document_capture = self.run.frames[0].waiting.as_ref().and_then(|waiting| waiting.capture);
        if let Some(capture) = self.run.document_capture {
            self.run.captures.hold(capture);
        }
        self.close_frame(source, names, end)?;
        self.settle(names)?;
        self.finish_sinks(names)?;
        self.check_limits()
    }
}
