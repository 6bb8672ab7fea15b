//! Start tags that the window cannot keep as written: entities in values, attributes that the DTD defaults, and values in
//! which its types allow no more than single spaces. What is cut out of the window must mean the same without the DTD.

use std::collections::HashSet;

use super::dtd::AttributeList;
use super::expansion::Splice;
use super::failure::{limit, Outcome};
use super::scan::Scan;
use super::tag_syntax::{RawAttribute, Tag};
use super::text::{attribute_value, push_escaped};
use crate::events::Handler;

/// Default attributes of one tag up to this size are free; what is beyond counts as expansion, so that a long
/// default on many small elements is bounded.
const FREE_DEFAULTS: usize = 256;
const FEW: usize = 16;

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// The tag with entities replaced, missing attributes added and spaces collapsed; `None` if it can stay.
    pub(super) fn rewritten(&mut self, tag: &Tag, raw: &[RawAttribute]) -> Outcome<Option<Splice>> {
        let start = self.at;
        let element = &self.text[start + 1..tag.name_end];
        let (defaults, collapsed) = match self.state.dtd.attributes_of(element) {
            Some(list) => (self.missing(list, raw), self.collapsed(list, raw)),
            None => (Vec::new(), Vec::new()),
        };
        if !tag.has_entities && defaults.is_empty() && collapsed.is_empty() {
            return Ok(None);
        }
        if defaults.len() > FREE_DEFAULTS {
            self.state.expanded += (defaults.len() - FREE_DEFAULTS) as u64;
            if self.state.expanded > self.state.limits.entity_bytes {
                let bytes = self.state.limits.entity_bytes;
                return Err(limit(start, format!("entities and default attributes add more than {bytes} bytes")));
            }
        }
        let mut text = Vec::with_capacity(tag.end - start + defaults.len());
        let mut copied = start;
        if tag.has_entities {
            for attribute in raw {
                let (from, to) = attribute.value;
                text.extend_from_slice(&self.text[copied..from]);
                let value = &self.text[from..to];
                let state = &mut *self.state;
                text.extend(state.dtd.expand_value(value, from, &state.limits, &mut state.expanded)?);
                copied = to;
            }
        } else {
            for (attribute, value) in collapsed {
                let (from, to) = attribute.value;
                text.extend_from_slice(&self.text[copied..from]);
                push_escaped(&mut text, &value);
                copied = to;
            }
        }
        let close = tag.end - if tag.empty { b"/>".len() } else { b">".len() };
        text.extend_from_slice(&self.text[copied..close]);
        text.extend_from_slice(&defaults);
        text.extend_from_slice(&self.text[close..tag.end]);
        Ok(Some(Splice { start, end: tag.end, text, entity: None }))
    }

    /// Values that have more spaces than their types allow, as they should be. Entities are replaced first.
    fn collapsed<'r>(&self, list: &AttributeList, raw: &'r [RawAttribute]) -> Vec<(&'r RawAttribute, String)> {
        let mut collapsed = Vec::new();
        for attribute in raw {
            let name = &self.text[attribute.name.0..attribute.name.1];
            if list.get(name).is_some_and(|declared| declared.tokenised) {
                let value = &self.text[attribute.value.0..attribute.value.1];
                let tokens = attribute_value(value, attribute.escaped, true);
                if tokens != attribute_value(value, attribute.escaped, false) {
                    collapsed.push((attribute, tokens.into_owned()));
                }
            }
        }
        collapsed
    }

    /// ` name="value"` for each default that the tag does not give.
    fn missing(&self, list: &AttributeList, raw: &[RawAttribute]) -> Vec<u8> {
        let mut text = Vec::new();
        let given = raw.iter().map(|attribute| &self.text[attribute.name.0..attribute.name.1]);
        // A set pays only when there are many to look through.
        let many: Option<HashSet<&[u8]>> = (raw.len() > FEW).then(|| given.clone().collect());
        for attribute in &list.attributes {
            let Some(value) = &attribute.default else { continue };
            let name = &attribute.name[..];
            let is_given = match &many {
                Some(names) => names.contains(name),
                None => given.clone().any(|other| other == name),
            };
            if !is_given {
                text.push(b' ');
                text.extend_from_slice(name);
                text.extend_from_slice(b"=\"");
                text.extend_from_slice(value);
                text.push(b'"');
            }
        }
        text
    }
}
