//! Names for matches: the same input gives the same name, here and on a cluster.

use xxhash_rust::xxh3::Xxh3;

/// 128 bits, as hexadecimal, of a subscription, its documents and the nodes (by kind and offset) that make a match.
pub fn identity(subscription: &str, documents: &[impl AsRef<str>], kind: &str, nodes: &[u64]) -> String {
    let mut hash = Xxh3::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(subscription.as_bytes());
    for document in documents {
        part(document.as_ref().as_bytes());
    }
    part(kind.as_bytes());
    for node in nodes {
        part(&node.to_le_bytes());
    }
    format!("{:032x}", hash.digest128())
}
