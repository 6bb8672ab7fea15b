//! From the source's bytes to checked UTF-8: encoding found, sequences and characters checked.

use encoding_rs::{Decoder, DecoderResult, Encoding};

use super::encodings::{detect, Detected, Found};
use super::failure::{encoding, malformed, Outcome};
use super::place::Unit;
use super::survey::{ascii_end, first_forbidden, is_free_of_noncharacters, survey};
use super::window::Window;

enum Stage {
    /// The first bytes, held until they tell the encoding.
    Undecided(Vec<u8>),
    /// Bytes of an unfinished character.
    Utf8(Vec<u8>),
    Latin1,
    Ascii,
    Other(Decoder),
}

pub(super) struct Input {
    stage: Stage,
    /// The document came as text: its XML declaration's encoding says nothing.
    known_utf8: bool,
    /// What is wrong with the input after all that is in the window.
    broken: Option<&'static str>,
    bad_character: bool,
    found: Found,
}

impl Input {
    pub(super) fn new() -> Input {
        Input {
            stage: Stage::Undecided(Vec::new()),
            known_utf8: false,
            broken: None,
            bad_character: false,
            found: Found { encoding: Detected::Utf8, as_text: false, marked: false },
        }
    }

    pub(super) fn set_utf8(&mut self) {
        self.known_utf8 = true;
    }

    /// Appends `piece` to the window, up to the first thing in it that is wrong.
    pub(super) fn push(&mut self, piece: &[u8], window: &mut Window) -> Outcome<()> {
        match &mut self.stage {
            Stage::Undecided(first) if first.is_empty() => self.decide(piece, false, window),
            Stage::Undecided(first) => {
                first.extend_from_slice(piece);
                let first = std::mem::take(first);
                self.decide(&first, false, window)
            }
            _ => {
                self.decode(piece, false, window);
                Ok(())
            }
        }
    }

    /// How the encoding was found of a document that begins like this, if it is UTF-8.
    pub(super) fn found_utf8(&self, first: &[u8]) -> Option<Found> {
        match detect(first, false, self.known_utf8) {
            Ok(Some((encoding @ Detected::Utf8, mark))) => {
                Some(Found { encoding, as_text: self.known_utf8, marked: mark > 0 })
            }
            _ => None,
        }
    }

    /// The document is UTF-8.
    pub(super) fn begin_utf8(&mut self, found: Found) {
        self.found = found;
        self.stage = Stage::Utf8(Vec::new());
    }

    /// Bytes of an unfinished character come before all that will be pushed.
    pub(super) fn hold(&mut self, unfinished: &[u8]) {
        self.stage = Stage::Utf8(unfinished.to_vec());
    }

    /// The input has ended: what is unfinished is wrong.
    pub(super) fn finish(&mut self, window: &mut Window) -> Outcome<()> {
        if let Stage::Undecided(first) = &mut self.stage {
            let first = std::mem::take(first);
            self.decide(&first, true, window)?;
        }
        self.decode(&[], true, window);
        Ok(())
    }

    /// The error that comes after all that is in the window, if there is one.
    pub(super) fn check(&self, window: &Window) -> Outcome<()> {
        let at = window.bytes.len();
        match self.broken {
            None => Ok(()),
            Some(message) if self.bad_character => Err(malformed(at, message)),
            Some(message) => Err(encoding(at, message)),
        }
    }

    pub(super) fn found(&self) -> Found {
        self.found
    }

    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Finds the encoding from the document's first bytes and decodes them, or keeps them until there are more.
    fn decide(&mut self, first: &[u8], last: bool, window: &mut Window) -> Outcome<()> {
        let (found, skip) = match detect(first, last, self.known_utf8) {
            Ok(Some(decided)) => decided,
            Ok(None) => {
                self.stage = Stage::Undecided(first.to_vec());
                return Ok(());
            }
            Err(message) => return Err(encoding(0, message)),
        };
        window.skip_source(skip);
        self.found = Found { encoding: found, as_text: self.known_utf8, marked: skip > 0 };
        (self.stage, window.unit) = match found {
            Detected::Utf8 => (Stage::Utf8(Vec::new()), Unit::Utf8),
            Detected::Latin1 => (Stage::Latin1, Unit::SingleByte),
            Detected::Ascii => (Stage::Ascii, Unit::SingleByte),
            Detected::Other(encoding) => (Stage::Other(encoding.new_decoder_without_bom_handling()), unit(encoding)),
        };
        self.decode(&first[skip..], false, window);
        Ok(())
    }

    fn decode(&mut self, piece: &[u8], last: bool, window: &mut Window) {
        let from = window.bytes.len();
        self.broken = match &mut self.stage {
            Stage::Undecided(_) => None,
            Stage::Utf8(unfinished) => append_utf8(unfinished, piece, last, &mut window.bytes),
            Stage::Latin1 => append_latin1(piece, &mut window.bytes),
            Stage::Ascii => append_ascii(piece, &mut window.bytes),
            Stage::Other(decoder) => append_decoded(decoder, piece, last, &mut window.bytes),
        };
        if let Some(at) = first_forbidden(&window.bytes[from..]) {
            window.bytes.truncate(from + at);
            self.broken = Some("a character that XML does not allow");
            self.bad_character = true;
        }
    }
}

const BAD_SEQUENCE: Option<&str> = Some("bytes that are not of the document's encoding");

fn unit(encoding: &'static Encoding) -> Unit {
    if encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE {
        Unit::Utf16
    } else if encoding.is_single_byte() {
        Unit::SingleByte
    } else {
        Unit::Other(encoding)
    }
}

/// What is good of a piece of UTF-8.
pub(super) struct Good {
    /// Where its last whole character ends.
    pub end: usize,
    /// It has CR or `]`.
    pub has_rare: bool,
}

/// None if there is anything that may not be in a document.
pub(super) fn good_end(piece: &[u8]) -> Option<Good> {
    let survey = survey(piece);
    if survey.has_controls {
        return None;
    }
    let end = if survey.has_high { utf8_end(piece)? } else { piece.len() };
    is_free_of_noncharacters(&piece[..end], survey).then_some(Good { end, has_rare: survey.has_rare })
}

/// Where the last whole character ends. None if there are other bytes.
fn utf8_end(piece: &[u8]) -> Option<usize> {
    let start = ascii_end(piece);
    let rest = &piece[start..];
    if simdutf8::basic::from_utf8(rest).is_ok() {
        return Some(piece.len());
    }
    let error = simdutf8::compat::from_utf8(rest).err()?;
    error.error_len().is_none().then_some(start + error.valid_up_to())
}

fn append_utf8(unfinished: &mut Vec<u8>, piece: &[u8], last: bool, out: &mut Vec<u8>) -> Option<&'static str> {
    let from = out.len();
    out.append(unfinished);
    out.extend_from_slice(piece);
    if simdutf8::basic::from_utf8(&out[from..]).is_ok() {
        return None;
    }
    let Err(error) = simdutf8::compat::from_utf8(&out[from..]) else { return None };
    let valid = from + error.valid_up_to();
    let cut_off = error.error_len().is_none();
    if cut_off && !last {
        unfinished.extend_from_slice(&out[valid..]);
    }
    out.truncate(valid);
    if cut_off && !last {
        None
    } else {
        BAD_SEQUENCE
    }
}

fn append_latin1(piece: &[u8], out: &mut Vec<u8>) -> Option<&'static str> {
    let from = out.len();
    out.resize(from + 2 * piece.len(), 0);
    let written = encoding_rs::mem::convert_latin1_to_utf8(piece, &mut out[from..]);
    out.truncate(from + written);
    None
}

fn append_ascii(piece: &[u8], out: &mut Vec<u8>) -> Option<&'static str> {
    let valid = Encoding::ascii_valid_up_to(piece);
    out.extend_from_slice(&piece[..valid]);
    if valid == piece.len() {
        None
    } else {
        BAD_SEQUENCE
    }
}

fn append_decoded(decoder: &mut Decoder, piece: &[u8], last: bool, out: &mut Vec<u8>) -> Option<&'static str> {
    let from = out.len();
    let room = decoder.max_utf8_buffer_length_without_replacement(piece.len()).unwrap_or(piece.len() * 4 + 16);
    out.resize(from + room, 0);
    let (result, _, written) = decoder.decode_to_utf8_without_replacement(piece, &mut out[from..], last);
    out.truncate(from + written);
    match result {
        DecoderResult::Malformed(..) => BAD_SEQUENCE,
        DecoderResult::InputEmpty | DecoderResult::OutputFull => None,
    }
}
