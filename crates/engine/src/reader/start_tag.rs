//! Start tags: namespaces, names, attributes, the event.

use super::chars::is_ncname;
use super::failure::{limit, malformed, namespace, shown, stopped, Failure, Outcome};
use super::scan::{Flow, Scan};
use super::search::Shape;
use super::state::{Open, Phase, ANY_SCOPE};
use super::tag_syntax::{read_tag, RawAttribute, Tag};
use super::text::attribute_value;
use crate::events::{Attribute, Handler, StartTag};
use crate::names::{Key, NameId, NsId};

const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

impl<'w, H: Handler> Scan<'w, '_, H> {
    pub(super) fn start_tag(&mut self) -> Outcome<Flow> {
        self.end_text()?;
        if self.state.searched > 0 && self.more && self.find_end(Shape::Tag).is_none() {
            return Ok(Flow::More);
        }
        if self.known_root()? {
            return Ok(Flow::Next);
        }
        let mut attributes = std::mem::take(&mut self.state.raw_attributes);
        let read = read_tag(self.text, self.at, &mut attributes, &self.state.limits);
        let result = match read {
            Ok(Some(tag)) => self.element(&tag, &attributes),
            Ok(None) => {
                self.find_end(Shape::Tag);
                self.unfinished("a tag")
            }
            Err(failure) => Err(failure),
        };
        self.state.raw_attributes = attributes;
        result
    }

    fn element(&mut self, tag: &Tag, raw: &[RawAttribute]) -> Outcome<Flow> {
        let start = self.at;
        let name = &self.text[start + 1..tag.name_end];
        if tag.has_entities || self.state.dtd.declares_attributes() {
            self.state.splice = self.rewritten(tag, raw)?;
            if self.state.splice.is_some() {
                return Ok(Flow::Splice);
            }
        }
        if self.state.open.len() >= self.state.limits.depth as usize {
            return Err(limit(start, format!("more than {} open elements", self.state.limits.depth)));
        }
        self.state.tag += 1;
        let bindings = self.state.bindings.mark();
        let mut scope = self.state.scope;
        if tag.has_declarations {
            for attribute in raw {
                if let Some(prefix) = self.declared_prefix(attribute) {
                    scope = self.declare(name, prefix, attribute, scope)?;
                }
            }
        }
        let key = Key::of(self.text, start + 1, tag.name_end);
        let id = self.name(key, (start + 1, tag.name_end), scope)?;
        self.attributes.clear();
        if !raw.is_empty() {
            self.resolve_attributes(tag, raw, scope)?;
        }
        let source = self.source();
        let (from, to) = (self.offset(start), self.offset(tag.end));
        let event = StartTag { name: id, start: from, end: to, attributes: &self.attributes, namespaces: scope };
        let names = &self.state.names;
        self.handler.start(source, names, &event).map_err(|stop| stopped(start, stop))?;
        self.at = tag.end;
        if tag.empty {
            self.handler.end(source, names, to, to).map_err(|stop| stopped(start, stop))?;
            self.state.bindings.restore(bindings);
            if self.state.open.is_empty() {
                self.state.phase = Phase::Epilog;
            }
        } else {
            self.state.open.push(Open {
                key,
                length: (tag.name_end - start - 1) as u32,
                name: id,
                scope: self.state.scope,
                bindings,
            });
            self.state.scope = scope;
            if self.state.open.len() == 1 {
                self.note_root(start, tag);
            }
        }
        Ok(Flow::Next)
    }

    /// The name at these places, whose key is `key`.
    #[inline(always)]
    fn name(&mut self, key: Key, (start, end): (usize, usize), scope: NsId) -> Outcome<NameId> {
        match self.state.names.cached(key, self.text, (start, end), scope) {
            Some(id) => Ok(id),
            None => self.state.resolve(key, &self.text[start..end], scope, start),
        }
    }

    /// The prefix that an attribute declares, if it is a namespace declaration.
    #[inline]
    fn declared_prefix(&self, attribute: &RawAttribute) -> Option<&'w [u8]> {
        let name = &self.text[attribute.name.0..attribute.name.1];
        match name.strip_prefix(b"xmlns")? {
            [] => Some(b""),
            [b':', prefix @ ..] => Some(prefix),
            _ => None,
        }
    }

    /// Binds a prefix (none: the default namespace) and gives the scope with it.
    fn declare(&mut self, element: &[u8], prefix: &[u8], attribute: &RawAttribute, scope: NsId) -> Outcome<NsId> {
        let (at, end) = attribute.name;
        let raw = &self.text[attribute.value.0..attribute.value.1];
        let names = &mut self.state.names;
        let is_default = end - at == b"xmlns".len();
        let may_be_known = !attribute.escaped && prefix.is_empty() == is_default;
        let known = if may_be_known { names.declared(scope, prefix, raw) } else { None };
        let declared = match known {
            Some(declared) => declared,
            None => {
                let declared = self.state.dtd.attribute(element, &self.text[at..end]);
                let tokenised = declared.is_some_and(|declared| declared.tokenised);
                let uri = attribute_value(raw, attribute.escaped, tokenised);
                let prefix = std::str::from_utf8(prefix).unwrap_or_default();
                check_namespace(prefix, is_default, &uri, at)?;
                names.declare(scope, prefix, &uri)
            }
        };
        if !self.state.bindings.bind(declared.prefix, declared.uri, self.state.tag) {
            return Err(malformed(at, format!("namespace prefix '{}' is declared twice", shown(prefix))));
        }
        self.state.check_names(at)?;
        Ok(declared.scope)
    }

    /// Two attributes of the same expanded name: a matter of namespaces unless they are written alike.
    fn duplicate(&self, raw: &[RawAttribute], second: &RawAttribute) -> Box<Failure> {
        let written = |attribute: &RawAttribute| &self.text[attribute.name.0..attribute.name.1];
        let name = shown(written(second));
        let alike = raw.iter().filter(|other| written(other) == written(second)).count() > 1;
        if alike {
            malformed(second.name.0, format!("attribute '{name}' appears twice"))
        } else {
            namespace(second.name.0, format!("attribute '{name}' has the expanded name of another"))
        }
    }

    /// Fills `self.attributes`, refusing two of the same expanded name.
    fn resolve_attributes(&mut self, tag: &Tag, raw: &[RawAttribute], scope: NsId) -> Outcome<()> {
        for attribute in raw {
            if tag.has_declarations && self.declared_prefix(attribute).is_some() {
                continue;
            }
            let (start, end) = attribute.name;
            let written = &self.text[start..end];
            let key = Key::of(self.text, start, end);
            let name = match self.state.names.cached(key, self.text, (start, end), ANY_SCOPE) {
                Some(name) => name,
                None if written.contains(&b':') => self.name(key, (start, end), scope)?,
                None => self.state.resolve(key, written, ANY_SCOPE, start)?,
            };
            if !self.state.first_in_tag(name) {
                return Err(self.duplicate(raw, attribute));
            }
            let declared = self.state.dtd.attribute(&self.text[self.at + 1..tag.name_end], written);
            let (tokenised, is_id) = declared.map_or((false, false), |declared| (declared.tokenised, declared.is_id));
            self.attributes.push(Attribute {
                name,
                raw: &self.text[attribute.value.0..attribute.value.1],
                offset: self.offset(start),
                escaped: attribute.escaped,
                tokenised,
                is_id,
            });
        }
        Ok(())
    }
}

impl super::state::State {
    /// Whether this tag has not had an attribute of the same namespace and local name.
    #[inline]
    pub(super) fn first_in_tag(&mut self, name: NameId) -> bool {
        let expanded = self.names.expanded(name) as usize;
        match self.seen.get_mut(expanded) {
            Some(seen) => std::mem::replace(seen, self.tag) != self.tag,
            None => {
                self.seen.resize(self.names.len(), 0);
                self.seen[expanded] = self.tag;
                true
            }
        }
    }
}

/// The rules of Namespaces in XML for one declaration.
fn check_namespace(prefix: &str, is_default: bool, uri: &str, at: usize) -> Outcome<()> {
    const XML: &str = "http://www.w3.org/XML/1998/namespace";
    if !is_default && !is_ncname(prefix) {
        return Err(malformed(at, "a namespace declaration with a malformed prefix"));
    }
    if prefix == "xmlns" {
        return Err(namespace(at, "prefix 'xmlns' cannot be declared"));
    }
    if (prefix == "xml") != (uri == XML) {
        return Err(namespace(at, "prefix 'xml' and its namespace belong together"));
    }
    if uri == XMLNS_URI {
        return Err(namespace(at, "the namespace of 'xmlns' cannot be declared"));
    }
    if uri.is_empty() && !is_default {
        return Err(namespace(at, "a prefix cannot be undeclared"));
    }
    if uri.contains(' ') {
        return Err(namespace(at, "a namespace name is a URI reference and has no spaces"));
    }
    Ok(())
}
