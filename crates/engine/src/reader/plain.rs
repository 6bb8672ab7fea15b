//! The fast path through content: plain text, tags that are written plainly, of names that were seen before. It stops before
//! anything else, and has then done nothing that reading the same again would not do.

use super::ahead::Found;
use super::chars::{is_space, space_end};
use super::failure::{stopped, Outcome};
use super::predefined::first_other;
use super::scan::Scan;
use super::search::SECTION_END;
use super::state::{Open, ANY_SCOPE};
use super::words::{find, near_attribute, near_name};
use crate::events::{Attribute, Handler, StartTag, TextKind};
use crate::names::{Key, NameId, NsId};

/// The rest of a start tag behind its name.
#[derive(Clone, Copy)]
struct Rest {
    /// After `>`.
    end: usize,
    /// `<a/>`
    empty: bool,
}

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// Reads as far as all is plain. Whether the root element ended, so that there is no more to read.
    ///
    /// This is where the time goes: alone, it is compiled alike wherever it is used.
    #[inline(never)]
    pub(super) fn plain_content(&mut self) -> Outcome<bool> {
        let text = self.text;
        let floor = self.state.floor();
        let deepest = self.state.limits.depth as usize;
        let is_bare = !self.state.dtd.declares_attributes();
        // Only where something is not plain is more of the text searched.
        let mut plain_until = self.state.specials.none_before;
        let mut at = self.at;
        loop {
            if text.get(at) != Some(&b'<') {
                let Some(stop) = find(text, at, b'<') else { break };
                let mut kind = TextKind::Plain;
                if stop > plain_until {
                    match self.kind_of_text(at, stop) {
                        Some(other) => kind = other,
                        None => break,
                    }
                    plain_until = self.state.specials.none_before;
                }
                if self.handler.wants_text() {
                    self.plain_text(at, stop, kind)?;
                }
                at = stop;
            }
            let depth = self.state.open.len();
            match text.get(at + 1) {
                Some(b'/') => {
                    let Some(open) = self.state.open.last() else { break };
                    let name = at + b"</".len();
                    let end = name + open.length as usize;
                    let is_plain = text.get(end) == Some(&b'>')
                        && open.key.is_exact()
                        && Key::short(text, name, end) == open.key
                        && depth > floor;
                    if !is_plain {
                        break;
                    }
                    self.at = at;
                    self.end_text()?;
                    at = end + 1;
                    self.close_element(self.at, at)?;
                    if depth == 1 {
                        self.at = at;
                        return Ok(true);
                    }
                }
                Some(b'!' | b'?') | None => break,
                Some(_) if is_bare && (1..deepest).contains(&depth) => {
                    self.at = at;
                    match self.plain_start(at)? {
                        Some(end) => at = end,
                        None => break,
                    }
                }
                Some(_) => break,
            }
        }
        self.at = at;
        Ok(false)
    }

    /// What kind of text these places are, behind which is markup, if it has no more than references to predefined entities.
    #[inline(never)]
    fn kind_of_text(&mut self, start: usize, end: usize) -> Option<TextKind> {
        let Found { ampersand, carriage_return, bracket } = self.state.specials.find(self.whole, start, end);
        let has_others = bracket && SECTION_END.find(&self.text[start..end]).is_some()
            || ampersand && first_other(self.text, start, end).is_some();
        let kind = if ampersand || carriage_return { TextKind::Escaped } else { TextKind::Plain };
        (!has_others).then_some(kind)
    }

    #[inline(always)]
    fn plain_text(&mut self, start: usize, end: usize, kind: TextKind) -> Outcome<()> {
        let (source, raw) = (self.source(), &self.text[start..end]);
        let (from, to) = (self.offset(start), self.offset(end));
        // Only a CDATA section could make the node longer.
        let is_whole = kind == TextKind::Plain
            && !self.state.text_open
            && self.text.get(end + 1).is_some_and(|&byte| byte != b'!');
        let result = if is_whole {
            self.handler.whole_text(source, &self.state.names, from, to, raw)
        } else {
            self.state.text_open = true;
            self.handler.text(source, from, to, raw, kind)
        };
        result.map_err(|stop| stopped(start, stop))
    }

    /// The start tag at `start`: where it ends, if it is plain.
    #[inline(always)]
    fn plain_start(&mut self, start: usize) -> Outcome<Option<usize>> {
        let text = self.text;
        let Some((name_end, key)) = near_name(text, start + 1) else { return Ok(None) };
        let scope = self.state.scope;
        let Some(name) = self.known_name(key, (start + 1, name_end), scope)? else { return Ok(None) };
        let has_attributes = text[name_end] != b'>';
        let (end, empty) = if has_attributes {
            self.handler.opening(name);
            match self.plain_attributes(name_end)? {
                Some(Rest { end, empty }) => (end, empty),
                None => return Ok(None),
            }
        } else {
            (name_end + 1, false)
        };
        self.end_text()?;
        let source = self.source();
        let (from, to) = (self.offset(start), self.offset(end));
        let attributes: &[_] = if has_attributes { &self.attributes } else { &[] };
        let event = StartTag { name, start: from, end: to, attributes, namespaces: scope };
        let names = &self.state.names;
        self.handler.start(source, names, &event).map_err(|stop| stopped(start, stop))?;
        if empty {
            self.handler.end(source, names, to, to).map_err(|stop| stopped(start, stop))?;
        } else {
            self.state.open.push(Open {
                key,
                length: (name_end - start - 1) as u32,
                name,
                scope,
                bindings: self.state.bindings.mark(),
            });
        }
        Ok(Some(end))
    }

    /// Fills `self.attributes` with those that begin at `at`, behind the tag's name.
    fn plain_attributes(&mut self, mut at: usize) -> Outcome<Option<Rest>> {
        let text = self.text;
        self.attributes.clear();
        self.state.tag += 1;
        loop {
            let start = match text.get(at..at + 2) {
                // No name begins with what is not more than these.
                Some(&[b' ', byte]) if byte > b'>' => at + 1,
                Some(&[b'>', _]) => return Ok(Some(Rest { end: at + 1, empty: false })),
                Some(b"/>") => return Ok(Some(Rest { end: at + 2, empty: true })),
                Some(&[byte, _]) if is_space(byte) => match space_end(text, at) {
                    end if matches!(text.get(end), Some(b'>' | b'/')) => {
                        at = end;
                        continue;
                    }
                    end => end,
                },
                _ => return Ok(None),
            };
            let Some((equals, key, end)) = near_attribute(text, start) else { return Ok(None) };
            let value = equals + 2;
            let limits = &self.state.limits;
            if self.attributes.len() >= limits.attributes as usize || (end - value) as u64 > limits.attribute_bytes {
                return Ok(None);
            }
            let Some(name) = self.known_name(key, (start, equals), ANY_SCOPE)? else { return Ok(None) };
            if !self.state.first_in_tag(name) {
                return Ok(None);
            }
            self.attributes.push(Attribute {
                name,
                raw: &text[value..end],
                offset: self.offset(start),
                escaped: false,
                tokenised: false,
                is_id: false,
            });
            at = end + 1;
        }
    }

    /// The name at these places, whose key is `key`, if this or an earlier document has used it.
    #[inline(always)]
    fn known_name(&mut self, key: Key, (start, end): (usize, usize), scope: NsId) -> Outcome<Option<NameId>> {
        match self.state.names.cached(key, self.text, (start, end), scope) {
            None => self.state.known_before(key, &self.text[start..end], scope, start),
            known => Ok(known),
        }
    }
}
