//! Works that subscriptions have in common: each is compiled once.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::compiled::Shared;
use super::holes::Holes;
use super::ir::{Work, GIVEN};
use super::template::{template, Template};
use super::SharingSizes;
use crate::evaluator;
use crate::machine::{CompiledProgram, CompiledSink};
use crate::xquery::ir::{Clause, Expr};
use crate::xquery::Compiled;

pub type FormId = u32;

/// What is done with the nodes that a pattern has selected.
pub enum Form {
    /// A query of them.
    Bindings(Bindings),
    Query(Arc<Compiled>),
    Nodes(evaluator::Compiled),
    Truth(evaluator::Compiled),
}

pub struct Bindings {
    /// What the query constructs, if that is so simple, and whether it certainly can be filled.
    pub template: Option<(Template, bool)>,
    pub query: Compiled,
    /// The query gives for all of them what it gives for each, one after the other.
    pub is_each: bool,
    /// Whether conditions are left to it.
    pub is_exact: bool,
    /// Paths whose values must be numerals.
    pub doubts: Vec<Compiled>,
}

pub struct Entry {
    pub form: Form,
    pub deliver_empty: bool,
    users: usize,
    key: Key,
}

impl Entry {
    /// Whether there certainly is one message for each binding.
    pub fn is_sure(&self) -> bool {
        match &self.form {
            Form::Bindings(bindings) => {
                bindings.doubts.is_empty() && matches!(bindings.template, Some((Template::Element(_), true)))
            }
            _ => false,
        }
    }

    /// Whether the index decides all conditions.
    pub fn is_exact(&self) -> bool {
        matches!(self.form, Form::Bindings(Bindings { is_exact: true, .. }))
    }
}

/// A work as a text: the JSON of the query and its doubts, or of a whole program; `deliver_empty`; and which of them.
pub type Key = (Box<str>, bool, bool);

#[derive(Default)]
pub struct Forms {
    forms: Vec<Option<Entry>>,
    free: Vec<FormId>,
    by_key: FxHashMap<Key, FormId>,
    pub holes: Holes,
}

impl Forms {
    pub fn get(&self, form: FormId) -> Option<&Entry> {
        self.forms.get(form as usize).and_then(Option::as_ref)
    }

    /// The work of one more subscription.
    pub fn enter(&mut self, program: &CompiledProgram, shared: &Shared) -> Result<FormId, String> {
        let key = key(program, shared);
        self.entered(key, |holes| Form::new(program, shared, holes))
    }

    /// The same for a query of bindings that is known by its text.
    pub fn enter_text(&mut self, key: Key) -> Result<FormId, String> {
        let text = key.0.clone();
        self.entered(key, |holes| {
            let mut texts = text.split('\n');
            let query = texts.next().unwrap_or_default();
            Ok(Form::Bindings(Bindings::new(query, &texts.collect::<Vec<_>>(), holes)?))
        })
    }

    pub fn entered(
        &mut self,
        key: Key,
        make: impl FnOnce(&mut Holes) -> Result<Form, String>,
    ) -> Result<FormId, String> {
        if let Some(&form) = self.by_key.get(&key) {
            if let Some(Some(entry)) = self.forms.get_mut(form as usize) {
                entry.users += 1;
            }
            return Ok(form);
        }
        let entry = Entry { form: make(&mut self.holes)?, deliver_empty: key.1, users: 1, key: key.clone() };
        let form = match self.free.pop() {
            Some(form) => {
                self.forms[form as usize] = Some(entry);
                form
            }
            None => {
                self.forms.push(Some(entry));
                self.forms.len() as FormId - 1
            }
        };
        self.by_key.insert(key, form);
        Ok(form)
    }

    /// One subscription less has the work.
    pub fn leave(&mut self, form: FormId) {
        let Some(place) = self.forms.get_mut(form as usize) else { return };
        let Some(entry) = place else { return };
        entry.users -= 1;
        if entry.users == 0 {
            if let Form::Bindings(Bindings { template: Some((template, _)), .. }) = &entry.form {
                template.leave(&mut self.holes);
            }
            self.by_key.remove(&entry.key);
            *place = None;
            self.free.push(form);
        }
    }

    pub fn key(&self, form: FormId) -> Option<&Key> {
        self.get(form).map(|entry| &entry.key)
    }

    pub fn sizes(&self) -> SharingSizes {
        let mut sizes = SharingSizes { holes: self.holes.len(), ..SharingSizes::default() };
        for entry in self.forms.iter().flatten() {
            sizes.forms += 1;
            *(if entry.is_exact() { &mut sizes.exact } else { &mut sizes.verified }) += entry.users;
        }
        sizes
    }

    /// Roughly: what is compiled takes some times the room of its text.
    pub fn bytes(&self) -> usize {
        self.by_key.keys().map(|key| 8 * key.0.len() + 256).sum()
    }
}

pub fn key(program: &CompiledProgram, shared: &Shared) -> Key {
    match &shared.work {
        Work::Bindings { query, doubts, .. } => {
            // No JSON has a line of its own for this.
            let texts: Vec<&str> = std::iter::once(query).chain(doubts).map(String::as_str).collect();
            (texts.join("\n").into(), program.deliver_empty, true)
        }
        _ => (String::from_utf8_lossy(&program.json).into(), program.deliver_empty, false),
    }
}

/// A query of selected nodes that is needed only once.
pub fn compiled(query: &str) -> Result<Compiled, String> {
    Compiled::given(&read(query)?, &[GIVEN])
}

impl Form {
    pub fn new(program: &CompiledProgram, shared: &Shared, holes: &mut Holes) -> Result<Form, String> {
        Ok(match &shared.work {
            Work::Bindings { query, doubts, .. } => Form::Bindings(Bindings::new(query, doubts, holes)?),
            Work::Query => match &program.sink {
                CompiledSink::Query(query) => Form::Query(Arc::clone(query)),
                _ => return Err("a query to be verified that is none of XQuery".to_owned()),
            },
            Work::Nodes { expr } => Form::Nodes(evaluator::Compiled::new(expr)?),
            Work::Truth { expr } => Form::Truth(evaluator::Compiled::new(expr)?),
        })
    }
}

impl Bindings {
    pub fn new(query: &str, doubts: &[impl AsRef<str>], holes: &mut Holes) -> Result<Bindings, String> {
        let expr = read(query)?;
        Ok(Bindings {
            template: template(&expr, holes),
            query: Compiled::given(&expr, &[GIVEN])?,
            is_each: is_each(&expr),
            is_exact: is_exact(&expr),
            doubts: doubts
                .iter()
                .map(|path| Compiled::given(&read(path.as_ref())?, &[GIVEN]))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn read(json: &str) -> Result<Expr, String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    Expr::deserialize(&mut reader).map_err(|error| format!("unreadable query: {error}"))
}

/// `for $b in $given ...` without clauses that look at all tuples at once.
fn is_each(expr: &Expr) -> bool {
    let Expr::Flwor { clauses, .. } = expr else { return false };
    let [Clause::For { domain: Expr::Variable { name }, position: None, allowing_empty: false, .. }, rest @ ..] =
        &clauses[..]
    else {
        return false;
    };
    let takes_one = |clause: &Clause| matches!(clause, Clause::For { .. } | Clause::Let { .. } | Clause::Where { .. });
    name == GIVEN && rest.iter().all(takes_one)
}

/// No condition is left that could drop a binding.
fn is_exact(expr: &Expr) -> bool {
    match expr {
        Expr::Flwor { clauses, .. } => !clauses.iter().any(|clause| matches!(clause, Clause::Where { .. })),
        Expr::UnlessBarren { constructor } => match &**constructor {
            Expr::Element { content, .. } => content.iter().all(is_exact),
            _ => false,
        },
        Expr::Yielding { flwor } => is_exact(flwor),
        _ => true,
    }
}
