//! Deliveries as Arrow tables: one row a delivery, or one a fragment with all who get it.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};

use crate::identity::identity;
use crate::taker::{Name, Taker};

/// A table is cut when it has so many rows or so many bytes of fragments: who reads it takes it in bites.
const ROWS: usize = 1 << 16;
const BYTES: usize = 64 << 20;

/// What is known of a document besides its XML.
pub struct Document<'a> {
    pub id: &'a str,
    pub stream: &'a str,
    pub time: i64,
}

#[derive(Default)]
struct Columns {
    subscriptions: StringBuilder,
    subscribers: StringBuilder,
    match_ids: StringBuilder,
    takers: Vec<usize>,
    documents: StringBuilder,
    streams: StringBuilder,
    times: TimestampMicrosecondBuilder,
    sequences: Int64Builder,
    kinds: StringBuilder,
    fragments: StringBuilder,
    bytes: usize,
}

pub struct Rows {
    grouped: bool,
    columns: Columns,
    done: Vec<RecordBatch>,
}

impl Rows {
    pub fn new(grouped: bool) -> Rows {
        Rows { grouped, columns: Columns::default(), done: Vec::new() }
    }

    pub fn grouped(&self) -> bool {
        self.grouped
    }

    /// One row: a fragment for its takers, of whom there is exactly one unless rows are grouped.
    pub fn add(
        &mut self,
        document: &Document<'_>,
        kind: &str,
        sequence: u64,
        fragment: &str,
        takers: &[&Taker],
    ) -> Result<(), ArrowError> {
        if self.columns.takers.len() >= ROWS || self.columns.bytes + fragment.len() > BYTES {
            self.cut()?;
        }
        let columns = &mut self.columns;
        for taker in takers {
            columns.subscriptions.append_value(taker.id.as_str());
            columns.subscribers.append_option(taker.subscriber.as_ref().map(Name::as_str));
            columns.match_ids.append_value(identity(taker.id.as_str(), &[document.id], kind, &[sequence]));
        }
        columns.takers.push(takers.len());
        columns.documents.append_value(document.id);
        columns.streams.append_value(document.stream);
        columns.times.append_value(document.time);
        columns.sequences.append_value(i64::try_from(sequence).unwrap_or(i64::MAX));
        columns.kinds.append_value(kind);
        columns.fragments.append_value(fragment);
        columns.bytes += fragment.len();
        Ok(())
    }

    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        self.cut()?;
        Ok(self.done)
    }

    fn cut(&mut self) -> Result<(), ArrowError> {
        let columns = std::mem::take(&mut self.columns);
        if !columns.takers.is_empty() {
            self.done.push(columns.finish(self.grouped)?);
        }
        Ok(())
    }
}

impl Columns {
    fn finish(mut self, grouped: bool) -> Result<RecordBatch, ArrowError> {
        let documents: ArrayRef = Arc::new(self.documents.finish());
        let one_each = OffsetBuffer::from_lengths(self.takers.iter().map(|_| 1));
        let documents = list(documents, one_each)?;
        let times = self.times.finish().with_timezone("UTC");
        let header: [(&str, ArrayRef); 6] = [
            ("documents", documents),
            ("stream", Arc::new(self.streams.finish())),
            ("time", Arc::new(times)),
            ("sequence", Arc::new(self.sequences.finish())),
            ("kind", Arc::new(self.kinds.finish())),
            ("fragment", Arc::new(self.fragments.finish())),
        ];
        let subscription: (&str, ArrayRef) = ("subscription", Arc::new(self.subscriptions.finish()));
        let subscriber: (&str, ArrayRef) = ("subscriber", Arc::new(self.subscribers.finish()));
        let match_id: (&str, ArrayRef) = ("match_id", Arc::new(self.match_ids.finish()));
        if !grouped {
            return table([subscription, subscriber].into_iter().chain(header).chain([match_id]));
        }
        let takers = StructArray::from(table([subscription, subscriber, match_id].into_iter())?);
        let takers = list(Arc::new(takers), OffsetBuffer::from_lengths(self.takers))?;
        table([("subscriptions", takers)].into_iter().chain(header))
    }
}

fn list(values: ArrayRef, offsets: OffsetBuffer<i32>) -> Result<ArrayRef, ArrowError> {
    let element = Field::new("element", values.data_type().clone(), false);
    Ok(Arc::new(ListArray::try_new(Arc::new(element), offsets, values, None)?))
}

fn table<'a>(columns: impl Iterator<Item = (&'a str, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    let field = |name: &str, kind: &DataType| Field::new(name, kind.clone(), name == "subscriber");
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
        columns.map(|(name, array)| (field(name, array.data_type()), array)).unzip();
    RecordBatch::try_new(Arc::new(Schema::new(Fields::from(fields))), arrays)
}
