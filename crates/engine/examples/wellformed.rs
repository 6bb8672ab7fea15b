//! Verdicts on many documents: reads frames from standard input and prints `ok` or `error ...` per document.
//!
//! A frame is the chunk size (8 bytes, little endian, 0 for whole), the length (8 bytes) and the document.

use std::io::{self, BufReader, BufWriter, Read, Write};

use penstock_engine::error::DocumentError;
use penstock_engine::events::Handler;
use penstock_engine::limits::Limits;
use penstock_engine::reader::Reader;

struct Ignore;

impl Handler for Ignore {}

fn judge(reader: &mut Reader, document: &[u8], chunk: usize) -> Result<(), DocumentError> {
    reader.reset();
    for piece in document.chunks(if chunk == 0 { document.len().max(1) } else { chunk }) {
        reader.feed(piece, &mut Ignore)?;
    }
    reader.finish(&mut Ignore)
}

fn main() -> io::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut reader = Reader::new(Limits::default());
    let mut header = [0; 16];
    while input.read_exact(&mut header).is_ok() {
        let number = |at: usize| header[at..at + 8].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let mut document = vec![0; number(8) as usize];
        input.read_exact(&mut document)?;
        match judge(&mut reader, &document, number(0) as usize) {
            Ok(()) => writeln!(output, "ok")?,
            Err(error) => {
                writeln!(
                    output,
                    "error {} {} {}",
                    error.class.as_str(),
                    error.offset,
                    error.to_string().replace('\n', " ")
                )?;
            }
        }
    }
    output.flush()
}
