//! How fast the reader is: megabytes a second for each file named, read with a handler that only counts.

use std::time::Instant;

use penstock_engine::error::{DocumentError, Stop};
use penstock_engine::events::{Handler, Source, StartTag, TextKind};
use penstock_engine::limits::Limits;
use penstock_engine::names::Names;
use penstock_engine::reader::Reader;

const ROUNDS: usize = 10;

#[derive(Default)]
struct Count {
    elements: u64,
    attributes: u64,
    text: u64,
}

impl Handler for Count {
    fn start(&mut self, _: Source<'_>, _: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.elements += 1;
        self.attributes += tag.attributes.len() as u64;
        Ok(())
    }
    fn text(&mut self, _: Source<'_>, _: u64, _: u64, raw: &[u8], _: TextKind) -> Result<(), Stop> {
        self.text += raw.len() as u64;
        Ok(())
    }
}

fn read(reader: &mut Reader, document: &[u8]) -> Result<Count, DocumentError> {
    let mut count = Count::default();
    reader.reset();
    reader.feed(document, &mut count)?;
    reader.finish(&mut count)?;
    Ok(count)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut reader = Reader::new(Limits::default());
    for path in std::env::args().skip(1) {
        let document = std::fs::read(&path)?;
        let mut best = f64::INFINITY;
        let mut count = Count::default();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            count = read(&mut reader, &document)?;
            best = best.min(began.elapsed().as_secs_f64());
        }
        let rate = document.len() as f64 / best / 1e6;
        let nanoseconds = best * 1e9 / count.elements as f64;
        let Count { elements, attributes, text } = count;
        println!("{path}: {rate:.0} MB/s, {nanoseconds:.1} ns per element ({elements} elements, {attributes} attributes, {text} bytes of text)");
    }
    Ok(())
}
