//! Entities in content: their text takes the reference's place in the window.

use super::dtd::Entity;
use super::failure::{limit, malformed, shown, Outcome};
use super::state::State;

/// A change that the window needs before scanning goes on.
pub(super) struct Splice {
    pub start: usize,
    pub end: usize,
    pub text: Vec<u8>,
    /// The entity whose text this is, if it is content.
    pub entity: Option<Vec<u8>>,
}

/// Replacement text that is being read.
pub(super) struct Expansion {
    pub entity: Vec<u8>,
    /// Where it ends; may lie behind what the window holds.
    pub end: usize,
    /// Open elements where it began.
    pub depth: usize,
}

impl State {
    /// The splice for the reference `&name;` that stands in content at `start..end`.
    pub(super) fn expand(&mut self, name: &[u8], start: usize, end: usize) -> Outcome<Splice> {
        let text = match self.dtd.entity(name, start)? {
            Some(Entity::Internal(text)) => text,
            Some(Entity::Unparsed) => return Err(malformed(start, "a reference to an unparsed entity")),
            Some(Entity::External) | None => return Ok(Splice { start, end, text: Vec::new(), entity: None }),
        };
        if self.expansions.iter().any(|active| active.entity == name) {
            return Err(malformed(start, format!("entity '{}' refers to itself", shown(name))));
        }
        if self.expansions.len() >= self.limits.entity_depth as usize {
            let depth = self.limits.entity_depth;
            return Err(limit(start, format!("more than {depth} references within references")));
        }
        self.expanded += text.len() as u64;
        if self.expanded > self.limits.entity_bytes {
            let bytes = self.limits.entity_bytes;
            return Err(limit(start, format!("entities add more than {bytes} bytes")));
        }
        Ok(Splice { start, end, text: protect_returns(text), entity: Some(name.to_vec()) })
    }

    /// The window was changed as `splice` says.
    pub(super) fn spliced(&mut self, splice: &Splice) {
        self.specials.changed(splice.start);
        self.names.count_names();
        for outer in &mut self.expansions {
            outer.end = outer.end - (splice.end - splice.start) + splice.text.len();
        }
        if let Some(entity) = &splice.entity {
            let end = splice.start + splice.text.len();
            self.expansions.push(Expansion { entity: entity.clone(), end, depth: self.open.len() });
        }
    }
}

/// A carriage return in replacement text came from a character reference and is no line end; written as a
/// reference it stays one. In text with markup, where it may be white space of a tag, it is left.
fn protect_returns(text: &[u8]) -> Vec<u8> {
    if memchr::memchr(b'\r', text).is_none() || memchr::memchr(b'<', text).is_some() {
        return text.to_vec();
    }
    let pieces: Vec<&[u8]> = text.split(|&byte| byte == b'\r').collect();
    pieces.join(&b"&#13;"[..])
}
