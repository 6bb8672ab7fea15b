//! What queries have in common that differ only in their literals.

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::index::{filled, holes, with_holes, Constant, Path};
use crate::machine::CompiledProgram;
use crate::sharing::{KnownWork, Shared};

/// Integers beyond are not doubles.
const GREATEST: f64 = 9_007_199_254_740_992.0;

#[derive(Serialize, Deserialize)]
pub enum Shape {
    /// Paths with holes for the literals.
    Paths(Vec<Path>),
    Work(Work),
    /// Queries of this shape cannot be made from each other.
    Impossible,
}

/// The pattern of a query with holes, and its work, which is the same for all.
#[derive(Serialize, Deserialize)]
pub struct Work {
    paths: Vec<Path>,
    work: KnownWork,
    /// Literals that are not in the pattern, or not only there: what is to be known of a query has the same.
    fixed: Vec<(usize, Constant)>,
}

/// A query made from its shape and its literals.
pub struct Known {
    pub paths: Vec<Path>,
    pub work: Option<KnownWork>,
}

impl Shape {
    /// The shape of a query with these literals, from what the compiler made of it and of the probe, whose are the marks.
    /// What does not give what the compiler gives is impossible.
    pub fn learned(
        catalog: &mut Catalog,
        literals: &[Constant],
        marks: &[Constant],
        program: &CompiledProgram,
        probe: &CompiledProgram,
    ) -> Shape {
        let found = match (&program.shared, &probe.shared) {
            (None, None) => {
                let paths = catalog.paths(probe).and_then(|paths| with_holes(paths, marks));
                let wanted = catalog.paths(program);
                paths.filter(|paths| wanted.is_some_and(|wanted| filled(paths, literals) == wanted)).map(Shape::Paths)
            }
            (Some(own), Some(probed)) => {
                Work::learned(catalog, literals, marks, (program, own), (probe, probed)).map(Shape::Work)
            }
            _ => None,
        };
        found.unwrap_or(Shape::Impossible)
    }

    /// Whether `filled` gives a query.
    pub fn takes(&self, literals: &[Constant]) -> bool {
        match self {
            Shape::Paths(_) => true,
            Shape::Work(work) => work.takes(literals),
            Shape::Impossible => false,
        }
    }

    /// A query of this shape; None if its literals are such that only the compiler can say.
    pub fn filled(&self, literals: &[Constant]) -> Option<Known> {
        match self {
            Shape::Paths(paths) => Some(Known { paths: filled(paths, literals), work: None }),
            Shape::Work(work) => work.filled(literals),
            Shape::Impossible => None,
        }
    }
}

impl Work {
    fn learned(
        catalog: &mut Catalog,
        literals: &[Constant],
        marks: &[Constant],
        (program, own): (&CompiledProgram, &Shared),
        (probe, probed): (&CompiledProgram, &Shared),
    ) -> Option<Work> {
        let (work, probed_work) = (KnownWork::new(program, own)?, KnownWork::new(probe, probed)?);
        let (paths, is_found) = holes(catalog.paths(&probed.pattern)?, marks);
        let is_fixed = |place: usize| !is_found[place] || probed_work.mentions(&marks[place]);
        let fixed: Vec<_> = (0..marks.len()).filter(|&place| is_fixed(place)).collect();
        if probed_work.has_residual() && fixed.iter().any(|&place| matches!(literals[place], Constant::Number(_))) {
            // A whole number and one with a point are not always the same to XQuery.
            return None;
        }
        let made = Work {
            paths,
            work: work.with_residual_of(&probed_work),
            fixed: fixed.iter().map(|&place| (place, literals[place].clone())).collect(),
        };
        let again = made.filled(literals)?;
        (again.paths == catalog.paths(&own.pattern)?).then_some(made)
    }

    fn takes(&self, literals: &[Constant]) -> bool {
        let is_same = |(place, literal): &(usize, Constant)| literals.get(*place) == Some(literal);
        self.fixed.iter().all(is_same) && literals.iter().all(is_itself)
    }

    fn filled(&self, literals: &[Constant]) -> Option<Known> {
        let known = || Known { paths: filled(&self.paths, literals), work: Some(self.work.filled(literals)) };
        self.takes(literals).then(known)
    }
}

/// Whether a literal means to XQuery what it says: no reference, no line end that becomes another.
fn is_itself(literal: &Constant) -> bool {
    match literal {
        Constant::Text(text) => !text.contains(&b'&') && !text.contains(&b'\r'),
        Constant::Number(number) => number.abs() <= GREATEST,
        Constant::Hole(_) => false,
    }
}
