//! Records are found whatever hides them, wherever the input is cut, and from every place where a file can be.

#![allow(clippy::unwrap_used, clippy::panic)]

use penstock_engine::error::DocumentError;
use penstock_engine::limits::Limits;
use penstock_engine::records::{Cutter, Record, Splitter};

/// Fifty records (tag `item`) as they stand in the file and stand alone.
const NASTY: [&str; 50] = [
    "<item/>",
    "<item />",
    "<item\n\t/>",
    "<item></item>",
    "<item ></item >",
    "<item\n>\n</item\n>",
    "<item a='>'/>",
    "<item a=\"/>\">x</item>",
    "<item a='&lt;/item>'>x</item>",
    "<item a=\"it's\" b='\"'/>",
    "<item a=''/>",
    "<item a = 'x'  b\n=\n\"y\"/>",
    "<item><![CDATA[</item>]]></item>",
    "<item><![CDATA[<item>]]></item>",
    "<item><![CDATA[]]]]><![CDATA[></item>]]></item>",
    "<item><![CDATA[]]></item>",
    "<item><![CDATA[ ]] ]> > ]]></item>",
    "<item><!-- </item> --></item>",
    "<item><!-- <item> <![CDATA[ --></item>",
    "<item><!----></item>",
    "<item><!-- - -> > --></item>",
    "<item><?pi </item> ?></item>",
    "<item><?pi?></item>",
    "<item><?item <item> ? > ?></item>",
    "<item><item/></item>",
    "<item><item></item></item>",
    "<item><item><item/></item><item/></item>",
    "<item><a><item>x</item></a></item>",
    "<item><a/><item a='1'/><b/></item>",
    "<item>&lt;item&gt;</item>",
    "<item>&#60;/item&#62;</item>",
    "<item>&#x3C;/item></item>",
    "<item>a > b ]] > c</item>",
    "<item>\r\n\r</item>",
    "<item>\u{e9}\u{4e16}\u{1f600}</item>",
    "<item \u{e9}='\u{1f600}'/>",
    "<item><items/><itemx/><xitem/></item>",
    "<item><Item/><ITEM/></item>",
    "<item><item.x/><item-x/><item_x/></item>",
    "<item>item</item>",
    "<item>/item></item>",
    "<item><a>&amp;lt;</a></item>",
    "<item xmlns='urn:own'><a/></item>",
    "<item xmlns:p='urn:own'><p:a/></item>",
    "<p:item xmlns:p='urn:own'/>",
    "<p:item xmlns:p='urn:own'><item/></p:item>",
    "<item xmlns:p='urn:own'><p:item/><p:item></p:item></item>",
    "<long.prefix:item xmlns:long.prefix='urn:own' long.prefix:a='b'/>",
    "<\u{e9}:item xmlns:\u{e9}='urn:own'/>",
    "<item xml:space='preserve'> <a xml:lang='de'/> </item>",
];

/// What lies between them and is no record.
const BETWEEN: [&str; 10] = [
    "",
    "\n  ",
    "<!-- <item>no</item> -->",
    "<![CDATA[<item>no</item>]]>",
    "<?no <item>no</item>?>",
    "<items/><itemx></itemx>",
    "<no a='&lt;item>'/>",
    "text &lt;item> \u{4e16}",
    "<group><no/></group>",
    "</group><group xmlns:g='urn:g' g:a='>'>",
];

fn nasty_file() -> String {
    let mut file = String::from("<?xml version='1.0'?>\n<!-- <item/> -->\n<root>\n<group>");
    for (place, record) in NASTY.iter().enumerate() {
        file.push_str(BETWEEN[place % BETWEEN.len()]);
        file.push_str(record);
    }
    file.push_str("</group>\n</root>\n<!-- <item/> -->");
    file
}

fn finish(mut splitter: Splitter, chunks: &[&[u8]]) -> (Vec<Record>, Option<DocumentError>) {
    let mut records = Vec::new();
    for chunk in chunks {
        match splitter.feed(chunk) {
            Ok(found) => records.extend(found),
            Err(error) => {
                records.extend(splitter.take());
                return (records, Some(error));
            }
        }
    }
    match splitter.finish() {
        Ok(found) => records.extend(found),
        Err(error) => return (records, Some(error)),
    }
    (records, None)
}

fn split(row_tag: &str, file: &[u8]) -> (Vec<Record>, Option<DocumentError>) {
    finish(Splitter::new(row_tag, 1 << 20, Limits::default()), &[file])
}

fn texts(row_tag: &str, file: impl AsRef<[u8]>) -> Vec<String> {
    let (records, error) = split(row_tag, file.as_ref());
    assert_eq!(error, None);
    records.into_iter().filter_map(|record| record.text).collect()
}

/// The records of each part of a file that is cut wherever it can be.
fn in_parts(row_tag: &str, file: &[u8], part_bytes: u64) -> Vec<Record> {
    let mut cutter = Cutter::new(row_tag, part_bytes, Limits::default());
    cutter.feed(file).unwrap();
    cutter.finish().unwrap();
    assert!(cutter.is_divisible());
    let (mut start, mut opening, mut records) = (0, String::new(), Vec::new());
    let mut read = |start: usize, end: usize, opening: &str, closing: &str| {
        let mut splitter = Splitter::new(row_tag, 1 << 20, Limits::default());
        if !opening.is_empty() {
            splitter.resume(opening, start as u64).unwrap();
        }
        let (found, error) = finish(splitter, &[&file[start..end], closing.as_bytes()]);
        assert_eq!(error, None);
        records.extend(found);
    };
    for cut in cutter.take() {
        read(start, cut.offset as usize, &opening, &cut.closing);
        (start, opening) = (cut.offset as usize, cut.opening);
    }
    read(start, file.len(), &opening, "");
    records
}

fn without_lines(mut records: Vec<Record>) -> Vec<Record> {
    records.iter_mut().for_each(|record| record.line = 0);
    records
}

#[test]
fn fifty_nasty_records_cut_at_every_byte() {
    let file = nasty_file();
    let (whole, error) = split("item", file.as_bytes());
    assert_eq!(error, None);
    let found: Vec<_> = whole.iter().filter_map(|record| record.text.as_deref()).collect();
    assert_eq!(found, NASTY);
    for record in &whole {
        let before = &file[..record.offset as usize];
        assert!(file[record.offset as usize..].starts_with(record.text.as_deref().unwrap()));
        let returns = before.replace("\r\n", "\n").replace('\r', "\n");
        assert_eq!(record.line as usize, 1 + returns.matches('\n').count());
    }
    for cut in 0..=file.len() {
        let (first, second) = file.as_bytes().split_at(cut);
        let splitter = Splitter::new("item", 1 << 20, Limits::default());
        assert_eq!(finish(splitter, &[first, second]), (whole.clone(), None), "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = file.as_bytes().chunks(1).collect();
    assert_eq!(finish(Splitter::new("item", 1 << 20, Limits::default()), &bytes), (whole, None));
}

#[test]
fn parts_of_any_size_give_the_same_records() {
    let file = nasty_file();
    let whole = without_lines(split("item", file.as_bytes()).0);
    for part_bytes in (1..file.len() as u64).step_by(5) {
        assert_eq!(without_lines(in_parts("item", file.as_bytes(), part_bytes)), whole, "parts of {part_bytes}");
    }
}

#[test]
fn declarations_of_ancestors_come_along_in_the_same_order_from_every_part() {
    let file = "<r xmlns='urn:d' xmlns:b='urn:b' xmlns:a='urn:a&amp;&quot;'><item><a:x/><b:x/></item>\
                <g xmlns:b='urn:b2' xmlns='' xmlns:c='urn:c'><item><c:x/><a:x/><b:x/></item>\
                <g xmlns='urn:e'><item/><b:item/></g></g><a:g><a:item y='b:q'/></a:g></r>";
    let expected = [
        "<item xmlns=\"urn:d\" xmlns:b=\"urn:b\" xmlns:a=\"urn:a&amp;&quot;\"><a:x/><b:x/></item>",
        "<item xmlns:a=\"urn:a&amp;&quot;\" xmlns:b=\"urn:b2\" xmlns:c=\"urn:c\"><c:x/><a:x/><b:x/></item>",
        "<item xmlns=\"urn:e\"/>",
        "<b:item xmlns:b=\"urn:b2\"/>",
        "<a:item xmlns:b=\"urn:b\" xmlns:a=\"urn:a&amp;&quot;\" y='b:q'/>",
    ];
    assert_eq!(texts("item", file), expected);
    let whole = without_lines(split("item", file.as_bytes()).0);
    for part_bytes in 1..100 {
        assert_eq!(without_lines(in_parts("item", file.as_bytes(), part_bytes)), whole);
    }
}

#[test]
fn a_prefix_in_the_row_tag_must_be_written() {
    let file = "<r xmlns:p='urn:p' xmlns:q='urn:p'><p:i/><q:i/><i/></r>";
    assert_eq!(texts("p:i", file), ["<p:i xmlns:p=\"urn:p\"/>"]);
    assert_eq!(texts("i", file).len(), 3);
    assert_eq!(texts("p", file), [""; 0]);
}

#[test]
fn the_root_may_be_the_record() {
    assert_eq!(texts("a", "<?xml version='1.0'?><a><a/></a>"), ["<a><a/></a>"]);
    assert_eq!(in_parts("a", b"<!-- far -->  <a><a/></a>", 1).len(), 1);
}

#[test]
fn offsets_count_the_byte_order_mark() {
    let file = "\u{feff}<r><i/><i/></r>".as_bytes();
    let offsets = |records: Vec<Record>| records.iter().map(|record| record.offset).collect::<Vec<_>>();
    assert_eq!(offsets(split("i", file).0), [6, 10]);
    assert_eq!(offsets(in_parts("i", file, 1)), [6, 10]);
}

#[test]
fn other_encodings_and_entities_are_written_out_and_not_divisible() {
    let utf16: Vec<u8> = "\u{feff}<r><i>\u{e9}</i></r>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><r><i>\xe9</i></r>";
    let entities = "<!DOCTYPE r [<!ENTITY e '\u{e9}'><!ATTLIST i a CDATA 'd'>]><r><i>&e;</i></r>";
    assert_eq!(texts("i", &utf16), ["<i>\u{e9}</i>"]);
    assert_eq!(texts("i", latin1), ["<i>\u{e9}</i>"]);
    assert_eq!(texts("i", entities), ["<i a=\"d\">\u{e9}</i>"]);
    for file in [&utf16[..], latin1, entities.as_bytes()] {
        let mut cutter = Cutter::new("i", 1, Limits::default());
        cutter.feed(file).unwrap();
        assert!(!cutter.is_divisible());
        assert_eq!(cutter.take(), []);
    }
}

#[test]
fn records_before_an_error_are_good_and_the_error_has_its_place() {
    let (records, error) = split("i", b"<r>\n<i>1</i>\n<i>2</i>\n<i>3</x></r>");
    assert_eq!(
        records.iter().filter_map(|record| record.text.as_deref()).collect::<Vec<_>>(),
        ["<i>1</i>", "<i>2</i>"]
    );
    let error = error.unwrap();
    assert_eq!((error.line, error.column, error.offset), (4, 5, 26));
    let (records, error) = split("i", b"<r><i/><i>");
    assert_eq!((records.len(), error.unwrap().line), (1, 1));
}

#[test]
fn a_record_over_the_limit_is_passed_over_and_not_held() {
    let large = "x".repeat(1 << 20);
    let file = format!("<r><i>1</i><i>{large}</i><i>2</i></r>");
    for chunk in [1 << 10, 1 << 16, file.len()] {
        let chunks: Vec<&[u8]> = file.as_bytes().chunks(chunk).collect();
        let (records, error) = finish(Splitter::new("i", 1000, Limits::default()), &chunks);
        assert_eq!(error, None);
        let seen: Vec<_> = records.iter().map(|record| (record.text.as_deref(), record.offset, record.bytes)).collect();
        let second = 11 + large.len() as u64 + 7;
        assert_eq!(seen, [(Some("<i>1</i>"), 3, 8), (None, 11, large.len() as u64 + 7), (Some("<i>2</i>"), second, 8)]);
    }
    let exact = finish(Splitter::new("i", 8, Limits::default()), &[b"<r><i>1</i></r>"]).0;
    assert_eq!(exact[0].text.as_deref(), Some("<i>1</i>"));
}
