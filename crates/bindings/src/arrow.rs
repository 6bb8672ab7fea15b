//! Tables of documents in, tables of deliveries out. Documents are read where Arrow keeps them.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, TimestampMicrosecondType};
use arrow_array::{
    Array, BinaryArray, GenericByteArray, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use penstock_engine::catalog::DocumentWorker;
use penstock_engine::machine::Batch;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use crate::errors::{guarded, Failure};
use crate::rows::{Document, Rows};
use crate::subscriptions::Subscriptions;
use crate::taken::Taken;
use crate::taker::Taker;

/// Arrow's strings, and Spark's, end here.
const LONGEST: usize = i32::MAX as usize;

/// Row of the document, the one subscription it failed for (None: for all), class, message, line, column, offset.
pub type Letter = (usize, Option<String>, &'static str, String, u64, u64, u64);

/// Why a table was not matched.
pub enum Refusal {
    Internal(String),
    Table(String),
}

impl From<ArrowError> for Refusal {
    fn from(error: ArrowError) -> Refusal {
        Refusal::Table(error.to_string())
    }
}

/// The columns of a table of documents.
struct Documents<'a> {
    ids: &'a StringArray,
    streams: &'a StringArray,
    times: &'a TimestampMicrosecondArray,
    xml: Xml<'a>,
}

enum Xml<'a> {
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    Bytes(&'a BinaryArray),
    LargeBytes(&'a LargeBinaryArray),
}

impl<'a> Documents<'a> {
    fn new(batch: &'a RecordBatch) -> Result<Documents<'a>, Refusal> {
        let column = |name: &str| batch.column_by_name(name).ok_or_else(|| wrong(name));
        let xml = column("xml")?;
        let xml = match xml.data_type() {
            DataType::Utf8 => Xml::Text(xml.as_string()),
            DataType::LargeUtf8 => Xml::LargeText(xml.as_string()),
            DataType::Binary => Xml::Bytes(xml.as_binary()),
            DataType::LargeBinary => Xml::LargeBytes(xml.as_binary()),
            _ => return Err(wrong("xml")),
        };
        Ok(Documents {
            ids: column("id")?.as_string_opt().ok_or_else(|| wrong("id"))?,
            streams: column("stream")?.as_string_opt().ok_or_else(|| wrong("stream"))?,
            times: column("time")?.as_primitive_opt::<TimestampMicrosecondType>().ok_or_else(|| wrong("time"))?,
            xml,
        })
    }

    fn document(&self, row: usize) -> Document<'a> {
        Document { id: self.ids.value(row), stream: self.streams.value(row), time: self.times.value(row) }
    }

    /// The document's bytes, and whether they are text already decoded.
    fn xml(&self, row: usize) -> Option<(ScalarBuffer<u8>, bool)> {
        match self.xml {
            Xml::Text(column) => Some((value(column, row)?, true)),
            Xml::LargeText(column) => Some((value(column, row)?, true)),
            Xml::Bytes(column) => Some((value(column, row)?, false)),
            Xml::LargeBytes(column) => Some((value(column, row)?, false)),
        }
    }
}

/// A value where Arrow keeps it.
fn value<T: ByteArrayType>(column: &GenericByteArray<T>, row: usize) -> Option<ScalarBuffer<u8>> {
    let (start, length) = (column.value_offsets()[row].as_usize(), column.value_length(row).as_usize());
    (!column.is_null(row)).then(|| ScalarBuffer::new(column.values().clone(), start, length))
}

fn wrong(column: &str) -> Refusal {
    Refusal::Table(format!("the column {column} is missing or of a type that documents do not have"))
}

/// Matches each row. With `stop` the first document that is refused is the last. All rows see the same subscriptions.
pub fn table(
    worker: &mut DocumentWorker,
    subscriptions: &Subscriptions,
    batch: &RecordBatch,
    grouped: bool,
    stop: bool,
) -> Result<(Vec<RecordBatch>, Vec<Letter>), Refusal> {
    let registry = subscriptions.read();
    let documents = Documents::new(batch)?;
    let mut rows = Rows::new(grouped);
    let mut letters = Vec::new();
    for row in 0..batch.num_rows() {
        let document = documents.document(row);
        let Some((xml, is_text)) = documents.xml(row) else {
            letters.push((row, None, "not-well-formed", "the document is null".to_owned(), 1, 1, 0));
            if stop {
                break;
            }
            continue;
        };
        let pieces = std::iter::once(xml);
        match guarded(|| worker.document(&registry.catalog, document.stream, pieces, is_text, false)) {
            Ok((None, _)) => {}
            Ok((Some(found), _)) => {
                add(&mut rows, &mut letters, row, &document, &Taken::new(&registry, found.batch))?;
            }
            Err(Failure::Document(error)) => {
                letters.push((row, None, error.class.as_str(), error.message, error.line, error.column, error.offset));
                if stop {
                    break;
                }
            }
            Err(Failure::Internal(text)) => return Err(Refusal::Internal(text)),
        }
    }
    Ok((rows.finish()?, letters))
}

/// The rows of one document: its items in document order, then what is joined to one delivery a document.
fn add(
    rows: &mut Rows,
    letters: &mut Vec<Letter>,
    row: usize,
    document: &Document<'_>,
    taken: &Taken,
) -> Result<(), Refusal> {
    let Taken { batch, takers } = taken;
    let texts: Vec<Cow<'_, str>> = (0..batch.fragments.len()).map(|index| batch.text(index)).collect();
    for (id, message) in taken.failures() {
        letters.push((row, Some(id), "evaluation", message, 0, 0, 0));
    }
    let is_grouped = rows.grouped();
    let mut give = |kind: &str, sequence: u64, fragment: &str, takers: &[&Taker]| {
        if fragment.len() > LONGEST {
            let message = format!("a result of {} bytes is longer than a column can hold", fragment.len());
            letters.push((row, None, "limit", message, 0, 0, sequence));
            return Ok(());
        }
        rows.add(document, kind, sequence, fragment, takers)
    };
    let mut give_fragment = |index: u32, takers: &[&Taker]| {
        let fragment = &batch.fragments[index as usize];
        give(fragment.kind.as_str(), fragment.offset, &texts[index as usize], takers)
    };
    let items = batch.deliveries.iter().map(|&(output, index)| (index, &takers[output as usize]));
    let mut items = items.filter(|(_, taker)| !taker.joins);
    if is_grouped {
        grouped(batch, &texts, items).iter().try_for_each(|(index, takers)| give_fragment(*index, takers))?;
    } else {
        items.try_for_each(|(index, taker)| give_fragment(index, &[taker]))?;
    }
    for (taker, sequence, fragment) in taken.joined() {
        give("document", sequence, &fragment, &[&takers[taker as usize]])?;
    }
    Ok(())
}

/// Fragments with their takers. A node that was decided for one sooner than for another is two fragments to the engine,
/// but one to its reader.
fn grouped<'a>(
    batch: &Batch,
    texts: &[Cow<'_, str>],
    items: impl Iterator<Item = (u32, &'a Taker)>,
) -> Vec<(u32, Vec<&'a Taker>)> {
    let mut places: HashMap<(&str, u64, &str), usize> = HashMap::new();
    let mut found: Vec<(u32, Vec<&Taker>)> = Vec::new();
    for (index, taker) in items {
        let fragment = &batch.fragments[index as usize];
        let node = (fragment.kind.as_str(), fragment.offset, &*texts[index as usize]);
        let place = *places.entry(node).or_insert(found.len());
        if place == found.len() {
            found.push((index, Vec::new()));
        }
        found[place].1.push(taker);
    }
    found
}

/// As pyarrow's, for the callers in Python.
pub fn to_pyarrow(py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    batches.into_iter().map(|batch| PyRecordBatch::new(batch).into_pyarrow(py)).collect()
}
