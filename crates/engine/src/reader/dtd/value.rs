//! Attribute values with entity references, made to stand alone.

use super::super::failure::{limit, malformed, shown, Outcome};
use super::super::references::{read_reference, Reference};
use super::{Dtd, Entity};
use crate::limits::Limits;

/// A text that is being read: the value itself, or an entity's replacement text.
struct Layer<'a> {
    /// `None` for the value itself.
    entity: Option<&'a [u8]>,
    text: &'a [u8],
    at: usize,
}

impl Dtd {
    /// The value with its entities' text in the place of references to them. In that text white space becomes
    /// spaces and quotes are escaped, so that the result means the same between the value's own quotes.
    /// `spent` grows by the bytes that entities add.
    pub(in super::super) fn expand_value(
        &self,
        value: &[u8],
        place: usize,
        limits: &Limits,
        spent: &mut u64,
    ) -> Outcome<Vec<u8>> {
        let mut out = Vec::with_capacity(value.len());
        let mut layers = vec![Layer { entity: None, text: value, at: 0 }];
        while let Some(layer) = layers.last_mut() {
            let Some(&byte) = layer.text.get(layer.at) else {
                layers.pop();
                continue;
            };
            let inside = layer.entity.is_some();
            match byte {
                b'<' => return Err(malformed(place, "'<' in an attribute's value")),
                b'&' => {
                    let Ok(Some((reference, end))) = read_reference(layer.text, layer.at) else {
                        return Err(malformed(place, "a malformed reference in an attribute's value"));
                    };
                    let written = &layer.text[layer.at..end];
                    layer.at = end;
                    match reference {
                        Reference::Character(_) => out.extend_from_slice(written),
                        Reference::General(name) => {
                            if let Some(text) = self.value_entity(name, place)? {
                                enter(&mut layers, name, text, place, limits, spent)?;
                            }
                        }
                    }
                    continue;
                }
                b'"' if inside => out.extend_from_slice(b"&quot;"),
                b'\'' if inside => out.extend_from_slice(b"&apos;"),
                b'\t' | b'\n' | b'\r' if inside => out.push(b' '),
                other => out.push(other),
            }
            layer.at += 1;
        }
        Ok(out)
    }

    /// The replacement text of an entity that an attribute's value refers to.
    fn value_entity(&self, name: &[u8], place: usize) -> Outcome<Option<&[u8]>> {
        match self.entity(name, place)? {
            None => Ok(None),
            Some(Entity::Internal(text)) => Ok(Some(text)),
            Some(Entity::External) => Err(malformed(place, "an attribute's value refers to an external entity")),
            Some(Entity::Unparsed) => Err(malformed(place, "a reference to an unparsed entity")),
        }
    }
}

fn enter<'a>(
    layers: &mut Vec<Layer<'a>>,
    name: &'a [u8],
    text: &'a [u8],
    place: usize,
    limits: &Limits,
    spent: &mut u64,
) -> Outcome<()> {
    if layers.iter().any(|layer| layer.entity == Some(name)) {
        return Err(malformed(place, format!("entity '{}' refers to itself", shown(name))));
    }
    if layers.len() > limits.entity_depth as usize {
        return Err(limit(place, format!("more than {} references within references", limits.entity_depth)));
    }
    *spent += text.len() as u64;
    if *spent > limits.entity_bytes {
        return Err(limit(place, format!("entities add more than {} bytes", limits.entity_bytes)));
    }
    layers.push(Layer { entity: Some(name), text, at: 0 });
    Ok(())
}
