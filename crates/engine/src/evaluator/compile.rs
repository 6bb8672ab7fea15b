//! From the planner's expression to the form that is executed: names resolved, constant work done once.

use crate::ir::{Comparison, Expr};

use super::compile_path;
use super::dependence::{looks_for_nodes, Dependence};
use super::functions::Function;
use super::operation::{NameTest, Operation, Predicate, Type};
use super::regex;

/// An expression ready to be evaluated, any number of times, by any number of threads.
#[derive(Debug)]
pub struct Compiled {
    pub(super) operation: Operation,
    pub(super) name_tests: Vec<NameTest>,
    /// How many parts are evaluated only once.
    pub(super) slots: usize,
}

impl Compiled {
    /// Compiles an expression, or says what is wrong with it.
    pub fn new(expr: &Expr) -> Result<Compiled, String> {
        let mut compiler = Compiler::default();
        let operation = compiler.compile(expr, false)?;
        Ok(Compiled { operation, name_tests: compiler.name_tests, slots: compiler.slots })
    }
}

#[derive(Default)]
pub(super) struct Compiler {
    name_tests: Vec<NameTest>,
    slots: usize,
    /// Variables of the quantifiers around, outermost first.
    locals: Vec<String>,
}

impl Compiler {
    /// `repeated`: evaluated for many contexts, so that what depends on none of them is kept.
    pub(super) fn compile(&mut self, expr: &Expr, repeated: bool) -> Result<Operation, String> {
        if repeated && looks_for_nodes(expr) && Dependence::of(expr, &self.locals).is_none() {
            let slot = self.slots;
            self.slots += 1;
            return Ok(Operation::Once(slot, Box::new(self.compile(expr, false)?)));
        }
        Ok(match expr {
            Expr::Number { value } => Operation::Number(*value),
            Expr::String { value } => Operation::String(value.clone()),
            Expr::Variable { name } => match self.locals.iter().rev().position(|local| local == name) {
                Some(depth) => Operation::Local(depth),
                None => Operation::External(name.clone()),
            },
            Expr::Context => Operation::Context,
            Expr::Root => Operation::Root,
            Expr::Path { start, steps } => {
                let start = self.nodes(start, repeated)?;
                compile_path::compile(self, start, steps)?
            }
            Expr::Filter { base, predicates } => {
                let base = self.nodes(base, repeated)?;
                let predicates = predicates.iter().map(|predicate| self.predicate(predicate));
                Operation::Filter(Box::new(base), predicates.collect::<Result<_, _>>()?)
            }
            Expr::Union { args } => {
                Operation::Union(args.iter().map(|arg| self.nodes(arg, repeated)).collect::<Result<_, _>>()?)
            }
            Expr::Or { args } => Operation::Or(self.all(args, repeated)?),
            Expr::And { args } => Operation::And(self.all(args, repeated)?),
            Expr::Compare { comparison, left, right } => {
                Operation::Compare(*comparison, self.boxed(left, repeated)?, self.boxed(right, repeated)?)
            }
            Expr::Arithmetic { operator, left, right } => {
                Operation::Arithmetic(*operator, self.boxed(left, repeated)?, self.boxed(right, repeated)?)
            }
            Expr::Negate { arg } => Operation::Negate(self.boxed(arg, repeated)?),
            Expr::Call { name, args } => self.call(name, args, repeated)?,
            Expr::If { condition, then, otherwise } => Operation::If(Box::new([
                self.compile(condition, repeated)?,
                self.compile(then, repeated)?,
                self.compile(otherwise, repeated)?,
            ])),
            Expr::Quantified { every, variable, domain, satisfies } => {
                let domain = self.boxed(domain, repeated)?;
                self.locals.push(variable.clone());
                let satisfies = self.boxed(satisfies, true);
                self.locals.pop();
                Operation::Quantified { every: *every, domain, satisfies: satisfies? }
            }
        })
    }

    /// A predicate, in the simplest form that has its meaning.
    pub(super) fn predicate(&mut self, expr: &Expr) -> Result<Predicate, String> {
        if let Some(simple) = simple_position(expr) {
            return Ok(simple);
        }
        let operation = self.compile(expr, true)?;
        Ok(match operation.static_type() {
            Type::Number => Predicate::Position(operation),
            Type::Any => Predicate::Any(operation),
            Type::Nodes | Type::Boolean | Type::String => Predicate::True(operation),
        })
    }

    pub(super) fn dependence(&self, expr: &Expr) -> Dependence {
        Dependence::of(expr, &self.locals)
    }

    /// The number of a name test, the same for equal ones.
    pub(super) fn name_test(&mut self, test: NameTest) -> usize {
        match self.name_tests.iter().position(|known| *known == test) {
            Some(index) => index,
            None => {
                self.name_tests.push(test);
                self.name_tests.len() - 1
            }
        }
    }

    fn call(&mut self, name: &str, args: &[Expr], repeated: bool) -> Result<Operation, String> {
        let function = Function::named(name).ok_or_else(|| format!("there is no function {name}()"))?;
        let (least, most) = function.arity();
        if args.len() < least || args.len() > most {
            return Err(format!("{name}() does not take {} arguments", args.len()));
        }
        if let (Function::Matches, [input, Expr::String { value: pattern }, flags @ ..]) = (function, args) {
            let flags = match flags {
                [] => Some(""),
                [Expr::String { value }] => Some(value.as_str()),
                _ => None,
            };
            if let Some(flags) = flags {
                let pattern = regex::compile(pattern, flags)?;
                return Ok(Operation::Matches(self.boxed(input, repeated)?, pattern));
            }
        }
        let mut operands = match function {
            Function::Count | Function::Sum | Function::LocalName | Function::Name | Function::NamespaceUri => {
                args.iter().map(|arg| self.nodes(arg, repeated)).collect::<Result<_, _>>()?
            }
            _ => self.all(args, repeated)?,
        };
        if operands.is_empty() && function.defaults_to_context() {
            operands.push(Operation::Context);
        }
        Ok(Operation::Call(function, operands))
    }

    /// An operand that must give nodes.
    fn nodes(&mut self, expr: &Expr, repeated: bool) -> Result<Operation, String> {
        let operation = self.compile(expr, repeated)?;
        match operation.static_type() {
            Type::Nodes | Type::Any => Ok(operation),
            other => Err(format!("nodes are needed here, not a {}", format!("{other:?}").to_lowercase())),
        }
    }

    fn boxed(&mut self, expr: &Expr, repeated: bool) -> Result<Box<Operation>, String> {
        self.compile(expr, repeated).map(Box::new)
    }

    fn all(&mut self, exprs: &[Expr], repeated: bool) -> Result<Vec<Operation>, String> {
        exprs.iter().map(|expr| self.compile(expr, repeated)).collect()
    }
}

/// Predicates that only look at the position, by constants.
fn simple_position(expr: &Expr) -> Option<Predicate> {
    match expr {
        Expr::Number { value } => Some(at(*value)),
        Expr::Call { name, args } if name == "last" && args.is_empty() => Some(Predicate::Last),
        Expr::Compare { comparison, left, right } => {
            let (comparison, other) = match (is_call(left, "position"), is_call(right, "position")) {
                (true, false) => (*comparison, right),
                (false, true) => (mirrored(*comparison), left),
                _ => return None,
            };
            if comparison == Comparison::Eq && is_call(other, "last") {
                return Some(Predicate::Last);
            }
            let Expr::Number { value } = **other else { return None };
            match comparison {
                Comparison::Eq => Some(at(value)),
                // The cast takes NaN and what is negative to 0, which no position is.
                Comparison::Le => Some(Predicate::UpTo(value.floor() as usize)),
                Comparison::Lt => Some(Predicate::UpTo((value.ceil() - 1.0) as usize)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Position 0 is none: for numbers that no position is.
fn at(value: f64) -> Predicate {
    Predicate::At(if value >= 1.0 && value.fract() == 0.0 { value as usize } else { 0 })
}

fn is_call(expr: &Expr, function: &str) -> bool {
    matches!(expr, Expr::Call { name, args } if name == function && args.is_empty())
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}
