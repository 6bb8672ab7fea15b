//! Records of large files, and places where such files can be cut.

use std::sync::{Mutex, PoisonError};

use penstock_engine::limits::Limits;
use penstock_engine::records::{Cutter, Record, Splitter};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{guarded, to_python, Failure};

/// Text (None when it is too large), offset, line and bytes.
type Row = (Option<String>, u64, u64, u64);
/// What an Arrow array of the texts is made of (their bytes, and n + 1 ends of 32 bits), the offsets (64 bits), and
/// the rows of the records that are too large, which are not among them.
type Columns<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<Row>);
/// The error that ended the file, if one did.
type Ending = Option<Py<PyAny>>;
/// Offset, opening and closing tags.
type Place = (u64, String, String);

/// Finds the records of one file. Used by one thread at a time; after an error or `close` it is over.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct RecordSplitter(Mutex<Option<Splitter>>);

#[pymethods]
impl RecordSplitter {
    /// `opening` and `offset` are those of a cut, to begin in the middle of a file.
    #[new]
    fn new(py: Python<'_>, row_tag: &str, max_record_bytes: u64, opening: &str, offset: u64) -> PyResult<Self> {
        let mut splitter = Splitter::new(row_tag, max_record_bytes, Limits::default());
        if !opening.is_empty() {
            guarded(|| splitter.resume(opening, offset)).map_err(|failure| to_python(py, failure))?;
        }
        Ok(RecordSplitter(Mutex::new(Some(splitter))))
    }

    /// The records that this chunk completed.
    fn write(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<(Vec<Row>, Ending)> {
        let (records, ending) = self.advance(py, |splitter| guarded(|| splitter.feed(chunk)), false)?;
        Ok((records.into_iter().map(row).collect(), ending))
    }

    /// Ends the file.
    fn close(&self, py: Python<'_>) -> PyResult<(Vec<Row>, Ending)> {
        let (records, ending) = self.advance(py, |splitter| guarded(|| splitter.finish()), true)?;
        Ok((records.into_iter().map(row).collect(), ending))
    }

    /// As `write`, by column.
    fn write_columns<'py>(&self, py: Python<'py>, chunk: &[u8]) -> PyResult<(Columns<'py>, Ending)> {
        let (records, ending) = self.advance(py, |splitter| guarded(|| splitter.feed(chunk)), false)?;
        Ok((columns(py, records)?, ending))
    }

    /// As `close`, by column.
    fn close_columns<'py>(&self, py: Python<'py>) -> PyResult<(Columns<'py>, Ending)> {
        let (records, ending) = self.advance(py, |splitter| guarded(|| splitter.finish()), true)?;
        Ok((columns(py, records)?, ending))
    }
}

fn row(record: Record) -> Row {
    (record.text, record.offset, record.line, record.bytes)
}

fn columns(py: Python<'_>, records: Vec<Record>) -> PyResult<Columns<'_>> {
    let (mut texts, mut offsets) = (Vec::new(), Vec::new());
    let mut ends = 0_i32.to_le_bytes().to_vec();
    let mut oversized = Vec::new();
    for record in records {
        match &record.text {
            Some(text) => {
                texts.extend_from_slice(text.as_bytes());
                let end =
                    i32::try_from(texts.len()).map_err(|_| PyValueError::new_err("records of more than 2 GiB"))?;
                ends.extend_from_slice(&end.to_le_bytes());
                offsets.extend_from_slice(&record.offset.to_le_bytes());
            }
            None => oversized.push(row(record)),
        }
    }
    Ok((PyBytes::new(py, &texts), PyBytes::new(py, &ends), PyBytes::new(py, &offsets), oversized))
}

impl RecordSplitter {
    fn advance(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Splitter) -> Result<Vec<Record>, Failure> + Send,
        is_last: bool,
    ) -> PyResult<(Vec<Record>, Ending)> {
        let (records, failure) = py.detach(|| {
            let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let splitter = guard.as_mut().ok_or_else(|| PyValueError::new_err("the file has ended"))?;
            let outcome = match work(splitter) {
                Ok(records) => (records, None),
                Err(failure) => (splitter.take(), Some(failure)),
            };
            if is_last || outcome.1.is_some() {
                *guard = None;
            }
            PyResult::Ok(outcome)
        })?;
        match failure {
            None => Ok((records, None)),
            Some(Failure::Document(error)) => {
                let error = to_python(py, Failure::Document(error));
                Ok((records, Some(error.into_value(py).into_any())))
            }
            Some(internal) => Err(to_python(py, internal)),
        }
    }
}

/// Finds places between records from which a `RecordSplitter` can begin. Used by one thread at a time.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct RecordCutter(Mutex<Cutter>);

#[pymethods]
impl RecordCutter {
    #[new]
    fn new(row_tag: &str, part_bytes: u64) -> RecordCutter {
        RecordCutter(Mutex::new(Cutter::new(row_tag, part_bytes, Limits::default())))
    }

    /// Takes the file's next bytes. An error in it is raised; the cuts before it stay good.
    fn write(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        py.detach(|| guarded(|| self.cutter(|cutter| cutter.feed(chunk)))).map_err(|failure| to_python(py, failure))
    }

    /// Ends the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| guarded(|| self.cutter(Cutter::finish))).map_err(|failure| to_python(py, failure))
    }

    /// Whether parts of the file can be read on their own, as far as is known by now.
    #[getter]
    fn is_divisible(&self) -> bool {
        self.cutter(|cutter| cutter.is_divisible())
    }

    /// The cuts that were found and not taken yet.
    fn take(&self) -> Vec<Place> {
        let cuts = self.cutter(Cutter::take);
        cuts.into_iter().map(|cut| (cut.offset, cut.opening, cut.closing)).collect()
    }
}

impl RecordCutter {
    fn cutter<T>(&self, work: impl FnOnce(&mut Cutter) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
