//! Limits, and inputs that would cost a careless reader quadratic time.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::error::{DocumentError, ErrorClass, Stop};
use penstock_engine::events::{Handler, Source, StartTag, TextKind};
use penstock_engine::limits::Limits;
use penstock_engine::names::Names;
use penstock_engine::reader::Reader;
use reader_support::{read_with, Trace};

fn over(limits: Limits, document: &str) -> DocumentError {
    let error = match read_with(limits, document.as_bytes()) {
        Ok(_) => panic!("accepted"),
        Err(error) => error,
    };
    assert_eq!(error.class, ErrorClass::Limit, "{error}");
    error
}

fn within(limits: Limits, document: &str) -> Trace {
    read_with(limits, document.as_bytes()).unwrap()
}

#[test]
fn depth() {
    let limits = Limits { depth: 3, ..Limits::default() };
    within(limits.clone(), "<a><b><c/></b></a>");
    assert_eq!(over(limits, "<a><b><c><d/></c></b></a>").column, 10);
}

#[test]
fn attributes() {
    let limits = Limits { attributes: 2, attribute_bytes: 5, ..Limits::default() };
    within(limits.clone(), "<a b='12345' xmlns='u'/>");
    over(limits.clone(), "<a b='' c='' xmlns='u'/>");
    over(limits, "<a b='123456'/>");
}

#[test]
fn names() {
    let limits = Limits { name_bytes: 4, ..Limits::default() };
    within(limits.clone(), "<abcd/>");
    over(limits.clone(), "<abcde/>");
    over(limits, "<a abcde=''/>");
    let limits = Limits { distinct_names: 10, ..Limits::default() };
    let many: String = (0..20).map(|number| format!("<n{number}/>")).collect();
    over(limits.clone(), &format!("<a>{many}</a>"));
    within(limits, &format!("<a>{}</a>", "<n/><m/>".repeat(20)));
}

fn read_whole(reader: &mut Reader, document: &str) -> Result<(), DocumentError> {
    reader.reset();
    reader.read(std::iter::once(document), &mut Trace::default()).map(|_| ())
}

#[test]
fn names_of_each_document_whatever_came_before() {
    let mut reader = Reader::new(Limits { distinct_names: 50, ..Limits::default() });
    let named = |from: usize, to: usize| {
        let elements: String = (from..to).map(|number| format!("<n{number}/>")).collect();
        format!("<a>{elements}</a>")
    };
    for _ in 0..3 {
        read_whole(&mut reader, &named(0, 40)).unwrap();
        read_whole(&mut reader, &named(30, 70)).unwrap();
        assert_eq!(read_whole(&mut reader, &named(0, 60)).unwrap_err().class, ErrorClass::Limit);
        read_whole(&mut reader, "<a/>").unwrap();
    }
}

/// A short document may use many names by its entities, in ever other namespaces.
#[test]
fn names_that_entities_bring() {
    let mut reader = Reader::new(Limits { distinct_names: 2_350, ..Limits::default() });
    let entity: String = (10..110).map(|number| format!("<_{number:x}/>")).collect();
    let document = |scopes: usize| {
        let uses: String = (0..scopes).map(|scope| format!("<s xmlns='{scope}'>&e;</s>")).collect();
        format!("<!DOCTYPE a [<!ENTITY e \"{entity}\">]><a>{uses}</a>")
    };
    read_whole(&mut reader, &document(12)).unwrap();
    assert_eq!(read_whole(&mut reader, &document(24)).unwrap_err().class, ErrorClass::Limit);
}

#[test]
fn document_size() {
    let limits = Limits { document_bytes: 10, ..Limits::default() };
    let mut reader = Reader::new(limits);
    assert!(reader.feed(b"<a>1234567", &mut Trace::default()).is_ok());
    let error = reader.feed(b"8", &mut Trace::default()).unwrap_err();
    assert_eq!(error.class, ErrorClass::Limit);
}

fn laughs(levels: usize) -> String {
    let mut subset = String::from("<!ENTITY l0 'ha'>");
    for level in 1..=levels {
        subset += &format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10));
    }
    format!("<!DOCTYPE a [{subset}]>")
}

#[test]
fn entity_expansion() {
    let limits = Limits { entity_bytes: 10_000, ..Limits::default() };
    over(limits.clone(), &format!("{}<a>&l9;</a>", laughs(9)));
    over(limits.clone(), &format!("{}<a b='&l9;'/>", laughs(9)));
    over(limits.clone(), &format!("{}<!ATTLIST a b CDATA '&l9;'>]><a/>", laughs(9).trim_end_matches("]>")));
    let trace = within(limits.clone(), &format!("{}<a>&l2;</a>", laughs(2)));
    assert_eq!(trace.element(0), format!("<a>{}</a>", "ha".repeat(100)));
    // One long entity, often.
    let quadratic = format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a>{}</a>", "x".repeat(1_000), "&e;".repeat(1_000));
    over(limits, &quadratic);
    let limits = Limits { entity_depth: 3, ..Limits::default() };
    within(limits.clone(), &format!("{}<a>&l2;</a>", laughs(2)));
    over(limits, &format!("{}<a>&l3;</a>", laughs(3)));
}

#[test]
fn long_default_attributes() {
    let limits = Limits { entity_bytes: 10_000, ..Limits::default() };
    let subset = |length: usize| format!("<!DOCTYPE a [<!ATTLIST b c CDATA '{}'>]>", "x".repeat(length));
    over(limits.clone(), &format!("{}<a>{}</a>", subset(1_000), "<b/>".repeat(100)));
    within(limits, &format!("{}<a>{}</a>", subset(100), "<b/>".repeat(1_000)));
}

/// Counts what it is told and checks that the window stays small.
#[derive(Default)]
struct Flat {
    events: usize,
    longest: usize,
}

impl Flat {
    fn see(&mut self, source: Source<'_>) -> Result<(), Stop> {
        self.events += 1;
        self.longest = self.longest.max(source.bytes.len());
        Ok(())
    }
}

impl Handler for Flat {
    fn start(&mut self, source: Source<'_>, _: &Names, _: &StartTag<'_>) -> Result<(), Stop> {
        self.see(source)
    }
    fn end(&mut self, source: Source<'_>, _: &Names, _: u64, _: u64) -> Result<(), Stop> {
        self.see(source)
    }
    fn text(&mut self, source: Source<'_>, _: u64, _: u64, _: &[u8], _: TextKind) -> Result<(), Stop> {
        self.see(source)
    }
    fn text_end(&mut self, source: Source<'_>, _: &Names) -> Result<(), Stop> {
        self.see(source)
    }
    fn comment(&mut self, source: Source<'_>, _: &Names, _: u64, _: u64, _: &[u8]) -> Result<(), Stop> {
        self.see(source)
    }
    fn instruction(&mut self, source: Source<'_>, _: &Names, _: u64, _: u64, _: &[u8], _: &[u8]) -> Result<(), Stop> {
        self.see(source)
    }
    fn discard(&mut self, source: Source<'_>, _: u64) -> Result<(), Stop> {
        self.longest = self.longest.max(source.bytes.len());
        Ok(())
    }
}

#[test]
fn the_window_stays_small_on_endless_input() {
    let mut reader = Reader::new(Limits::default());
    let mut flat = Flat::default();
    reader.feed(b"<!DOCTYPE a [<!ENTITY e 'v'>]><a>", &mut flat).unwrap();
    let chunk = "<item k='v'>&e; some text<![CDATA[ more ]]></item>\n".repeat(10_000);
    for _ in 0..4 {
        reader.feed(chunk.as_bytes(), &mut flat).unwrap();
    }
    reader.feed(b"<t><![CDATA[", &mut flat).unwrap();
    for _ in 0..20 {
        reader.feed("plain text ".repeat(10_000).as_bytes(), &mut flat).unwrap();
    }
    assert!(flat.longest < 200_000, "{}", flat.longest);
}

#[test]
fn an_unfinished_token_is_bounded() {
    for opening in
        ["<a b='", "<a ", "<a><!--", "<a><?p ", "<!DOCTYPE a [<!ENTITY e '", "<!DOCTYPE a '", "<a>&", "<a></a "]
    {
        let mut reader = Reader::new(Limits { attribute_bytes: 1_000, ..Limits::default() });
        let mut flat = Flat::default();
        let mut result = reader.feed(opening.as_bytes(), &mut flat);
        let filling = if opening.ends_with("<a></a ") { " " } else { "x" }.repeat(100_000);
        for _ in 0..20 {
            if result.is_ok() {
                result = reader.feed(filling.as_bytes(), &mut flat);
            }
        }
        assert_eq!(result.map_err(|error| error.class), Err(ErrorClass::Limit), "{opening}");
    }
}

/// Each of these would take minutes if a byte were looked at again for each byte that follows.
#[test]
fn hostile_input_byte_by_byte_takes_linear_time() {
    let long = 1 << 17;
    let cases = [
        ("<a b='", ">", "'/>"),
        ("<a b=\"", "'", "\"/>"),
        ("<a ", "\n", "/>"),
        ("<a><!--", ">", "--></a>"),
        ("<a><!--", "- ", "--></a>"),
        ("<a><?p ", "?", "?></a>"),
        ("<a><![CDATA[", "]", "]]></a>"),
        ("<a>", "]", "</a>"),
        ("<a>", "\r", "</a>"),
        ("<a></a", " ", ">"),
        ("<!DOCTYPE a [<!ENTITY e '", ">", "'>]><a/>"),
        ("<!DOCTYPE a SYSTEM '", "[", "'><a/>"),
        ("<!DOCTYPE a [", " ", "]><a/>"),
        ("<a>", "<b/>", "</a>"),
        ("<a>", "&amp;", "</a>"),
        ("<a b='", "&amp;", "'/>"),
    ];
    let mut reader = Reader::new(Limits::default());
    for (opening, filling, closing) in cases {
        let document = format!("{opening}{}{closing}", filling.repeat(long / filling.len()));
        for chunk in [1, 4_096] {
            reader.reset();
            let mut flat = Flat::default();
            for piece in document.as_bytes().chunks(chunk) {
                reader.feed(piece, &mut flat).unwrap();
            }
            reader.finish(&mut flat).unwrap();
        }
    }
}

#[test]
fn many_attributes_prefixes_and_splices_take_linear_time() {
    let mut reader = Reader::new(Limits { attributes: 200_000, ..Limits::default() });
    let mut judge = |document: String| {
        reader.reset();
        let mut flat = Flat::default();
        reader.feed(document.as_bytes(), &mut flat).unwrap();
        reader.finish(&mut flat).unwrap();
        flat
    };
    let attributes: String = (0..50_000).map(|number| format!(" a{number}=''")).collect();
    judge(format!("<a{attributes}/>"));
    let prefixes: String = (0..50_000).map(|number| format!(" xmlns:p{number}='u{number}'")).collect();
    let uses: String = (0..50_000).map(|number| format!("<p{number}:x/>")).collect();
    judge(format!("<a{prefixes}>{uses}</a>"));
    let references = judge(format!("<!DOCTYPE a [<!ENTITY e 'x'>]><a>{}</a>", "&e;".repeat(100_000)));
    assert!(references.longest < 200_000);
    let wide = format!("<!ENTITY e '{}'><!ENTITY f '<i/>'>", "&f; ".repeat(20_000));
    judge(format!("<!DOCTYPE a [{wide}]><a>{}</a>", "&e;".repeat(10)));
}

#[test]
fn the_name_table_is_emptied_between_documents_when_it_is_large() {
    let mut reader = Reader::new(Limits::default());
    let generation = reader.names().generation();
    for round in 0..3 {
        let many: String = (0..50_000).map(|number| format!("<n{round}-{number}/>")).collect();
        reader.reset();
        reader.feed(format!("<a xmlns:p='u'>{many}</a>").as_bytes(), &mut Flat::default()).unwrap();
        reader.finish(&mut Flat::default()).unwrap();
    }
    assert!(reader.names().generation() > generation);
    assert!(reader.names().len() < 110_000);
    reader.reset();
    assert!(reader.feed(b"<p:a/>", &mut Flat::default()).is_err());
}
