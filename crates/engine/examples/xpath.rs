//! Evaluates expressions on whole documents, without the streaming machine.
//!
//! Reads lines of JSON `{"expr": <expression as the planner writes it>, "doc": "path"}` and writes for each a line
//! `{"items": [{"kind": "element", "text": "<a/>"}, ..], "seconds": 0.001}` or `{"error": "message"}`.

#[path = "../tests/evaluator_support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use penstock_engine::ir::Expr;
use serde::Deserialize;
use serde_json::json;
use support::Document;

#[derive(Deserialize)]
struct Request {
    expr: Expr,
    doc: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut documents = HashMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?, &mut documents).unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn answer(line: &str, documents: &mut HashMap<String, Document>) -> Result<serde_json::Value, Box<dyn Error>> {
    let request: Request = serde_json::from_str(line)?;
    if !documents.contains_key(&request.doc) {
        let document = Document::read(&std::fs::read(&request.doc)?)?;
        documents.insert(request.doc.clone(), document);
    }
    let document = &documents[&request.doc];
    let begun = Instant::now();
    let value = document.evaluate(&request.expr)?;
    let seconds = begun.elapsed().as_secs_f64();
    let items: Vec<_> =
        document.items(&value).iter().map(|(kind, text)| json!({ "kind": kind, "text": text })).collect();
    Ok(json!({ "items": items, "seconds": seconds }))
}
