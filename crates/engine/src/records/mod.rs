//! Record documents out of large XML: the outermost elements of a given name, each made to stand alone.
//!
//! Where a record begins cannot be judged from the middle of a file (CDATA sections, comments and elements of the
//! same name hide it), so the reader itself finds it. [`Splitter`] gives the records one after the other;
//! [`Cutter`] only finds places from which a splitter can start, so that several can work on one file.

mod cutter;
mod lines;
mod row_tag;
mod splitter;

pub use cutter::{Cut, Cutter};
pub use splitter::{Record, Splitter};

use crate::limits::Limits;

/// A file of records has no largest size: what counts is the size of a record.
fn without_document_limit(limits: Limits) -> Limits {
    Limits { document_bytes: u64::MAX, ..limits }
}
