//! What an expression's value depends on.

use crate::ir::Expr;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dependence {
    /// The context node.
    pub(super) context: bool,
    /// `position()`.
    pub(super) position: bool,
    /// `last()`.
    pub(super) size: bool,
    /// A variable of a quantifier around the expression.
    pub(super) local: bool,
}

impl Dependence {
    /// `locals` are the variables of the quantifiers around the expression.
    pub(super) fn of(expr: &Expr, locals: &[String]) -> Dependence {
        let mut found = Dependence::default();
        found.add(expr, locals, &mut Vec::new());
        found
    }

    /// Has one value for a whole evaluation.
    pub(super) fn is_none(self) -> bool {
        !(self.context || self.position || self.size || self.local)
    }

    fn add<'e>(&mut self, expr: &'e Expr, locals: &[String], bound: &mut Vec<&'e str>) {
        match expr {
            Expr::Context => self.context = true,
            Expr::Variable { name } => {
                self.local |= !bound.contains(&name.as_str()) && locals.contains(name);
            }
            Expr::Call { name, args } => {
                match name.as_str() {
                    "position" => self.position = true,
                    "last" => self.size = true,
                    "lang" => self.context = true,
                    _ if args.is_empty() && !matches!(name.as_str(), "true" | "false") => self.context = true,
                    _ => {}
                }
                args.iter().for_each(|arg| self.add(arg, locals, bound));
            }
            Expr::Path { start, steps } => {
                self.add(start, locals, bound);
                steps.iter().for_each(|step| self.add_predicates(&step.predicates, locals, bound));
            }
            Expr::Filter { base, predicates } => {
                self.add(base, locals, bound);
                self.add_predicates(predicates, locals, bound);
            }
            Expr::Quantified { variable, domain, satisfies, .. } => {
                self.add(domain, locals, bound);
                bound.push(variable);
                self.add(satisfies, locals, bound);
                bound.pop();
            }
            other => operands(other).into_iter().for_each(|operand| self.add(operand, locals, bound)),
        }
    }

    /// A predicate has its own context, position and size; only variables reach into it.
    fn add_predicates<'e>(&mut self, predicates: &'e [Expr], locals: &[String], bound: &mut Vec<&'e str>) {
        let mut inner = Dependence::default();
        predicates.iter().for_each(|predicate| inner.add(predicate, locals, bound));
        self.local |= inner.local;
    }
}

/// Evaluating the expression means looking for nodes, so that its value is worth keeping.
pub(super) fn looks_for_nodes(expr: &Expr) -> bool {
    match expr {
        Expr::Path { .. } | Expr::Filter { .. } | Expr::Union { .. } => true,
        other => operands(other).into_iter().any(looks_for_nodes),
    }
}

/// The direct parts of an expression, predicates excluded.
fn operands(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Number { .. } | Expr::String { .. } | Expr::Variable { .. } | Expr::Context | Expr::Root => Vec::new(),
        Expr::Path { start, .. } => vec![start],
        Expr::Filter { base, .. } => vec![base],
        Expr::Union { args } | Expr::Or { args } | Expr::And { args } | Expr::Call { args, .. } => {
            args.iter().collect()
        }
        Expr::Compare { left, right, .. } | Expr::Arithmetic { left, right, .. } => vec![left, right],
        Expr::Negate { arg } => vec![arg],
        Expr::If { condition, then, otherwise } => vec![condition, then, otherwise],
        Expr::Quantified { domain, satisfies, .. } => vec![domain, satisfies],
    }
}
