//! Which paths need to be evaluated only once for a document.

use super::ir::{Expr, Step};

/// A path from the document's root whose predicates ask for nothing but their own nodes.
pub(super) fn is_fixed(expr: &Expr) -> bool {
    match expr {
        Expr::Path { start, steps } => matches!(**start, Expr::Root) && steps.iter().all(is_fixed_step),
        _ => false,
    }
}

fn is_fixed_step(step: &Step) -> bool {
    step.predicates.iter().all(is_closed)
}

/// No variable is used and no node made: the value follows from the context alone.
fn is_closed(expr: &Expr) -> bool {
    match expr {
        Expr::Constant { .. } | Expr::Context | Expr::Root => true,
        Expr::Path { start, steps } => is_closed(start) && steps.iter().all(is_fixed_step),
        Expr::Filter { base, predicates } => is_closed(base) && predicates.iter().all(is_closed),
        Expr::Sequence { items: args } | Expr::Union { args } | Expr::Or { args } | Expr::And { args } => {
            args.iter().all(is_closed)
        }
        Expr::Call { args, .. } => args.iter().all(is_closed),
        Expr::Compare { left, right, .. }
        | Expr::CompareValues { left, right, .. }
        | Expr::CompareNodes { left, right, .. }
        | Expr::Arithmetic { left, right, .. } => is_closed(left) && is_closed(right),
        _ => false,
    }
}
