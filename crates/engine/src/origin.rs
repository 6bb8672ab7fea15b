//! The source of a document, held by what was found in it.

use std::fmt;
use std::sync::Arc;

/// Whoever has the source, and how many bytes there come before it. Nothing at first.
#[derive(Clone, Default)]
pub struct Origin {
    owner: Option<Arc<dyn AsRef<[u8]> + Send + Sync>>,
    skipped: usize,
}

impl Origin {
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static, skipped: usize) -> Origin {
        Origin { owner: Some(Arc::new(owner)), skipped }
    }

    pub fn is_none(&self) -> bool {
        self.owner.is_none()
    }

    pub fn bytes(&self) -> &[u8] {
        self.owner.as_ref().map_or(&[], |owner| &(**owner).as_ref()[self.skipped..])
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Origin").field(&self.bytes().len()).finish()
    }
}
