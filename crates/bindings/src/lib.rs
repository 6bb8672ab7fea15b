//! The engine as the Python module `penstock.kernel._native`: plain data in, plain data out.

mod allocator;
mod answer;
mod arrow;
mod delivered;
mod delivery;
mod delivery_class;
mod documents;
mod engine;
mod errors;
mod feed;
mod header;
mod identity;
mod idle;
mod ids;
mod matches;
mod program;
mod publishing;
mod records;
mod results;
mod rows;
mod subscriptions;
mod taken;
mod taker;
mod waiting;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Delivery", delivery_class::class(module.py())?)?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<feed::Feed>()?;
    module.add_class::<matches::FragmentMatch>()?;
    module.add_class::<matches::Matches>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<program::Set>()?;
    module.add_class::<publishing::Publishing>()?;
    module.add_class::<records::RecordCutter>()?;
    module.add_class::<records::RecordSplitter>()?;
    module.add_class::<subscriptions::PreparedQuery>()?;
    module.add_class::<subscriptions::Subscriptions>()?;
    module.add_class::<waiting::Waiting>()?;
    Ok(())
}
