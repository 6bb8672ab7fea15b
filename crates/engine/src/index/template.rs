//! Queries that differ only in their constants: the paths of one of them, with holes.

use super::pattern::{Condition, Constant, Path, Step, Value};

/// The paths of a query whose constants were found to be these, with holes in their place.
///
/// Each constant must be there at least once: a query that hides one elsewhere is of no use as a template.
pub fn with_holes(paths: Vec<Path>, constants: &[Constant]) -> Option<Vec<Path>> {
    let (paths, found) = holes(paths, constants);
    found.into_iter().all(|found| found).then_some(paths)
}

/// The paths with holes in the place of the constants, and which of them are there.
pub fn holes(mut paths: Vec<Path>, constants: &[Constant]) -> (Vec<Path>, Vec<bool>) {
    let mut found = vec![false; constants.len()];
    each_value(&mut paths, &mut |value| {
        if let Some(place) = constants.iter().position(|constant| *constant == value.constant) {
            found[place] = true;
            value.constant = Constant::Hole(place);
        }
    });
    (paths, found)
}

/// The paths of a template with its holes filled.
pub fn filled(template: &[Path], constants: &[Constant]) -> Vec<Path> {
    let mut paths = template.to_vec();
    each_value(&mut paths, &mut |value| {
        if let Constant::Hole(place) = value.constant {
            if let Some(constant) = constants.get(place) {
                value.constant = constant.clone();
            }
        }
    });
    paths
}

fn each_value(paths: &mut [Path], change: &mut impl FnMut(&mut Value)) {
    paths.iter_mut().flatten().for_each(|step| each_in_step(step, change));
}

fn each_in_step(step: &mut Step, change: &mut impl FnMut(&mut Value)) {
    step.conditions.iter_mut().for_each(|condition| each_in_condition(condition, change));
}

fn each_in_condition(condition: &mut Condition, change: &mut impl FnMut(&mut Value)) {
    match condition {
        Condition::All(args) | Condition::Any(args) => args.iter_mut().for_each(|arg| each_in_condition(arg, change)),
        Condition::Not(arg) => each_in_condition(arg, change),
        Condition::Exists(step) => each_in_step(step, change),
        Condition::Value(value) => change(value),
        Condition::Position { among, .. } => among.iter_mut().for_each(|one| each_in_condition(one, change)),
        Condition::Known(_) | Condition::Is(_) => {}
    }
}
