//! XPath and XQuery over XML streams in one pass. Knows nothing of Python.

pub mod catalog;
pub mod error;
pub mod evaluator;
pub mod events;
pub mod fragment;
pub mod index;
pub mod ir;
pub mod learned;
pub mod limits;
pub mod lists;
pub mod machine;
pub mod names;
pub mod near;
mod origin;
pub mod reader;
pub mod records;
pub mod registry;
pub mod sharing;
pub mod tape;
pub mod xquery;
