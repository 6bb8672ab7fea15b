//! The table of names.

use penstock_engine::names::{NameId, Names};

#[test]
fn a_name_has_one_id() {
    let mut names = Names::new();
    let plain = names.intern("", "a", "");
    let prefixed = names.intern("p", "a", "urn:x");
    let other_prefix = names.intern("q", "a", "urn:x");
    let other_uri = names.intern("p", "a", "urn:y");
    assert_eq!(names.intern("p", "a", "urn:x"), prefixed);
    let all = [plain, prefixed, other_prefix, other_uri];
    assert_eq!(all, [NameId(0), NameId(1), NameId(2), NameId(3)]);
    assert_eq!(names.len(), 4);
    assert_eq!((names.prefix(plain), names.local(plain), names.uri(plain)), ("", "a", ""));
    assert_eq!((names.prefix(prefixed), names.local(prefixed), names.uri(prefixed)), ("p", "a", "urn:x"));
    assert_eq!((names.qualified(plain), names.qualified(prefixed)), ("a", "p:a"));
}

#[test]
fn many_names_are_found_again() {
    let mut names = Names::new();
    let spelled = |number: u32| (format!("local{number}"), format!("urn:{}", number % 7));
    for number in 0..10_000 {
        let (local, uri) = spelled(number);
        assert_eq!(names.intern("p", &local, &uri), NameId(number));
    }
    for number in 0..10_000 {
        let (local, uri) = spelled(number);
        assert_eq!(names.intern("p", &local, &uri), NameId(number));
        assert_eq!(names.local(NameId(number)), local);
    }
}
