//! Matches a file against a program (JSON, as the planner writes it) and prints the speed: for profiling the machine.
//!
//!     cargo run --release --example match -- program.json document.xml [rounds]

use std::sync::Arc;
use std::time::Instant;

use penstock_engine::limits::Limits;
use penstock_engine::machine::{CompiledProgram, Set, Worker};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, document, rounds @ ..] = arguments.as_slice() else {
        return Err("usage: match program.json document.xml [rounds]".into());
    };
    let program = CompiledProgram::from_json(&std::fs::read(program)?)?;
    let document = std::fs::read(document)?;
    let mut worker = Worker::new(Arc::new(Set::link(&[Arc::new(program)])), Limits::default());
    for _ in 0..rounds.first().map_or(Ok(1), |text| text.parse::<u32>())? {
        let start = Instant::now();
        let (batch, _) = worker.document(std::iter::once(&document), false)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{:.0} MB/s, {} deliveries", document.len() as f64 / seconds / 1e6, batch.deliveries.len());
    }
    Ok(())
}
