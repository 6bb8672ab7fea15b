//! Functions about nodes: names, IDs, languages.

use std::collections::HashMap;

use crate::names::Names;
use crate::tape::{Kind, Node, Tape, NO_PARENT};

use super::numbers::is_space;
use super::operation::Operation;
use super::run::{Frame, Run};
use super::value::{namespace_binding, NodeRef, Value};
use super::EvalError;

const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// Namespace URI and local name; empty where there is none.
pub fn expanded_name<'a>(tape: &'a Tape, names: &'a Names, node: NodeRef) -> (&'a str, &'a str) {
    if let Some((prefix, _)) = namespace_binding(tape, names, node) {
        return ("", prefix);
    }
    let record = tape.record(node.node);
    match record.kind {
        Kind::Element | Kind::Attribute => (names.uri(record.name), names.local(record.name)),
        Kind::Instruction => ("", tape.target(node.node)),
        Kind::Document | Kind::Text | Kind::Comment => ("", ""),
    }
}

/// The name as written; empty where there is none.
pub fn qualified_name<'a>(tape: &'a Tape, names: &'a Names, node: NodeRef) -> &'a str {
    let record = tape.record(node.node);
    match record.kind {
        Kind::Element | Kind::Attribute if !node.is_namespace() => names.qualified(record.name),
        _ => expanded_name(tape, names, node).1,
    }
}

impl<'a> Run<'a> {
    /// `id()`: the elements with the IDs named, separated by white space, in the argument.
    pub(super) fn by_id(&self, args: &'a [Operation], frame: &Frame<'_>) -> Result<Vec<NodeRef>, EvalError> {
        let mut found = Vec::new();
        let mut look_up = |tokens: &str| {
            let elements = tokens.split(is_space).filter_map(|token| self.ids().get(token));
            found.extend(elements.map(|&element| NodeRef::new(element)));
        };
        match self.value(&args[0], frame)? {
            Value::Nodes(nodes) => nodes.iter().for_each(|&node| look_up(self.string_value(node))),
            atom => look_up(&atom.to_string(self.tape, self.names)),
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn ids(&self) -> &HashMap<&'a str, Node> {
        self.ids.get_or_init(|| {
            let mut ids = HashMap::default();
            for (index, record) in self.tape.records.iter().enumerate().filter(|(_, record)| record.is_id) {
                ids.entry(self.tape.string_value(index as Node)).or_insert(record.parent);
            }
            ids
        })
    }

    /// `lang()`: the nearest `xml:lang` is the language asked for, or a variety of it.
    pub(super) fn lang(&self, args: &'a [Operation], frame: &Frame<'_>) -> Result<bool, EvalError> {
        let wanted = self.string(&args[0], frame)?;
        let node = match args.get(1) {
            Some(operation) => self.first(operation, frame)?,
            None => Some(frame.node),
        };
        let mut element = node.map_or(NO_PARENT, |node| node.node);
        while element != NO_PARENT {
            if let Some(language) = language(self.tape, self.names, element) {
                return Ok(is_variety(language, &wanted));
            }
            element = self.tape.record(element).parent;
        }
        Ok(false)
    }
}

/// The `xml:lang` of an element itself.
pub(crate) fn language<'a>(tape: &'a Tape, names: &Names, element: Node) -> Option<&'a str> {
    let attribute = tape.attributes(element).find(|&attribute| {
        let name = tape.record(attribute).name;
        names.local(name) == "lang" && names.uri(name) == XML_NAMESPACE
    })?;
    Some(tape.string_value(attribute))
}

pub(crate) fn is_variety(language: &str, wanted: &str) -> bool {
    match language.get(..wanted.len()) {
        Some(head) => {
            let rest = &language[wanted.len()..];
            head.eq_ignore_ascii_case(wanted) && (rest.is_empty() || rest.starts_with('-'))
        }
        None => false,
    }
}
