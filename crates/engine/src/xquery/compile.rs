//! From the planner's form to the one that is executed: variables to places, names to numbers.

use std::sync::Arc;

use crate::evaluator::{compile_regex, compile_test, Axis, NameTest};
use crate::ir::Axis as XpathAxis;

use super::fixed::is_fixed;
use super::functions::Function;
use super::ir::{self, AtomicType, Expr};
use super::operation::{Bindings, Clause, Constructor, Operation, OrderKey, Predicate, QName, Slot, Step};
use super::value::Atomic;

/// A query ready to be evaluated, any number of times, by any number of threads.
#[derive(Debug)]
pub struct Compiled {
    pub(super) operation: Operation,
    pub(super) name_tests: Vec<NameTest>,
    /// How many variables there are.
    pub(super) slots: usize,
    /// How many paths are evaluated once.
    pub(super) fixed: usize,
}

type Made<T> = Result<T, String>;

impl Compiled {
    /// Compiles a query, or says what is wrong with it.
    pub fn new(expr: &Expr) -> Made<Compiled> {
        Compiled::given(expr, &[])
    }

    /// Compiles a query with variables whose values it will be given.
    pub(crate) fn given(expr: &Expr, variables: &[&str]) -> Made<Compiled> {
        let mut compiler = Compiler::default();
        for name in variables {
            compiler.bind(name);
        }
        let operation = compiler.compile(expr)?;
        Ok(Compiled { operation, name_tests: compiler.name_tests, slots: compiler.slots, fixed: compiler.fixed })
    }
}

#[derive(Default)]
struct Compiler {
    name_tests: Vec<NameTest>,
    slots: usize,
    fixed: usize,
    /// Variables in scope, innermost last.
    scope: Vec<(String, Slot)>,
}

impl Compiler {
    fn compile(&mut self, expr: &Expr) -> Made<Operation> {
        Ok(match expr {
            Expr::Constant { kind, value } => Operation::Constant(constant(*kind, value)?),
            Expr::Variable { name } => Operation::Variable(self.variable(name)?),
            Expr::Context => Operation::Context,
            Expr::Root => Operation::Root,
            Expr::Sequence { items } => Operation::Sequence(self.all(items)?),
            Expr::Path { start, steps } => {
                let compiled = steps.iter().map(|step| self.step(step)).collect::<Made<_>>()?;
                if is_fixed(expr) {
                    self.fixed += 1;
                    Operation::FixedPath(self.fixed - 1, compiled)
                } else {
                    Operation::Path(self.boxed(start)?, compiled)
                }
            }
            Expr::Each { base, step } => Operation::Each(self.pair(base, step)?),
            Expr::Mapped { base, step } => Operation::Mapped(self.pair(base, step)?),
            Expr::Filter { base, predicates } => {
                let base = self.boxed(base)?;
                Operation::Filter(base, self.predicates(predicates)?)
            }
            Expr::Union { args } => Operation::Union(self.all(args)?),
            Expr::Intersect { left, right } => Operation::Intersect(self.pair(left, right)?),
            Expr::Except { left, right } => Operation::Except(self.pair(left, right)?),
            Expr::Or { args } => Operation::Or(self.all(args)?),
            Expr::And { args } => Operation::And(self.all(args)?),
            Expr::Compare { comparison, left, right } => Operation::Compare(*comparison, self.pair(left, right)?),
            Expr::CompareValues { comparison, left, right } => {
                Operation::CompareValues(*comparison, self.pair(left, right)?)
            }
            Expr::CompareNodes { comparison, left, right } => {
                Operation::CompareNodes(*comparison, self.pair(left, right)?)
            }
            Expr::Arithmetic { operator, left, right } => Operation::Arithmetic(*operator, self.pair(left, right)?),
            Expr::Negate { arg, positive: false } => Operation::Negate(self.boxed(arg)?),
            Expr::Negate { arg, positive: true } => Operation::Plus(self.boxed(arg)?),
            Expr::Range { first, last } => Operation::Range(self.pair(first, last)?),
            Expr::Cast { kind, arg, optional } => Operation::Cast(*kind, self.boxed(arg)?, *optional),
            Expr::Castable { kind, arg, optional } => Operation::Castable(*kind, self.boxed(arg)?, *optional),
            Expr::Call { name, args } => self.call(name, args)?,
            Expr::If { condition, then, otherwise } => {
                Operation::If(Box::new([self.compile(condition)?, self.compile(then)?, self.compile(otherwise)?]))
            }
            Expr::Quantified { every, variable, domain, satisfies } => {
                let domain = self.compile(domain)?;
                let slot = self.bind(variable);
                let satisfies = self.compile(satisfies)?;
                self.scope.pop();
                Operation::Quantified { every: *every, slot, parts: Box::new([domain, satisfies]) }
            }
            Expr::Flwor { clauses, returned } => self.flwor(clauses, returned)?,
            Expr::Yielding { flwor } => Operation::Yielding(self.boxed(flwor)?),
            Expr::UnlessBarren { constructor } => Operation::UnlessBarren(self.boxed(constructor)?),
            constructor => Operation::Construct(self.constructor(constructor)?),
        })
    }

    fn constructor(&mut self, expr: &Expr) -> Made<Constructor> {
        Ok(match expr {
            Expr::Element { name, namespaces, attributes, content } => Constructor::Element {
                name: qname(name),
                namespaces: bindings(namespaces),
                attributes: attributes
                    .iter()
                    .map(|one| Ok((qname(&one.name), self.all(&one.parts)?)))
                    .collect::<Made<_>>()?,
                content: self.all(content)?,
            },
            Expr::NamedElement { name, scope, content } => Constructor::NamedElement {
                name: self.boxed(name)?,
                scope: bindings(scope),
                content: self.boxed(content)?,
            },
            Expr::Attribute(one) => Constructor::Attribute { name: qname(&one.name), parts: self.all(&one.parts)? },
            Expr::NamedAttribute { name, scope, content } => Constructor::NamedAttribute {
                name: self.boxed(name)?,
                scope: bindings(scope),
                content: self.boxed(content)?,
            },
            Expr::Text { content } => Constructor::Text(self.boxed(content)?),
            Expr::Comment { content } => Constructor::Comment(self.boxed(content)?),
            Expr::Instruction { target, content } => Constructor::Instruction(self.pair(target, content)?),
            Expr::Document { content } => Constructor::Document(self.boxed(content)?),
            _ => return Err("not a constructor".to_owned()),
        })
    }

    fn flwor(&mut self, clauses: &[ir::Clause], returned: &Expr) -> Made<Operation> {
        let outer = self.scope.len();
        let mut compiled = Vec::with_capacity(clauses.len());
        for clause in clauses {
            compiled.push(self.clause(clause, outer)?);
        }
        let returned = self.boxed(returned)?;
        self.scope.truncate(outer);
        Ok(Operation::Flwor(compiled, returned))
    }

    /// `outer` counts the variables that the FLWOR did not bind itself.
    fn clause(&mut self, clause: &ir::Clause, outer: usize) -> Made<Clause> {
        Ok(match clause {
            ir::Clause::For { variable, position, domain, allowing_empty } => {
                let domain = self.compile(domain)?;
                let slot = self.bind(variable);
                let position = position.as_ref().map(|name| self.bind(name));
                Clause::For { slot, position, domain, allowing_empty: *allowing_empty }
            }
            ir::Clause::Let { variable, value } => {
                let value = self.compile(value)?;
                Clause::Let { slot: self.bind(variable), value }
            }
            ir::Clause::Where { condition } => Clause::Where(self.compile(condition)?),
            ir::Clause::OrderBy { keys } => {
                let keys = keys.iter().map(|key| {
                    let compiled = self.compile(&key.key)?;
                    Ok(OrderKey { key: compiled, descending: key.descending, empty_greatest: key.empty_greatest })
                });
                Clause::OrderBy { keys: keys.collect::<Made<_>>()?, bound: self.bound(outer) }
            }
            ir::Clause::GroupBy { variables } => {
                let keys = variables.iter().map(|name| self.variable(name)).collect::<Made<Vec<_>>>()?;
                let others = self.bound(outer).into_iter().filter(|slot| !keys.contains(slot)).collect();
                Clause::GroupBy { keys, others }
            }
            ir::Clause::Count { variable } => {
                let bound = self.bound(outer);
                Clause::Count { slot: self.bind(variable), bound }
            }
        })
    }

    fn bound(&self, outer: usize) -> Vec<Slot> {
        self.scope[outer..].iter().map(|&(_, slot)| slot).collect()
    }

    fn bind(&mut self, name: &str) -> Slot {
        let slot = self.slots;
        self.slots += 1;
        self.scope.push((name.to_owned(), slot));
        slot
    }

    fn variable(&self, name: &str) -> Made<Slot> {
        let found = self.scope.iter().rev().find(|(known, _)| known == name);
        found.map(|&(_, slot)| slot).ok_or_else(|| format!("the variable ${name} is not bound"))
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> Made<Operation> {
        let function = Function::named(name).ok_or_else(|| format!("there is no function {name}()"))?;
        let (least, most) = function.arity();
        if args.len() < least || args.len() > most {
            return Err(format!("{name}() with {} arguments", args.len()));
        }
        let regex = match function {
            Function::Matches | Function::Tokenize => known_regex(args.get(1), args.get(2))?,
            Function::Replace => known_regex(args.get(1), args.get(3))?,
            _ => None,
        };
        let args = self.all(args)?;
        Ok(match regex {
            Some(regex) => Operation::RegexCall(function, args, Box::new(regex)),
            None => Operation::Call(function, args),
        })
    }

    fn step(&mut self, step: &ir::Step) -> Made<Step> {
        let predicates = self.predicates(&step.predicates)?;
        let tests = &mut self.name_tests;
        let test = compile_test(&step.test, &mut |test| match tests.iter().position(|known| *known == test) {
            Some(index) => index,
            None => {
                tests.push(test);
                tests.len() - 1
            }
        });
        let forward = !matches!(
            step.axis,
            XpathAxis::Parent
                | XpathAxis::Ancestor
                | XpathAxis::AncestorOrSelf
                | XpathAxis::Preceding
                | XpathAxis::PrecedingSibling
        );
        Ok(Step { axis: Axis::Xpath(step.axis), test, predicates, forward })
    }

    fn predicates(&mut self, exprs: &[Expr]) -> Made<Vec<Predicate>> {
        exprs.iter().map(|expr| self.predicate(expr)).collect()
    }

    fn predicate(&mut self, expr: &Expr) -> Made<Predicate> {
        let operation = self.compile(expr)?;
        Ok(match operation {
            Operation::Constant(Atomic::Integer(place)) => Predicate::At(usize::try_from(place).unwrap_or(0)),
            Operation::Call(Function::Last, _) => Predicate::Last,
            other if other.is_boolean() || other.gives_nodes() => Predicate::Truth(other),
            other => Predicate::Any(other),
        })
    }

    fn all(&mut self, exprs: &[Expr]) -> Made<Vec<Operation>> {
        exprs.iter().map(|expr| self.compile(expr)).collect()
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Made<Box<[Operation; 2]>> {
        Ok(Box::new([self.compile(left)?, self.compile(right)?]))
    }

    fn boxed(&mut self, expr: &Expr) -> Made<Box<Operation>> {
        Ok(Box::new(self.compile(expr)?))
    }
}

pub(super) fn constant(kind: AtomicType, value: &str) -> Made<Atomic> {
    Atomic::String(value.into()).cast(kind).map_err(|error| error.to_string())
}

fn known_regex(pattern: Option<&Expr>, flags: Option<&Expr>) -> Made<Option<::regex::Regex>> {
    let text = |expr: &Expr| match expr {
        Expr::Constant { kind: AtomicType::String, value } => Some(value.clone()),
        _ => None,
    };
    let Some(pattern) = pattern.and_then(text) else { return Ok(None) };
    match flags.map(text) {
        None => regex(&pattern, "").map(Some),
        Some(Some(flags)) => regex(&pattern, &flags).map(Some),
        Some(None) => Ok(None),
    }
}

/// The flag `q` takes every character of the pattern for itself.
pub(super) fn regex(pattern: &str, flags: &str) -> Made<::regex::Regex> {
    if !flags.contains('q') {
        return compile_regex(pattern, flags);
    }
    let literal: String = pattern
        .chars()
        .flat_map(|one| {
            let special = "\\|.?*+(){}-[]^$".contains(one);
            special.then_some('\\').into_iter().chain(Some(one))
        })
        .collect();
    compile_regex(&literal, &flags.replace(['q', 'm', 's', 'x'], ""))
}

fn qname(name: &ir::Name) -> QName {
    QName { prefix: name.prefix.as_str().into(), local: name.local.as_str().into(), uri: name.uri.as_str().into() }
}

fn bindings(pairs: &[(String, String)]) -> Bindings {
    pairs.iter().map(|(prefix, uri)| (Arc::from(prefix.as_str()), Arc::from(uri.as_str()))).collect()
}
