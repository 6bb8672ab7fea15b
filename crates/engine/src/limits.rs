//! Limits that keep one document, or one query, from harming the rest.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Open elements.
    pub depth: u32,
    /// Bytes of one document.
    pub document_bytes: u64,
    /// Attributes (with namespace declarations) of one element.
    pub attributes: u32,
    /// Bytes of one attribute's value.
    pub attribute_bytes: u64,
    /// Bytes of one name.
    pub name_bytes: u32,
    /// Distinct names (with their namespaces) of one document.
    pub distinct_names: u32,
    /// Bytes that entity references may add to one document.
    pub entity_bytes: u64,
    /// References within references.
    pub entity_depth: u32,
    /// Bytes held for undecided results of one document.
    pub buffered_bytes: u64,
    /// Steps that the evaluator may take on one document.
    pub evaluation_steps: u64,
    /// Deliveries of one document.
    pub deliveries: u64,
    /// States that an automaton may have before it forgets what it has learned; each thread has its own automata.
    pub automaton_states: usize,
    /// The same for bytes.
    pub automaton_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 2_000,
            document_bytes: 16 << 30,
            attributes: 20_000,
            attribute_bytes: 64 << 20,
            name_bytes: 16_384,
            distinct_names: 1 << 20,
            entity_bytes: 16 << 20,
            entity_depth: 32,
            buffered_bytes: 2 << 30,
            evaluation_steps: 2_000_000_000,
            deliveries: 100_000_000,
            automaton_states: 65_536,
            automaton_bytes: 512 << 20,
        }
    }
}
