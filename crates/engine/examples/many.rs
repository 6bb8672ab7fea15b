//! Matches many documents against many programs and prints the time of each document: for profiling the index.
//!
//!     cargo run --release --example many -- programs.jsonl documents.jsonl [rounds [cold]]
//!
//! Each line of the first file is a program as the planner writes it, each line of the second a JSON string. With `cold` every
//! round forgets what the one before has learned.

use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::Instant;

use penstock_engine::catalog::{Catalog, DocumentWorker};
use penstock_engine::limits::Limits;
use penstock_engine::machine::CompiledProgram;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [programs, documents, rounds @ ..] = arguments.as_slice() else {
        return Err("usage: many programs.jsonl documents.jsonl [rounds]".into());
    };
    let mut catalog = Catalog::new(32);
    let start = Instant::now();
    for (slot, line) in BufReader::new(std::fs::File::open(programs)?).lines().enumerate() {
        catalog.add(slot as u32, None, &Arc::new(CompiledProgram::from_json(line?.as_bytes())?));
    }
    catalog.settle();
    println!("added in {:.2} s: {:?}", start.elapsed().as_secs_f64(), catalog.sizes());
    let mut texts: Vec<Arc<[u8]>> = Vec::new();
    for line in BufReader::new(std::fs::File::open(documents)?).lines() {
        texts.push(serde_json::from_str::<String>(&line?)?.into_bytes().into());
    }
    let mut worker = DocumentWorker::new(Limits::default());
    let is_cold = rounds.get(1).is_some_and(|word| word == "cold");
    for _ in 0..rounds.first().map_or(Ok(1), |text| text.parse::<u32>())? {
        if is_cold {
            worker = DocumentWorker::new(Limits::default());
        }
        let (mut deliveries, start) = (0, Instant::now());
        for text in &texts {
            let (found, _) = worker.document(&catalog, "", std::iter::once(Arc::clone(text)), true, false)?;
            deliveries += found.map_or(0, |found| found.deliveries());
        }
        let seconds = start.elapsed().as_secs_f64() / texts.len() as f64;
        let per_document = deliveries as f64 / texts.len() as f64;
        println!("{:.1} us, {per_document:.1} deliveries, {:?}", seconds * 1e6, worker.learned());
    }
    Ok(())
}
