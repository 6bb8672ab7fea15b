//! The work of a subscription as a text, for others whose queries differ only in their literals.

use serde::{Deserialize, Serialize};

use super::compiled::Shared;
use super::forms::{key, Key};
use super::ir;
use crate::index::Constant;
use crate::machine::CompiledProgram;

#[derive(Clone, Serialize, Deserialize)]
pub struct KnownWork {
    pub(super) key: Key,
    pub(super) residual: Option<String>,
    /// All who are known by this have the same: literals in them are not changed.
    pub(super) tests: Vec<ir::Test>,
}

impl KnownWork {
    /// The work of a program if it is a query of bindings.
    pub fn new(program: &CompiledProgram, shared: &Shared) -> Option<KnownWork> {
        match &shared.work {
            ir::Work::Bindings { residual, tests, .. } => {
                Some(KnownWork { key: key(program, shared), residual: residual.clone(), tests: tests.clone() })
            }
            _ => None,
        }
    }

    /// Whether a literal is in it; not what is to be done in doubt, which has all of them.
    pub fn mentions(&self, literal: &Constant) -> bool {
        let (plain, written) = (plain(literal), written(literal));
        let compares = |test: &ir::Test| test.literal.contains(&plain) || test.value.contains(&written);
        self.key.0.contains(&written) || self.tests.iter().any(compares)
    }

    pub fn has_residual(&self) -> bool {
        self.residual.is_some()
    }

    /// The same with what another does in doubt, whose literals are marks.
    pub fn with_residual_of(mut self, probe: &KnownWork) -> KnownWork {
        self.residual = probe.residual.clone();
        self
    }

    /// The same for a query with these literals.
    pub fn filled(&self, literals: &[Constant]) -> KnownWork {
        let mut filled = self.clone();
        if let Some(residual) = &mut filled.residual {
            for (place, literal) in literals.iter().enumerate() {
                let mark = mark(place, literal);
                *residual = residual.replace(&quoted(&mark), &quoted(literal));
            }
        }
        filled
    }
}

/// A literal as JSON writes it, without quotation marks.
fn written(literal: &Constant) -> String {
    let text = quoted(literal);
    text[1..text.len() - 1].to_owned()
}

fn plain(literal: &Constant) -> String {
    match literal {
        Constant::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Constant::Number(number) => number.to_string(),
        Constant::Hole(place) => place.to_string(),
    }
}

/// As the planner writes it: a JSON string of ASCII.
fn quoted(literal: &Constant) -> String {
    let mut out = String::from("\"");
    for unit in plain(literal).chars() {
        match unit {
            '"' | '\\' => {
                out.push('\\');
                out.push(unit);
            }
            ' '..='~' => out.push(unit),
            other => other.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out.push('"');
    out
}

/// The literal that stands in a probe where a query has this one.
fn mark(place: usize, literal: &Constant) -> Constant {
    match literal {
        Constant::Number(_) => Constant::Number(number_mark(place)),
        _ => Constant::Text(text_mark(place).into_bytes().into()),
    }
}

pub fn text_mark(place: usize) -> String {
    format!("\u{e000}{place}\u{e001}")
}

pub fn number_mark(place: usize) -> f64 {
    900_000_007.5 + place as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Constant {
        Constant::Text(text.as_bytes().into())
    }

    #[test]
    fn literals_are_written_as_the_planner_writes_them() {
        assert_eq!(quoted(&text("a\"b\\\u{e9}\u{1f600}\n")), "\"a\\\"b\\\\\\u00e9\\ud83d\\ude00\\u000a\"");
        assert_eq!(quoted(&Constant::Number(39.5)), "\"39.5\"");
    }

    #[test]
    fn what_is_done_in_doubt_gets_the_literals() {
        let marks = [text(&text_mark(0)), Constant::Number(number_mark(1))];
        let residual = format!("[{},{}]", quoted(&marks[0]), quoted(&marks[1]));
        let work = KnownWork { key: ("".into(), false, true), residual: Some(residual), tests: Vec::new() };
        let filled = work.filled(&[text("x"), Constant::Number(7.0)]);
        assert_eq!(filled.residual.as_deref(), Some("[\"x\",\"7\"]"));
        assert!(!work.mentions(&marks[0]));
    }
}
