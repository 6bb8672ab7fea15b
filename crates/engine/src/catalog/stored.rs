//! A catalog as it is stored.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Catalog, Entry};
use crate::index::{Index, Slot};
use crate::machine::CompiledProgram;
use crate::sharing::{self, Sharing};

#[derive(Serialize)]
pub struct Stored<'a> {
    index: &'a Index,
    indexed: usize,
    sharing: sharing::Stored,
    streamed: Vec<(Slot, Option<&'a str>, &'a [u8])>,
    is_small: bool,
    few: usize,
}

#[derive(Deserialize)]
pub struct Restored {
    index: Index,
    indexed: usize,
    sharing: sharing::Stored,
    streamed: Vec<(Slot, Option<Box<str>>, Vec<u8>)>,
    is_small: bool,
    few: usize,
}

impl Catalog {
    pub(crate) fn stored(&self) -> Stored<'_> {
        Stored {
            index: &self.index,
            indexed: self.indexed,
            sharing: self.sharing.stored(),
            streamed: self
                .streamed
                .iter()
                .map(|(slot, entry)| (*slot, entry.stream.as_deref(), &*entry.program.json))
                .collect(),
            is_small: self.is_small,
            few: self.few,
        }
    }

    /// `compile` makes programs of what is stored of them.
    pub(crate) fn restored(
        restored: Restored,
        compile: impl Fn(&[u8]) -> Result<Arc<CompiledProgram>, String>,
    ) -> Result<Catalog, String> {
        let Restored { mut index, indexed, sharing, streamed, is_small, few } = restored;
        index.restore();
        let sharing = Sharing::restored(sharing, &compile)?;
        let entry = |(slot, stream, json): (Slot, Option<Box<str>>, Vec<u8>)| {
            Ok((slot, Entry { program: compile(&json)?, stream }))
        };
        let streamed = streamed.into_iter().map(entry).collect::<Result<_, String>>()?;
        Ok(Catalog { index, indexed, sharing, streamed, is_small, few, ..Catalog::default() })
    }
}
