//! The Python door: the native half of the package `privet`.
//!
//! The module translates and decides nothing: frames become Arrow record batches, keyword arguments become keys of the job file, results
//! become JSON that the Python half shows. Work runs without the interpreter lock, on a thread that `KeyboardInterrupt` stops.
#![forbid(unsafe_code)]

mod errors;
mod frame;
mod job;
mod query;
mod release;
mod suggest;
mod watch;

use pyo3::prelude::*;

/// The native half of `privet`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    module.add_class::<release::Release>()?;
    module.add_class::<release::Recoding>()?;
    module.add_class::<job::Lines>()?;
    module.add_function(wrap_pyfunction!(job::anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(job::run, module)?)?;
    module.add_function(wrap_pyfunction!(job::run_kind, module)?)?;
    module.add_function(wrap_pyfunction!(job::randomize, module)?)?;
    module.add_function(wrap_pyfunction!(job::reconstruct, module)?)?;
    module.add_function(wrap_pyfunction!(job::open, module)?)?;
    module.add_function(wrap_pyfunction!(suggest::suggest, module)?)?;
    module.add_function(wrap_pyfunction!(query::open_ledger, module)?)?;
    module.add_function(wrap_pyfunction!(query::show_ledger, module)?)?;
    module.add_function(wrap_pyfunction!(query::query, module)?)?;
    module.add_function(wrap_pyfunction!(query::plan, module)?)?;
    module.add_function(wrap_pyfunction!(query::grouped_by, module)?)?;
    Ok(())
}
