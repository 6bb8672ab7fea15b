//! What queries construct, as text with holes.
//!
//! A direct constructor says beforehand what it writes, declarations of namespaces included; only what is in its holes
//! depends on the binding. Whatever is not so is left to the evaluator.

use std::sync::Arc;

use super::holes::{is_content, is_nodes, is_value, HoleId, Holes};
use super::ir::GIVEN;
use crate::fragment;
use crate::xquery::ir::{Attribute, Clause, Expr};
use crate::xquery::{bind_prefix, declare_prefix, push_name, AtomicType, NamespaceScope};

pub enum Template {
    /// An element for each binding.
    Element(Element),
    /// What is in a hole, for each binding.
    Items(HoleId),
    /// One element around what there is for all bindings.
    Around(Element),
}

pub struct Element {
    /// Up to the end of the start tag, which is not written.
    pub start: Vec<Part>,
    pub content: Vec<Part>,
    pub end: Box<str>,
}

pub enum Part {
    Text(Box<str>),
    /// The values in the hole, within an attribute's.
    Value(HoleId),
    Element(Element),
    /// Nodes are copied, where these prefixes are declared already.
    Content(HoleId, Arc<NamespaceScope>),
    /// For each binding.
    Each(Box<Part>),
}

/// A template, and whether it certainly can be filled.
pub fn template(expr: &Expr, holes: &mut Holes) -> Option<(Template, bool)> {
    let mut maker = Maker { holes, entered: Vec::new(), lets: &[], variable: "", is_sure: true };
    let made = maker.template(expr);
    if made.is_none() {
        maker.entered.iter().for_each(|&hole| maker.holes.leave(hole));
    }
    made.map(|template| (template, maker.is_sure))
}

struct Maker<'a> {
    holes: &'a mut Holes,
    entered: Vec<HoleId>,
    lets: &'a [Clause],
    variable: &'a str,
    is_sure: bool,
}

impl<'a> Maker<'a> {
    fn template(&mut self, expr: &'a Expr) -> Option<Template> {
        if let Expr::UnlessBarren { constructor } = expr {
            return Some(Template::Around(self.element(constructor, &mut Vec::new())?));
        }
        match self.each(expr)? {
            element @ Expr::Element { .. } => Some(Template::Element(self.element(element, &mut Vec::new())?)),
            other => {
                self.is_sure = false;
                Some(Template::Items(self.hole(other)?))
            }
        }
    }

    /// What a FLWOR over the bindings returns.
    fn each(&mut self, expr: &'a Expr) -> Option<&'a Expr> {
        let Expr::Flwor { clauses, returned } = expr else { return None };
        let (Clause::For { variable, position: None, domain, allowing_empty: false }, lets) = clauses.split_first()?
        else {
            return None;
        };
        let is_given = matches!(domain, Expr::Variable { name } if name == GIVEN);
        if !is_given || !lets.iter().all(|clause| matches!(clause, Clause::Let { .. })) {
            return None;
        }
        self.variable = variable;
        self.lets = lets;
        Some(returned)
    }

    fn hole(&mut self, expr: &Expr) -> Option<HoleId> {
        if constructs(expr) {
            return None;
        }
        let is_path = matches!(expr, Expr::Path { start, .. } if matches!(&**start, Expr::Variable { name } if name == self.variable));
        let expr = match expr {
            // The most common hole is known by its path alone.
            Expr::Path { steps, .. } if is_path && self.lets.is_empty() => {
                Expr::Path { start: Box::new(Expr::Variable { name: GIVEN.to_owned() }), steps: steps.clone() }
            }
            other => {
                let given = Expr::Variable { name: GIVEN.to_owned() };
                let mut clauses = vec![Clause::Let { variable: self.variable.to_owned(), value: given }];
                clauses.extend_from_slice(self.lets);
                Expr::Flwor { clauses, returned: Box::new(other.clone()) }
            }
        };
        let hole = self.holes.enter(&expr).ok()?;
        self.entered.push(hole);
        Some(hole)
    }

    fn element(&mut self, expr: &'a Expr, scope: &mut NamespaceScope) -> Option<Element> {
        let Expr::Element { name, namespaces, attributes, content } = expr else { return None };
        let outer = scope.len();
        for (prefix, uri) in namespaces {
            declare_prefix(scope, outer, &prefix.as_str().into(), &uri.as_str().into());
        }
        let prefix = bind_prefix(scope, outer, &name.prefix.as_str().into(), &name.uri.as_str().into(), false);
        let mut bound = Vec::new();
        for (place, one) in attributes.iter().enumerate() {
            let is_same = |known: &Attribute| known.name.local == one.name.local && known.name.uri == one.name.uri;
            if attributes[..place].iter().any(is_same) {
                return None;
            }
            bound.push(bind_prefix(
                scope,
                outer,
                &one.name.prefix.as_str().into(),
                &one.name.uri.as_str().into(),
                true,
            ));
        }
        let mut start = vec![];
        let mut text = String::from("<");
        push_name(&prefix, &name.local, &mut text);
        for (prefix, uri) in &scope[outer..] {
            fragment::declare(prefix, uri, &mut text);
        }
        for (attribute, prefix) in attributes.iter().zip(bound) {
            text.push(' ');
            push_name(&prefix, &attribute.name.local, &mut text);
            text.push_str("=\"");
            for part in &attribute.parts {
                match part {
                    Expr::Constant { kind: AtomicType::String, value } => fragment::escape_attribute(value, &mut text),
                    other => {
                        start.push(Part::Text(std::mem::take(&mut text).into()));
                        self.is_sure &= self.lets.is_empty() && (is_nodes(other) || is_value(other));
                        start.push(Part::Value(self.hole(other)?));
                    }
                }
            }
            text.push('"');
        }
        start.push(Part::Text(text.into()));
        let content = content.iter().map(|part| self.part(part, scope)).collect::<Option<Vec<_>>>()?;
        let mut end = String::from("</");
        push_name(&prefix, &name.local, &mut end);
        end.push('>');
        scope.truncate(outer);
        Some(Element { start, content, end: end.into() })
    }

    fn part(&mut self, part: &'a Expr, scope: &mut NamespaceScope) -> Option<Part> {
        Some(match part {
            Expr::Constant { kind: AtomicType::String, value } => {
                let mut text = String::new();
                fragment::escape_text(value, &mut text);
                Part::Text(text.into())
            }
            Expr::Element { .. } => Part::Element(self.element(part, scope)?),
            Expr::Yielding { flwor } => {
                let returned = self.each(flwor)?;
                // Values of several bindings would have spaces between them.
                if !matches!(returned, Expr::Element { .. }) && (!is_content(returned) || is_value(returned)) {
                    return None;
                }
                self.is_sure &= matches!(returned, Expr::Element { .. });
                Part::Each(Box::new(self.part(returned, scope)?))
            }
            other => {
                self.is_sure &= self.lets.is_empty() && is_content(other);
                Part::Content(self.hole(other)?, Arc::new(scope.clone()))
            }
        })
    }
}

impl Template {
    /// Gives up its holes.
    pub fn leave(&self, holes: &mut Holes) {
        match self {
            Template::Items(hole) => holes.leave(*hole),
            Template::Element(element) | Template::Around(element) => element.leave(holes),
        }
    }
}

impl Element {
    fn leave(&self, holes: &mut Holes) {
        self.start.iter().chain(&self.content).for_each(|part| part.leave(holes));
    }
}

impl Part {
    fn leave(&self, holes: &mut Holes) {
        match self {
            Part::Text(_) => {}
            Part::Value(hole) | Part::Content(hole, _) => holes.leave(*hole),
            Part::Element(element) => element.leave(holes),
            Part::Each(part) => part.leave(holes),
        }
    }
}

/// Whether an expression may construct nodes.
fn constructs(expr: &Expr) -> bool {
    match expr {
        Expr::Constant { .. } | Expr::Variable { .. } | Expr::Context | Expr::Root => false,
        Expr::Path { start, steps } => {
            constructs(start) || steps.iter().any(|step| step.predicates.iter().any(constructs))
        }
        Expr::Sequence { items: args } | Expr::Union { args } | Expr::Or { args } | Expr::And { args } => {
            args.iter().any(constructs)
        }
        Expr::Call { args, .. } => args.iter().any(constructs),
        Expr::Filter { base, predicates } => constructs(base) || predicates.iter().any(constructs),
        Expr::Compare { left, right, .. }
        | Expr::CompareValues { left, right, .. }
        | Expr::Arithmetic { left, right, .. } => constructs(left) || constructs(right),
        _ => true,
    }
}
