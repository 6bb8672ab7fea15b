//! FLWOR expressions: a stream of tuples of variables, gathered where the clauses ask for all of them at once.

use std::cmp::Ordering;

use super::compare::{make_comparable, same, sort_order};
use super::error::{too_many, Result};
use super::operation::{Clause, Operation, OrderKey, Slot};
use super::run::{Focus, Run};
use super::value::{Atomic, Item, Value};

type Sink<'s> = &'s mut dyn FnMut() -> Result<()>;

/// Values of the variables bound so far.
type Tuple = Vec<Value>;
/// Keys of a sort or a group: one value each, or none.
type Keys = Vec<Option<Atomic>>;

impl<'a> Run<'a> {
    pub(super) fn flwor(&self, clauses: &'a [Clause], returned: &'a Operation, focus: &Focus<'_>) -> Result<Value> {
        let mut items: Vec<Item> = Vec::new();
        self.tuples(clauses, focus, &mut || {
            let value = self.value(returned, focus)?;
            self.charge_items(value.len())?;
            match value {
                Value::Empty => {}
                Value::One(item) => items.push(item),
                many @ Value::Many(_) => items.extend(many.into_items()),
            }
            Ok(())
        })?;
        Ok(items.into())
    }

    /// Calls `sink` for each tuple, the variables set.
    fn tuples(&self, clauses: &'a [Clause], focus: &Focus<'_>, sink: Sink<'_>) -> Result<()> {
        let gathers =
            |clause: &Clause| matches!(clause, Clause::OrderBy { .. } | Clause::GroupBy { .. } | Clause::Count { .. });
        let Some(place) = clauses.iter().rposition(gathers) else { return self.stream(clauses, focus, sink) };
        let (before, rest) = (&clauses[..place], &clauses[place + 1..]);
        match &clauses[place] {
            Clause::OrderBy { keys, bound } => {
                let mut tuples: Vec<(Keys, Tuple)> = Vec::new();
                self.tuples(before, focus, &mut || {
                    tuples.push((self.order_keys(keys, focus)?, self.tuple(bound)));
                    self.charge_items(keys.len() + bound.len() + 2)
                })?;
                for (_, tuple) in sorted(tuples, keys)? {
                    self.restore(bound, tuple);
                    self.stream(rest, focus, sink)?;
                }
                Ok(())
            }
            Clause::GroupBy { keys, others } => {
                for (values, tuple) in self.groups(before, keys, others, focus)? {
                    for (&slot, value) in keys.iter().zip(values) {
                        self.set(slot, value.into());
                    }
                    self.restore(others, tuple);
                    self.stream(rest, focus, sink)?;
                }
                Ok(())
            }
            Clause::Count { slot, bound } => {
                let mut tuples: Vec<Tuple> = Vec::new();
                self.tuples(before, focus, &mut || {
                    tuples.push(self.tuple(bound));
                    self.charge_items(bound.len() + 1)
                })?;
                for (index, tuple) in tuples.into_iter().enumerate() {
                    self.restore(bound, tuple);
                    self.set(*slot, Value::integer(index + 1));
                    self.stream(rest, focus, sink)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Clauses that take one tuple at a time.
    fn stream(&self, mut clauses: &'a [Clause], focus: &Focus<'_>, sink: Sink<'_>) -> Result<()> {
        while let Some((clause, rest)) = clauses.split_first() {
            match clause {
                Clause::For { slot, position, domain, allowing_empty } => {
                    let domain = self.value(domain, focus)?;
                    let bind = |value: Value, place: usize| {
                        self.set(*slot, value);
                        if let Some(position) = position {
                            self.set(*position, Value::integer(place));
                        }
                    };
                    if domain.is_empty() && *allowing_empty {
                        bind(Value::Empty, 0);
                    } else {
                        for (index, item) in domain.items().iter().enumerate() {
                            bind(Value::One(item.clone()), index + 1);
                            self.stream(rest, focus, sink)?;
                        }
                        return Ok(());
                    }
                }
                Clause::Let { slot, value } => {
                    let value = self.value(value, focus)?;
                    self.set(*slot, value);
                }
                Clause::Where(condition) => {
                    if !self.boolean(condition, focus)? {
                        return Ok(());
                    }
                }
                // These gather tuples: `tuples` deals with them.
                Clause::OrderBy { .. } | Clause::GroupBy { .. } | Clause::Count { .. } => {}
            }
            clauses = rest;
        }
        sink()
    }

    fn tuple(&self, bound: &[Slot]) -> Tuple {
        let slots = self.slots.borrow();
        bound.iter().map(|&slot| slots[slot].clone()).collect()
    }

    fn restore(&self, bound: &[Slot], tuple: Tuple) {
        for (&slot, value) in bound.iter().zip(tuple) {
            self.set(slot, value);
        }
    }

    fn order_keys(&self, keys: &'a [OrderKey], focus: &Focus<'_>) -> Result<Keys> {
        keys.iter().map(|key| self.optional_atomic(&key.key, "a key of 'order by'", focus)).collect()
    }

    /// Groups in the order of their first tuples: the key's value, and the others' values put together.
    fn groups(
        &self,
        before: &'a [Clause],
        keys: &[Slot],
        others: &[Slot],
        focus: &Focus<'_>,
    ) -> Result<Vec<(Keys, Tuple)>> {
        let mut groups: Vec<(Keys, Vec<Vec<Item>>)> = Vec::new();
        self.tuples(before, focus, &mut || {
            let values = self.tuple(keys).iter().map(|value| self.group_key(value)).collect::<Result<Vec<_>>>()?;
            self.charge(groups.len() as u64)?;
            let known = groups.iter_mut().find(|(group, _)| group.iter().zip(&values).all(same_key));
            let members = match known {
                Some((_, members)) => members,
                None => {
                    groups.push((values, vec![Vec::new(); others.len()]));
                    match groups.last_mut() {
                        Some((_, members)) => members,
                        None => return Ok(()),
                    }
                }
            };
            for (items, value) in members.iter_mut().zip(self.tuple(others)) {
                self.charge_items(value.len())?;
                items.extend(value.into_items());
            }
            Ok(())
        })?;
        let tuple = |members: Vec<Vec<Item>>| members.into_iter().map(Value::from).collect();
        Ok(groups.into_iter().map(|(key, members)| (key, tuple(members))).collect())
    }

    fn group_key(&self, value: &Value) -> Result<Option<Atomic>> {
        match value.items() {
            [] => Ok(None),
            [item] => Ok(Some(match self.atomized(item) {
                Atomic::Untyped(text) => Atomic::String(text),
                other => other,
            })),
            _ => Err(too_many("a key of 'group by'")),
        }
    }
}

fn same_key((left, right): (&Option<Atomic>, &Option<Atomic>)) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same(left, right),
        _ => false,
    }
}

/// Sorted by the keys; tuples whose keys are equal stay in their order.
fn sorted(mut tuples: Vec<(Keys, Tuple)>, keys: &[OrderKey]) -> Result<Vec<(Keys, Tuple)>> {
    for place in 0..keys.len() {
        make_comparable(tuples.iter_mut().filter_map(|(values, _)| values[place].as_mut()))?;
    }
    tuples.sort_by(|(left, _), (right, _)| {
        let orders = left.iter().zip(right).zip(keys).map(|((left, right), key)| {
            let order = sort_order(left.as_ref(), right.as_ref(), key.empty_greatest);
            if key.descending {
                order.reverse()
            } else {
                order
            }
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(tuples)
}
