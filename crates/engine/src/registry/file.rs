//! A registry as a file: compiled, so that who reads it need not compile it again.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::rows::Rows;
use super::shape::Shape;
use super::Registry;
use crate::catalog::{Catalog, Stored};
use crate::machine::CompiledProgram;

const MAGIC: &[u8; 8] = b"PNSTKSET";
/// Of the form below and of all that is in it: any change of a stored structure is another version.
const VERSION: u32 = 10;
const HEAD: usize = MAGIC.len() + 4 + 8 + 8;

#[derive(Debug, PartialEq, Eq)]
pub enum FileError {
    /// It is something else, or was cut short or changed.
    Damaged(String),
    OtherVersion(u32),
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Damaged(how) => write!(out, "not a file of compiled subscriptions, or a damaged one: {how}"),
            FileError::OtherVersion(found) => {
                write!(out, "compiled subscriptions of version {found}; version {VERSION} is read here")
            }
        }
    }
}

#[derive(Serialize)]
struct Written<'a> {
    rows: &'a Rows,
    catalog: Stored<'a>,
    templates: Vec<(u32, &'a str, &'a Shape)>,
    attachment: &'a [u8],
}

#[derive(Deserialize)]
struct Read {
    rows: Rows,
    catalog: crate::catalog::Restored,
    templates: Vec<(u32, Box<str>, Shape)>,
    attachment: Vec<u8>,
}

fn templates<'a>((&options, shapes): (&u32, &'a FxHashMap<Box<str>, Shape>)) -> Vec<(u32, &'a str, &'a Shape)> {
    shapes.iter().map(|(text, shape)| (options, &**text, shape)).collect()
}

impl Registry {
    /// The file, with something of the caller's own.
    pub fn to_bytes(&self, attachment: &[u8]) -> Result<Vec<u8>, FileError> {
        let written = Written {
            rows: &self.rows,
            catalog: self.catalog.stored(),
            templates: self.templates.iter().flat_map(templates).collect(),
            attachment,
        };
        let body = postcard::to_stdvec(&written).map_err(|error| FileError::Damaged(error.to_string()))?;
        let mut file = Vec::with_capacity(HEAD + body.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&(body.len() as u64).to_le_bytes());
        file.extend_from_slice(&xxh3_64(&body).to_le_bytes());
        file.extend_from_slice(&body);
        Ok(file)
    }

    /// What a file holds, and what the caller attached to it.
    pub fn from_bytes(file: &[u8]) -> Result<(Registry, Vec<u8>), FileError> {
        let damaged = |how: &str| FileError::Damaged(how.to_owned());
        let (head, body) = file.split_at_checked(HEAD).ok_or_else(|| damaged("it is too short"))?;
        if !head.starts_with(MAGIC) {
            return Err(damaged("it begins with something else"));
        }
        let number = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&head[from..from + 8]);
            u64::from_le_bytes(bytes)
        };
        let version = number(8) as u32;
        if version != VERSION {
            return Err(FileError::OtherVersion(version));
        }
        if number(12) != body.len() as u64 {
            return Err(damaged(&format!("it has {} bytes where {} are announced", body.len(), number(12))));
        }
        if number(20) != xxh3_64(body) {
            return Err(damaged("its checksum is wrong"));
        }
        let read: Read = postcard::from_bytes(body).map_err(|error| damaged(&error.to_string()))?;
        let mut registry = Registry::new(0);
        registry.rows = read.rows;
        registry.rows.restore();
        registry.catalog = Catalog::restored(read.catalog, |json| CompiledProgram::from_json(json).map(Arc::new))
            .map_err(|error| damaged(&error))?;
        for (options, text, shape) in read.templates {
            registry.templates.entry(options).or_default().insert(text, shape);
        }
        Ok((registry, read.attachment))
    }
}
