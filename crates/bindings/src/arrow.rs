//! Tables of documents in, tables of deliveries out. Documents are read where Arrow keeps them.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{
    Array, BinaryArray, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::DataType;
use penstock_engine::machine::{Batch, Worker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::PyRecordBatch;

use crate::engine::Engine;
use crate::errors::{guarded, to_python, Failure};
use crate::program::Set;
use crate::results;
use crate::rows::{Document, Rows, Taker};

/// Arrow's strings, and Spark's, end here.
const LONGEST: usize = i32::MAX as usize;

/// Row of the document, the one subscription it failed for (None: for all), class, message, line, column, offset.
pub type Letter = (usize, Option<Py<PyString>>, &'static str, String, u64, u64, u64);

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
    fn new(batch: &'a RecordBatch) -> PyResult<Documents<'a>> {
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
    fn xml(&self, row: usize) -> Option<(&'a [u8], bool)> {
        match self.xml {
            Xml::Text(column) => (!column.is_null(row)).then(|| (column.value(row).as_bytes(), true)),
            Xml::LargeText(column) => (!column.is_null(row)).then(|| (column.value(row).as_bytes(), true)),
            Xml::Bytes(column) => (!column.is_null(row)).then(|| (column.value(row), false)),
            Xml::LargeBytes(column) => (!column.is_null(row)).then(|| (column.value(row), false)),
        }
    }
}

fn wrong(column: &str) -> PyErr {
    PyValueError::new_err(format!("the column {column} is missing or of a type that documents do not have"))
}

/// Matches each row against the set of its stream. With `stop` the first document that is refused is the last.
pub fn table(
    py: Python<'_>,
    engine: &Engine,
    sets: &HashMap<String, Py<Set>>,
    batch: &RecordBatch,
    grouped: bool,
    stop: bool,
) -> PyResult<(Vec<RecordBatch>, Vec<Letter>)> {
    let documents = Documents::new(batch)?;
    let mut rows = Rows::new(grouped);
    let mut letters = Vec::new();
    let mut workers: HashMap<&str, Worker> = HashMap::new();
    for row in 0..batch.num_rows() {
        let document = documents.document(row);
        let Some((xml, is_text)) = documents.xml(row) else {
            letters.push((row, None, "not-well-formed", "the document is null".to_owned(), 1, 1, 0));
            if stop {
                break;
            }
            continue;
        };
        let set = sets.get(document.stream).ok_or_else(|| PyValueError::new_err("a stream has no set"))?.get();
        let worker = workers.entry(document.stream).or_insert_with(|| engine.worker(set));
        match py.detach(|| guarded(|| worker.document(xml, is_text))) {
            Ok(mut batch) => {
                results::sort(&mut batch);
                add(py, &mut rows, &mut letters, row, &document, set, &batch)?;
            }
            Err(Failure::Document(error)) => {
                letters.push((row, None, error.class.as_str(), error.message, error.line, error.column, error.offset));
                if stop {
                    break;
                }
            }
            Err(failure) => return Err(to_python(py, failure)),
        }
    }
    for worker in workers.into_values() {
        engine.keep(worker);
    }
    let batches = rows.finish().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((batches, letters))
}

/// The rows of one document: its items in document order, then what is joined to one delivery a document.
fn add(
    py: Python<'_>,
    rows: &mut Rows,
    letters: &mut Vec<Letter>,
    row: usize,
    document: &Document<'_>,
    set: &Set,
    batch: &Batch,
) -> PyResult<()> {
    let text = batch.text();
    let failed: HashMap<u32, &String> = batch.errors.iter().map(|(output, message)| (*output, message)).collect();
    for (output, message) in &batch.errors {
        let id = set.targets[*output as usize].0.clone_ref(py);
        letters.push((row, Some(id), "evaluation", message.clone(), 0, 0, 0));
    }
    let mut joined: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    // A node that was decided for one sooner than for another is two fragments to the engine, but one to its reader.
    let mut places: HashMap<(&str, u64, &str), usize> = HashMap::new();
    let mut items: Vec<(u32, Vec<Taker<'_>>)> = Vec::new();
    for &(output, index) in &batch.deliveries {
        if failed.contains_key(&output) {
            continue;
        }
        if set.joining.contains(&output) {
            joined.entry(output).or_default().push(index);
            continue;
        }
        let taker = taker(py, set, output)?;
        if rows.grouped() {
            let fragment = &batch.fragments[index as usize];
            let node = (fragment.kind.as_str(), fragment.offset, &text[fragment.start..fragment.end]);
            let place = *places.entry(node).or_insert(items.len());
            if place == items.len() {
                items.push((index, Vec::new()));
            }
            items[place].1.push(taker);
        } else {
            items.push((index, vec![taker]));
        }
    }
    let mut give = |kind: &str, sequence: u64, fragment: &str, takers: &[Taker<'_>]| {
        if fragment.len() > LONGEST {
            let message = format!("a result of {} bytes is longer than a column can hold", fragment.len());
            letters.push((row, None, "limit", message, 0, 0, sequence));
            return Ok(());
        }
        rows.add(document, kind, sequence, fragment, takers).map_err(|error| PyValueError::new_err(error.to_string()))
    };
    for (index, takers) in &items {
        let fragment = &batch.fragments[*index as usize];
        give(fragment.kind.as_str(), fragment.offset, &text[fragment.start..fragment.end], takers)?;
    }
    for (output, mut indices) in joined {
        indices.sort_by_key(|index| batch.fragments[*index as usize].offset);
        let fragments = indices.iter().map(|index| &batch.fragments[*index as usize]);
        let sequence = fragments.clone().next().map_or(0, |first| first.offset);
        let fragment: String = fragments.map(|one| &text[one.start..one.end]).collect();
        give("document", sequence, &fragment, &[taker(py, set, output)?])?;
    }
    Ok(())
}

fn taker<'a>(py: Python<'a>, set: &'a Set, output: u32) -> PyResult<Taker<'a>> {
    let target = &set.targets[output as usize];
    let subscriber = target.1.as_ref().map(|subscriber| subscriber.bind(py).to_str()).transpose()?;
    Ok(Taker { subscription: target.0.bind(py).to_str()?, subscriber })
}

/// As pyarrow's, for the callers in Python.
pub fn to_pyarrow(py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    batches.into_iter().map(|batch| PyRecordBatch::new(batch).into_pyarrow(py)).collect()
}
