//! Documents against a catalog: read where they lie or not, and with automata that forget.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::{Catalog, DocumentWorker, Findings};
use crate::error::DocumentError;
use crate::index::Slot;
use crate::limits::Limits;
use crate::machine::CompiledProgram;

/// A path of descendant steps; the last but one may need a child with a value.
fn program(names: &[&str], child: Option<(&str, &str)>) -> Arc<CompiledProgram> {
    let step = |from: usize, axis: &str, name: &str, role: &str, condition: &str| {
        let test = format!(r#"{{"kind":"name","uri":"","local":"{name}"}}"#);
        format!(
            r#"{{"from":{from},"axis":"{axis}","test":{test},"role":"{role}","condition":{condition},"keep":"nothing"}}"#
        )
    };
    let mut steps = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let is_tested = child.is_some() && place + 2 == names.len();
        let condition = format!(r#"{{"op":"exists","step":{}}}"#, names.len() + 1);
        steps.push(step(place, "descendant", name, "trunk", if is_tested { &condition } else { "null" }));
    }
    if let Some((name, value)) = child {
        let test = format!(r#"{{"fn":"text","comparison":"=","value":"{value}"}}"#);
        steps.push(step(names.len() - 1, "child", name, "branch", &format!(r#"{{"op":"value","test":{test}}}"#)));
    }
    let sink = format!(r#"{{"kind":"nodes","origins":[{{"kind":"step","step":{}}}]}}"#, names.len());
    let steps = steps.join(",");
    let json = format!(r#"{{"version":1,"steps":[{steps}],"sink":{sink},"keep":"nothing"}}"#);
    Arc::new(CompiledProgram::from_json(json.as_bytes()).unwrap_or_else(|error| unreachable!("{error}")))
}

fn found(catalog: &Catalog, automaton_states: usize, document: &str) -> (Vec<(Slot, u64)>, u64) {
    let mut worker = DocumentWorker::new(Limits { automaton_states, ..Limits::default() });
    let found = worker.document(catalog, "", std::iter::once(document.to_owned()), true, false);
    let (found, _) = found.unwrap_or_else(|error| unreachable!("{}", error.message));
    let mut batch = found.unwrap_or_default().batch;
    batch.explode();
    let place = |&(slot, fragment): &(Slot, u32)| (slot, batch.fragments[fragment as usize].offset);
    let mut found: Vec<_> = batch.deliveries.iter().map(place).collect();
    found.sort_unstable();
    (found, worker.learned().flushes)
}

#[test]
fn an_automaton_that_is_flushed_again_and_again_finds_the_same() {
    let names = ["a", "b", "c", "d"];
    let mut catalog = Catalog::new(0);
    let mut slot = 0;
    for first in names {
        for second in names {
            for third in names {
                catalog.add(slot, None, &program(&[first, second, third], None));
                catalog.add(slot + 1, None, &program(&[first, second, third], Some(("x", "1"))));
                slot += 2;
            }
        }
    }
    let document =
        "<a><b><x>1</x><c><d/><a><x>2</x><b/></a></c><d><x>1<a><b/></a></x><a><c/></a></d></b><c><b><x>1</x><d/></b></c></a>";
    let (wanted, flushes) = found(&catalog, 1 << 16, document);
    assert!(wanted.len() > 20, "{wanted:?}");
    assert_eq!(flushes, 0);
    for automaton_states in [1, 2, 5] {
        let (same, flushes) = found(&catalog, automaton_states, document);
        assert!(flushes > 3, "{flushes}");
        assert_eq!(same, wanted);
    }
}

/// Who gets what at which place.
type Delivered = Vec<(Slot, u64, String)>;

fn texts(found: Option<Box<Findings>>) -> Delivered {
    let mut batch = found.unwrap_or_default().batch;
    batch.explode();
    let delivery = |&(slot, fragment): &(Slot, u32)| {
        (slot, batch.fragments[fragment as usize].offset, batch.text(fragment as usize).into_owned())
    };
    let mut texts: Vec<_> = batch.deliveries.iter().map(delivery).collect();
    texts.sort_unstable();
    texts
}

fn three_subscriptions() -> Catalog {
    let mut catalog = Catalog::new(0);
    catalog.add(0, None, &program(&["a", "b"], None));
    catalog.add(1, None, &program(&["c", "b"], Some(("x", "1"))));
    catalog.add(2, None, &program(&["a"], None));
    catalog
}

/// Longer than what is checked at once, several times.
fn long_document(prolog: &str, middle: &str) -> String {
    let lines = "<c><x>1</x><b>\u{20ac} one</b></c>\n<c><x>2</x><b k='&lt;'>two</b></c>\n".repeat(2000);
    format!("{prolog}<a>{lines}{middle}{lines}</a>")
}

/// What a document gives whole; the document is gone, and the worker has gone on to others, when texts are asked for.
fn of_whole(catalog: &Catalog, document: &[u8]) -> Result<Delivered, DocumentError> {
    let mut worker = DocumentWorker::new(Limits::default());
    let found = worker.document(catalog, "", std::iter::once(document.to_vec()), false, false).map(|(found, _)| found);
    for other in ["<a><b>other</b></a>".to_owned(), long_document("", "<b>other</b>")] {
        assert!(worker.document(catalog, "", std::iter::once(other), true, false).is_ok());
    }
    found.map(texts)
}

/// The same for one that comes in pieces: nothing of it stays where it was.
fn of_pieces(catalog: &Catalog, document: &[u8]) -> Result<Delivered, DocumentError> {
    let mut worker = DocumentWorker::new(Limits::default());
    let pieces: Vec<Vec<u8>> = document.chunks(1000).map(<[u8]>::to_vec).collect();
    worker.document(catalog, "", pieces.into_iter(), false, false).map(|(found, _)| texts(found))
}

#[test]
fn a_document_gives_the_same_wherever_it_is_read() {
    let catalog = three_subscriptions();
    let with_entity = "<!DOCTYPE a [<!ENTITY e '<b>entity</b>'><!ATTLIST d k CDATA 'v'>]>";
    let utf16 = long_document("\u{feff}", "").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut broken = long_document("", "<b>\u{20ac}").into_bytes();
    let euro = broken.windows(5).rposition(|bytes| bytes == "b>\u{20ac}".as_bytes()).unwrap();
    broken.truncate(euro + 3);
    let documents: [Vec<u8>; 9] = [
        b"<a><b>small</b></a>".to_vec(),
        b"\xef\xbb\xbf<a>\xef\xbb\xbf<b>behind a mark</b></a>".to_vec(),
        long_document("", "").into_bytes(),
        long_document("\u{feff}<?xml version='1.0'?>", "<b>behind a mark</b>").into_bytes(),
        long_document(with_entity, "&e;<b>&e;</b>").into_bytes(),
        long_document(&format!("\u{feff}{with_entity}"), "<b><d/></b>&e;").into_bytes(),
        long_document("<?xml version='1.0' encoding='latin1'?>", "").into_bytes(),
        utf16,
        broken,
    ];
    for (number, document) in documents.iter().enumerate() {
        let whole = of_whole(&catalog, document);
        assert_eq!(whole.is_err(), number == 8);
        assert!(whole == of_pieces(&catalog, document), "document {number}");
        if let Ok(whole) = whole {
            assert!(whole.len() > 1 && whole.iter().all(|(.., text)| text.starts_with('<') && text.ends_with('>')));
        }
    }
}

/// Whether what was found in a document holds it.
fn is_held(catalog: &Catalog, document: String) -> bool {
    let document: Arc<[u8]> = document.into_bytes().into();
    let mut worker = DocumentWorker::new(Limits::default());
    let pieces = std::iter::once(Arc::clone(&document));
    let (found, unused) = worker.document(catalog, "", pieces, true, false).unwrap();
    drop(worker);
    let is_held = unused.is_none();
    drop(unused);
    assert_eq!(Arc::strong_count(&document) > 1, is_held);
    drop(found);
    assert_eq!(Arc::strong_count(&document), 1);
    is_held
}

#[test]
fn results_hold_a_document_that_is_small_or_that_they_are_much_of() {
    let mut catalog = Catalog::new(0);
    catalog.add(0, None, &program(&["a", "b"], None));
    assert!(is_held(&catalog, "<a><b>small</b></a>".to_owned()));
    assert!(!is_held(&catalog, "<a><d>nothing</d></a>".to_owned()));
    let large = |part: usize| format!("<a><c>{}</c><b>{}</b></a>", "c".repeat(80_000 - part), "b".repeat(part));
    assert!(!is_held(&catalog, large(9_000)));
    assert!(is_held(&catalog, large(12_000)));
}

#[test]
fn what_a_document_may_hold_is_bounded_wherever_it_is_read() {
    let catalog = three_subscriptions();
    let document = long_document("", "");
    let limits = |buffered_bytes| Limits { buffered_bytes, ..Limits::default() };
    let refused = |buffered_bytes, pieces: &[&str]| {
        let pieces: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
        let found = DocumentWorker::new(limits(buffered_bytes)).document(&catalog, "", pieces.into_iter(), true, false);
        found.err().map(|error| error.message)
    };
    let halves = document.split_at(document.len() / 2);
    for bytes in [100_000, document.len() as u64] {
        let whole = refused(bytes, &[&document]);
        assert!(whole.as_ref().is_some_and(|message| message.contains("buffered_bytes")), "{whole:?}");
        assert_eq!(whole, refused(bytes, &[halves.0, halves.1]));
    }
    assert_eq!(refused(100 * document.len() as u64, &[&document]), None);
}
